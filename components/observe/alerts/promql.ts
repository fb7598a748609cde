/**
 * Pieces of PromQL that several alerts share.
 *
 * Two replicas of kube-state-metrics give every series twice. So whatever is compared or counted is first brought down
 * to one series for each object, and joins are the set operators `and` and `unless`, which know no "many to many".
 *
 * @see https://github.com/kubernetes/kube-state-metrics/tree/v2.20.0/docs/metrics 2026-08-20
 */

/** The device plugin's DaemonSet, as the GPU Operator names it. */
export const devicePluginDaemonSet = "nvidia-device-plugin-daemonset";

/** One series for each combination of `labels`, whichever job or replica it comes from. */
export function once(labels: string, vector: string): string {
  return `max by (${labels}) (${vector})`;
}

/** Nodes on which the GPU Operator has found a GPU. Nothing where that label is not exported. */
export const gpuNodeLabels = 'kube_node_labels{label_nvidia_com_gpu_present="true"}';

/** Nodes that were bought for their GPU, whether an operator runs or not: their group's label, or the operator's. */
export const boughtGpuNodes = `(${gpuNodeLabels} or kube_node_labels{label_nvidia_com_gpu="true"})`;

/** What nodes offer as nvidia.com/gpu. A node whose plugin has gone keeps the series, with the value 0. */
export const allocatableGpus = 'kube_node_status_allocatable{resource="nvidia_com_gpu"}';

/** GPUs that are offered under another name: shared ones, and MIG devices by profile. */
export const otherGpuResources = 'kube_node_status_allocatable{resource=~"nvidia_com_(gpu_shared|mig_.+)"}';

/** Objects younger than some minutes, by a metric with the time of their creation. */
export function youngerThan(minutes: number, created: string): string {
  return `time() - ${created} < ${minutes * 60}`;
}

/** GPU nodes that have had the time to start. */
export function settledGpuNodes(startupMinutes: number): string {
  return `(${once("node", gpuNodeLabels)} unless on (node) (${youngerThan(startupMinutes, "kube_node_created")}))`;
}

/** Pods whose containers ask for GPUs. A GPU that is stated as a limit is a request as well. */
export const podsWithGpu = 'kube_pod_container_resource_requests{resource="nvidia_com_gpu"} > 0';

/** Deployments that own some pods, given as a vector with the labels namespace and pod. */
export function deploymentsOf(pods: string): string {
  const owners = `${once("namespace, pod, owner_name", 'kube_pod_owner{owner_kind="ReplicaSet"}')} and on (namespace, pod) (${pods})`;
  const sets = `label_replace(${owners}, "replicaset", "$1", "owner_name", "(.+)")`;
  const owned = `${once("namespace, replicaset, owner_name", 'kube_replicaset_owner{owner_kind="Deployment"}')} and on (namespace, replicaset) ${sets}`;
  return once("namespace, deployment", `label_replace(${owned}, "deployment", "$1", "owner_name", "(.+)")`);
}

/** The labels by which the DCGM exporter names a GPU. `Hostname` is the node's name. */
export const gpuIdentity = "Hostname, gpu, UUID, modelName";

/** Lines of an expression, one operator a line. */
export function lines(...parts: readonly string[]): string {
  return parts.join("\n");
}
