import type { ResourceModel } from "../cloud/model";
import { objectModel, type KubernetesKind } from "./objects";
import { release } from "./release";

const kinds: readonly KubernetesKind[] = [
  ...inGroup("core/v1", ["LimitRange", "PersistentVolumeClaim", "ResourceQuota", "Service", "ServiceAccount"]),
  {
    apiVersion: "core/v1",
    kind: "ConfigMap",
    mutableWhen: { setting: "enableConfigMapMutable", paths: ["binaryData", "data"] },
  },
  {
    apiVersion: "core/v1",
    kind: "Secret",
    mutableWhen: { setting: "enableSecretMutable", paths: ["data", "stringData"] },
  },
  { apiVersion: "core/v1", kind: "Pod", podSpecPath: "spec" },
  ...clusterScoped("core/v1", ["Namespace", "PersistentVolume"]),
  { apiVersion: "apps/v1", kind: "Deployment", podSpecPath: "spec.template.spec" },
  ...inGroup("apps/v1", ["DaemonSet"]),
  { apiVersion: "apps/v1", kind: "StatefulSet", podSpecPath: "spec.template.spec" },
  { apiVersion: "batch/v1", kind: "Job", podSpecPath: "spec.template.spec" },
  ...inGroup("batch/v1", ["CronJob"]),
  ...inGroup("networking.k8s.io/v1", ["Ingress", "NetworkPolicy"]),
  ...inGroup("policy/v1", ["PodDisruptionBudget"]),
  ...inGroup("rbac.authorization.k8s.io/v1", ["Role", "RoleBinding"]),
  ...clusterScoped("rbac.authorization.k8s.io/v1", ["ClusterRole", "ClusterRoleBinding"]),
  ...clusterScoped("apiextensions.k8s.io/v1", ["CustomResourceDefinition"]),
  ...clusterScoped("scheduling.k8s.io/v1", ["PriorityClass"]),
  ...clusterScoped("node.k8s.io/v1", ["RuntimeClass"]),
  ...clusterScoped("storage.k8s.io/v1", ["StorageClass"]),
  ...["PodMonitor", "PrometheusRule", "ServiceMonitor"].map((kind): KubernetesKind => {
    return { apiVersion: "monitoring.coreos.com/v1", kind, custom: true };
  }),
  { apiVersion: "kubeflow.org/v2beta1", kind: "MPIJob", custom: true },
  { apiVersion: "nvidia.com/v1", kind: "ClusterPolicy", namespaced: false, custom: true },
];

function inGroup(apiVersion: string, kinds: readonly string[]): KubernetesKind[] {
  return kinds.map((kind) => ({ apiVersion, kind }));
}

function clusterScoped(apiVersion: string, kinds: readonly string[]): KubernetesKind[] {
  return kinds.map((kind) => ({ apiVersion, kind, namespaced: false }));
}

/** The models of Kubernetes objects and Helm releases. */
export const kubernetesModels: readonly ResourceModel[] = [release, ...kinds.map(objectModel)];
