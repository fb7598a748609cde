import { all, any, equals, some, Undetermined, type Reading, type Truth } from "../../engine/values";
import { failAt, onEach, stackRule, type Check, type Resource, type Stack } from "../../engine/rule";
import { templateTypes } from "../../facts/launch-templates";
import { openIn } from "../../facts/lists";
import { moreThan, subnet, zonesOf, type Count } from "../../facts/network";
import { nodeGroupsIn } from "../../facts/node-groups";
import { machinesOf, managedGroups, managedNodeGroup } from "../../facts/node-sources";
import { demandsByQuota, demandTypes, regionOf, sumOf, together, vcpuParameters } from "../../facts/vcpu-demand";
import type { Demand, Quota } from "../../facts/vcpu-demand";

/**
 * The default update strategy adds up to twice the number of zones, or maxUnavailable if that is more, and may exceed
 * maxSize. The other groups count with their maximum sizes.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
 */
export const gpuUpdateHeadroom = stackRule({
  id: "gpu-update-headroom",
  title: "A version update of GPU nodes fits into the vCPU quotas of the account.",
  severity: "high",
  incident:
    "an AMI update of two g5.xlarge nodes needed two more beyond maxSize; the quota of 8 vCPUs did not allow them, and the update failed",
  types: [...demandTypes, ...templateTypes, subnet],
  parameters: vcpuParameters,
  *judge(stack, parameters, surroundings) {
    for (const { region, quota, demands, demandOf } of demandsByQuota(stack, surroundings, parameters)) {
      const updated = nodeGroupsIn(stack, managedGroups).filter((one) => regionOf(one, stack, surroundings) === region);
      const used = { sum: sumOf(together(demands)), open: some(demands, openOf), quota };
      yield* onEach(updated, (group) => [ofGroup(demandOf(group), stack, used)]);
    }
  },
});

/** The vCPUs of all groups of a region at their maximum sizes. */
interface Used {
  readonly sum: number;
  readonly open: Truth;
  readonly quota: Quota;
}

function ofGroup(demand: Demand, stack: Stack, { sum, open, quota }: Used): Check {
  const { group, most, perNode } = demand;
  const extra = extraNodes(group, stack, most);
  const strategy = group
    .choice("updateConfig.updateStrategy", ["DEFAULT", "MINIMAL"])
    .or("DEFAULT", "nothing, which means DEFAULT");
  const fitting = Math.floor((quota.vcpus - sum) / perNode);
  const isBeyond = perNode > 0 ? any(moreThan(extra, fitting), open) : openOf(demand);
  const nodes = extra.open === false ? extra.most : extra.least;
  const { name, title, code, vcpus } = quota;
  const together = `${sum} + ${nodes} x ${perNode} = ${sum + nodes * perNode} vCPUs`;
  return failAt(machinesOf(group.type).hasNoStrategy ? most : strategy, all(equals(strategy, "DEFAULT"), isBeyond), {
    why: `A version update starts up to ${nodes} nodes beyond maxSize before it stops old ones: ${together}. The quota for ${title} (${code}) is ${vcpus}.`,
    fix: `${howToStopFirst(group, strategy.path)}, or request an increase of ${code} and set quotas.${name} in the policy configuration`,
  });
}

/** What a group may need in addition: values of a later preview, or vCPUs that only the configuration can give. */
function openOf({ open, uncounted }: Demand): Truth {
  const numbers = uncounted.slice(0, 5).map(({ path }) => `the number of vCPUs of ${path} (parameter vcpus)`);
  return any(...open, numbers.length > 0 && new Undetermined(numbers));
}

/** The number of nodes that an update may add beyond maxSize. EKS replaces at most 100 at once. */
function extraNodes(group: Resource, stack: Stack, most: Reading<number>): Count {
  const zones = zonesOf(group, stack);
  const unavailable = group.integer("updateConfig.maxUnavailable");
  const share = group.integer("updateConfig.maxUnavailablePercentage");
  const ofShare = Math.ceil(((share.value ?? 0) * (most.value ?? 0)) / 100);
  const inParallel = Math.min(100, Math.max(1, unavailable.value ?? 0, ofShare));
  const waits = openIn(unavailable, share);
  return {
    least: Math.max(2 * zones.least, inParallel),
    most: Math.max(2 * zones.most, waits === false ? inParallel : 100),
    open: any(zones.open, waits),
  };
}

/** @see https://github.com/pulumi/pulumi-eks/issues/1147 ManagedNodeGroup has no updateConfig */
function howToStopFirst(group: Resource, path: string): string {
  if (machinesOf(group.type).hasNoStrategy) {
    return `lower the maximum sizes, because ${group.type.split(":").at(-1)} has no update strategy`;
  }
  if (group.type !== managedNodeGroup && !group.isInside(managedNodeGroup)) {
    return `set ${path} to "MINIMAL", which stops old nodes first`;
  }
  return `create the group with aws.eks.NodeGroup, because eks.ManagedNodeGroup has no updateConfig, and set ${path} to "MINIMAL"`;
}
