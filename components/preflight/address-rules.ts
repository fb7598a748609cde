import { Netmask } from "netmask";
import { isDocumentationCidr } from "../cluster/access/public-access";
import { parseCidr } from "../core/cidr-form";
import type { Problem } from "../core/problems";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";

/** The machine that runs `pulumi up` must reach the Kubernetes API: the update creates objects in the cluster. */
export function callerAddressProblems(
  { publicAccessCidrs = [] }: CapacityRequest,
  { callerAddress }: PreflightFacts,
): Problem[] {
  const isInside = (cidr: string) => parseCidr(cidr) !== undefined && new Netmask(cidr).contains(callerAddress ?? "");
  if (callerAddress === undefined || publicAccessCidrs.some(isInside)) return [];
  const placeholder = publicAccessCidrs.findIndex(isDocumentationCidr);
  const index = placeholder >= 0 ? placeholder : publicAccessCidrs.length;
  return [
    {
      code: "not-allowed",
      path: "publicAccessCidrs",
      got: publicAccessCidrs,
      why: `Your address ${callerAddress} is in none of these blocks, so you could not reach the cluster's API.`,
      fix: `pulumi config set --path 'publicAccessCidrs[${index}]' ${callerAddress}/32`,
    },
  ];
}

/** A node that gets no addresses becomes Ready, and its pods stay in ContainerCreating. */
export function subnetProblems(request: CapacityRequest, facts: PreflightFacts): Problem[] {
  const { maxSize, addressesPerNode, instanceType } = request;
  const { gpuSubnet, runningGroups } = facts;
  if (!gpuSubnet || addressesPerNode === undefined) return [];
  const running = runningGroups?.gpuNodes?.desiredSize ?? 0;
  const more = Math.max(0, maxSize - running);
  if (more * addressesPerNode <= gpuSubnet.freeAddresses) return [];
  const affordable = running + Math.floor(gpuSubnet.freeAddresses / addressesPerNode);
  const smaller = affordable >= 1 ? `set gpuNodes.maxSize to ${affordable}, or ` : "";
  return [
    {
      code: "not-offered",
      path: "gpuNodes.maxSize",
      got: maxSize,
      why:
        `${gpuSubnet.id} has ${gpuSubnet.freeAddresses} free addresses. ${more} more x ${instanceType} take ` +
        `${more * addressesPerNode}: the VPC CNI holds ${addressesPerNode} for each node.`,
      fix: `${smaller}use a larger subnet, or delete unused network interfaces in this one`,
    },
  ];
}
