import { Netmask } from "netmask";
import { isDocumentationCidr } from "../cluster/access/public-access";
import { parseCidr } from "../core/cidr-form";
import type { Problem } from "../core/problems";
import { countPath, requestOf } from "./node-count";
import type { CapacityRequest, NodeRequest, PreflightFacts } from "./preflight-facts";

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
export function subnetProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const { maxSize, addressesPerNode, instanceType } = request;
  const { gpuSubnet } = facts;
  if (!gpuSubnet || addressesPerNode === undefined) return [];
  const more = moreNodes(request, facts);
  if (more * addressesPerNode <= gpuSubnet.freeAddresses) return [];
  const affordable = maxSize - more + Math.floor(gpuSubnet.freeAddresses / addressesPerNode);
  const smaller = affordable >= 1 ? `${requestOf(request, affordable)}, or ` : "";
  return [
    {
      code: "not-offered",
      path: countPath(request),
      got: maxSize,
      why:
        `${gpuSubnet.id} ${gpuSubnet.id.includes(",") ? "have" : "has"} ${gpuSubnet.freeAddresses} free addresses. ${more} more x ${instanceType} take ` +
        `${more * addressesPerNode}: the VPC CNI holds ${addressesPerNode} for each node.`,
      fix: `${smaller}use a larger subnet, or delete unused network interfaces in this one`,
    },
  ];
}

/** Whether the nodes cannot even start: EC2 gives each instance an address. */
export function lacksAddresses(request: NodeRequest, facts: PreflightFacts): boolean {
  const { gpuSubnet } = facts;
  return gpuSubnet !== undefined && gpuSubnet.freeAddresses < moreNodes(request, facts);
}

/** The nodes that do not run yet. */
function moreNodes({ maxSize }: NodeRequest, { runningGroups }: PreflightFacts): number {
  return Math.max(0, maxSize - (runningGroups?.gpuNodes?.desiredSize ?? 0));
}
