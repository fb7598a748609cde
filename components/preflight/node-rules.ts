import type { Problem } from "../core/problems";
import { defaultZoneCount } from "../network/vpc/zones";
import type { NodeRequest, PreflightFacts } from "./preflight-facts";

/** The zones of an environment; undefined when it does not name them and those of the region are not known. */
export function zonesFor(request: Pick<NodeRequest, "zones">, facts: PreflightFacts): readonly string[] | undefined {
  return request.zones ?? facts.zones?.slice(0, defaultZoneCount);
}

export function gpuOfferingProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const { instanceType: got, azIndex, command } = request;
  const zones = zonesFor(request, facts);
  const zone = zones?.[azIndex];
  const offered = facts.offerings?.[got];
  if (!zones || !zone || !offered || offered.includes(zone)) return [];
  const why = `${offered.length === 0 ? "The region" : zone} does not offer this instance type.`;
  const [path, fix] =
    command === undefined
      ? ["gpuNodes.instanceType", offeringFix(zones, offered)]
      : ["instance type", groupFix(offered)];
  return [{ code: "not-offered", path, got, why, fix }];
}

/** The fix for a node group that exists. */
function groupFix(offered: readonly string[]): string {
  const subnet = offered.length > 0 ? ` or a subnet in ${offered.join(" or ")}` : "";
  return `give the node group another instance type${subnet}`;
}

function offeringFix(zones: readonly string[], offered: readonly string[]): string {
  if (offered.length === 0) return "use another GPU instance type or region";
  const indexes = zones.flatMap((name, index) => (offered.includes(name) ? [`${index} (${name})`] : []));
  const change =
    indexes.length > 0
      ? `set gpuNodes.azIndex to ${indexes.join(" or ")}`
      : `add ${offered.join(" or ")} to network.zones`;
  return `${change}, or use another GPU instance type`;
}

/** Whether the vCPU quota allows all GPU nodes. */
export function quotaProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const quota = quotaOf(request, facts);
  if (!quota || quota.needed <= quota.vcpus) return [];
  const why =
    quota.vcpus === 0
      ? `The account's quota ${request.quotaCode} is 0 vCPU, as in new accounts: no ${request.instanceType} can start.`
      : quota.why;
  return [tooMany(request, quota.vcpus / request.vcpusPerNode, why, [quota.increase(quota.needed)])];
}

/** Whether what runs in the account leaves enough of the quota for all GPU nodes. */
export function quotaUseProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const quota = quotaOf(request, facts);
  if (!quota || quota.needed > quota.vcpus || quota.now <= quota.vcpus) return [];
  const why = `${quota.why} Instances outside this node group use ${quota.running} vCPU of it.`;
  const ways = ["terminate these instances", quota.increase(quota.now)];
  return [tooMany(request, (quota.vcpus - quota.running) / request.vcpusPerNode, why, ways)];
}

/** Other node groups share the quota: if they start all of their nodes, this group may not get all of its own. */
export function quotaWarnings(request: NodeRequest, facts: PreflightFacts): string[] {
  const quota = quotaOf(request, facts);
  const groups = facts.vcpuUse?.mayStart ?? [];
  const more = groups.reduce((sum, { vcpus }) => sum + vcpus, 0);
  if (!quota || quota.now > quota.vcpus || quota.now + more <= quota.vcpus) return [];
  const names = groups.map(({ group, vcpus }) => `${group} (${vcpus} vCPU)`).join(", ");
  return [
    `${countPath(request)}: Other node groups can start nodes that count against the quota ${request.quotaCode} of ${quota.vcpus} ` +
      `vCPU: ${names}. The quota does not suffice for all nodes at the same time; ${quota.increase(quota.now + more)}`,
  ];
}

/** The quota, and what is needed of it: by the nodes, and now, with what runs. Undefined if it is not known. */
function quotaOf(
  { quotaCode, maxSize, instanceType, vcpusPerNode }: NodeRequest,
  { quotaVcpus: vcpus, vcpuUse: { running } = { running: 0 }, region }: PreflightFacts,
) {
  if (quotaCode === undefined || vcpus === undefined) return undefined;
  const needed = maxSize * vcpusPerNode;
  const why = `${maxSize} x ${instanceType} need ${needed} vCPU. The account's quota ${quotaCode} is ${vcpus} vCPU.`;
  const increase = (to: number) =>
    `request a quota of ${to} vCPU: aws service-quotas request-service-quota-increase --service-code ec2 ` +
    `--quota-code ${quotaCode} --desired-value ${to}${region === undefined ? "" : ` --region ${region}`}`;
  return { vcpus, running, needed, now: needed + running, why, increase };
}

/** A node that gets no addresses becomes Ready, and its pods stay in ContainerCreating. */
export function subnetProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const { maxSize, addressesPerNode, instanceType } = request;
  const { gpuSubnet } = facts;
  if (!gpuSubnet || addressesPerNode === undefined) return [];
  const { id, freeAddresses } = gpuSubnet;
  const more = moreNodes(request, facts);
  const needed = more * addressesPerNode;
  if (needed <= freeAddresses) return [];
  const why =
    `${id} ${id.includes(",") ? "have" : "has"} ${freeAddresses} free addresses. ${more} more x ${instanceType} need ` +
    `${needed}: the VPC CNI reserves ${addressesPerNode} for each node.`;
  const ways = ["use a larger subnet", "delete unused network interfaces in this one"];
  return [tooMany(request, maxSize - more + freeAddresses / addressesPerNode, why, ways)];
}

/** Whether the nodes cannot even start: EC2 gives each instance an address. */
export function lacksAddresses(request: NodeRequest, facts: PreflightFacts): boolean {
  return facts.gpuSubnet !== undefined && facts.gpuSubnet.freeAddresses < moreNodes(request, facts);
}

/** The nodes that do not run yet. */
function moreNodes({ maxSize }: NodeRequest, { runningGroups }: PreflightFacts): number {
  return Math.max(0, maxSize - (runningGroups?.gpuNodes?.desiredSize ?? 0));
}

/** What states the number of nodes: a key of the configuration, or a command. */
function countPath({ command = "gpuNodes.maxSize" }: NodeRequest): string {
  return command;
}

/** The ways out: fewer nodes, if there is room for one, or more room. */
function tooMany(request: NodeRequest, room: number, why: string, ways: readonly string[]): Problem {
  const { command, maxSize: got } = request;
  const nodes = Math.floor(room);
  const fewer = command === undefined ? `set gpuNodes.maxSize to ${nodes}` : `run ${command} ${nodes}`;
  const fix = [...(nodes >= 1 ? [fewer] : []), ...ways].join(", or ");
  return { code: "not-offered", path: countPath(request), got, why, fix };
}
