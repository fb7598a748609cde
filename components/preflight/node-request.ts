import type { InstanceType } from "../nodes/machine/instance-types";
import type { NodeRequest } from "./preflight-facts";

interface NodeSettings {
  readonly capacityType: string;
  /** @default what the network interfaces allow */
  readonly maxPods?: number | undefined;
}

/** What one node of a type needs of region and account. */
export function nodeNeeds(
  type: InstanceType,
  { capacityType, maxPods }: NodeSettings,
): Pick<NodeRequest, "instanceType" | "vcpusPerNode" | "quotaCode" | "addressesPerNode"> {
  return {
    instanceType: type.name,
    vcpusPerNode: type.vcpus,
    ...quotaCodeOf(type, capacityType),
    addressesPerNode: addressesOf(type, maxPods),
  };
}

/**
 * The addresses that a GPU node takes. From the first pods on, the VPC CNI attaches a second network interface with all
 * of its addresses (WARM_ENI_TARGET=1), or holds one warm prefix of 16 addresses in addition to the used one.
 * @see https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md
 * @see https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/prefix-and-ip-target.md
 */
function addressesOf(type: InstanceType, maxPods: number | undefined): number {
  const usesPrefixes = maxPods !== undefined && maxPods > type.maxPods;
  return usesPrefixes ? 1 + 2 * 16 : Math.min(2, type.networkInterfaces) * type.ipv4PerInterface;
}

/** Capacity Blocks are bought in advance and count against no vCPU quota. */
function quotaCodeOf({ quotaCodes }: InstanceType, capacityType: string): { quotaCode?: string } {
  if (capacityType === "CAPACITY_BLOCK") return {};
  return { quotaCode: capacityType === "SPOT" ? quotaCodes.spot : quotaCodes.onDemand };
}
