import { parseJson } from "../../../components/core/json-text";
import { isRecord } from "../../../components/core/reader/records";
import { unknownSentinel, type Properties } from "../../../components/core/wire";
import { types } from "../types";
import { stringOf } from "../values";
import { propertyOf, type CheckFailure, type CloudState, type CloudObject } from "../../cloud/model";

/** What a policy is for: its statements have different required fields. */
export type PolicyUse = "identity" | "trust" | "key";

/**
 * IAM's message for an invalid policy document; undefined when the document is valid.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
 */
export function policyError(document: unknown, use: PolicyUse, cloud: CloudState): string | undefined {
  const policy = parsedDocument(document);
  if (!isRecord(policy)) return "This policy contains invalid Json";
  const { Version: version, Statement: given } = policy;
  const statements: unknown[] = Array.isArray(given) ? given : [given];
  const dated = version === undefined || version === "2012-10-17" || version === "2008-10-17";
  if (!dated || statements.length === 0 || !statements.every(isRecord)) return "Syntax errors in policy.";
  const faults = statements.map((statement) => statementError(statement, use) ?? principalError(statement, use, cloud));
  return faults.find((fault) => fault !== undefined) ?? statementIdError(statements);
}

function parsedDocument(document: unknown): unknown {
  return typeof document === "string" ? parseJson(document) : undefined;
}

/** The provider's own check: a policy must be a JSON object. */
export function checkPolicy(inputs: Properties, property: string): CheckFailure[] {
  const document = inputs[property];
  if (document === undefined || document === unknownSentinel || isRecord(parsedDocument(document))) return [];
  return [{ property, reason: `"${property}" contains an invalid JSON policy: not a JSON object` }];
}

function statementError(statement: Properties, use: PolicyUse): string | undefined {
  const has = (...keys: string[]) => keys.some((key) => statement[key] !== undefined);
  if (statement["Effect"] !== "Allow" && statement["Effect"] !== "Deny") return "Syntax errors in policy.";
  if (!has("Action", "NotAction")) return "Policy statement must contain actions.";
  return fieldError(use, has("Principal", "NotPrincipal"), has("Resource", "NotResource"));
}

/** A policy of an identity has resources, a trust policy has principals, and a key policy has both. */
function fieldError(use: PolicyUse, hasPrincipal: boolean, hasResource: boolean): string | undefined {
  if (use === "identity" && hasPrincipal) return "Policy document should not specify a principal.";
  if (use !== "identity" && !hasPrincipal) return "Missing required field Principal";
  if (use === "trust" && hasResource) return "Has prohibited field Resource";
  if (use !== "trust" && !hasResource) return "Policy statement must contain resources.";
  return undefined;
}

function statementIdError(statements: readonly Properties[]): string | undefined {
  const ids = statements.map((statement) => statement["Sid"]).filter((id) => id !== undefined && id !== "");
  if (!ids.every((id) => /^[0-9A-Za-z]*$/.test(stringOf(id)))) {
    return "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*";
  }
  return new Set(ids).size === ids.length ? undefined : "Statement IDs (SID) in a single policy must be unique.";
}

/** Principals that are roles of the account must exist. Users, services and other accounts are not checked. */
function principalError({ Principal: principal }: Properties, use: PolicyUse, cloud: CloudState): string | undefined {
  if (!isRecord(principal)) return undefined;
  const named = [principal["AWS"]].flat().map(String);
  const { partition, accountId } = cloud.account;
  const own = `arn:${partition}:iam::${accountId}:role/`;
  const missing = named.find((arn) => arn.startsWith(own) && cloud.find(types.role, { arn }).length === 0);
  if (missing === undefined) return undefined;
  return use === "key"
    ? "Policy contains a statement with one or more invalid principals."
    : `Invalid principal in policy: "AWS":"${missing}"`;
}

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
