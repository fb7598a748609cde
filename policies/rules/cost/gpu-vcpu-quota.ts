import { any, some } from "../../../components/core/reader/truth";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import {
  buckets,
  demandOf,
  demandTypes,
  quotaOf,
  startersOf,
  vcpuParameters,
  type BucketName,
  type Demand,
} from "../../facts/vcpu-demand";

/**
 * Each of the four quotas is judged by the largest sizes of all that counts against it. What a group takes of a quota
 * is known once its largest type, its market and its largest size are; a sum that is too large already stays too large.
 * A group of both markets counts in each with its share. What is exempt takes nothing.
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
 */
export const gpuVcpuQuota = stackRule({
  id: "gpu-vcpu-quota",
  title: "All GPU instances a stack may start fit into the account's vCPU quotas.",
  severity: "high",
  incident:
    "three g5.xlarge beside a quota of 8 vCPU: the third never started, and its node group ended as CREATE_FAILED",
  types: [...demandTypes, launchTemplate],
  parameters: vcpuParameters,
  *judge(stack, { quotas, vcpus, exempt }) {
    const starters = startersOf(stack, exempt);
    for (const name of Object.keys(buckets) as BucketName[]) {
      const demands = starters.map((starter) => demandOf(starter, stack, buckets[name], vcpus));
      yield* ofGroups(name, demands, quotaOf(name, quotas));
      yield ofStack(name, demands, quotaOf(name, quotas));
    }
  },
});

/** What a group breaks by itself, and what nobody can count of it. */
function* ofGroups(name: BucketName, demands: readonly Demand[], quota: number): Iterable<Check> {
  for (const demand of demands) {
    const { group, most, share, perNode, vcpus, uncounted } = demand;
    const nodes = share.isMixed ? `${share.nodes} of ${most.shown} nodes` : most.shown;
    const got = `${nodes} x ${perNode} = ${vcpus} vCPUs`;
    yield failIf(vcpus > quota, () => fault(name, quota, most.path, got, howToFit(demand, quota)), group);
    for (const { path } of uncounted.slice(0, mostNamed)) {
      yield adviseIf(true, () => unknownType(name, path), group);
    }
  }
}

function howToFit({ most, share, perNode }: Demand, quota: number): string {
  const fitting = Math.floor(quota / perNode);
  if (share.isMixed) return `change instancesDistribution so that at most ${fitting} of them are in this market`;
  return fitting > 0 ? `lower ${most.path} to ${fitting} or less` : "choose instances that fit";
}

/** The groups together, without those that are too large alone. */
function ofStack(name: BucketName, demands: readonly Demand[], quota: number): Check {
  const rest = demands.filter(({ vcpus }) => vcpus <= quota);
  const sum = rest.reduce((total, { vcpus }) => total + vcpus, 0);
  const open = some(rest, (demand) => any(...demand.open));
  return failIf(sum > quota || open, () =>
    fault(name, quota, "the stack", `${sum} vCPUs: ${named(rest)}`, "lower the largest sizes"),
  );
}

/** As many as a message has room for. */
const mostNamed = 5;

/** What takes the most, by the names of the program. */
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
    why: `The quota of ${title} (${code}) is ${quota} vCPUs. AWS starts no instance beyond it, and the group waits for nodes that never come.`,
    fix: `${smaller}, or have AWS raise ${code} and set quotas.${name} in the policy configuration`,
  };
}

function unknownType(name: BucketName, path: string) {
  const { title, code } = buckets[name];
  return {
    path,
    got: "a type that this pack does not know",
    why: `Its vCPUs are left out of what is compared with the quota of ${title} (${code}).`,
    fix: "add the type to vcpus in the policy configuration: aws ec2 describe-instance-types shows its DefaultVCpus",
  };
}
