import { InputError, type Problem } from "../../components/core/problems";
import type { ComparedPlan } from "../diff";
import type { Plan } from "../plan";
import type { Recording } from "../record";
import { statesOf, type PreviewState } from "./json";
import { stackType } from "./resource-index";

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
  const steps = isRecord(document) ? document["steps"] : undefined;
  if (!Array.isArray(steps)) {
    throw wrong(file, steps, "It is no plan: it has no list of steps.", "save one with --json > FILE.json");
  }
  const resources = steps.flatMap((step: unknown, index): PreviewState[] => {
    if (!isRecord(step)) throw wrong(`${file} steps[${index}]`, step, "A step is an object.", "save the plan again");
    const state = step["newState"];
    if (state === undefined) return [];
    if (!isState(state)) {
      const why = "A resource has a URN and a type.";
      throw wrong(`${file} steps[${index}].newState`, "something else", why, "save the plan again");
    }
    return [state];
  });
  const atRest = atRestOf(document);
  return { name: stackOf(resources) ?? file, resources, ...(atRest && { atRest }) };
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw wrong(file, "a text that is not JSON", `${(error as Error).message}.`, "save a plan with --json > FILE.json");
  }
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isState(value: unknown): value is PreviewState {
  return isRecord(value) && typeof value["urn"] === "string" && typeof value["type"] === "string";
}

function wrong(path: string, got: unknown, why: string, fix: string): InputError {
  const code: Problem["code"] = "not-allowed";
  return new InputError("the plan to compare with", [{ code, path, got, why, fix }]);
}
