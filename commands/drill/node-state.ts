import { parseJson } from "../../components/core/json-text";
import { valueAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { isLifecycleTaint } from "../../triage/snapshot/nodes";
import { drillKey, gpuResource } from "./manifests";

/**
 * What drills change of a node, and how to change it back. A drill records the state of its target node in an annotation
 * of the node before it changes anything, always all of it: the annotation does not show the learner what has changed.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The annotation of a fake node with the resources that it advertises, as JSON. A stage of KWOK copies it to the status. */
const capacityKey = "eks-gpu-lab/capacity";

/** The condition in which a node monitoring agent reports the health of the GPUs. */
const conditionType = "AcceleratedHardwareReady";

/** The part of a node that drills change. `null` stands for what the node does not have. */
export interface NodeState {
  readonly unschedulable: boolean;
  /** The taints that do not reflect the state of the node: Kubernetes sets and removes the others itself. */
  readonly taints: readonly Fields[];
  /** Missing if a kubelet runs on the node: it would overwrite them. */
  readonly gpus?: { readonly capacity: string | null; readonly allocatable: string | null };
  readonly capacityAnnotation: string | null;
  readonly condition: Fields | null;
}

/** A change that a scenario makes to its target node. */
export type NodeChange =
  | { readonly cordon: true }
  | { readonly taint: { readonly key: string; readonly value: string; readonly effect: string } }
  | { readonly gpus: 0 }
  | { readonly addedGpus: number }
  | { readonly unhealthy: { readonly reason: string; readonly message: string } };

/** A merge patch of a node or of its status. */
export interface NodePatch {
  readonly subresource?: "status";
  readonly body: { readonly metadata?: Fields; readonly spec?: Fields; readonly status?: Fields };
}

/** Whether no kubelet runs on a node. A kubelet reports its runtime as `containerd://2.1.0`. */
export function isFakeNode(node: unknown): boolean {
  return !/^[\w-]+:\/\//.test(textAt(node, ["status", "nodeInfo", "containerRuntimeVersion"]) ?? "");
}

export function stateOf(node: unknown): NodeState {
  const gpus = {
    capacity: textAt(node, ["status", "capacity", gpuResource]) ?? null,
    allocatable: textAt(node, ["status", "allocatable", gpuResource]) ?? null,
  };
  return {
    unschedulable: valueAt(node, "spec.unschedulable") === true,
    taints: recordsAt(node, "spec.taints").filter((taint) => !isLifecycle(taint)),
    ...(isFakeNode(node) && { gpus }),
    capacityAnnotation: textAt(node, ["metadata", "annotations", capacityKey]) ?? null,
    condition: recordsAt(node, "status.conditions").find(({ type }) => type === conditionType) ?? null,
  };
}

/** The state of a node after a change. `now` is the time, as Kubernetes writes it. */
export function changedState(before: NodeState, change: NodeChange, now: string): NodeState {
  if ("cordon" in change) return { ...before, unschedulable: true };
  if ("taint" in change) return { ...before, taints: [...before.taints, change.taint] };
  if ("unhealthy" in change) {
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    return { ...before, condition: { type: conditionType, status: "False", ...change.unhealthy, ...times } };
  }
  const gpus = String("gpus" in change ? change.gpus : Number(before.gpus?.allocatable ?? 0) + change.addedGpus);
  const capacity = parseJson(before.capacityAnnotation ?? "");
  const annotation = isRecord(capacity) ? JSON.stringify({ ...capacity, [gpuResource]: gpus }) : null;
  return {
    ...before,
    ...(before.gpus && { gpus: { capacity: gpus, allocatable: gpus } }),
    capacityAnnotation: annotation ?? before.capacityAnnotation,
  };
}

/** The patches that give a node the wanted state; none if it has it. */
export function patchesTo(wanted: NodeState, node: unknown): NodePatch[] {
  const current = stateOf(node);
  const spec = {
    ...(current.unschedulable !== wanted.unschedulable && { unschedulable: wanted.unschedulable || null }),
    ...(!isSame(current.taints, wanted.taints) && { taints: taintsWith(wanted.taints, node) }),
  };
  const annotations = current.capacityAnnotation !== wanted.capacityAnnotation && {
    metadata: { annotations: { [capacityKey]: wanted.capacityAnnotation } },
  };
  const status = { ...gpuStatus(current, wanted), ...conditionStatus(current, wanted, node) };
  const main = { ...annotations, ...(Object.keys(spec).length > 0 && { spec }) };
  return [
    ...(Object.keys(main).length > 0 ? [{ body: main }] : []),
    ...(Object.keys(status).length > 0 ? [{ subresource: "status" as const, body: { status } }] : []),
  ];
}

/** A merge patch replaces the whole list, so the taints that Kubernetes has set stay in it. */
function taintsWith(wanted: readonly Fields[], node: unknown): readonly Fields[] | null {
  const kept = recordsAt(node, "spec.taints").filter(
    (taint) => isLifecycle(taint) || wanted.some((one) => isSame(one, taint)),
  );
  const all = [...kept, ...wanted.filter((one) => !kept.some((taint) => isSame(one, taint)))];
  return all.length > 0 ? all : null;
}

function gpuStatus({ gpus: current }: NodeState, { gpus: wanted }: NodeState): Fields {
  if (!current || !wanted || isSame(current, wanted)) return {};
  return {
    capacity: { [gpuResource]: wanted.capacity },
    allocatable: { [gpuResource]: wanted.allocatable },
  };
}

/** An agent renews the times of its condition, so these do not count. */
function conditionStatus({ condition: current }: NodeState, { condition: wanted }: NodeState, node: unknown): Fields {
  if (current?.["status"] === wanted?.["status"] && current?.["reason"] === wanted?.["reason"]) return {};
  const others = recordsAt(node, "status.conditions").filter(({ type }) => type !== conditionType);
  return { conditions: [...others, ...(wanted ? [wanted] : [])] };
}

/** The annotation that marks the target node of a drill, and keeps its state before the drill. */
export function recordOf(seed: number, before: NodeState): string {
  return JSON.stringify({ seed, before });
}

/** The state in the annotation of a node; undefined without an annotation, or if it is not one of a drill. */
export function recordedState(node: unknown): NodeState | undefined {
  const record = parseJson(recordText(node) ?? "");
  const before = isRecord(record) ? record["before"] : undefined;
  return isNodeState(before) ? before : undefined;
}

export function recordText(node: unknown): string | undefined {
  return textAt(node, ["metadata", "annotations", drillKey]);
}

function isNodeState(value: unknown): value is NodeState {
  if (!isRecord(value) || !Array.isArray(value["taints"])) return false;
  const hasRest = value["capacityAnnotation"] !== undefined && value["condition"] !== undefined;
  return hasRest && typeof value["unschedulable"] === "boolean" && value["taints"].every(isRecord);
}

function isLifecycle({ key }: Fields): boolean {
  return isLifecycleTaint(String(key));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function textAt(node: unknown, path: readonly string[]): string | undefined {
  const value = valueAt(node, path);
  return typeof value === "string" ? value : undefined;
}

function recordsAt(node: unknown, path: string): readonly Fields[] {
  const value = valueAt(node, path);
  return Array.isArray(value) ? (value as unknown[]).filter(isRecord) : [];
}
