import { instanceType } from "../../components/nodes/machine/instance-types";
import type { Dump, Subject } from "../dump/dump";
import type { Condition, Meta } from "../objects/common";
import type { ClusterPolicy } from "../objects/cluster-policy";
import type { Event } from "../objects/event";
import type { Resource } from "../objects/kinds";
import type { Node } from "../objects/node";
import type { Pod } from "../objects/pod";
import type { DaemonSet, Deployment } from "../objects/workloads";

export const gpuResource = "nvidia.com/gpu";
export const devicePluginName = "nvidia-device-plugin-daemonset";

/** A dump, with what every station asks of it. */
export interface Scene {
  readonly dump: Dump;
  /** What ages are counted from; no number where nobody knows. */
  readonly now: number;
  readonly gpuNodes: readonly Node[];
  /** DaemonSets of the device plugin: the operator's, or one installed alone. */
  readonly devicePlugins: readonly DaemonSet[];
  readonly operator?: Deployment;
  /** The ClusterPolicies that the operator follows: it takes one, and marks every further one as ignored. */
  readonly policies: readonly ClusterPolicy[];
  /** Where the operator lives, or would live. */
  readonly operatorNamespace: string;
  readonly podsOn: (node: string) => readonly Pod[];
  /** Events about an object, the newest last. */
  readonly eventsOf: (kind: string, meta: Meta) => readonly Event[];
  /** Whether a resource could be read: what was not read is not missing. */
  readonly sees: (resource: Resource) => boolean;
}

export function sceneOf(dump: Dump): Scene {
  const { objects } = dump;
  const operator = objects.deployments.find(isOperator);
  const devicePlugins = objects.daemonsets.filter(isDevicePlugin);
  const podsByNode = grouped(objects.pods, nodeOf);
  const eventKey = (kind: string, namespace: string | undefined, name: string) => `${kind}/${namespace ?? ""}/${name}`;
  const events = grouped(objects.events, ({ involvedObject: { kind, namespace, name } }) =>
    eventKey(kind, kind === "Node" ? undefined : namespace, name),
  );
  return {
    dump,
    now: Date.parse(dump.takenAt ?? ""),
    gpuNodes: objects.nodes.filter((node) => whyGpuNode(node) !== undefined),
    devicePlugins,
    ...(operator && { operator }),
    policies: objects.clusterpolicies.filter(({ status }) => status.state !== "ignored"),
    operatorNamespace: operator?.metadata.namespace ?? devicePlugins[0]?.metadata.namespace ?? "gpu-operator",
    podsOn: (node) => podsByNode.get(node) ?? [],
    eventsOf: (kind, { namespace, name }) =>
      [...(events.get(eventKey(kind, namespace, name)) ?? [])].sort((one, other) =>
        (one.lastTimestamp ?? "") < (other.lastTimestamp ?? "") ? -1 : 1,
      ),
    sees: (resource) => dump.read.includes(resource),
  };
}

export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The node of that name, where it was read. */
export function nodeNamed({ dump }: Scene, name: string | undefined): Node | undefined {
  return dump.objects.nodes.find(({ metadata }) => metadata.name === name);
}

/** Whether a pod is the one that was asked about. */
export function isAsked(subject: Subject | undefined, { metadata }: Pod): boolean {
  return subject?.kind === "pod" && metadata.name === subject.name && metadata.namespace === subject.namespace;
}

/** The pod that was asked about, where it was read. */
export function askedPod({ dump: { subject, objects } }: Scene): Pod | undefined {
  return objects.pods.find((pod) => isAsked(subject, pod));
}

function nodeOf({ spec }: Pod): string {
  return spec.nodeName ?? "";
}

function isOperator({ metadata }: Deployment): boolean {
  return metadata.name === "gpu-operator" || metadata.labels["app.kubernetes.io/component"] === "gpu-operator";
}

/** The operator's DaemonSet, or the one of NVIDIA's own chart or manifest. */
function isDevicePlugin({ metadata }: DaemonSet): boolean {
  return metadata.name === devicePluginName || /nvidia-device-plugin(?!.*(mps|config))/.test(metadata.name);
}

/** What says that a node has GPUs; undefined when nothing does. The instance type knows best, where it is known. */
export function whyGpuNode(node: Node): string | undefined {
  const { labels } = node.metadata;
  const type = labels["node.kubernetes.io/instance-type"] ?? "";
  const known = instanceType(type);
  if (known && known.gpus === 0) return undefined;
  if (known) return `instance type ${type}`;
  if (labels["nvidia.com/gpu.present"] === "true") return "label nvidia.com/gpu.present";
  if (Object.keys(node.status.capacity).some(isGpuResource)) return "capacity";
  if (node.spec.taints.some(({ key }) => key === gpuResource)) return "taint nvidia.com/gpu";
  return labels["k8s.amazonaws.com/accelerator"]?.startsWith("nvidia")
    ? "label k8s.amazonaws.com/accelerator"
    : undefined;
}

/** `nvidia.com/gpu`, a shared one, or a partition such as `nvidia.com/mig-1g.5gb`. */
export function isGpuResource(name: string): boolean {
  return /^nvidia\.com\/(gpu(\.shared)?|mig-[\w.-]+)$/.test(name);
}

export function isReady({ status }: Node): boolean {
  return conditionOf(status.conditions, "Ready")?.status === "True";
}

/** A condition by its type. The list has no order that means anything: the last one is seldom `Ready`. */
export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}
