import { isOutput } from "./outputs";
import { type Problem, requirePlainValue } from "./problems";
import { countOf } from "./text";

/** The end of a fault that a lab injects: a day or a point in time. */
interface End {
  readonly text: string;
  /** Start of the day, or the point in time, in milliseconds since 1970. */
  readonly begins: number;
  /** The first millisecond after it, since 1970: a day ends at midnight UTC. */
  readonly ends: number;
}

/** The longest time that a fault may last. */
export const longestFaultDays = 14;

const day = 24 * 60 * 60 * 1000;

/** A day such as `2026-12-01`, or a time such as `2026-12-01T18:00:00Z`; undefined for anything else. */
export function endOf(given: string): End | undefined {
  const text = given.trim();
  const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const begins = form ? Date.parse(text) : Number.NaN;
  // JavaScript reads 2026-02-30 as a day in March.
  if (!form?.[1] || !Number.isFinite(begins) || dayOf(Date.parse(form[1])) !== form[1]) return undefined;
  return { text, begins, ends: form[2] === undefined ? begins + day : begins };
}

/** Whether the end is in the future, and at most `maxDays` days ahead. */
export function isAhead({ begins, ends }: End, now: Date, maxDays: number): boolean {
  return now.getTime() < ends && begins <= now.getTime() + maxDays * day;
}

/** The day (UTC) of a time in milliseconds since 1970, e.g. `2026-12-01`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day (UTC) that is `days` days from now. */
export function inDays(days: number, now: Date): string {
  return dayOf(now.getTime() + days * day);
}

/** The form of an end, for messages. */
export const endForm = "Must be a day such as 2026-12-01, or a time such as 2026-12-01T18:00:00Z.";

/** Problems of the end of a fault. The end must be set, in the future, and at most `maxDays` days ahead. */
export function expiryProblems(path: string, got: unknown, now: Date, maxDays = longestFaultDays): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const days = countOf(maxDays, "day");
  const fix = `set ${path} to a day within ${days}, such as ${inDays(1, now)}`;
  const problem = (code: Problem["code"], why: string): Problem[] => [{ code, path, got, why, fix }];
  if (got === undefined || got === "") {
    const why = "Must be set, so that the fault does not stay forever.";
    return [{ code: "missing", path, got: undefined, why, fix }];
  }
  const end = typeof got === "string" ? endOf(got) : undefined;
  if (!end) return problem("wrong-type", endForm);
  if (isAhead(end, now, maxDays)) return [];
  if (end.ends <= now.getTime()) return problem("not-allowed", "Must be in the future.");
  return problem("not-allowed", `Must be at most ${days} ahead.`);
}

/** A suggested end of a fault. */
export function suggestedEnd(now: Date): string {
  return inDays(7, now);
}

/** Names of lab stacks: those of this library's labs, and every name with `lab` before or after a dash. */
export const labStackNames: readonly string[] = [
  ...["*-lab", "lab-*"],
  ...["device-plugin", "nccl-block", "node-health", "gpu-rollout", "runtime-socket", "model-server"],
  ...["no-node-comes", "gang-deadlock"],
];

/** Whether the name is that of a lab stack. */
export function isLabStack(stack: string): boolean {
  return labStackNames.some((pattern) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(stack));
}

/** The problem of a fault in a stack that is not a lab. */
export function labStackProblems(stack: string): Problem[] {
  if (isLabStack(stack)) return [];
  const why = "Faults can be injected only in lab stacks; elsewhere they would look like an outage.";
  const fix = `inject faults in a stack named ${labStackNames.join(", ")}, where * matches any characters`;
  return [{ code: "not-allowed", path: "stack", got: stack, why, fix }];
}

/** Problems of a fault that the configuration of a stack turns on: the stack, and the key `expires`. */
export function configuredFaultProblems(stack: string, expires: string | undefined, now: Date): Problem[] {
  const fix =
    `pulumi config set expires ${suggestedEnd(now)}, or any day within ${longestFaultDays} days; ` +
    "or remove the fault: pulumi config set fault off";
  const ofEnd = expiryProblems("expires", expires, now).map((problem) => ({ ...problem, fix }));
  return [...labStackProblems(stack), ...ofEnd];
}

/** The annotation of an object that injects a fault. Its value is `on`. */
export const faultAnnotation = "eks-gpu-lab/fault";

/** The annotation for the end of the fault. */
export const expiresAnnotation = "eks-gpu-lab/expires";
