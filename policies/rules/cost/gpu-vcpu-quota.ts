import { all, any, not, some, type Reading } from "../../engine/values";
import { adviseAt, failAt, on, onEach, stackRule, type Check, type Resource, type Stack } from "../../engine/rule";
import { templateTypes } from "../../facts/launch-templates";
import { acceptsNvidia, attributesOf, groupsOf, isGpuGroup } from "../../facts/node-groups";
import { instancesOf, mostOf } from "../../facts/node-counts";
import type { SourceKind } from "../../facts/node-source";
import { countedTypes, machinesOf, typesOf } from "../../facts/node-sources";
import { demandsByQuota, demandTypes, sumOf, together, vcpuParameters } from "../../facts/vcpu-demand";
import type { Demand, Quota } from "../../facts/vcpu-demand";

/**
 * The rule compares four quotas with the maximum sizes of the groups that count against each. It derives the demand of
 * a group from its largest instance type, its market and its maximum size. A known sum above the quota fails even if
 * other values are unknown. The maximum includes running warm pools and scheduled increases. A group in both markets
 * counts in each with its share. Exempt groups do not count.
 *
 * For a NodePool, the rule gives advice. It counts the replicas, or the nodes that the limits allow, with the type that
 * has the fewest vCPUs. A NodePool with neither replicas nor limits, and instance types that AWS chooses by attributes,
 * also get advice.
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
 */
export const gpuVcpuQuota = stackRule({
  id: "gpu-vcpu-quota",
  title: "All GPU instances that a stack can start fit into the vCPU quotas of the account.",
  severity: "high",
  incident: "with a quota of 8 vCPUs, the third g5.xlarge did not start, and its node group ended in CREATE_FAILED",
  types: [...demandTypes, ...templateTypes],
  parameters: vcpuParameters,
  *judge(stack, parameters, surroundings) {
    yield* onEach(stack.ofType(...typesOf("pool")), (pool) => [ofPool(pool)]);
    yield* onEach(groupsOf(stack, countedTypes), (group) => ofAttributes(group, stack));
    for (const { region, quota, demands } of demandsByQuota(stack, surroundings, parameters)) {
      for (const demand of demands) yield* on(demand.group, ofGroup(demand, quota));
      yield ofRegion(demands, quota, region);
    }
  },
});

/** A pool with limits stops at them, and one with replicas at their number. */
function ofPool(pool: Resource): Check {
  const limits = pool.entries(machinesOf(pool.type).limits);
  return adviseAt(limits, all(isGpuGroup(pool), limits.isAbsent, instancesOf(pool).isAbsent), {
    why: "Karpenter starts GPU nodes for every waiting pod, until the quota of the account stops it.",
    fix: `set ${limits.path} to the number of GPUs that the pool may have, such as { "nvidia.com/gpu": 4 }`,
  });
}

/** The instance types of a group by attributes: the vCPUs of any type can be right. */
function ofAttributes(group: Resource, stack: Stack): Check[] {
  const isEmpty = mostOf(group).is((most) => most === 0);
  return attributesOf(group, stack).map((attributes) =>
    adviseAt(attributes.entries(), all(acceptsNvidia(attributes), not(isEmpty)), {
      got: "instance types by attributes, including GPU types",
      why: "AWS chooses the types, so their vCPUs are not counted against the quotas of GPU instances.",
      fix: "name the instance types, or compare the largest type that AWS may choose with the quota",
    }),
  );
}

/** The violations of a single group, and its instance types that cannot be counted. */
function* ofGroup(demand: Demand, quota: Quota): Iterable<Check> {
  const { most, share, perNode, vcpus, uncounted } = demand;
  const nodes = share.isMixed ? `${share.nodes} of ${most.shown} nodes` : share.nodes;
  const got = `${nodes} x ${perNode} = ${vcpus} vCPUs`;
  const { kind } = machinesOf(demand.group.type);
  const then = kind && outcomes[kind];
  const check = isCeiling(demand) ? adviseAt : failAt;
  yield check(most, vcpus > quota.vcpus, { got, ...excess(quota, howToFit(demand, quota.vcpus), then) });
  for (const type of uncounted.slice(0, mostNamed)) yield ofUncounted(type, quota, then);
}

/** A quota of 0 allows no instance, of whatever type. */
function ofUncounted(type: Reading<string>, quota: Quota, then: string | undefined): Check {
  if (quota.vcpus === 0) return failAt(type, true, { got: "an instance", ...excess(quota, noneFits, then) });
  return adviseAt(type, true, {
    got: "an unknown instance type",
    why: `Its vCPUs are not counted against the quota for ${quota.title} (${quota.code}).`,
    fix: 'add the type to "vcpus" in the policy configuration: aws ec2 describe-instance-types shows its DefaultVCpus',
  });
}

/** Karpenter starts nodes for pods: its limits are what it may start, not what it will. */
function isCeiling({ group, most }: Demand): boolean {
  return most.path === machinesOf(group.type).limits;
}

const noneFits = "choose instances of another family or market";

function howToFit(demand: Demand, quota: number): string {
  const { most, share, perNode } = demand;
  const fitting = Math.floor(quota / perNode);
  if (quota === 0 && (isCeiling(demand) || !share.isMixed)) return noneFits;
  if (isCeiling(demand)) {
    if (fitting > 0) return `set ${most.path} to allow ${fitting} or fewer nodes`;
    return `set ${most.path}.cpu to ${quota} or less, and allow smaller instances`;
  }
  if (share.isMixed) return `change instancesDistribution so that at most ${fitting} nodes are in this market`;
  return fitting > 0 ? `lower ${most.path} to ${fitting} or less` : "choose smaller instances";
}

/** All groups of a region together, without those that exceed the quota alone. */
function ofRegion(demands: readonly Demand[], quota: Quota, region: string): Check {
  const fitting = demands.filter((demand) => demand.vcpus <= quota.vcpus && !isCeiling(demand));
  const rest = together(fitting);
  const sum = sumOf(rest);
  const open = some(fitting, (demand) => any(...demand.open));
  // The region of a provider may be known only after the update.
  const where = /^[a-z-]+-\d+$/.test(region) ? ` in ${region}` : "";
  const got = `${sum} vCPUs${where}: ${named(rest)}`;
  const fault = { got, ...excess(quota, "lower the maximum sizes") };
  return failAt({ path: "the stack" }, sum > quota.vcpus || open, fault);
}

/** The number of names in a message. */
const mostNamed = 5;

/** The groups with the largest demand, by logical name. */
function named(demands: readonly Demand[]): string {
  const takers = demands.filter(({ vcpus }) => vcpus > 0).sort((a, b) => b.vcpus - a.vcpus);
  const names = takers.slice(0, mostNamed).map(({ group, vcpus }) => `${group.name} ${vcpus}`);
  const others = takers.length - names.length;
  return [...names, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}

const groupWaits = "and the group waits for nodes that never start";
const outcomes: Partial<Record<SourceKind, string>> = {
  request: "so the request fails",
  reservation: "so EC2 rejects the reservation",
  pool: "and pods wait for nodes that never start",
};

/** @param then what follows for the instances */
function excess({ name, title, code, vcpus }: Quota, smaller: string, then = groupWaits) {
  return {
    why: `The quota for ${title} (${code}) is ${vcpus} vCPUs. AWS does not start an instance beyond it, ${then}.`,
    fix: `${smaller}, or request an increase of ${code} and set quotas.${name} in the policy configuration`,
  };
}
