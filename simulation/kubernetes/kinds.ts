import type { ResourceModel } from "../cloud/model";
import { objectModel, type KubernetesKind } from "./objects";
import { release } from "./release";

/**
 * The immutable fields of a pod. For containers, the provider lists almost every field; the simulation treats them as one.
 */
const immutablePodFields = inSpec(
  ...["affinity", "automountServiceAccountToken", "containers", "dnsConfig", "dnsPolicy", "enableServiceLinks"],
  ...["hostAliases", "hostIPC", "hostNetwork", "hostPID", "hostname", "imagePullSecrets", "initContainers", "nodeName"],
  ...["nodeSelector", "overhead", "preemptionPolicy", "priority", "priorityClassName", "readinessGates"],
  ...["restartPolicy", "runtimeClassName", "schedulerName", "securityContext", "serviceAccount", "serviceAccountName"],
  ...["shareProcessNamespace", "subdomain", "terminationGracePeriodSeconds", "volumes"],
);

/** The immutable fields of a PersistentVolume: its sources. */
const volumeSources = inSpec(
  ...["awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "csi", "fc", "flexVolume", "flocker"],
  ...["gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "nfs", "photonPersistentDisk", "portworxVolume"],
  ...["quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume"],
);

/** @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/diff.go for immutable fields */
const kinds: readonly KubernetesKind[] = [
  ...inGroup("core/v1", ["LimitRange", "ServiceAccount"]),
  {
    apiVersion: "core/v1",
    kind: "ConfigMap",
    mutableWhen: { setting: "enableConfigMapMutable", paths: ["binaryData", "data"] },
  },
  {
    apiVersion: "core/v1",
    kind: "Secret",
    immutable: ["type"],
    mutableWhen: { setting: "enableSecretMutable", paths: ["data", "stringData"] },
  },
  {
    apiVersion: "core/v1",
    kind: "PersistentVolumeClaim",
    immutable: inSpec("accessModes", "selector", "storageClassName", "volumeName"),
  },
  { apiVersion: "core/v1", kind: "ResourceQuota", immutable: inSpec("scopes") },
  { apiVersion: "core/v1", kind: "Service", immutable: inSpec("clusterIP") },
  { apiVersion: "core/v1", kind: "Pod", podSpecPath: "spec", immutable: immutablePodFields },
  { apiVersion: "core/v1", kind: "Namespace", namespaced: false },
  { apiVersion: "core/v1", kind: "PersistentVolume", namespaced: false, immutable: volumeSources },
  { apiVersion: "apps/v1", kind: "Deployment", podSpecPath: "spec.template.spec", immutable: inSpec("selector") },
  { apiVersion: "apps/v1", kind: "DaemonSet", immutable: inSpec("selector") },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    podSpecPath: "spec.template.spec",
    immutable: inSpec(
      ...["podManagementPolicy", "revisionHistoryLimit", "selector", "serviceName", "volumeClaimTemplates"],
    ),
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    podSpecPath: "spec.template.spec",
    immutable: inSpec("completions", "parallelism", "selector", "template"),
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
  ...["PodMonitor", "PrometheusRule", "ServiceMonitor"].map((kind): KubernetesKind => {
    return { apiVersion: "monitoring.coreos.com/v1", kind, custom: true };
  }),
  { apiVersion: "kubeflow.org/v2beta1", kind: "MPIJob", custom: true },
  { apiVersion: "nvidia.com/v1", kind: "ClusterPolicy", namespaced: false, custom: true },
];

function inGroup(apiVersion: string, kinds: readonly string[]): KubernetesKind[] {
  return kinds.map((kind) => ({ apiVersion, kind }));
}

function inSpec(...fields: string[]): string[] {
  return fields.map((field) => `spec.${field}`);
}

/** The models of Kubernetes objects and Helm releases. */
export const kubernetesModels: readonly ResourceModel[] = [release, ...kinds.map(objectModel)];
