import { Reader } from "../../components/core/reader/reader";
import { withoutUndefined } from "../../components/core/reader/records";
import { hasUnknown, unknownOutput, type Properties } from "../../components/core/wire";

/**
 * The result of `aws.iam.getPolicyDocument`, which the provider computes. The JSON of other documents is not merged: with
 * them it is unknown.
 */
export function policyDocument(args: Properties): Properties {
  const { version = "2012-10-17", policyId } = args;
  const merged = ["sourceJson", "overrideJson", "sourcePolicyDocuments", "overridePolicyDocuments"];
  if (hasUnknown(args) || merged.some((key) => args[key] !== undefined)) {
    return { ...args, id: unknownOutput, json: unknownOutput, minifiedJson: unknownOutput };
  }
  const statements = new Reader(args).list("statements").value ?? [];
  const document = withoutUndefined({ Version: version, Id: policyId, Statement: statements.map(statementOf) });
  return { ...args, version, id: "0", json: JSON.stringify(document, null, 2), minifiedJson: JSON.stringify(document) };
}

function statementOf(statement: Reader): Properties {
  const values = (key: string) => oneOrMany(statement.strings(key));
  return withoutUndefined({
    Sid: statement.text("sid").value,
    Effect: statement.text("effect").value ?? "Allow",
    Action: values("actions"),
    NotAction: values("notActions"),
    Resource: values("resources"),
    NotResource: values("notResources"),
    Principal: principalsIn(statement, "principals"),
    NotPrincipal: principalsIn(statement, "notPrincipals"),
    Condition: conditionsIn(statement),
  });
}

function oneOrMany(values: readonly string[]): unknown {
  return values.length > 1 ? [...values].sort() : values[0];
}

function principalsIn(statement: Reader, key: string): unknown {
  const principals = statement.list(key).value ?? [];
  if (principals.length === 0) return undefined;
  if (principals.some((one) => one.text("type").value === "*")) return "*";
  return Object.fromEntries(principals.map((one) => [one.text("type").value, oneOrMany(one.strings("identifiers"))]));
}

function conditionsIn(statement: Reader): unknown {
  const conditions = statement.list("conditions").value ?? [];
  if (conditions.length === 0) return undefined;
  const tests: Record<string, Record<string, unknown>> = {};
  for (const condition of conditions) {
    const [test = "", variable = ""] = [condition.text("test").value, condition.text("variable").value];
    tests[test] = { ...tests[test], [variable]: oneOrMany(condition.strings("values")) };
  }
  return tests;
}
