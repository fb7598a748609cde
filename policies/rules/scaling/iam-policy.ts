import type { Reader } from "../../core/reader";
import type { Reading } from "../../core/reading";
import type { Resource } from "../../core/resource";
import { all, some, type Truth } from "../../core/unknown";

export const policyTypes: readonly string[] = ["aws:iam/rolePolicy:RolePolicy", "aws:iam/policy:Policy"];

/** Whether an IAM policy allows an action somewhere, whatever the resource. Its document is a text or an object. */
export function grants(policy: Resource, action: string): Truth {
  const document = policy.json("policy").value ?? policy.at("policy");
  const statements = document.list("Statement").value ?? [document.at("Statement")];
  return some(statements, (statement) =>
    all(
      statement.text("Effect").is((effect) => effect === "Allow"),
      some(actionsOf(statement), (given) => given.is((pattern) => covers(pattern, action))),
    ),
  );
}

function actionsOf(statement: Reader): Reading<string>[] {
  const list = statement.list("Action");
  return list.value ? list.value.map((item) => item.text()) : [statement.text("Action")];
}

/** Only the usual patterns: `eks:DescribeNodegroup`, `eks:Describe*`, `eks:*`, `*`. */
function covers(pattern: string, action: string): boolean {
  const [given, wanted] = [pattern.toLowerCase(), action.toLowerCase()];
  return given.endsWith("*") ? wanted.startsWith(given.slice(0, -1)) : given === wanted;
}
