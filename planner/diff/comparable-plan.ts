import { InputError } from "../../components/core/problems";
import type { ComparedPlan } from "./diff";
import type { Plan } from "../plan";
import type { Recording } from "../record/record";
import { statesOf, type PreviewState } from "../facts/preview-state";
import { stackType } from "../facts/resource-index";
import { isRecord } from "../../components/core/reader/records";

/** A plan of this process, ready to be compared. Secrets are masked. */
export function comparedPlan(plan: Plan): ComparedPlan {
  return { ...comparedRecording(plan.recording), atRest: plan.cost.atRest };
}

/** A recording alone: without money. */
export function comparedRecording(recording: Recording): ComparedPlan {
  return { name: recording.stack, resources: statesOf(recording) };
}

/**
 * Reads a plan that was saved with `--json`. Also reads the output of `pulumi preview --json`, which has no cost.
 *
 * @param file its name, for messages
 * @throws InputError when the text is not such a document.
 */
export function readSavedPlan(text: string, file: string): ComparedPlan {
  const document = parsed(text, file);
  if (Array.isArray(document)) throw wrong(file, document, "It holds several plans.", "save one: --stack NAME --json");
  const steps = isRecord(document) ? document["steps"] : undefined;
  if (!Array.isArray(steps)) throw wrong(`${file} steps`, steps, "A plan has a list of steps.", howToSave);
  const states = steps.flatMap((step: unknown, index) => stateIn(step, `${file} steps[${index}]`));
  // A replacement by the engine is several steps of one resource.
  const resources = [...new Map(states.map((state) => [state.urn, state])).values()];
  const atRest = atRestOf(document);
  return { name: `${stackOf(resources) ?? "a plan"} in ${file}`, resources, ...(atRest && { atRest }) };
}

const howToSave = "save a plan with --json > FILE.json";

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong(file, text, "It is not JSON.", howToSave);
  }
}

/** The state after a step. A step that deletes a resource has none. */
function stateIn(step: unknown, path: string): PreviewState[] {
  if (!isRecord(step)) throw wrong(path, step, "A step is an object.", howToSave);
  const state = step["newState"];
  if (state === undefined) return [];
  if (!isState(state)) throw wrong(`${path}.newState`, state, "A resource has a URN and a type.", howToSave);
  return [state];
}

function atRestOf(document: unknown): ComparedPlan["atRest"] {
  const cost = isRecord(document) ? document["cost"] : undefined;
  const atRest = isRecord(cost) ? cost["atRest"] : undefined;
  if (!isRecord(atRest) || typeof atRest["usdPerHour"] !== "number") return undefined;
  return { usdPerHour: atRest["usdPerHour"], complete: atRest["complete"] === true };
}

/** Every URN starts with `urn:pulumi:<stack>`. */
function stackOf(resources: readonly PreviewState[]): string | undefined {
  const first = resources.find(({ type }) => type === stackType) ?? resources[0];
  return first?.urn.split("::")[0]?.replace("urn:pulumi:", "");
}

function isState(value: unknown): value is PreviewState {
  return isRecord(value) && typeof value["urn"] === "string" && typeof value["type"] === "string";
}

/** Names what stands there by its kind: a file may hold anything, secrets included. */
function wrong(path: string, value: unknown, why: string, fix: string): InputError {
  const kind = Array.isArray(value) ? "a list" : value === undefined ? undefined : `some ${typeof value}`;
  return new InputError("the plan to compare with", [{ code: "not-allowed", path, got: kind, why, fix }]);
}
