import { parseJson } from "../../../components/core/json-text";
import { isRecord } from "../../../components/core/reader/records";
import type { Properties } from "../../../components/core/wire";
import { propertyOf, type CloudObject, type CloudState } from "../../cloud/model";
import { types } from "../types";
import { stringOf } from "../values";

/**
 * Whether the inline policies of a role allow an action on a resource. Conditions are not evaluated: a statement with one
 * allows nothing.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function isAllowed(cloud: CloudState, role: CloudObject, action: string, resource: string): boolean {
  const statements = cloud
    .find(types.rolePolicy, { role: propertyOf(role, "name") })
    .flatMap(({ inputs }) => statementsOf(parseJson(stringOf(inputs["policy"]))));
  const matching = statements.filter(
    ({ Action: actions, Resource: resources }) =>
      patternsIn(actions).some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
      patternsIn(resources).some((pattern) => matches(pattern, resource)),
  );
  const isDenied = matching.some(({ Effect: effect }) => effect === "Deny");
  return !isDenied && matching.some(({ Effect, Condition }) => Effect === "Allow" && Condition === undefined);
}

function statementsOf(document: unknown): Properties[] {
  return isRecord(document) ? [document["Statement"]].flat().filter(isRecord) : [];
}

function patternsIn(value: unknown): string[] {
  return [value].flat().map(stringOf);
}

/** `*` stands for any characters, `?` for one. */
function matches(pattern: string, text: string): boolean {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s").test(text);
}
