import { reasonOf, type Reason } from "./scheduler-reasons";

export type { Reason, ReasonClass } from "./scheduler-reasons";

/** What evicting other pods would have done, as the scheduler judged it. */
export type Preemption =
  /** Some node had room to make, but no pod on it has a lower priority. */
  | "no-victims"
  /** Evicting pods would change nothing on any node. */
  | "not-helpful"
  /** The pod may not evict others, or is waiting for pods that it has evicted. */
  | "not-eligible"
  /** The message says nothing of it. */
  | "unsaid";

/** A message of the scheduler, taken apart. */
export interface SchedulerMessage {
  /** How many nodes the cluster had; missing in messages without a count. */
  readonly nodes?: number;
  /** Why no node fits, the most frequent reason first. */
  readonly reasons: readonly Reason[];
  readonly preemption: Preemption;
  /** Nodes on which only the lack of victims stood in the way of eviction. */
  readonly nodesWithoutVictims: number;
}

/**
 * Takes a message of FailedScheduling, or of the condition PodScheduled, apart:
 *
 * `0/4 nodes are available: 1 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint {a: b}. preemption: 0/4
 * nodes are available: 1 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.`
 *
 * Texts pasted from web pages and chats, with typographic quotes and broken lines, are understood too.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/scheduler/framework/types.go FitError
 * @returns undefined for a text that is no such message
 */
export function schedulerMessage(given: string): SchedulerMessage | undefined {
  const text = plain(given);
  const [before = "", after] = halves(text);
  const head = /\b\d+\/(\d+) nodes? (?:are |is )?available\s*:?\s*/i.exec(before);
  const none = /\bno nodes available to schedule pods\b/i.test(before);
  if (!head && !none && !/unbound immediate persistentvolumeclaims/i.test(before)) return undefined;
  const body = head ? before.slice(head.index + head[0].length) : none ? "" : before;
  const evictions = reasonsIn((after ?? "").replace(/^.*?nodes? (?:are |is )?available\s*:?\s*/i, ""));
  return {
    ...(head ? { nodes: Number(head[1]) } : none && { nodes: 0 }),
    reasons: reasonsIn(body).sort((one, other) => (other.nodes ?? Infinity) - (one.nodes ?? Infinity) || 0),
    preemption: preemptionOf(after ?? text.slice(before.length), evictions),
    nodesWithoutVictims: evictions
      .filter((reason) => noVictims.test(reason.text))
      .reduce((sum, { nodes = 1 }) => sum + nodes, 0),
  };
}

const noVictims = /no (preemption )?victims found/i;

function preemptionOf(text: string, reasons: readonly Reason[]): Preemption {
  if (reasons.some((reason) => noVictims.test(reason.text))) return "no-victims";
  if (/not eligible/i.test(text)) return "not-eligible";
  return /preemption is not helpful/i.test(text) ? "not-helpful" : "unsaid";
}

/** One line, straight quotes, plain spaces. */
function plain(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201B\u02BC\u2032\u00B4`]/g, "'")
    .replace(/[\s\u00A0\u200B]+/g, " ")
    .trim();
}

/** What the filters said, and what eviction would do; in between may stand what other plugins add. */
function halves(text: string): [string, string?] {
  const at = /[.,;\s]*\bpreemption:\s*/i.exec(text);
  return at ? [text.slice(0, at.index), text.slice(at.index + at[0].length)] : [text];
}

/**
 * Reasons stand between commas that a number follows: `1 node(s) had taint {a: b}, that the pod didn't tolerate, 2 …`.
 * A sentence of another plugin ends the list.
 */
function reasonsIn(text: string): Reason[] {
  const parts = split(text);
  return parts.map((part) => reasonOf(part)).filter((reason) => reason.text !== "");
}

function split(text: string): string[] {
  const balanced = count(text, "{") === count(text, "}");
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "{" && balanced) depth += 1;
    if (text[at] === "}" && balanced) depth -= 1;
    if (depth > 0) continue;
    if (text[at] === "," && /^,\s*\d+ /.test(text.slice(at, at + 16))) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
    if (/^\.\s+[a-z]/i.test(text.slice(at, at + 4))) {
      return [...parts, text.slice(from, at)];
    }
  }
  return [...parts, text.slice(from)];
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
