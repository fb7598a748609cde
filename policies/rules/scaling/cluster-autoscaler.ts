import type { Resource, Stack } from "../../core/resource";
import { all, any, some, type Truth } from "../../core/unknown";
import { attachment, inlinePolicy, policy } from "../cluster/roles";
import { installers, installsChart } from "../operator/chart-reference";
import { allowsByName, grants } from "./iam-policy";

const component = "eks-gpu-lab:index:ClusterAutoscaler";
const deployment = "kubernetes:apps/v1:Deployment";
const policies = [inlinePolicy, policy];

/** Types by which a stack shows that a Cluster Autoscaler runs, and what it may do. */
export const clusterAutoscalerTypes: readonly string[] = [
  component,
  ...installers,
  deployment,
  ...policies,
  attachment,
];

/** Whether a stack installs the Cluster Autoscaler, or makes the identity for one. */
export function hasClusterAutoscaler(stack: Stack): Truth {
  return any(
    stack.ofType(component).length > 0,
    some(stack.ofType(...installers), (chart) => installsChart(chart, "cluster-autoscaler")),
    some(stack.ofType(deployment), (one) =>
      one.text("metadata.name").is((name) => name.slice(0, 253).includes("cluster-autoscaler")),
    ),
  );
}

/** Whether the autoscaler may do something; what others in the stack may do does not count. */
export function autoscalerMay(stack: Stack, action: string): Truth {
  return some(stack.ofType(...policies), (one) => all(grants(one, action), isOfAutoscaler(one, stack)));
}

/** A policy of the component, or one of the role that may change the size of Auto Scaling groups. */
function isOfAutoscaler(one: Resource, stack: Stack): Truth {
  if (one.isInside(component)) return true;
  const roles = rolesOf(one, stack);
  const ofRole = stack
    .ofType(...policies)
    .filter((other) => other === one || rolesOf(other, stack).some((name) => roles.includes(name)));
  return some(ofRole, (other) => allowsByName(other, "autoscaling:SetDesiredCapacity"));
}

/** The roles that have a policy: by URN, and by name where that is typed in. */
function rolesOf(one: Resource, stack: Stack): string[] {
  const holders =
    one.type === inlinePolicy
      ? [one]
      : stack.ofType(attachment).filter((link) => link.dependenciesOf("policyArn").includes(one.urn));
  return holders.flatMap((holder) => [...holder.dependenciesOf("role"), holder.text("role").value ?? []].flat());
}
