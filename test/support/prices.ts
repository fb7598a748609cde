import { hoursPerMonth } from "../../components/cost/cost-line";
import { price } from "../../components/cost/prices";

/** What an item costs in Seoul by the price table, in its unit: expectations are computed from it, since prices change. */
export function seoulUsd(item: string): number {
  const usd = price("ap-northeast-2", item)?.usd;
  if (usd === undefined) throw new Error(`The price table has no price of ${item} in Seoul`);
  return usd;
}

/** In USD per hour: a control plane, a NAT gateway with its address, a key, and two system nodes with 30 GiB each. */
export function labAtRest(): number {
  const hourly = ["eks-control-plane-standard", "nat-gateway", "public-ipv4", "t3.medium", "t3.medium"].map(seoulUsd);
  const monthly = seoulUsd("kms-key") + 60 * seoulUsd("ebs-gp3-storage");
  return hourly.reduce((sum, usd) => sum + usd) + monthly / hoursPerMonth;
}

/** In USD per hour: a g5.xlarge with 100 GiB. */
export function gpuNode(): number {
  return seoulUsd("g5.xlarge") + (100 * seoulUsd("ebs-gp3-storage")) / hoursPerMonth;
}

/** Two nodes, in USD per hour, as commands print it. @param diskGiB the default is that of EKS */
export function twoNodes(type: string, diskGiB = 20): string {
  return (2 * (seoulUsd(type) + (diskGiB * seoulUsd("ebs-gp3-storage")) / hoursPerMonth)).toFixed(4);
}
