import { all, any, equals, some, type Truth } from "../engine/values";
import type { Resource } from "../engine/resource";

export const role = "aws:iam/role:Role";
/** A managed policy on a role. */
export const attachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
/** An inline policy of a role. */
export const inlinePolicy = "aws:iam/rolePolicy:RolePolicy";
/** A customer managed policy. */
export const policy = "aws:iam/policy:Policy";

/** Whether an IAM policy allows an action on any resource. */
export function grants(policy: Resource, action: string): Truth {
  return allows(policy, (pattern) => covers(pattern, action));
}

/** Whether an IAM policy allows an action with a pattern of its service. `*` does not count. */
export function allowsByName(policy: Resource, action: string): Truth {
  return allows(policy, (pattern) => pattern.includes(":") && covers(pattern, action));
}

/** The document of a policy is a string or an object. */
function allows(policy: Resource, matches: (pattern: string) => boolean): Truth {
  const document = policy.json("policy").value ?? policy.at("policy");
  const statements = document.list("Statement").value ?? [document.at("Statement")];
  return some(statements, (one) => {
    const actions = one.list("Action").value?.map((item) => item.text()) ?? [one.text("Action")];
    return all(equals(one.text("Effect"), "Allow"), any(...actions.map((action) => action.is(matches))));
  });
}

/** Only the usual patterns: `eks:DescribeNodegroup`, `eks:Describe*`, `eks:*`, `*`. */
function covers(pattern: string, action: string): boolean {
  const [given, wanted] = [pattern.toLowerCase(), action.toLowerCase()];
  return given.endsWith("*") ? wanted.startsWith(given.slice(0, -1)) : given === wanted;
}
