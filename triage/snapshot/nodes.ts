import { instanceType } from "../../components/nodes/machine/instance-types";
import type { Condition, Node, Taint } from "./objects/resources";
import { numberOf } from "./requests";
import { createdAt, isNew } from "./time";

export const gpuResource = "nvidia.com/gpu";

/** Whether a resource is GPUs: `nvidia.com/gpu`, a shared GPU, or a partition such as `nvidia.com/mig-1g.5gb`. */
export function isGpuResource(name: string): boolean {
  return /^nvidia\.com\/(gpu(\.shared)?|mig-[\w.-]+)$/.test(name);
}

export function instanceTypeOf({ metadata }: Node): string {
  return metadata.labels["node.kubernetes.io/instance-type"] ?? "";
}

/** The name of the EKS managed node group; undefined for other nodes. */
export function nodeGroupOf({ metadata }: Node): string | undefined {
  return metadata.labels["eks.amazonaws.com/nodegroup"];
}

/**
 * The operating system that runs the device plugin as a service of the host, without a DaemonSet; undefined for others.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auto-accelerated.html
 * @see https://github.com/bottlerocket-os/bottlerocket-core-kit/tree/develop/packages/nvidia-k8s-device-plugin
 */
export function hostPluginOf({ metadata, status }: Node): "EKS Auto Mode" | "Bottlerocket" | undefined {
  if (metadata.labels["eks.amazonaws.com/compute-type"] === "auto") return "EKS Auto Mode";
  return status.nodeInfo.osImage?.startsWith("Bottlerocket") ? "Bottlerocket" : undefined;
}

/** Whether the host runs a device plugin for NVIDIA GPUs: the plain variants of Bottlerocket do not. */
export function hasHostPlugin(node: Node): boolean {
  const host = hostPluginOf(node);
  return host === "EKS Auto Mode" || (host !== undefined && /nvidia/i.test(node.status.nodeInfo.osImage ?? ""));
}

/** What shows that a node has GPUs; undefined if nothing does. A known instance type decides. */
export function gpuNodeEvidence(node: Node): string | undefined {
  const { labels } = node.metadata;
  const type = instanceTypeOf(node);
  const known = instanceType(type);
  if (known) return known.gpus === 0 ? undefined : `instance type ${type}`;
  if (labels["nvidia.com/gpu.present"] === "true") return "label nvidia.com/gpu.present";
  if (Object.keys(node.status.capacity).some(isGpuResource)) return "capacity";
  if (node.spec.taints.some(({ key }) => key === gpuResource)) return "taint nvidia.com/gpu";
  return labels["k8s.amazonaws.com/accelerator"]?.startsWith("nvidia")
    ? "label k8s.amazonaws.com/accelerator"
    : undefined;
}

/**
 * Whether a node advertises GPUs, advertises 0, or has no GPU resource at all. A GPU resource with 0 and a missing one are different faults: 0 means that a device plugin was registered and stopped.
 * With MIG or renamed shares, `nvidia.com/gpu` stays 0 while another GPU resource is advertised.
 */
export function gpuAdvertisement({ status }: Node): "some" | "zero" | "missing" {
  const amounts = gpuAmounts(status.allocatable);
  if (amounts.some(([, amount]) => amount > 0)) return "some";
  return amounts.length > 0 ? "zero" : "missing";
}

/** The GPU resources among the resources of a node, with their amounts. */
export function gpuAmounts(resources: Node["status"]["allocatable"]): [name: string, amount: number][] {
  return Object.entries(resources).flatMap(([name, amount]) => (isGpuResource(name) ? [[name, numberOf(amount)]] : []));
}

export function advertisesGpus(node: Node): boolean {
  return gpuAdvertisement(node) === "some";
}

/** Whether a node advertises a GPU resource, and each with its full capacity. */
export function advertisesAllGpus(node: Node): boolean {
  const { allocatable, capacity } = node.status;
  const amounts = gpuAmounts(capacity);
  return advertisesGpus(node) && amounts.every(([name, amount]) => numberOf(allocatable[name]) >= amount);
}

/** A condition by its type. The order of conditions has no meaning; `Ready` is rarely the last one. */
export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function isNodeReady({ status }: Node): boolean {
  return conditionOf(status.conditions, "Ready")?.status === "True";
}

/** Whether the data shows that a node is not Ready. */
export function isNodeDown({ status }: Node): boolean {
  const ready = conditionOf(status.conditions, "Ready");
  return ready !== undefined && ready.status !== "True";
}

/** A kubelet that registers sets `Ready` to False within seconds. */
const registrationSeconds = 60;

/** Whether a new node has not been Ready yet. A node that was Ready and is no longer has failed instead. */
export function isJoining(node: Node, now: number): boolean {
  const ready = conditionOf(node.status.conditions, "Ready");
  if (ready?.status === "True" || !isNew(node, now)) return false;
  const since = Date.parse(ready?.lastTransitionTime ?? "") - createdAt(node);
  return !(since > registrationSeconds * 1000) || ready?.reason === "NodeStatusNeverUpdated";
}

/** Taints that Kubernetes sets on unhealthy or cordoned nodes, and autoscalers and agents on starting or leaving ones. */
const lifecycleTaint =
  /^(?:node\.(?:cloudprovider\.)?kubernetes\.io\/|karpenter\.sh\/(?:unregistered|disrupted|disruption)$|ToBeDeletedByClusterAutoscaler$|[\w.-]+\/agent-not-ready$)/;

/**
 * Whether a taint reflects the state of a node and repels every pod for a while. Pods are not meant to tolerate it.
 *
 * @see https://karpenter.sh/docs/concepts/disruption/ and https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/install.md
 */
export function isLifecycleTaint(taintKey: string): boolean {
  return lifecycleTaint.test(taintKey);
}

export function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === undefined || value === "" ? "" : `=${value}`}:${effect}`;
}
