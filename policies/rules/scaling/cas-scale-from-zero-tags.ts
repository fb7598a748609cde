import { all, any, equals, not, some, type Truth } from "../../engine/values";
import { failAt, onEach, type Check, type Resource, type Stack } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import {
  autoscalerTypes,
  clusterAutoscaler,
  hasClusterAutoscaler,
  hasTag,
  nodeTemplate,
} from "../../facts/cluster-autoscaler";
import { allowsByName, attachment, grants, inlinePolicy, policy } from "../../facts/iam";
import { launchTemplate } from "../../facts/launch-templates";
import { isGpuGroup } from "../../facts/node-groups";
import { nodeGroup } from "../../facts/node-sources";

const accelerator = "k8s.amazonaws.com/accelerator";

const policies = [inlinePolicy, policy];

/**
 * Without a node, the Cluster Autoscaler reads labels and taints from the tags of the Auto Scaling group, or from EKS
 * if it may call DescribeNodegroup. EKS does not copy the tags of a node group to its Auto Scaling group. The rule
 * reads the permissions from the role that can resize Auto Scaling groups. A tag of an unknown group counts for every
 * group.
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/cloudprovider/aws/README.md
 */
export const casScaleFromZeroTags = clusterRule({
  id: "cas-scale-from-zero-tags",
  title: "The Cluster Autoscaler knows the labels and taints of a GPU node group without nodes.",
  severity: "medium",
  incident: "the autoscaler never scaled up a GPU group from zero, because it did not know the labels of its nodes",
  types: [nodeGroup, launchTemplate, ...autoscalerTypes, ...policies, attachment],
  *judge(stack) {
    const isInstalled = hasClusterAutoscaler(stack);
    const mayDescribe = autoscalerMay(stack, "eks:DescribeNodegroup");
    yield* onEach(stack.ofType(nodeGroup), function* (group) {
      const isRelevant = all(isInstalled, isGpuGroup(group, stack));
      yield scaleFromZero(group, stack, all(isRelevant, not(mayDescribe)));
      yield acceleratorLabel(group, isRelevant);
    });
  },
});

function scaleFromZero(group: Resource, stack: Stack, isRelevant: Truth): Check {
  const min = group.integer("scalingConfig.minSize");
  const hasLabels = group.entries("labels").is((entries) => entries.length > 0);
  const hasTaints = group.list("taints").is((items) => items.length > 0);
  const hasHint = (kind: string) => hasTag(stack, group, (key) => key.startsWith(`${nodeTemplate}/${kind}/`));
  const unknownToAutoscaler = any(all(hasLabels, not(hasHint("label"))), all(hasTaints, not(hasHint("taint"))));
  return failAt(min, all(isRelevant, equals(min, 0), unknownToAutoscaler), {
    why: "The Cluster Autoscaler cannot read labels and taints of a group without nodes, because EKS does not copy tags of the node group to its Auto Scaling group. Pods that select the label stay Pending, or nodes start that the pods do not tolerate.",
    fix: `add an aws.autoscaling.Tag for each label and taint (${nodeTemplate}/label/<key>, ${nodeTemplate}/taint/<key>), or allow the autoscaler eks:DescribeNodegroup`,
  });
}

function acceleratorLabel(group: Resource, isRelevant: Truth): Check {
  const labels = group.entries("labels");
  const isLabelled = labels.is((entries) => entries.some(([key]) => key === accelerator));
  return failAt({ path: "labels" }, all(isRelevant, not(isLabelled)), {
    got: labels.value ? "labels without this key" : labels.shown,
    why: `Without the label ${accelerator}, the Cluster Autoscaler treats a node that does not advertise its GPU yet as a node without a GPU, and starts a second one.`,
    fix: `add "${accelerator}" to labels, with the name of the GPU, for example "nvidia-a10g"`,
  });
}

/** Whether the autoscaler may call an action. Policies of other roles do not count. */
function autoscalerMay(stack: Stack, action: string): Truth {
  return some(stack.ofType(...policies), (one) => {
    const may = grants(one, action);
    return may === false ? false : all(may, isOfAutoscaler(one, stack));
  });
}

/** A policy of the component, or of a role that can change the size of Auto Scaling groups. */
function isOfAutoscaler(one: Resource, stack: Stack): Truth {
  if (one.isInside(clusterAutoscaler)) return true;
  const candidates = stack
    .ofType(...policies)
    .map((other) => ({ other, isOfRole: haveOneRole(one, other, stack) }))
    .filter(({ isOfRole }) => isOfRole !== false);
  return some(candidates, ({ other, isOfRole }) =>
    all(isOfRole, allowsByName(other, "autoscaling:SetDesiredCapacity")),
  );
}

function haveOneRole(one: Resource, other: Resource, stack: Stack): Truth {
  if (one === other) return true;
  const [its, others] = [holdersOf(one, stack), holdersOf(other, stack)];
  const roles = its.flatMap(rolesOf);
  if (others.flatMap(rolesOf).some((role) => roles.includes(role))) return true;
  if (its.length === 0 || others.length === 0) return false;
  const unknown = [...its, ...others].filter((holder) => rolesOf(holder).length === 0);
  return some(unknown, (holder) => holder.text("role").is(() => false));
}

/** The resources that attach a policy to a role: the inline policy itself, or its attachments. */
function holdersOf(one: Resource, stack: Stack): Resource[] {
  if (one.type === inlinePolicy) return [one];
  return stack.ofType(attachment).filter((link) => link.dependenciesOf("policyArn").includes(one.urn));
}

/** Roles by URN, and by name if that is a string. */
function rolesOf(holder: Resource): string[] {
  return [...holder.dependenciesOf("role"), holder.text("role").value ?? []].flat();
}
