import { all, not } from "../../engine/values";
import { failAt, onEach, stackRule, type Resource, type Stack } from "../../engine/rule";
import { attachment, inlinePolicy, role } from "../../facts/iam";

/** Types that attach managed policies to a role, and their property with the role. */
const ofManaged: Readonly<Record<string, string>> = {
  [attachment]: "role",
  "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive": "roleName",
  "aws:iam/policyAttachment:PolicyAttachment": "roles",
};
const ofInline: Readonly<Record<string, string>> = {
  [inlinePolicy]: "role",
  "aws:iam/rolePoliciesExclusive:RolePoliciesExclusive": "roleName",
};

/**
 * A role with a list of policies owns all policies of that kind: each update removes the others. An empty list of
 * managed policies removes all of them; an empty list of inline policies has no effect. The rule matches a role by its
 * output or its name.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/iam/role/
 * @see https://github.com/hashicorp/terraform-provider-aws/pull/5904
 */
export const iamRolePolicyConflict = stackRule({
  id: "iam-role-policy-conflict",
  title: "An IAM role has its policies either in its own list or as attachments, not both.",
  severity: "high",
  incident:
    "a node role listed one policy and had others attached; every second update removed the attached policies, and nodes could not pull images",
  types: [role, ...Object.keys(ofManaged), ...Object.keys(ofInline)],
  *judge(stack) {
    yield* onEach(stack.ofType(role), function* (one) {
      const arns = one.list("managedPolicyArns");
      const isManaged = all(isAttached(stack, one, ofManaged), not(arns.isAbsent));
      yield failAt(arns, isManaged, fault(arns.path, "managed policies", "RolePolicyAttachment"));
      const inline = one.list("inlinePolicies");
      const hasInline = inline.is(({ length }) => length > 0);
      const isInline = all(isAttached(stack, one, ofInline), hasInline);
      yield failAt(inline, isInline, fault(inline.path, "inline policies", "RolePolicy"));
    });
  },
});

function isAttached(stack: Stack, one: Resource, kinds: Readonly<Record<string, string>>): boolean {
  const name = one.text("name").value;
  return Object.entries(kinds).some(([type, property]) =>
    stack.ofType(type).some((other) => {
      const named = [other.text(property), ...(other.list(property).value ?? []).map((item) => item.text())];
      const hasName = name !== undefined && named.some(({ value }) => value === name);
      return hasName || other.dependenciesOf(property).includes(one.urn);
    }),
  );
}

function fault(path: string, kind: string, resource: string) {
  return {
    got: `${kind} in the role, and others as attachments`,
    why: "Each update of the role removes the policies that it does not list, and the next update attaches them again. As a result, the role has these permissions only intermittently.",
    fix: `create an aws.iam.${resource} for each policy in ${path}, and remove ${path} from the role`,
  };
}
