import { gpuComponents } from "./gpu-components";
import type { KnownCause } from "./known-cause";
import { nodeSoftware } from "./node-software";
import { workloads } from "./workloads";

/** Every fault that a message can name. A new one is one entry: its pattern, text, advice and effects are read from here. */
const table = { ...workloads, ...nodeSoftware, ...gpuComponents };

export type KnownCauseId = keyof typeof table;

export const knownCauses: Readonly<Record<KnownCauseId, KnownCause>> = table;
export const knownCauseIds = Object.keys(table) as readonly KnownCauseId[];

/** The check that reports a known cause. */
export function knownLayer(id: KnownCauseId): "pod" | "node" | "daemonset" | "inside" {
  return knownCauses[id].layer ?? (id in workloads ? "pod" : "inside");
}

/** What a known cause means, in one clause that starts like the middle of a sentence. */
export function knownMeaning(id: KnownCauseId): string {
  const [clause = ""] = knownCauses[id].what.replace("{xid}", "").split(/[:.] | \(/);
  return clause.replace(/^(?:The|A|No) /, (article) => article.toLowerCase());
}

/** Whether a log of the node itself can show a known cause. Others are faults of one pod. */
export function isOfNode(id: string): id is KnownCauseId {
  return id === "gpu-xid-error" || (id in table && knownCauses[id as KnownCauseId].of === "node");
}
