import type { Reading } from "../../../components/core/reader/reading";
import { any, type Truth } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { attachment, inlinePolicy, policy, role } from "../../facts/iam";
import { managedNodeGroup, nodeGroup } from "../../facts/node-groups";

/** Where a group of nodes keeps its role. */
const nodeRoles: Readonly<Record<string, string>> = { [nodeGroup]: "nodeRoleArn", [managedNodeGroup]: "nodeRoleArn" };

const parameters = {
  allowed: texts(
    [
      ...["AmazonEKSWorkerNodePolicy", "AmazonEKSWorkerNodeMinimalPolicy", "AmazonEKS_CNI_Policy"],
      ...["AmazonEC2ContainerRegistryReadOnly", "AmazonEC2ContainerRegistryPullOnly"],
      "AmazonSSMManagedInstanceCore",
    ],
    "Names of AWS's own policies that the role of nodes may have.",
  ),
};

/**
 * Roles are found by the outputs that went into the node groups and the attachments; those typed in as text are not.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
 */
export const nodeRoleMinimal = stackRule({
  id: "node-role-minimal",
  title: "The role of nodes lets them join, pull images and be reached; controllers have roles of their own.",
  severity: "medium",
  incident:
    "load balancer, DNS and autoscaler rights stood on the node role, and with a hop limit of 2 every pod could use them",
  types: [...Object.keys(nodeRoles), role, attachment, inlinePolicy, policy],
  parameters,
  *judge(stack, { allowed }) {
    const roles = new Set(
      Object.entries(nodeRoles).flatMap(([type, property]) =>
        stack.ofType(type).flatMap((group) => stack.behind(group, property, role).map(({ urn }) => urn)),
      ),
    );
    const isOfNodes = (resource: Resource) => resource.dependenciesOf("role").some((urn) => roles.has(urn));
    for (const one of stack.ofType(attachment).filter(isOfNodes)) yield ofAttachment(one, stack, allowed);
    for (const one of stack.ofType(inlinePolicy).filter(isOfNodes)) {
      yield failIf(true, () => fault("role", "a policy of its own"), one);
    }
    for (const one of stack.ofType(role).filter(({ urn }) => roles.has(urn))) yield ofRole(one, allowed);
  },
});

function ofAttachment(one: Resource, stack: Stack, allowed: readonly string[]): Check {
  const arn = one.text("policyArn");
  // A policy of one's own is none of AWS's, whatever its ARN will be.
  const isOwn = stack.behind(one, "policyArn", policy).length > 0;
  return failIf(any(isOwn, isForeign(arn, allowed)), () => fault(arn.path, shown(arn)), one);
}

function ofRole(one: Resource, allowed: readonly string[]): Check {
  const arns = one.list("managedPolicyArns");
  return failIf(
    arns.is((items) => any(...items.map((item) => isForeign(item.text(), allowed)))),
    () => fault(arns.path, arns.shown),
    one,
  );
}

function isForeign(arn: Reading<string>, allowed: readonly string[]): Truth {
  return arn.is((text) => !/^arn:[\w-]{1,20}:iam::aws:policy\//.test(text) || !allowed.includes(nameIn(text)));
}

function nameIn(arn: string): string {
  return arn.slice(arn.lastIndexOf("/") + 1);
}

function shown({ shown: kind }: Reading<string>): string {
  return kind === "a text" ? "a policy beyond those that nodes need" : kind;
}

function fault(path: string, got: string) {
  return {
    path,
    got,
    why: "Every pod that reaches the node's metadata service can use what the role may do.",
    fix: "give the controller that needs it a role of its own by Pod Identity, and take the policy off the nodes",
  };
}
