import type { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { all, some, type Truth } from "../../components/core/reader/truth";
import type { Resource } from "../engine/resource";

export const role = "aws:iam/role:Role";
/** A managed policy on a role. */
export const attachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
/** An inline policy of a role. */
export const inlinePolicy = "aws:iam/rolePolicy:RolePolicy";
/** A managed policy of one's own. */
export const policy = "aws:iam/policy:Policy";

/** Whether an IAM policy allows an action somewhere, whatever the resource. */
export function grants(policy: Resource, action: string): Truth {
  return allows(policy, (pattern) => covers(pattern, action));
}

/** The same by a pattern of the service: that an administrator may do everything says nothing. */
export function allowsByName(policy: Resource, action: string): Truth {
  return allows(policy, (pattern) => pattern.includes(":") && covers(pattern, action));
}

/** The document of a policy is a text or an object. */
function allows(policy: Resource, isMeant: (pattern: string) => boolean): Truth {
  const document = policy.json("policy").value ?? policy.at("policy");
  const statements = document.list("Statement").value ?? [document.at("Statement")];
  return some(statements, (statement) =>
    all(
      statement.text("Effect").is((effect) => effect === "Allow"),
      some(actionsOf(statement), (given) => given.is(isMeant)),
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
