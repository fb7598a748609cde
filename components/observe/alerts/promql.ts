/**
 * Parts of PromQL expressions that several alerts use.
 *
 * Two replicas of kube-state-metrics export every series twice. Expressions therefore aggregate to one series for each
 * object before they compare or count, and join with the set operators `and` and `unless`, which allow many-to-many.
 *
 * @see https://github.com/kubernetes/kube-state-metrics/tree/v2.20.0/docs/metrics 2026-08-20
 */

/** The GPU Operator's name of the device plugin's DaemonSet. */
export const devicePluginDaemonSet = "nvidia-device-plugin-daemonset";

/** One series for each combination of `labels`, from any job and replica. */
export function maxBy(labels: string, vector: string): string {
  return `max by (${labels}) (${vector})`;
}

/** kube-state-metrics exports three series for each condition, with the status in lowercase. */
export function conditionIs(condition: string, status: "true" | "false"): string {
  return maxBy("node", `kube_node_status_condition{condition="${condition}", status="${status}"}`);
}

/** Limits an alert to nodes whose kubelet reports Ready; GpuNodeNotReady covers the others. */
export const onReadyNodes = `and on (node) ${conditionIs("Ready", "true")} == 1`;

/** Nodes on which the GPU Operator has found a GPU. Empty if kube-state-metrics does not export the label. */
export const gpuNodeLabels = 'kube_node_labels{label_nvidia_com_gpu_present="true"}';

/** GPUs with any resource name that a pod may request: whole and shared ones, and MIG devices by profile. */
export const anyGpu = 'resource=~"nvidia_com_(gpu|gpu_shared|mig_.+)"';

/** GPUs that nodes advertise. A node whose plugin stopped keeps the series, with the value 0. */
export const allocatableGpus = `kube_node_status_allocatable{${anyGpu}}`;

/**
 * All GPU nodes, with or without the GPU Operator: by the label of their group, or of the operator, or because they advertise
 * GPUs. A node that stopped advertising them keeps the resource with the value 0; other nodes never have it.
 */
export const allGpuNodes = `(${gpuNodeLabels} or kube_node_labels{label_nvidia_com_gpu="true"} or kube_node_status_capacity{${anyGpu}})`;

/** Objects younger than `minutes`; the metric `created` contains the time of their creation. */
export function youngerThan(minutes: number, created: string): string {
  return `time() - ${created} < ${minutes * 60}`;
}

/** Nodes that have had the time to start. */
function settled(nodes: string, startupMinutes: number): string {
  return `(${maxBy("node", nodes)} unless on (node) (${youngerThan(startupMinutes, "kube_node_created")}))`;
}

/** GPU nodes that have had the time to start. */
export const settledGpuNodes = (startupMinutes: number) => settled(gpuNodeLabels, startupMinutes);

/** All GPU nodes that have had the time to start, with or without the GPU Operator. */
export const allSettledGpuNodes = (startupMinutes: number) => settled(allGpuNodes, startupMinutes);

/** Limits an alert to sessions: the cluster has a GPU node that has had the time to start. */
export function duringSession(startupMinutes: number): string {
  return `and on () count(${allSettledGpuNodes(startupMinutes)}) > 0`;
}

/** Requests for GPUs, also of init containers and sidecars. A limit counts as a request. `of` completes the selector. */
function requested(matchers: string, of = (selector: string) => selector): string {
  const kinds = ["container", "init_container"];
  return `(${kinds.map((kind) => of(`kube_pod_${kind}_resource_requests{${matchers}}`)).join(" or ")})`;
}

/** Pods that request GPUs. */
export const podsWithGpu = `${requested(anyGpu)} > 0`;

/**
 * A pod's request as the scheduler counts it: the sum of its containers and sidecars, or the largest request of an init
 * container.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
 */
export function podRequests(matchers: string): string {
  const container = "namespace, pod, container";
  const sidecar = `kube_pod_init_container_info{restart_policy="Always"}`;
  const init = `kube_pod_init_container_resource_requests{${matchers}}`;
  const together = `kube_pod_container_resource_requests{${matchers}} or ${init} and on (${container}) ${sidecar}`;
  const sum = `sum by (namespace, pod, node) (${maxBy(`${container}, node`, together)})`;
  const largest = maxBy("namespace, pod, node", init);
  return `((${sum} > ${largest}) or ${largest} or ${sum})`;
}

/** Deployments that own some pods, given as a vector with the labels namespace and pod. */
export function deploymentsOf(pods: string): string {
  const owners = `${maxBy("namespace, pod, owner_name", 'kube_pod_owner{owner_kind="ReplicaSet"}')} and on (namespace, pod) (${pods})`;
  const sets = `label_replace(${owners}, "replicaset", "$1", "owner_name", "(.+)")`;
  const owned = `${maxBy("namespace, replicaset, owner_name", 'kube_replicaset_owner{owner_kind="Deployment"}')} and on (namespace, replicaset) ${sets}`;
  return maxBy("namespace, deployment", `label_replace(${owned}, "deployment", "$1", "owner_name", "(.+)")`);
}

/**
 * GPUs that the containers of runs request, by run: pods whose owner is neither a Deployment nor a DaemonSet. Only whole GPUs
 * count, because amounts of shares and partitions do not compare. `where` selects the pods.
 */
export function gpusOfRuns(matchers: string, where: string): string {
  const others = "|<none>|Node|DaemonSet|ReplicaSet|ReplicationController";
  const owners = maxBy("namespace, pod, owner_kind, owner_name", `kube_pod_owner{owner_kind!~"${others}"}`);
  const requests = `kube_pod_container_resource_requests{resource="nvidia_com_gpu", ${matchers}}`;
  const perPod = `sum by (namespace, pod) (${maxBy("namespace, pod, container", requests)}) ${where}`;
  return `sum by (namespace, owner_kind, owner_name) (${owners} * on (namespace, pod) group_left () (${perPod}))`;
}

/** Jobs with a pod that had GPUs on a node in the last hour. At its deadline a Job deletes its pods. */
export const jobsWithGpu = (() => {
  const owners = maxBy("namespace, pod, owner_name", 'last_over_time(kube_pod_owner{owner_kind="Job"}[1h])');
  const placed = requested(`${anyGpu}, node!=""`, (selector) => `last_over_time(${selector}[1h])`);
  return `label_replace(${owners} and on (namespace, pod) ${placed}, "job_name", "$1", "owner_name", "(.+)")`;
})();

/** Jobs of a CronJob with a later successful run. */
export const overtakenJobs = (() => {
  const owners = maxBy("namespace, job_name, owner_name", 'kube_job_owner{owner_kind="CronJob"}');
  const created = `${owners} * on (namespace, job_name) group_left () ${maxBy("namespace, job_name", "kube_job_created")}`;
  const success = maxBy("namespace, cronjob", "kube_cronjob_status_last_successful_time");
  return `label_replace(${created}, "cronjob", "$1", "owner_name", "(.+)") < on (namespace, cronjob) group_left () ${success}`;
})();

/** Pods that Prometheus scrapes: 1 successfully, 0 without an answer. */
export function targets(up: 0 | 1, where = ""): string {
  return `kube_pod_info and on (namespace, pod) up${where} == ${up}`;
}

/**
 * Metrics of the DCGM exporter by the label `Hostname`, the node's name. Releases after 4.8.2 call it `hostname`.
 * @see https://github.com/NVIDIA/dcgm-exporter/pull/655
 */
export function byHost(vector: string): string {
  return `label_replace(${vector}, "Hostname", "$1", "hostname", "(.+)")`;
}

/** An alert that was pending or firing in the last hour. It keeps firing when what it knew is older than that. */
export function stillFiring(alert: string): string {
  return `last_over_time(ALERTS{alertname="${alert}"}[1h])`;
}

/** The labels with which the DCGM exporter identifies a GPU. */
export const gpuIdentity = "Hostname, gpu, UUID, modelName";

/**
 * Number and text of the last XID are labels of its series: each XID is a separate series, which ends when the next one
 * begins.
 * @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.1-4.8.0/internal/pkg/collector/gpu_collector.go
 */
export const xidIdentity = `${gpuIdentity}, err_code, err_msg`;

/** A Prometheus that does not honor the labels of kube-state-metrics replaces them by those of its pod, and renames them. */
export const honored = 'exported_namespace=""';

/** An expression with one operator on each line. */
export function lines(...parts: readonly string[]): string {
  return parts.join("\n");
}

/** The CronJobs of the lease of a GpuEnvironment, which has one for its NodePool only if Karpenter or EKS Auto Mode starts nodes. */
export const leaseCronJobs = ".+-lease-(nightly|end)-.+-gpu";
