import { InputError } from "../../components/core/problems";
import { describe } from "../../components/core/reader/describe";
import { Reader } from "../../components/core/reader/reader";
import { isRecord, optionalProperty, withoutUndefined } from "../../components/core/reader/records";
import { statesOf, type PreviewState } from "../facts/preview-state";
import { stackType } from "../record/recorded-resource";
import type { Plan } from "../plan";
import type { Recording } from "../record/record";

/** The format of a saved plan. It changes when an older version of this package cannot read the plan any more. */
export const formatVersion = 1;

/** One of two plans to compare: of this process, or saved with `--json`. */
export interface ComparablePlan {
  /** Name of the stack. */
  readonly name: string;
  readonly resources: readonly PreviewState[];
  /** At the desired sizes. Absent in a preview by the engine, which has no prices. */
  readonly atRest?: HourlyCost;
  /** With every GPU node group at its maximum. Absent in a preview by the engine. */
  readonly inUse?: HourlyCost;
  /** That prices of it are old. */
  readonly priceWarning?: string;
}

/** A lower bound unless complete. */
export interface HourlyCost {
  readonly usdPerHour: number;
  readonly complete: boolean;
}

/** A plan of this process. Secrets are masked. */
export function comparablePlan(plan: Plan): ComparablePlan {
  const warning = optionalProperty("priceWarning", plan.cost.priceTable.warning);
  return { ...comparableRecording(plan.recording), ...costsIn(plan), ...warning };
}

/** The cost of a plan at the desired sizes, and with every GPU node group at its maximum. */
export function costsIn({ cost: { atRest, sessionHour } }: Plan): { atRest: HourlyCost; inUse: HourlyCost } {
  return { atRest, inUse: { usdPerHour: sessionHour.usd, complete: sessionHour.complete } };
}

/** A recording, without costs. */
export function comparableRecording(recording: Recording): ComparablePlan {
  return { name: recording.stack, resources: statesOf(recording) };
}

/**
 * Reads a plan that was saved with `--json`. Also reads the output of `pulumi preview --json`, which has no cost.
 *
 * @param file its name, for messages
 * @throws InputError when the text is not such a document.
 */
export function readSavedPlan(text: string, file: string): ComparablePlan {
  const document = parsed(text, file);
  if (Array.isArray(document)) {
    const fix = "save one plan with plan --stack NAME --json > FILE.json";
    throw wrongFile(file, document, "Must contain one plan.", fix);
  }
  const { name, ...plan } = savedPlanOf(document, file);
  return { name: `${name ?? "a plan"} in ${file}`, ...plan };
}

/** A saved plan; without a name if no resource states the stack. */
type SavedPlan = Omit<ComparablePlan, "name"> & Partial<Pick<ComparablePlan, "name">>;

/**
 * Reads the document of one saved plan.
 *
 * @param file the name of the file, and of the place in it, for messages
 * @throws InputError when it is not such a document.
 */
export function savedPlanOf(document: unknown, file: string): SavedPlan {
  const { formatVersion: version = formatVersion, steps } = isRecord(document) ? document : {};
  if (typeof version !== "number" || version > formatVersion) {
    const why = `Must be a format that this version of eks-gpu-lab reads: ${formatVersion}, or none, as in older plans.`;
    const fix = "update eks-gpu-lab, or save the plan again with this version: plan --json > FILE.json";
    const got = typeof version === "number" ? version : describe(version);
    throw new InputError("the saved plan", [{ code: "version", path: `${file} formatVersion`, got, why, fix }]);
  }
  if (!Array.isArray(steps))
    throw wrongFile(`${file} steps`, steps, "Must be a list of steps, as in a plan that plan --json wrote.");
  const states = steps.flatMap((step: unknown, index) => stateIn(step, `${file} steps[${index}]`));
  // A replacement by the engine is several steps of one resource.
  const resources = [...new Map(states.map((state) => [state.urn, state])).values()];
  const cost = new Reader(document).at("cost");
  const costs = {
    atRest: hourlyCost(cost.at("atRest"), "usdPerHour"),
    inUse: hourlyCost(cost.at("sessionHour"), "usd"),
    priceWarning: cost.text("priceTable.warning").value,
  };
  return withoutUndefined({ name: stackOf(resources), resources, ...costs });
}

/** The JSON of a file. @throws InputError */
export function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrongFile(file, undefined, text === "" ? "The file is empty." : "Must be JSON.");
  }
}

/** The state after a step. A step that deletes a resource has none. */
function stateIn(step: unknown, path: string): PreviewState[] {
  if (!isRecord(step)) throw wrongFile(path, step, "Must be an object.");
  const state = step["newState"];
  if (state === undefined) return [];
  if (!isState(state)) throw wrongFile(`${path}.newState`, state, "Must have a URN and a type.");
  return [state];
}

function hourlyCost(cost: Reader, key: string): HourlyCost | undefined {
  const usdPerHour = cost.number(key).value;
  return usdPerHour === undefined ? undefined : { usdPerHour, complete: cost.boolean("complete").value === true };
}

/** Every URN starts with `urn:pulumi:<stack>`. */
function stackOf(resources: readonly PreviewState[]): string | undefined {
  const first = resources.find(({ type }) => type === stackType) ?? resources[0];
  return first?.urn.split("::")[0]?.replace("urn:pulumi:", "");
}

function isState(value: unknown): value is PreviewState {
  return isRecord(value) && typeof value["urn"] === "string" && typeof value["type"] === "string";
}

/** The message names a value by its kind only: a file may contain secrets. */
export function wrongFile(path: string, value: unknown, why: string, fix = "save a plan with plan --json > FILE.json") {
  const kind = value === undefined ? "" : ` It is ${describe(value)}.`;
  return new InputError("the saved plan", [{ code: "not-allowed", path, got: undefined, why: why + kind, fix }]);
}
