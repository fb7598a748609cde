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

/** `kube-state-metrics` gives each condition three series, with the status in small letters. */
export function conditionIs(condition: string, status: "true" | "false"): string {
  return once("node", `kube_node_status_condition{condition="${condition}", status="${status}"}`);
}

/** Keeps an alert to nodes whose kubelet reports: of one that has fallen silent GpuNodeNotReady tells. */
export const onReadyNodes = `and on (node) ${conditionIs("Ready", "true")} == 1`;

/** Nodes on which the GPU Operator has found a GPU. Nothing where that label is not exported. */
export const gpuNodeLabels = 'kube_node_labels{label_nvidia_com_gpu_present="true"}';

/** Nodes that were bought for their GPU, whether an operator runs or not: their group's label, or the operator's. */
export const boughtGpuNodes = `(${gpuNodeLabels} or kube_node_labels{label_nvidia_com_gpu="true"})`;

/** What nodes offer as nvidia.com/gpu. A node whose plugin has gone keeps the series, with the value 0. */
export const allocatableGpus = 'kube_node_status_allocatable{resource="nvidia_com_gpu"}';

/** GPUs that are offered under another name: shared ones, and MIG devices by profile. */
export const otherGpuResources = 'kube_node_status_allocatable{resource=~"nvidia_com_(gpu_shared|mig_.+)"}';

/** GPUs under whichever name a pod may ask for them. */
export const anyGpu = 'resource=~"nvidia_com_(gpu|gpu_shared|mig_.+)"';

/** Objects younger than some minutes, by a metric with the time of their creation. */
export function youngerThan(minutes: number, created: string): string {
  return `time() - ${created} < ${minutes * 60}`;
}

/** Nodes that have had the time to start. */
function settled(nodes: string, startupMinutes: number): string {
  return `(${once("node", nodes)} unless on (node) (${youngerThan(startupMinutes, "kube_node_created")}))`;
}

/** GPU nodes that have had the time to start. */
export const settledGpuNodes = (startupMinutes: number) => settled(gpuNodeLabels, startupMinutes);

/** Nodes that were bought for their GPU, and have had the time to start. */
export const settledBoughtNodes = (startupMinutes: number) => settled(boughtGpuNodes, startupMinutes);

/** Keeps an alert silent while there is no GPU node, and while the first one starts: what waits then waits for a session. */
export function duringSession(startupMinutes: number): string {
  return `and on () count(${settledBoughtNodes(startupMinutes)}) > 0`;
}

/** Pods whose containers ask for GPUs. A GPU that is stated as a limit is a request as well. */
export const podsWithGpu = `kube_pod_container_resource_requests{${anyGpu}} > 0`;

/** Deployments that own some pods, given as a vector with the labels namespace and pod. */
export function deploymentsOf(pods: string): string {
  const owners = `${once("namespace, pod, owner_name", 'kube_pod_owner{owner_kind="ReplicaSet"}')} and on (namespace, pod) (${pods})`;
  const sets = `label_replace(${owners}, "replicaset", "$1", "owner_name", "(.+)")`;
  const owned = `${once("namespace, replicaset, owner_name", 'kube_replicaset_owner{owner_kind="Deployment"}')} and on (namespace, replicaset) ${sets}`;
  return once("namespace, deployment", `label_replace(${owned}, "deployment", "$1", "owner_name", "(.+)")`);
}

/** Jobs of which a pod with GPUs had a node in the last hour; one that ends at its deadline takes its pods along. */
export const jobsWithGpu = (() => {
  const owners = once("namespace, pod, owner_name", 'last_over_time(kube_pod_owner{owner_kind="Job"}[1h])');
  const placed = `last_over_time(kube_pod_container_resource_requests{${anyGpu}, node!=""}[1h])`;
  return `label_replace(${owners} and on (namespace, pod) ${placed}, "job_name", "$1", "owner_name", "(.+)")`;
})();

/** Jobs of a CronJob of which a run has succeeded since they began. */
export const overtakenJobs = (() => {
  const owners = once("namespace, job_name, owner_name", 'kube_job_owner{owner_kind="CronJob"}');
  const created = `${owners} * on (namespace, job_name) group_left () ${once("namespace, job_name", "kube_job_created")}`;
  const success = once("namespace, cronjob", "kube_cronjob_status_last_successful_time");
  return `label_replace(${created}, "cronjob", "$1", "owner_name", "(.+)") < on (namespace, cronjob) group_left () ${success}`;
})();

/** Pods that Prometheus reads, by the answer: 1, or 0 for none. */
export function targets(up: 0 | 1, where = ""): string {
  return `kube_pod_info and on (namespace, pod) up${where} == ${up}`;
}

/** The labels by which the DCGM exporter names a GPU. `Hostname` is the node's name. */
export const gpuIdentity = "Hostname, gpu, UUID, modelName";

/**
 * The number of the last XID is a label of its series, beside its text: each XID is a series of its own, and the one
 * before ends where it begins.
 * @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.1-4.8.0/internal/pkg/collector/gpu_collector.go
 */
export const xidIdentity = `${gpuIdentity}, err_code, err_msg`;

/**
 * The labels of kube-state-metrics' series name the objects that they are about. A Prometheus that does not honor them
 * puts the scraped pod's in their place, and renames them.
 */
export const honored = 'exported_namespace=""';

/** Lines of an expression, one operator a line. */
export function lines(...parts: readonly string[]): string {
  return parts.join("\n");
}
