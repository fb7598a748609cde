import type { Series } from "../promtool";
import { always, ksm, selector, since } from "./series";
import { dcgm, socket, target, xid } from "./target-series";
import { deployment, pod } from "./workload-series";

export interface NodeSeries {
  /** Age at the start, in minutes; negative for a node that joins later. */
  readonly age?: number;
  /** Values of nvidia.com/gpu; "never" where the kubelet has not heard of it. */
  readonly gpus?: string;
  /** Values of kube_node_labels. */
  readonly labels?: string;
  /** Whether the GPU Operator has labelled the node. */
  readonly isPresent?: boolean;
  /** Labels of its group. @default `nvidia.com/gpu` and `tier` */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** Values of the condition Ready=true. */
  readonly ready?: string;
  /** Values of other conditions that are False. */
  readonly failed?: Readonly<Record<string, string>>;
}

/** A GPU node, healthy unless stated otherwise: g5.xlarge, one GPU, two hours old. */
export function gpuNode(node: string, given: NodeSeries = {}): Series {
  const { age = 120, gpus = always(1), labels = always(1), isPresent = true, ready = always(1), failed = {} } = given;
  const alive = (value: number) => (age < 0 ? since(-age, value) : always(value));
  const { nodeLabels = { label_nvidia_com_gpu: "true", label_tier: "gpu" } } = given;
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

/** A ready pod of the driver that hands out a node's GPUs by claims. */
export function claimDriver(node: string): Series {
  const pod = { namespace: "nvidia-dra", pod: `nvidia-dra-driver-gpu-kubelet-plugin-${node}`, uid: `uid-${node}` };
  return {
    ...ksm("kube_pod_info", { ...pod, node }, always(1)),
    ...ksm("kube_pod_container_status_ready", { ...pod, container: "gpus" }, always(1)),
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

/** What Prometheus reads on a GPU node: its node exporter, its DCGM exporter, and a SocketWatch. */
export function watched(node: string): Series {
  return {
    ...target("node-exporter", node),
    ...target("nvidia-dcgm-exporter", node, always(1), "gpu-operator"),
    ...dcgm(node),
    ...xid(node, 0, always(1)),
    ...target("socket-watch", node, always(1), "kube-system"),
    ...socket(node, "socket"),
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
    ...watched("gpu-1"),
    ...watched("gpu-2"),
    ...target("node-exporter", "system"),
    ...pod("inference-old", { set: "inference-1", node: "gpu-1" }),
    ...deployment(),
  };
}
