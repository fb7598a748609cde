import type { Confidence } from "./confidence";
import { daemonSets } from "./conclusions/daemonsets";
import type { Doubt, Entries, Entry, Evidence, FactsOf, Level, NextStep, Scope, Steps } from "./conclusions/entry";
import { jobs } from "./conclusions/jobs";
import { knownCauseIds, knownCauses, knownLayer } from "./conclusions/known-causes";
import { nodeHealth } from "./conclusions/node-health";
import { nodes } from "./conclusions/nodes";
import { operator } from "./conclusions/operator";
import { placedPods } from "./conclusions/placed-pods";
import { rejectedPods } from "./conclusions/rejected-pods";
import { runtime } from "./conclusions/runtime";
import { waitingPods } from "./conclusions/waiting-pods";
import type { Node, Pod } from "./snapshot/objects/resources";
import { podKey } from "./snapshot/pods";
import { listNames } from "./texts";

/** What a check concludes from the state of objects, by layer. Those from messages are the known causes. */
const states = {
  pod: { ...waitingPods, ...rejectedPods, ...placedPods, ...jobs },
  node: { ...nodes, ...nodeHealth },
  daemonset: daemonSets,
  operator,
  inside: runtime,
} satisfies Readonly<Record<string, Entries>>;

export type Layer = keyof typeof states;

/** The layers in the order of the checks. */
export const layers = Object.keys(states) as readonly Layer[];

const { pod, node, daemonset, inside } = states;
const table = { ...pod, ...node, ...daemonset, ...operator, ...inside, ...knownCauses };

/** Stable: scripts may rely on layers and ids. */
export type ConclusionId = keyof typeof table;

const entries: Readonly<Record<ConclusionId, Entry>> = table;

/** Every conclusion that triage can draw, with its meaning, by the layer whose check draws it: docs/conclusions.md. */
export function conclusionsOf(layer: Layer): readonly (readonly [id: ConclusionId, meaning: string])[] {
  const ofMessages = knownCauseIds.filter((id) => knownLayer(id) === layer);
  const ids = [...(Object.keys(states[layer]) as ConclusionId[]), ...ofMessages];
  return ids.map((id) => [id, meaningOf(id)]);
}

/** What a conclusion means, in one clause that starts like the middle of a sentence. */
export function meaningOf(id: ConclusionId): string {
  const { meaning, what } = entries[id];
  const [clause = ""] = typeof what === "string" ? what.split(/[:.](?: |$)| \(/) : [];
  return meaning ?? clause.replace(/^(?:The|A|No) /, (article) => article.toLowerCase());
}

const layerById = new Map(layers.flatMap((layer) => conclusionsOf(layer).map(([id]) => [id, layer] as const)));

export const conclusionIds: readonly ConclusionId[] = [...layerById.keys()];

export function layerOf(id: ConclusionId): Layer {
  return layerById.get(id) ?? "pod";
}

/** What a check finds. */
export interface Finding extends Scope {
  readonly id: ConclusionId;
  readonly level: Level;
  readonly atMost: Doubt;
  /** What is wrong, in a few sentences. */
  readonly what: string;
  readonly evidence: readonly Evidence[];
  readonly next: Steps;
  /** Nodes that would have room for the pod if they were healthy. A fault of one of them is the cause. */
  readonly couldUse?: readonly string[] | undefined;
  /** Pods that wait for the pod of the finding. */
  readonly blocks?: readonly string[];
}

/** One finding, several, or none. */
export type Found = Finding | readonly Finding[];

/** What a check returns besides the facts that the texts of an entry name. */
interface Detected extends Partial<Pick<Finding, "couldUse">> {
  readonly evidence: readonly (Evidence | undefined)[];
  /** @default that of the entry */
  readonly level?: Level | undefined;
  /** Undefined means none. @default that of the entry */
  readonly atMost?: Doubt;
}

/** A finding with the texts of its entry. */
export function finding<Id extends ConclusionId>(
  id: Id,
  about: Scope | Pod | Node,
  detected: Detected & FactsOf<(typeof table)[Id]>,
): Finding {
  const { what, next, ...entry } = entries[id];
  const { subject, nodes, pods } = scopeAbout(about);
  const { evidence, couldUse, level = entry.level ?? "problem" }: Detected = detected;
  const atMost = "atMost" in detected ? detected.atMost : entry.atMost;
  const facts = { ...detected, subject, nodes, pods } as never;
  return {
    ...{ id, subject, nodes, pods, level, atMost, couldUse },
    what: typeof what === "string" ? what : what(facts),
    evidence: evidence.filter((one) => one !== undefined),
    next: typeof next === "function" ? next(facts) : next,
  };
}

/** A finding in a report, with the findings that cause it. */
export interface Conclusion extends Omit<Finding, "atMost" | "next"> {
  readonly next: readonly NextStep[];
  readonly layer: Layer;
  readonly confidence: Confidence;
  /** The first cause; missing for a root cause. */
  readonly because?: ConclusionId;
  /** All conclusions that together cause this one. */
  readonly causes?: readonly { readonly id: ConclusionId; readonly subject: string }[];
}

/** The scope of a pod or a node, or the one that is given. */
function scopeAbout(about: Scope | Pod | Node): Scope {
  if (!("kind" in about)) return about;
  return about.kind === "Pod" ? scopeOfPod(about) : scopeOfNodes([about.metadata.name]);
}

export function scopeOfNodes(names: readonly string[]): Scope {
  return { subject: `node${names.length === 1 ? "" : "s"} ${listNames(names)}`, nodes: names, pods: [] };
}

/** A pod with its node, or with the nodes that it waits for. */
export function scopeOfPod(pod: Pod, waitsFor: readonly Node[] = []): Scope {
  const { nodeName } = pod.spec;
  const nodes = nodeName === undefined ? nodeNames(waitsFor) : [nodeName];
  return { subject: podName(pod), nodes, pods: [podKey(pod)] };
}

/** An object that is neither a node nor a pod, with the nodes that it affects. */
export function scopeOf(subject: string, nodes: readonly Node[] = []): Scope {
  return { subject, nodes: nodeNames(nodes), pods: [] };
}

export function podName(pod: Pod): string {
  return `pod ${podKey(pod)}`;
}

export function nodeNames(nodes: readonly Node[]): string[] {
  return nodes.map(({ metadata }) => metadata.name);
}
