import { all, any, not, some, type Truth } from "../../../components/core/reader/truth";
import type { Resource, Stack } from "../../engine/resource";
import { failIf, stackRule } from "../../engine/rule";
import { installers, installsChart } from "../../facts/charts";
import { allowsByName, attachment, grants, inlinePolicy, policy } from "../../facts/iam";
import { launchTemplate } from "../../facts/launch-templates";
import { isGpuGroup, nodeGroup } from "../../facts/node-groups";

const tag = "aws:autoscaling/tag:Tag";
const prefix = "k8s.io/cluster-autoscaler/node-template";
const accelerator = "k8s.amazonaws.com/accelerator";

const component = "eks-gpu-lab:index:ClusterAutoscaler";
const deployment = "kubernetes:apps/v1:Deployment";
const policies = [inlinePolicy, policy];

/** Types by which a stack shows that a Cluster Autoscaler runs, and what it may do. */
const clusterAutoscalerTypes: readonly string[] = [component, ...installers, deployment, ...policies, attachment];

/**
 * Where a group has no node to look at, the Cluster Autoscaler learns its labels and taints from tags of the Auto
 * Scaling group, or from EKS if it may call DescribeNodegroup. Tags of the node group itself do not get there. The
 * number of GPUs it knows by the instance type. Its policies are those of the role that may change the size of Auto
 * Scaling groups. A tag whose group nobody can tell counts for every group.
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/cloudprovider/aws/README.md
 */
export const casScaleFromZeroTags = stackRule({
  id: "cas-scale-from-zero-tags",
  title: "The Cluster Autoscaler knows what the nodes of an empty GPU group will be like.",
  severity: "medium",
  incident: "a GPU group at zero was never scaled up, because the autoscaler took its nodes for ones without the label",
  types: [nodeGroup, launchTemplate, tag, ...clusterAutoscalerTypes],
  *judge(stack) {
    const isThere = hasClusterAutoscaler(stack);
    const mayAsk = autoscalerMay(stack, "eks:DescribeNodegroup");
    for (const group of stack.ofType(nodeGroup)) {
      const concerned = all(isThere, isGpuGroup(group, stack));
      const min = group.integer("scalingConfig.minSize");
      const labels = group.entries("labels");
      const taints = group.list("taints");
      const untold = any(
        all(
          labels.is((entries) => entries.length > 0),
          not(isTold(stack, group, "label")),
        ),
        all(
          taints.is((items) => items.length > 0),
          not(isTold(stack, group, "taint")),
        ),
      );
      yield failIf(
        all(
          concerned,
          min.is((size) => size === 0),
          not(mayAsk),
          untold,
        ),
        () => ({
          path: min.path,
          got: min.shown,
          why: "The Cluster Autoscaler cannot see labels and taints of a group without nodes: tags of the node group do not reach its Auto Scaling group. Pods that select the label wait for ever, or nodes start that the pods do not tolerate.",
          fix: `add an aws.autoscaling.Tag for each label and taint (${prefix}/label/<key>, ${prefix}/taint/<key>), or allow the autoscaler eks:DescribeNodegroup`,
        }),
        group,
      );
      const isLabelled = labels.is((entries) => entries.some(([key]) => key === accelerator));
      yield failIf(
        all(concerned, not(isLabelled)),
        () => ({
          path: "labels",
          got: labels.value ? "labels without it" : labels.shown,
          why: `Without the label ${accelerator} the Cluster Autoscaler takes a node whose GPU is not advertised yet for one without a GPU, and starts a second node.`,
          fix: `add "${accelerator}" to labels, with the GPU's name such as "nvidia-a10g"`,
        }),
        group,
      );
    }
  },
});

/** Whether a tag of the group's Auto Scaling group tells about its labels or taints. */
function isTold(stack: Stack, group: Resource, kind: "label" | "taint"): Truth {
  const its = stack.ofType(tag).filter((one) => {
    const owners = stack.behind(one, "autoscalingGroupName", nodeGroup);
    return owners.length === 0 || owners.includes(group);
  });
  return some(its, (one) => one.text("tag.key").is((key) => key.startsWith(`${prefix}/${kind}/`)));
}

/** Whether a stack installs the Cluster Autoscaler, or makes the identity for one. */
function hasClusterAutoscaler(stack: Stack): Truth {
  return any(
    stack.ofType(component).length > 0,
    some(stack.ofType(...installers), (chart) => installsChart(chart, "cluster-autoscaler")),
    some(stack.ofType(deployment), (one) =>
      one.text("metadata.name").is((name) => name.slice(0, 253).includes("cluster-autoscaler")),
    ),
  );
}

/** Whether the autoscaler may do something; what others in the stack may do does not count. */
function autoscalerMay(stack: Stack, action: string): Truth {
  return some(stack.ofType(...policies), (one) => {
    const may = grants(one, action);
    return may === false ? false : all(may, isOfAutoscaler(one, stack));
  });
}

/** A policy of the component, or one of the role that may change the size of Auto Scaling groups. */
function isOfAutoscaler(one: Resource, stack: Stack): Truth {
  if (one.isInside(component)) return true;
  const beside = stack
    .ofType(...policies)
    .map((other) => ({ other, isOfRole: haveOneRole(one, other, stack) }))
    .filter(({ isOfRole }) => isOfRole !== false);
  return some(beside, ({ other, isOfRole }) => all(isOfRole, allowsByName(other, "autoscaling:SetDesiredCapacity")));
}

function haveOneRole(one: Resource, other: Resource, stack: Stack): Truth {
  if (one === other) return true;
  const [its, others] = [holdersOf(one, stack), holdersOf(other, stack)];
  const roles = its.flatMap(rolesOf);
  if (others.flatMap(rolesOf).some((role) => roles.includes(role))) return true;
  if (its.length === 0 || others.length === 0) return false;
  const untold = [...its, ...others].filter((holder) => rolesOf(holder).length === 0);
  return some(untold, (holder) => holder.text("role").is(() => false));
}

/** What gives a policy to a role: itself, or its attachments. */
function holdersOf(one: Resource, stack: Stack): Resource[] {
  if (one.type === inlinePolicy) return [one];
  return stack.ofType(attachment).filter((link) => link.dependenciesOf("policyArn").includes(one.urn));
}

/** Roles by URN, and by name where that is typed in. */
function rolesOf(holder: Resource): string[] {
  return [...holder.dependenciesOf("role"), holder.text("role").value ?? []].flat();
}
