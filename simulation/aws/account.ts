import { offlineCloud } from "../../planner/record/offline-cloud";
import type { Account } from "../world/world";

/** A new account in Seoul that got its first increase of the vCPU quota: two nodes of the smallest GPU types. */
export function defaultAccount(): Account {
  const region = "ap-northeast-2";
  const accountId = "123456789012";
  const { names } = offlineCloud(region).call("aws:index/getAvailabilityZones:getAvailabilityZones", {});
  return {
    accountId,
    region,
    partition: "aws",
    zones: names as string[],
    caller: `arn:aws:iam::${accountId}:user/learner`,
    gpuVcpuQuota: 8,
  };
}
