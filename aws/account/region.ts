import type { Instance } from "@aws-sdk/client-ec2";
import type { AddonHealth, NodegroupHealth } from "@aws-sdk/client-eks";
import { instanceClusterTag, nodePoolTags } from "../../components/core/instance-tags";
import { instanceType, quotaScope, type QuotaScope } from "../../components/nodes/machine/instance-types";
import { zoneIdsWithoutEks } from "../../components/network/vpc/zones";
import type { NodeRequest, VcpuUse } from "../../components/preflight/preflight-facts";
import { groupPrefix, type FoundGroup } from "../../components/preflight/running-group";
import type { Aws } from "../clients";
import { isMissing } from "../aws-error";

/** The zones that EKS supports, without local and wavelength zones, which require an opt-in. */
export async function readZones(clients: Aws): Promise<string[]> {
  const { AvailabilityZones: zones = [] } = await clients.ask("ec2:DescribeAvailabilityZones", {
    Filters: [
      { Name: "state", Values: ["available"] },
      { Name: "opt-in-status", Values: ["opt-in-not-required"] },
    ],
  });
  return zones
    .filter(({ ZoneId: id = "" }) => !zoneIdsWithoutEks.includes(id))
    .flatMap(({ ZoneName: name }) => name ?? [])
    .sort();
}

/** The zone of each offer of one of these instance types. */
export async function readOffers(clients: Aws, Values: string[]) {
  const offerings = await clients.list("ec2:DescribeInstanceTypeOfferings", "InstanceTypeOfferings", {
    ...{ LocationType: "availability-zone", Filters: [{ Name: "instance-type", Values }] },
  });
  return offerings.map(({ InstanceType: type = "", Location: zone = "" }) => ({ type, zone }));
}

/** A quota of EC2, in vCPUs: the applied one, or AWS's default for an account that never changed it. */
export async function readQuota(clients: Aws, quotaCode: string): Promise<number | undefined> {
  const asked = { ServiceCode: "ec2", QuotaCode: quotaCode };
  const found = await clients.ask("servicequotas:GetServiceQuota", asked).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return clients.ask("servicequotas:GetAWSDefaultServiceQuota", asked);
  });
  return found.Quota?.Value;
}

/** Subnets with their zones. */
export async function readSubnets(clients: Aws, SubnetIds: string[]) {
  const { Subnets: subnets = [] } = await clients.ask("ec2:DescribeSubnets", { SubnetIds });
  return subnets.flatMap(({ SubnetId: id = "", AvailabilityZone: zone = "", AvailableIpAddressCount: free }) =>
    free === undefined ? [] : [{ id, zone, freeAddresses: free }],
  );
}

/** The vCPUs of pending and running instances of the quota, outside the GPU node group of the environment. */
export async function readRunningVcpus(clients: Aws, request: NodeRequest): Promise<number> {
  const scope = quotaScope(request.quotaCode ?? "");
  if (!scope) return 0;
  const reservations = await clients.list("ec2:DescribeInstances", "Reservations", {
    ...{ Filters: [{ Name: "instance-state-name", Values: ["pending", "running"] }], MaxResults: 1000 },
    // Instances of EKS Auto Mode count, even if the account hides them.
    IncludeManagedResources: true,
  });
  return reservations
    .flatMap(({ Instances = [] }) => Instances)
    .filter((one) => isCounted(one.InstanceType ?? "", scope) && !isOwn(one, request))
    .filter(({ InstanceLifecycle: lifecycle }) => (lifecycle === "spot") === scope.spot)
    .reduce((sum, one) => sum + vcpusOf(one), 0);
}

function isCounted(type: string, { types }: QuotaScope): boolean {
  return types.some((pattern) => type.startsWith(pattern.slice(0, -1)));
}

function isOwn({ Tags: tags = [] }: Instance, request: NodeRequest): boolean {
  const tag = (key: string) => tags.find(({ Key }) => Key === key)?.Value ?? "";
  const { clusterName, nodePool } = request;
  const isOfPool = nodePool !== undefined && Object.values(nodePoolTags).some((key) => isNamed(tag(key), nodePool));
  if (isOfPool && tag(instanceClusterTag) === clusterName) return true;
  return isOwnGroup(tag("eks:cluster-name"), tag("eks:nodegroup-name"), request);
}

/** Whether a NodePool has the name of the request, which may begin with `*` as in a filter of EC2. */
function isNamed(name: string, wanted: string): boolean {
  return wanted.startsWith("*") ? name.endsWith(wanted.slice(1)) : name === wanted;
}

/** Whether a node group is the one of the request, or has a name as the GPU node group of the environment. */
function isOwnGroup(cluster: string, name: string, { clusterName, nodeGroupName }: NodeRequest): boolean {
  if (cluster !== clusterName) return false;
  return nodeGroupName === undefined ? name.startsWith(groupPrefix(clusterName, "gpuNodes")) : name === nodeGroupName;
}

function vcpusOf({ InstanceType: type, CpuOptions: cpu }: Instance): number {
  return instanceType(type ?? "")?.vcpus ?? (cpu?.CoreCount ?? 0) * (cpu?.ThreadsPerCore ?? 1);
}

export function readClusters(clients: Aws): Promise<string[]> {
  return clients.list("eks:ListClusters", "clusters", {});
}

/** EKS lists no NodePools: what those of other clusters may start is not known. */
export function poolNotes(clusters: readonly string[], own: string): string[] {
  const others = clusters.filter((name) => name !== own);
  if (others.length === 0) return [];
  return [`Not counted against the quota: nodes that NodePools of other clusters may start (${others.join(", ")}).`];
}

/** A node group of the account, with what its further nodes would count. */
interface AccountGroup extends FoundGroup {
  readonly cluster: string;
  readonly capacityType: string | undefined;
  readonly instanceTypes: readonly string[];
}

/** The node groups of a cluster, except one that is known. */
export async function readNodeGroups(clients: Aws, cluster: string, known?: string): Promise<AccountGroup[]> {
  const names = await clients.list("eks:ListNodegroups", "nodegroups", { clusterName: cluster });
  const unknown = names.filter((name) => name !== known);
  return Promise.all(unknown.map((name) => readNodeGroup(clients, cluster, name)));
}

async function readNodeGroup(clients: Aws, cluster: string, name: string): Promise<AccountGroup> {
  const { nodegroup = {} } = await clients.ask("eks:DescribeNodegroup", { clusterName: cluster, nodegroupName: name });
  const { status = "", capacityType, instanceTypes = [], subnets: subnetIds, health, scalingConfig } = nodegroup;
  const { desiredSize = 0, minSize = 0, maxSize = 0 } = scalingConfig ?? {};
  const sizes = scalingConfig && { desiredSize, minSize, maxSize };
  return { cluster, name, status, issues: issueTexts(health), sizes, subnetIds, capacityType, instanceTypes };
}

/** What EKS reports as wrong with a node group or an add-on. */
export function issueTexts(health: NodegroupHealth | AddonHealth = {}): string[] {
  return (health.issues ?? []).map(({ code = "Unknown", message = "" }) => `${code}: ${message}`);
}

/** Other node groups whose further nodes would count against the quota. */
export function groupsThatMayStart(
  groups: readonly AccountGroup[],
  request: NodeRequest,
): NonNullable<VcpuUse["mayStart"]> {
  const scope = quotaScope(request.quotaCode ?? "");
  if (!scope) return [];
  return groups.flatMap(({ cluster, name, ...group }) => {
    const vcpus = isOwnGroup(cluster, name, request) ? 0 : moreVcpus(group, scope);
    return vcpus > 0 ? [{ group: `${cluster}/${name}`, vcpus }] : [];
  });
}

/** The vCPUs of the nodes that a group can still start: those of its largest type. */
function moreVcpus(
  { capacityType, instanceTypes, sizes }: Pick<AccountGroup, "capacityType" | "instanceTypes" | "sizes">,
  scope: QuotaScope,
): number {
  if (capacityType === "CAPACITY_BLOCK" || (capacityType === "SPOT") !== scope.spot) return 0;
  const counted = instanceTypes.filter((type) => isCounted(type, scope));
  const perNode = counted.map((type) => instanceType(type)?.vcpus ?? 0);
  return Math.max(0, ...perNode) * Math.max(0, (sizes?.maxSize ?? 0) - (sizes?.desiredSize ?? 0));
}
