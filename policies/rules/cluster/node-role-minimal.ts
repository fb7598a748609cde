import { any, not, type Reading, type Truth } from "../../engine/values";
import { failAt, onEach, stackRule, texts, type Check, type Resource, type Stack } from "../../engine/rule";
import { attachment, inlinePolicy, policy, role } from "../../facts/iam";
import { someOf } from "../../facts/lists";
import { pulumiManagedGroups } from "../../facts/node-sources";

/**
 * The rule finds a role by its output in node groups and attachments. It does not see roles that are strings.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
 */
export const nodeRoleMinimal = stackRule({
  id: "node-role-minimal",
  title:
    "The node role allows nodes only to join, pull images and use Session Manager. Controllers have their own roles.",
  severity: "medium",
  incident:
    "the node role had load balancer, DNS and autoscaler permissions, and with a hop limit of 2 every pod could use them",
  types: [...pulumiManagedGroups, role, attachment, inlinePolicy, policy],
  parameters: {
    allowed: texts(
      [
        ...["AmazonEKSWorkerNodePolicy", "AmazonEKSWorkerNodeMinimalPolicy", "AmazonEKS_CNI_Policy"],
        ...["AmazonEC2ContainerRegistryReadOnly", "AmazonEC2ContainerRegistryPullOnly"],
        "AmazonSSMManagedInstanceCore",
      ],
      "Names of AWS managed policies that the node role may have.",
    ),
  },
  *judge(stack, { allowed }) {
    const used = stack.ofType(...pulumiManagedGroups).flatMap((group) => stack.behind(group, "nodeRoleArn", role));
    const roles = stack.ofType(role).filter((one) => used.includes(one));
    const urns = roles.map(({ urn }) => urn);
    const isOfNodes = (resource: Resource) => resource.dependenciesOf("role").some((urn) => urns.includes(urn));
    yield* onEach(stack.ofType(attachment).filter(isOfNodes), (one) => ofAttachment(one, stack, allowed));
    yield* onEach(stack.ofType(inlinePolicy).filter(isOfNodes), () => [fault("role", true, "an inline policy")]);
    yield* onEach(roles, (one) => ofRole(one, allowed));
  },
});

function* ofAttachment(one: Resource, stack: Stack, allowed: readonly string[]): Iterable<Check> {
  const arn = one.text("policyArn");
  // A policy of this stack is not an AWS managed policy, even if its ARN is not known yet.
  const isOwn = stack.behind(one, "policyArn", policy).length > 0;
  const shown = arn.shown === "a string" ? "a policy that nodes do not need" : arn.shown;
  yield fault(arn.path, any(isOwn, isForeign(arn, allowed)), shown);
}

function* ofRole(one: Resource, allowed: readonly string[]): Iterable<Check> {
  const [arns, inline] = [one.list("managedPolicyArns"), one.list("inlinePolicies")];
  const hasInline = someOf(inline, (policy) => not(policy.text("policy").isAbsent));
  const hasForeign = arns.is((items) => any(...items.map((item) => isForeign(item.text(), allowed))));
  yield fault(inline.path, hasInline, "an inline policy");
  yield fault(arns.path, hasForeign, arns.shown);
}

function isForeign(arn: Reading<string>, allowed: readonly string[]): Truth {
  const nameIn = (text: string) => text.slice(text.lastIndexOf("/") + 1);
  return arn.is((text) => !/^arn:[\w-]{1,20}:iam::aws:policy\//.test(text) || !allowed.includes(nameIn(text)));
}

function fault(path: string, condition: Truth, got: string): Check {
  return failAt({ path }, condition, {
    got,
    why: "Every pod that can reach the metadata service of the node can use the permissions of this role.",
    fix: "give the controller its own role with EKS Pod Identity, and remove the policy from the node role",
  });
}
