import type { Kind } from "../world/kind";
import { objectKind, type Nature } from "./objects";
import { release } from "./release";

const selector = ["spec.selector"];

/** @see https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/diff.go for what cannot be changed */
const natures: readonly Nature[] = [
  ...inGroup("core/v1", ["ConfigMap", "LimitRange", "PersistentVolumeClaim", "ResourceQuota", "ServiceAccount"]),
  { apiVersion: "core/v1", kind: "Secret", immutable: ["type"] },
  { apiVersion: "core/v1", kind: "Service", immutable: ["spec.clusterIP"] },
  { apiVersion: "core/v1", kind: "Pod", pod: "spec", immutable: ["spec"] },
  { apiVersion: "core/v1", kind: "Namespace", namespaced: false },
  { apiVersion: "core/v1", kind: "PersistentVolume", namespaced: false },
  { apiVersion: "apps/v1", kind: "Deployment", pod: "spec.template.spec", immutable: selector },
  { apiVersion: "apps/v1", kind: "DaemonSet", immutable: selector },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    pod: "spec.template.spec",
    immutable: [...selector, "spec.podManagementPolicy", "spec.serviceName", "spec.volumeClaimTemplates"],
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    pod: "spec.template.spec",
    immutable: [...selector, "spec.completions", "spec.parallelism", "spec.template"],
  },
  ...inGroup("batch/v1", ["CronJob"]),
  ...inGroup("networking.k8s.io/v1", ["Ingress", "NetworkPolicy"]),
  ...inGroup("policy/v1", ["PodDisruptionBudget"]),
  ...inGroup("rbac.authorization.k8s.io/v1", ["Role"]),
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", immutable: ["roleRef"] },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", namespaced: false },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", namespaced: false, immutable: ["roleRef"] },
  { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", namespaced: false },
  { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", namespaced: false },
  { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", namespaced: false },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    namespaced: false,
    immutable: ["parameters", "provisioner"],
  },
  ...["PodMonitor", "PrometheusRule", "ServiceMonitor"].map((kind): Nature => {
    return { apiVersion: "monitoring.coreos.com/v1", kind, custom: true };
  }),
  { apiVersion: "kubeflow.org/v2beta1", kind: "MPIJob", custom: true },
  { apiVersion: "nvidia.com/v1", kind: "ClusterPolicy", namespaced: false, custom: true },
];

function inGroup(apiVersion: string, kinds: readonly string[]): Nature[] {
  return kinds.map((kind) => ({ apiVersion, kind }));
}

/** What the simulation knows of Kubernetes and Helm. */
export const kubernetesKinds: readonly Kind[] = [release, ...natures.map(objectKind)];
