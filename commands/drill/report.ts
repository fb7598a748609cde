import { countOf } from "../../components/core/text";
import type { ConclusionId } from "../../triage/conclusions";
import { formatDuration } from "../../triage/snapshot/time";
import { namespace } from "./manifests";
import type { Scenario, Site } from "./scenario";
import type { Progress } from "./session";

/** What could not be restored, and what does it. */
export interface Leftover {
  /** As kubectl takes it, e.g. `node/gpu-1`. */
  readonly object: string;
  readonly why: string;
  readonly commands: readonly string[];
}

/** How a restoration ended. */
export interface Restored {
  /** The nodes that were marked by the drill. */
  readonly nodes: readonly string[];
  readonly leftovers: readonly Leftover[];
}

/** What triage says while the failure is there. */
export interface Diagnosis {
  /** The first root cause. */
  readonly first?: { readonly id: ConclusionId; readonly what: string };
  readonly rootCauses: readonly ConclusionId[];
  readonly consequences: readonly ConclusionId[];
}

export interface DrillResult {
  readonly context: string;
  readonly seed: number;
  readonly scenario: Scenario;
  readonly site: Site;
  readonly symptom: string;
  readonly triage: Diagnosis;
  readonly progress: Progress;
  readonly result: "solved" | "given-up" | "input-ended" | "interrupted";
  /** From the symptom to the right diagnosis, or to the end. */
  readonly seconds: number;
}

/** The diagnoses that are right: a conclusion that depends on the rest of the cluster only if triage draws it. */
export function rightAnswers({ conclusion, also = [] }: Scenario, { rootCauses }: Diagnosis): ConclusionId[] {
  return [conclusion, ...also.filter((id) => rootCauses.includes(id))];
}

function agrees({ scenario, triage }: DrillResult): boolean {
  return triage.first !== undefined && rightAnswers(scenario, triage).includes(triage.first.id);
}

/** A line of the report. Commands are shown as they are, so that they can be copied. */
export type Line = string | { readonly command: string };

/** The result as text, before the cluster is restored: it ends with what the learner can still look at. */
export function resultLines(done: DrillResult): Line[] {
  const { scenario, site } = done;
  const heading = {
    solved: `Right: ${done.progress.tries.at(-1)?.answer ?? ""}.`,
    "given-up": `The answer is ${scenario.conclusion}.`,
    "input-ended": `The input ended without the right diagnosis. The answer is ${scenario.conclusion}.`,
    interrupted: "Interrupted.",
  }[done.result];
  if (done.result === "interrupted") return [heading];
  const repair = scenario.repair(site).map((command) => ({ command }));
  return [heading, `Cause: ${scenario.cause(site)}`, "Repair:", ...repair, triageLine(done), scoreLine(done)];
}

function triageLine(done: DrillResult): string {
  const { first } = done.triage;
  if (!first) return "Triage found no cause.";
  return agrees(done)
    ? `Triage agrees. ${first.id}: ${first.what}`
    : `Triage names another cause first, which the cluster may have had before the drill. ${first.id}: ${first.what}`;
}

function scoreLine({ progress, seconds, result }: DrillResult): string {
  const counts = `${countOf(progress.hints, "hint")}, ${progress.tries.length} ${progress.tries.length === 1 ? "try" : "tries"}`;
  return `${result === "solved" ? "Time to the right diagnosis" : "Not solved. Time"}: ${formatDuration(seconds)}; ${counts}.`;
}

/** Whether the cluster is as before, as text. */
export function restoredLines({ leftovers, nodes }: Restored): Line[] {
  const names = nodes.map((name) => `node ${name}`).join(", ");
  if (leftovers.length === 0) {
    return [
      `Restored and checked: ${names === "" ? "" : `${names} is as before, and `}namespace ${namespace} is deleted.`,
    ];
  }
  return [
    "NOT restored:",
    ...leftovers.flatMap(({ object, why, commands }): Line[] => [
      `${object}: ${why} Run:`,
      ...commands.map((command) => ({ command })),
    ]),
  ];
}

/** The document of `--json`; docs/drill.md describes it. */
export function documentOf(done: DrillResult, leftovers: readonly Leftover[]): object {
  const { context, seed, scenario, site, symptom, triage, progress, result, seconds } = done;
  const attempts = progress.tries.map(({ answer, right: correct }) => ({ answer, correct }));
  return {
    ...{ kind: "DrillReport", version: 1, context, seed, scenario: scenario.id, target: site.target.name, symptom },
    ...{ result, seconds, hints: progress.hints, attempts, conclusion: scenario.conclusion },
    triage: { first: triage.first?.id ?? null, rootCauses: triage.rootCauses, agrees: agrees(done) },
    ...{ restored: leftovers.length === 0, leftovers },
  };
}
