import { any, some } from "../../../components/core/reader/truth";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { templateTypes } from "../../facts/launch-templates";
import {
  buckets,
  demandOf,
  demandTypes,
  quotaOf,
  sourcesByRegion,
  sumOf,
  together,
  vcpuParameters,
  type BucketName,
  type Demand,
} from "../../facts/vcpu-demand";

/**
 * Compares each of the four quotas with the maximum sizes of the groups that count against it. The demand of a group is
 * known if its largest instance type, its market and its maximum size are. A known sum that exceeds the quota fails
 * even if other values are unknown. A group in both markets counts in each with its share. Exempt groups do not count.
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
 */
export const gpuVcpuQuota = stackRule({
  id: "gpu-vcpu-quota",
  title: "All GPU instances that a stack can start fit into the vCPU quotas of the account.",
  severity: "high",
  incident: "with a quota of 8 vCPUs the third g5.xlarge never started, and its node group ended in CREATE_FAILED",
  types: [...demandTypes, ...templateTypes],
  parameters: vcpuParameters,
  *judge(stack, { quotas, vcpus, exempt }, surroundings) {
    for (const starters of sourcesByRegion(stack, surroundings, exempt).values()) {
      for (const name of Object.keys(buckets) as BucketName[]) {
        const demands = starters.map((starter) => demandOf(starter, stack, buckets[name], vcpus));
        yield* ofGroups(name, demands, quotaOf(name, quotas));
        yield ofRegion(name, demands, quotaOf(name, quotas));
      }
    }
  },
});

/** The violations of a single group, and its instance types that cannot be counted. */
function* ofGroups(name: BucketName, demands: readonly Demand[], quota: number): Iterable<Check> {
  for (const demand of demands) {
    const { group, most, share, perNode, vcpus, uncounted } = demand;
    const nodes = share.isMixed ? `${share.nodes} of ${most.shown} nodes` : share.nodes;
    const got = `${nodes} x ${perNode} = ${vcpus} vCPUs`;
    yield failIf(vcpus > quota, () => fault(name, quota, most.path, got, howToFit(demand, quota)), group);
    for (const { path } of uncounted.slice(0, mostNamed)) {
      yield adviseIf(true, () => unknownType(name, path), group);
    }
  }
}

function howToFit({ most, share, perNode }: Demand, quota: number): string {
  const fitting = Math.floor(quota / perNode);
  if (share.isMixed) return `change instancesDistribution so that at most ${fitting} nodes are in this market`;
  return fitting > 0 ? `lower ${most.path} to ${fitting} or less` : "choose smaller instances";
}

/** All groups of a region together, without those that exceed the quota alone. */
function ofRegion(name: BucketName, demands: readonly Demand[], quota: number): Check {
  const fitting = demands.filter(({ vcpus }) => vcpus <= quota);
  const rest = together(fitting);
  const sum = sumOf(rest);
  const open = some(fitting, (demand) => any(...demand.open));
  return failIf(sum > quota || open, () =>
    fault(name, quota, "the stack", `${sum} vCPUs: ${named(rest)}`, "lower the maximum sizes"),
  );
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

function fault(name: BucketName, quota: number, path: string, got: string, smaller: string) {
  const { title, code } = buckets[name];
  return {
    path,
    got,
    why: `The quota of ${title} (${code}) is ${quota} vCPUs. AWS starts no instance beyond it, and the group waits for nodes that never start.`,
    fix: `${smaller}, or request an increase of ${code} and set quotas.${name} in the policy configuration`,
  };
}

function unknownType(name: BucketName, path: string) {
  const { title, code } = buckets[name];
  return {
    path,
    got: "an unknown instance type",
    why: `Its vCPUs are not counted against the quota of ${title} (${code}).`,
    fix: 'add the type to "vcpus" in the policy configuration: aws ec2 describe-instance-types shows its DefaultVCpus',
  };
}
