import { all, not } from "../../../components/core/reader/truth";
import type { Resource, Stack } from "../../engine/resource";
import { failIf, stackRule } from "../../engine/rule";
import { attachment, inlinePolicy, role } from "../../facts/iam";

/** What gives a role its policies from outside, and the property that names the role. */
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
 * A role that states its policies takes away all others of the kind. An empty list of managed policies takes away all;
 * an empty list of inline ones says nothing. A role is known by its output, or by its name where both state it.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/iam/role/
 * @see https://github.com/hashicorp/terraform-provider-aws/pull/5904
 */
export const iamRolePolicyConflict = stackRule({
  id: "iam-role-policy-conflict",
  title: "A role states its policies itself, or has them attached as resources, but not both.",
  severity: "high",
  incident:
    "a node role listed one policy itself and had others attached: each second update took those away, and nodes pulled no images",
  types: [role, ...Object.keys(ofManaged), ...Object.keys(ofInline)],
  *judge(stack) {
    for (const one of stack.ofType(role)) {
      const arns = one.list("managedPolicyArns");
      yield failIf(
        all(isBeside(stack, one, ofManaged), not(arns.isAbsent)),
        () => fault(arns.path, "managed policies", "RolePolicyAttachment"),
        one,
      );
      const inline = one.list("inlinePolicies");
      yield failIf(
        all(
          isBeside(stack, one, ofInline),
          inline.is((policies) => policies.length > 0),
        ),
        () => fault(inline.path, "inline policies", "RolePolicy"),
        one,
      );
    }
  },
});

function isBeside(stack: Stack, one: Resource, kinds: Readonly<Record<string, string>>): boolean {
  const name = one.text("name").value;
  return Object.entries(kinds).some(([type, property]) =>
    stack.ofType(type).some((other) => {
      const named = [other.text(property), ...(other.list(property).value ?? []).map((item) => item.text())];
      return (
        other.dependenciesOf(property).includes(one.urn) ||
        (name !== undefined && named.some(({ value }) => value === name))
      );
    }),
  );
}

function fault(path: string, kind: string, resource: string) {
  return {
    path,
    got: `${kind} in the role, and others attached beside them`,
    why: "Each update of the role takes away what it does not state itself, and the next update attaches it again: whoever acts as the role has its rights only now and then.",
    fix: `make an aws.iam.${resource} of each policy in ${path}, and remove ${path} from the role`,
  };
}
