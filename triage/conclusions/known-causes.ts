import type { KnownCause } from "./entry";
import { gpuComponents } from "./gpu-components";
import { nodeSoftware } from "./node-software";
import { workloads } from "./workloads";

/** Every conclusion that a message can show, the deepest cause first. The first pattern that matches decides. */
const table = { ...workloads, ...nodeSoftware, ...gpuComponents };

export type KnownCauseId = keyof typeof table;

export const knownCauses: Readonly<Record<KnownCauseId, KnownCause>> = table;
export const knownCauseIds = Object.keys(table) as readonly KnownCauseId[];

/** The check that reports a known cause. */
export function knownLayer(id: KnownCauseId): "pod" | "node" | "daemonset" | "inside" {
  return knownCauses[id].layer ?? (id in workloads ? "pod" : "inside");
}

/** Whether a log of the node itself can show a known cause. Others are faults of one pod. */
export function isOfNode(id: string): id is KnownCauseId {
  return id in table && knownCauses[id as KnownCauseId].of === "node";
}
