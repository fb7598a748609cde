import { agentConditions } from "./checks/node/condition-reasons";
import type { Doubt, Evidence } from "./conclusions/entry";

/**
 * Where a piece of evidence comes from. `state` is what the API states about its own object: a field, a phase, or how
 * the kubelet reports a container. All others report what some program noticed or decided, at some time.
 */
type Source = "state" | "event" | "scheduler" | "log" | "agent";

const agentFields = agentConditions.map(({ type }) => `condition ${type}`);
const schedulerFields = ["event FailedScheduling", "condition PodScheduled"];

/** The message with which a program ended: the end of its log. */
const endField = /^status\.containerStatuses\[[^\]]*\](?!\.state\.waiting)/;

/**
 * Undefined if the evidence only says that an object was not read. For the cause in a message, the state of the pod is
 * where the message was found: it proves that the message exists, not what it says.
 */
function sourceOf({ object, field, value }: Evidence, isMessage: boolean): Source | undefined {
  if (value === notRead) return undefined;
  if (agentFields.includes(field)) return "agent";
  if (schedulerFields.includes(field)) return "scheduler";
  if (field.startsWith("event ")) return "event";
  if (/^log\b/.test(field)) return "log";
  return !isMessage || !/\bpod\//.test(object) ? "state" : endField.test(field) ? "log" : "event";
}

/** The value of evidence about an object that was not read. */
export const notRead = "not read";

/** From the weakest. */
const doubts = ["possible", "likely"] as const;

/** `certain`: the evidence proves it. `likely`: it fits all evidence. `possible`: verify it before you act. */
export type Confidence = "certain" | NonNullable<Doubt>;

/**
 * How sure the evidence makes a finding. It is certain if the API states it about its own object, or if two independent
 * sources agree, such as the log of a pod and an event. One report alone is at most likely: it can be old, or have
 * another reason. A check can only lower the result, with `atMost`.
 */
export function confidenceOf({
  atMost,
  evidence,
  isMessage = false,
}: {
  readonly atMost: Doubt;
  readonly evidence: readonly Evidence[];
  /** Whether a pattern found the cause in a message. @default false */
  readonly isMessage?: boolean;
}): Confidence {
  const sources = new Set(evidence.flatMap((one) => sourceOf(one, isMessage) ?? []));
  const best = sources.has("state") || sources.size > 1 ? "certain" : "likely";
  return weakest(best, atMost) ?? "certain";
}

/** The strongest doubt; undefined if there is none. */
export function weakest(...levels: readonly (Confidence | undefined)[]): Doubt {
  return doubts.find((one) => levels.includes(one));
}
