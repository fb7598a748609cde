import { failIf, stackRule, type Check } from "../../core/rule";
import { any, type Truth } from "../../core/unknown";
import { launchTemplate } from "../machines/launch-template";
import {
  buckets,
  demandOf,
  demandTypes,
  quotaOf,
  startersOf,
  vcpuParameters,
  type BucketName,
  type Demand,
} from "./vcpu-demand";

/**
 * Each of the four quotas is judged by the largest sizes of all that counts against it. What a group takes of a quota
 * is known once its largest type, its market and its largest size are; a sum that is too large already stays too large.
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
  *judge(stack, { quotas, vcpus }) {
    const starters = startersOf(stack);
    for (const name of Object.keys(buckets) as BucketName[]) {
      const demands = starters.map((starter) => demandOf(starter, stack, buckets[name], vcpus));
      yield* ofBucket(name, demands, quotaOf(name, quotas));
    }
  },
});

function* ofBucket(name: BucketName, demands: readonly Demand[], quota: number): Iterable<Check> {
  const alone = demands.filter(({ vcpus }) => vcpus > quota);
  for (const { group, most, perNode, vcpus } of alone) {
    const fitting = Math.floor(quota / perNode);
    const smaller = fitting > 0 ? `lower ${most.path} to ${fitting} or less` : "choose instances that fit";
    yield failIf(
      true,
      () => fault(name, quota, most.path, `${most.shown} x ${perNode} = ${vcpus} vCPUs`, smaller),
      group,
    );
  }
  const sum = demands.reduce((total, { vcpus }) => total + vcpus, 0);
  const takers = demands.filter(({ vcpus }) => vcpus > 0).length;
  const open: Truth = any(...demands.flatMap((demand) => demand.open).slice(0, 20));
  yield failIf(alone.length > 0 ? false : sum > quota || open, () =>
    fault(name, quota, "the stack", `${sum} vCPUs in ${takers} groups`, "lower the largest sizes"),
  );
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
