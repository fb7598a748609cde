import { collective } from "./collective";
import type { KnownCause } from "./entry";
import { gpuComponents } from "./gpu-components";
import { nodeSoftware } from "./node-software";
import { serving } from "./serving";
import { workloads } from "./workloads";

/** What the programs of users say. */
const programs = { ...serving, ...collective, ...workloads };

/** Every conclusion that a message can show, the deepest cause first. The first pattern that matches decides. */
const table = { ...programs, ...nodeSoftware, ...gpuComponents };

export type KnownCauseId = keyof typeof table;

export const knownCauses: Readonly<Record<KnownCauseId, KnownCause>> = table;
export const knownCauseIds = Object.keys(table) as readonly KnownCauseId[];

/** Whether the program of a user says it, not a component of the GPU stack. */
export function isOfProgram(id: KnownCauseId): boolean {
  return id in programs;
}

export const causeRanks = [1, 2, 3] as const;

export function rankOf(id: string): number {
  return (id in table && knownCauses[id as KnownCauseId].rank) || 1;
}

/** The check that reports a known cause. */
export function knownLayer(id: KnownCauseId): "pod" | "node" | "daemonset" | "inside" {
  return knownCauses[id].layer ?? (isOfProgram(id) ? "pod" : "inside");
}

/** Whether a log of the node itself can show a known cause. Others are faults of one pod. */
export function isOfNode(id: string): id is KnownCauseId {
  return id in table && knownCauses[id as KnownCauseId].of === "node";
}
