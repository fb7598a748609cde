import { withoutUndefined } from "../../../components/core/reader/records";

/** The kind of reason for which the scheduler rejects a node. */
type ReasonClass =
  /** The node has too little of a resource. */
  | "insufficient"
  | "taint"
  | "node-selector"
  | "volume"
  | "topology-spread"
  | "cordoned"
  /** A ResourceClaim (DRA). */
  | "resource-claim"
  | "too-many-pods"
  | "other";

/** One reason of a message, with the number of nodes that it applies to. */
export interface Reason {
  /** Missing if the scheduler gave up before it checked single nodes. */
  readonly nodes?: number;
  readonly class: ReasonClass;
  readonly text: string;
  /** For "insufficient", e.g. `nvidia.com/gpu`. */
  readonly resource?: string;
  /** For "taint"; newer messages do not name it. */
  readonly taint?: { readonly key: string; readonly value: string };
}

export interface SchedulerMessage {
  /** The number of nodes; missing in messages without a count. */
  readonly nodes?: number;
  /** Why no node fits, the most frequent reason first. */
  readonly reasons: readonly Reason[];
  /** The number of nodes that have enough resources, but no pod of a lower priority. */
  readonly nodesWithoutVictims: number;
}

/**
 * Parses a message of the event FailedScheduling or the condition PodScheduled:
 *
 * `0/4 nodes are available: 1 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint {a: b}. preemption: 0/4
 * nodes are available: 1 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.`
 *
 * Also parses text pasted from web pages and chats, with typographic quotes and line breaks.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/scheduler/framework/types.go FitError
 * @returns undefined for any other text
 */
export function schedulerMessage(given: string): SchedulerMessage | undefined {
  const text = normalize(given);
  const [before = "", after] = splitPreemption(text);
  const head = /\b\d+\/(\d+) nodes? (?:are |is )?available\s*:?\s*/i.exec(before);
  const none = /\bno nodes available to schedule pods\b/i.test(before);
  if (!head && !none && !/unbound immediate persistentvolumeclaims/i.test(before)) return undefined;
  const body = head ? before.slice(head.index + head[0].length) : none ? "" : before;
  const evictions = reasonsIn((after ?? "").replace(/^.*?nodes? (?:are |is )?available\s*:?\s*/i, ""));
  return {
    ...(head ? { nodes: Number(head[1]) } : none && { nodes: 0 }),
    reasons: reasonsIn(body).sort((one, other) => (other.nodes ?? Infinity) - (one.nodes ?? Infinity) || 0),
    nodesWithoutVictims: evictions
      .filter((reason) => noVictims.test(reason.text))
      .reduce((sum, { nodes = 1 }) => sum + nodes, 0),
  };
}

const noVictims = /no (preemption )?victims found/i;

/** Puts the text on one line, with straight quotes and plain spaces. */
function normalize(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201B\u02BC\u2032\u00B4`]/g, "'")
    .replace(/[\s\u00A0\u200B]+/g, " ")
    .trim();
}

/** Splits the reasons from the part about preemption. Other plugins may add text in between. */
function splitPreemption(text: string): [string, string?] {
  const at = /[.,;\s]*\bpreemption:\s*/i.exec(text);
  return at ? [text.slice(0, at.index), text.slice(at.index + at[0].length)] : [text];
}

/** Between reasons: a comma before a number, but not inside of the braces of a taint. */
const separator = /,\s*(?=\d+ )(?![^{}]*\})/;
/** A sentence of another plugin ends the list. */
const sentence = /\.\s+(?=[a-z])(?![^{}]*\})/i;

/** The reasons of a list such as `1 node(s) had taint {a: b}, that the pod didn't tolerate, 2 Insufficient cpu`. */
function reasonsIn(text: string): Reason[] {
  const [list = ""] = text.split(sentence);
  return list
    .split(separator)
    .map(reasonOf)
    .filter((reason) => reason.text !== "");
}

/**
 * The messages of kube-scheduler's plugins, 1.20 to 1.36. A message with other words becomes "other" and is shown
 * unchanged.
 *
 * @see https://github.com/kubernetes/kubernetes/tree/v1.35.0/pkg/scheduler/framework/plugins
 */
const patterns: readonly (readonly [ReasonClass, RegExp])[] = [
  ["insufficient", /^insufficient \S+/i],
  ["taint", /\bhad (untolerated )?taints?\b/i],
  ["node-selector", /match .*node (affinity|selector)|node\(s\) didn't satisfy .*NodeAffinity/i],
  ["volume", /persistentvolume|persistent volumes?|volume (zone|node affinity|count)|storage ?class/i],
  ["topology-spread", /topology spread constraints/i],
  ["cordoned", /were unschedulable/i],
  ["resource-claim", /resource ?claims?\b|allocate all claims|device ?class/i],
  ["too-many-pods", /too many pods/i],
];

/** Parses one reason, e.g. `2 Insufficient nvidia.com/gpu`. */
function reasonOf(given: string): Reason {
  const [, nodes, rest = given] = /^(\d+)\s+(.*)$/s.exec(given.trim()) ?? [];
  const text = rest.trim().replace(/[.,;]+$/, "");
  const kind = classOf(text);
  const resource = kind === "insufficient" ? /^insufficient (\S+)/i.exec(text)?.[1] : undefined;
  const taint = kind === "taint" ? taintOf(text) : undefined;
  return withoutUndefined({ nodes: nodes === undefined ? nodes : Number(nodes), class: kind, text, resource, taint });
}

function classOf(text: string): ReasonClass {
  // "didn't match PersistentVolume's node affinity" is about the volume, not about node affinity.
  if (/PersistentVolume's node affinity|volume node affinity/i.test(text)) return "volume";
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? "other";
}

function taintOf(text: string): Reason["taint"] {
  const [, key, value = ""] = /\{([^:{}]+)(?::\s*([^{}]*))?\}/.exec(text) ?? [];
  return key === undefined ? undefined : { key: key.trim(), value: value.trim() };
}
