import type { Resource, Stack } from "../../engine/resource";
import { all, any, some, type Truth } from "../../../components/core/reader/truth";
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
