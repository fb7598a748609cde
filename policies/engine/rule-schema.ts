import * as v from "valibot";
import type { Problem } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import { check, list, mapOf, matching, oneOf, problemsIn, section, text } from "../../components/core/schema";
import type { Pack } from "./pack";
import { severities, type Rule } from "./rule";

/** A rule as the functions of this package make it, of which the compiler may not have seen the fields. */
export const ruleSchema = v.pipe(
  v.custom<Rule>(isRule, "Must be a rule.\nmake {path} with resourceRule() or stackRule()"),
  check((rule: Rule, at) => problemsIn(fields, fieldsOf(rule), at)),
);

/** Whether a value has the form of a pack. Its rules may have problems. */
export function isPack(value: unknown): value is Pack {
  const rules = isRecord(value) && typeof value["name"] === "string" ? value["rules"] : undefined;
  return Array.isArray(rules) && rules.every((one) => isRecord(one) && isRule(one["rule"]));
}

function isRule(value: unknown): boolean {
  return isRecord(value) && (value["scope"] === "resource" || value["scope"] === "stack");
}

const fields = section({
  id: matching(
    /^(?!all$)[a-z][a-z0-9-]{0,99}$/,
    "lowercase letters, digits and hyphens, but not all, which means every rule",
    "rename the rule",
  ),
  title: text("set {path} to a sentence that states what the rule requires"),
  severity: oneOf(severities),
  incident: text("set {path} to an incident that happened without the rule"),
  types: list(
    v.pipe(
      text('set {path} to a type token such as "aws:s3/bucket:Bucket"'),
      check((token: string, at) => tokenProblems(token, at)),
    ),
    '["aws:eks/nodeGroup:NodeGroup"]',
    { notEmpty: true },
  ),
  parameters: mapOf(
    v.custom(isParameter, "Must be a parameter.\nmake {path} with count(), numbers(), oneOf(), text() or texts()"),
    '{ minGiB: count(100, 1, "Smallest disk, in GiB.") }',
  ),
  judge: v.custom(isFunction, "Must be a function.\nset {path} to a generator that yields failIf() or adviseIf()"),
});

function fieldsOf({ id, title, severity, incident, types, parameters, judge }: Rule): object {
  return { id, title, severity, incident, types, parameters, judge };
}

/**
 * A token has the form package:module:Type, and in `aws` package:module/resource:Type: a rule for any other type would
 * judge nothing. The token of a component may also have two parts.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/names/#types on 2026-10-06
 */
function tokenProblems(got: string, path: string): Problem[] {
  const form = got.startsWith("aws:") ? /^aws:[\w-]+\/\w+:\w+$/ : /^[^\s:]+(:[^\s:]+){1,2}$/;
  if (form.test(got)) return [];
  const why = "Is not a resource type, such as aws:s3/bucket:Bucket or eks:index:Cluster.";
  const [, module = "", type = ""] = /^aws:([\w-]+):(\w+)$/.exec(got) ?? [];
  const meant = `aws:${module}/${type.charAt(0).toLowerCase()}${type.slice(1)}:${type}`;
  const fix = type === "" ? `set ${path} to the type in the URN of the resource` : `did you mean ${meant}?`;
  return [{ code: "not-allowed", path, got, why, fix }];
}

function isParameter(value: unknown): boolean {
  return isRecord(value) && isFunction(value["accepts"]) && isRecord(value["schema"]);
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
