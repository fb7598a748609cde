import { socketStateMetric, socketStates } from "../../../../components/workloads/socket/metrics-script";
import type { Series } from "../promtool";

/** Values from the start to the end of every test, three hours in minutes. */
export const always = (value: number): string => `${value}x180`;
/** One value until a minute, another from then on. */
export const step = (before: number, minute: number, after: number): string =>
  `${before}x${minute - 1} ${always(after)}`;
/** Nothing until a minute, a value from then on. */
export const since = (minute: number, value: number): string => `_x${minute} ${always(value)}`;
/** A value until a minute, and the end of the series. */
export const until = (minute: number, value: number): string => `${value}x${minute - 1} stale`;

/** A series of kube-state-metrics, with the labels that a scrape adds. */
export function ksm(metric: string, labels: Readonly<Record<string, string>>, values: string): Series {
  return { [selector(metric, { ...labels, job: "kube-state-metrics", instance: "192.168.1.10:8080" })]: values };
}

export function selector(metric: string, labels: Readonly<Record<string, string>>): string {
  return `${metric}{${Object.entries(labels)
    .map(([key, value]) => `${key}="${value}"`)
    .join(",")}}`;
}

/** The same cluster seen by two replicas of kube-state-metrics. */
export function seenTwice(series: Series): Series {
  const again = Object.entries(series)
    .filter(([name]) => name.startsWith("kube_"))
    .map(([name, values]): [string, string] => [name.replace("192.168.1.10", "192.168.2.20"), values]);
  return { ...series, ...Object.fromEntries(again) };
}

export interface NodeSeries {
  /** Age at the start, in minutes; negative for a node that joins later. */
  readonly age?: number;
  /** Values of nvidia.com/gpu; "never" where the kubelet has not heard of it. */
  readonly gpus?: string;
  /** Values of kube_node_labels. */
  readonly labels?: string;
  /** Whether the GPU Operator has labelled the node. */
  readonly isPresent?: boolean;
  /** Values of the condition Ready=true. */
  readonly ready?: string;
  /** Values of other conditions that are False. */
  readonly failed?: Readonly<Record<string, string>>;
}

/** A GPU node, healthy unless stated otherwise: g5.xlarge, one GPU, two hours old. */
export function gpuNode(node: string, given: NodeSeries = {}): Series {
  const { age = 120, gpus = always(1), labels = always(1), isPresent = true, ready = always(1), failed = {} } = given;
  const alive = (value: number) => (age < 0 ? since(-age, value) : always(value));
  const nodeLabels = { label_nvidia_com_gpu: "true", label_tier: "gpu" };
  return {
    ...ksm("kube_node_created", { node }, alive(-age * 60)),
    ...ksm("kube_node_status_allocatable", { node, resource: "cpu", unit: "core" }, alive(4)),
    ...ksm(
      "kube_node_labels",
      { node, ...nodeLabels, ...(isPresent && { label_nvidia_com_gpu_present: "true" }) },
      labels,
    ),
    ...(gpus !== "never" && gpuResource(node, "nvidia_com_gpu", gpus)),
    ...ksm("kube_node_status_condition", { node, condition: "Ready", status: "true" }, ready),
    ...condition(node, "AcceleratedHardwareReady", failed["AcceleratedHardwareReady"] ?? alive(0)),
    ...condition(node, "ContainerRuntimeReady", failed["ContainerRuntimeReady"] ?? alive(0)),
  };
}

export function gpuResource(node: string, resource: string, values: string): Series {
  return {
    ...ksm("kube_node_status_capacity", { node, resource, unit: "integer" }, values),
    ...ksm("kube_node_status_allocatable", { node, resource, unit: "integer" }, values),
  };
}

function condition(node: string, name: string, failed: string): Series {
  return ksm("kube_node_status_condition", { node, condition: name, status: "false" }, failed);
}

/** What every EKS cluster has: a system node, and DaemonSets that are not ours. */
export function base(): Series {
  return {
    ...ksm("kube_node_created", { node: "system" }, always(-86400 * 30)),
    ...ksm("kube_node_labels", { node: "system", label_tier: "primary" }, always(1)),
    ...ksm("kube_node_status_allocatable", { node: "system", resource: "cpu", unit: "core" }, always(2)),
    ...ksm("kube_node_status_condition", { node: "system", condition: "Ready", status: "true" }, always(1)),
    ...daemonSet({ namespace: "kube-system", name: "aws-node" }),
  };
}

const plugin = "nvidia-device-plugin-daemonset";

export function daemonSet(
  given: { namespace?: string; name?: string; desired?: string; ready?: string; created?: string } = {},
): Series {
  const { namespace = "gpu-operator", name: daemonset = plugin, desired = always(2), ready = desired } = given;
  return {
    ...ksm("kube_daemonset_created", { namespace, daemonset }, given.created ?? always(-86400)),
    ...ksm("kube_daemonset_status_desired_number_scheduled", { namespace, daemonset }, desired),
    ...ksm("kube_daemonset_status_number_ready", { namespace, daemonset }, ready),
  };
}

export function operator(given: { available?: string; status?: string } = {}): Series {
  const { available = always(1), status = always(1) } = given;
  const labels = {
    namespace: "gpu-operator",
    job: "gpu-operator",
    pod: "gpu-operator-5d4f",
    endpoint: "gpu-operator-metrics",
  };
  return {
    ...ksm(
      "kube_deployment_status_replicas_available",
      { namespace: "gpu-operator", deployment: "gpu-operator" },
      available,
    ),
    [selector("gpu_operator_reconciliation_status", labels)]: status,
  };
}

/** The DCGM exporter of a node as the operator's ServiceMonitor has it scraped, without honorLabels. */
export function dcgm(node: string, metrics: Readonly<Record<string, string>> = {}, more: Series = {}): Series {
  const labels = {
    ...{ gpu: "0", UUID: `GPU-${node}`, modelName: "NVIDIA A10G", Hostname: node, namespace: "gpu-operator" },
    ...{ job: "nvidia-dcgm-exporter", pod: `nvidia-dcgm-exporter-${node}` },
    ...more,
  };
  const all = {
    DCGM_FI_DEV_GPU_UTIL: always(80),
    DCGM_FI_DEV_XID_ERRORS: always(0),
    DCGM_FI_DEV_ROW_REMAP_FAILURE: always(0),
    ...metrics,
  };
  return Object.fromEntries(Object.entries(all).map(([metric, values]) => [selector(metric, labels), values]));
}

export function socket(node: string, state: (typeof socketStates)[number], values = always(1)): Series {
  const path = "/run/containerd/containerd.sock";
  const states = socketStates.filter((one) => one !== state);
  return Object.fromEntries([
    [selector(socketStateMetric, { node, path, state }), values],
    ...states.map((one) => [selector(socketStateMetric, { node, path, state: one }), always(0)]),
  ]) as Series;
}

/** A pod of a ReplicaSet of a Deployment. `waits` are the values of "the scheduler has no place for it". */
export function pod(
  name: string,
  given: { set: string; deployment?: string; waits?: string | undefined; gpu?: boolean; node?: string },
): Series {
  const { set, deployment = "inference", waits, gpu = true, node = "" } = given;
  const id = { namespace: "gpu-lab", pod: name, uid: `uid-${name}` };
  return {
    ...ksm(
      "kube_pod_owner",
      { ...id, owner_kind: "ReplicaSet", owner_name: set, owner_is_controller: "true" },
      always(1),
    ),
    ...ksm(
      "kube_replicaset_owner",
      {
        namespace: "gpu-lab",
        replicaset: set,
        owner_kind: "Deployment",
        owner_name: deployment,
        owner_is_controller: "true",
      },
      always(1),
    ),
    ...ksm(
      "kube_pod_container_resource_requests",
      { ...id, container: "main", node, resource: gpu ? "nvidia_com_gpu" : "cpu", unit: "integer" },
      always(1),
    ),
    ...(waits !== undefined && ksm("kube_pod_status_unschedulable", id, waits)),
  };
}

export function deployment(given: { replicas?: string; updated?: string; stuck?: string } = {}): Series {
  const id = { namespace: "gpu-lab", deployment: "inference" };
  return {
    ...ksm("kube_deployment_status_replicas", id, given.replicas ?? always(1)),
    ...ksm("kube_deployment_status_replicas_updated", id, given.updated ?? always(1)),
    ...ksm(
      "kube_deployment_status_condition",
      { ...id, reason: "ProgressDeadlineExceeded", condition: "Progressing", status: "false" },
      given.stuck ?? always(0),
    ),
  };
}

/** Two GPU nodes in a session, with everything that an alert reads. */
export function healthy(): Series {
  return {
    ...base(),
    ...gpuNode("gpu-1"),
    ...gpuNode("gpu-2"),
    ...daemonSet(),
    ...operator(),
    ...dcgm("gpu-1"),
    ...dcgm("gpu-2"),
    ...socket("gpu-1", "socket"),
    ...pod("inference-old", { set: "inference-1", node: "gpu-1" }),
    ...deployment(),
  };
}
