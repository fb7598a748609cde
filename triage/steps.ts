/**
 * A command to run next, after the reason to run it; `=!>` marks one that changes the cluster or a node. `{node}`, `{pod}`,
 * `{shell}` and the other places are filled in for each finding.
 */
export type Step = `${string} => ${string}` | `${string} =!> ${string}`;

/** Steps in their order, without those that do not apply. */
export type StepList = readonly (Step | undefined)[];
export type Steps = Step | StepList;

/** A command to run next. */
export interface NextStep {
  readonly why: string;
  readonly command: string;
  /** Whether the command changes the cluster or a node. Triage itself runs none of them. */
  readonly changes?: true;
}

/** Steps as a list. */
export function listOf(steps: Steps): StepList {
  return typeof steps === "string" ? [steps] : steps;
}

/**
 * The steps with their places filled in. A step with an unknown place is left out. The last arrow counts: a reason may
 * contain a text of the cluster, such as a taint, and a command only checked names.
 */
export function nextSteps(steps: Steps, places: Readonly<Record<string, string | undefined>> = {}): NextStep[] {
  return listOf(steps).flatMap((step) => {
    if (step === undefined) return [];
    const [, why = "", mark, text = ""] = /^([^]*) =(!?)> ([^]*)$/.exec(step) ?? [];
    const isUnknown = Object.keys(places).some((name) => places[name] === undefined && text.includes(`{${name}}`));
    const command = text.replace(/\{(\w+)\}/g, (written, name: string) => places[name] ?? written);
    return isUnknown ? [] : [{ why, command, ...(mark === "!" && { changes: true as const }) }];
  });
}
