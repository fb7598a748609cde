import { isOutput, requirePlainValue } from "./outputs";
import type { Problem } from "./problems";

/** When something ends, such as a fault that a lab injects: a day or a point in time. */
export interface End {
  readonly text: string;
  /** Milliseconds since 1970 at which the day, or the point in time, begins. */
  readonly begins: number;
  /** From here on it has ended: a day ends at midnight UTC. */
  readonly ends: number;
}

/** For how long a fault may be meant. */
export const longestFaultDays = 14;

const day = 24 * 60 * 60 * 1000;

/** A day such as `2026-12-01`, or a time such as `2026-12-01T18:00:00Z`; undefined for anything else. */
export function endOf(given: string): End | undefined {
  const text = given.trim();
  const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const begins = form ? Date.parse(text) : Number.NaN;
  // JavaScript takes 2026-02-30 for a day of March.
  if (!form?.[1] || !Number.isFinite(begins) || dayOf(Date.parse(form[1])) !== form[1]) return undefined;
  return { text, begins, ends: form[2] === undefined ? begins + day : begins };
}

/** Whether it is not past, and no more than so many days ahead. */
export function isAhead({ begins, ends }: End, now: Date, maxDays: number): boolean {
  return now.getTime() < ends && begins <= now.getTime() + maxDays * day;
}

/** The day (UTC) of a time in milliseconds since 1970, e.g. `2026-12-01`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day that begins so many days from now. */
export function inDays(days: number, now: Date): string {
  return dayOf(now.getTime() + days * day);
}

/** What is wrong with the end of a fault: it must be stated, lie ahead, and be near. */
export function expiryProblems(path: string, got: unknown, now: Date, maxDays = longestFaultDays): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to a day within ${maxDays} days, such as ${inDays(1, now)}`;
  if (got === undefined || got === "") {
    return [{ code: "missing", path, got: undefined, why: "A fault whose end nobody stated stays for good.", fix }];
  }
  const end = typeof got === "string" ? endOf(got) : undefined;
  if (!end)
    return [
      {
        code: "wrong-type",
        path,
        got,
        why: "It must be a day such as 2026-12-01, or a time such as 2026-12-01T18:00:00Z.",
        fix,
      },
    ];
  if (isAhead(end, now, maxDays)) return [];
  const why = end.ends <= now.getTime() ? "That is past." : `That is more than ${maxDays} days from today.`;
  return [{ code: "not-allowed", path, got, why, fix }];
}
/** Stacks that are made for experiments: those of this library's labs, and whatever calls itself a lab. */
export const labStackNames: readonly string[] = [
  ...["*-lab", "lab-*"],
  ...["device-plugin", "nccl-block", "node-health", "gpu-rollout", "runtime-socket"],
];

/** Whether a stack is made for experiments, by its name. */
export function isLabStack(stack: string): boolean {
  return labStackNames.some((pattern) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(stack));
}

/** What is wrong with a fault in a stack of this name: outside a lab whoever meets it takes it for a real one. */
export function labStackProblems(stack: string): Problem[] {
  if (isLabStack(stack)) return [];
  const why = "This stack is no lab: whoever works in it takes the fault for a real one.";
  const fix = `inject faults in a stack named ${labStackNames.join(", ")}, where * stands for any text`;
  return [{ code: "not-allowed", path: "stack", got: stack, why, fix }];
}

/** How an object that injects a fault says so in the cluster, with the word `on`. */
export const faultAnnotation = "eks-gpu-lab/fault";

/** Until when it is meant. */
export const expiresAnnotation = "eks-gpu-lab/expires";
