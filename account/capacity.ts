import type { Instance } from "@aws-sdk/client-ec2";
import type { Nodegroup } from "@aws-sdk/client-eks";
import { instanceType, quotaScope, type QuotaScope } from "../components/nodes/machine/instance-types";
import type { NodeRequest, RunningGroup, VcpuUse } from "../components/preflight/preflight-facts";
import { groupPrefix, isWorking, newestName } from "../components/preflight/running-group";
import { allPages } from "../sessions/clients";
import type { Clients } from "./clients";

/** The vCPUs of pending and running instances of the quota, outside the GPU node group of the environment. */
export async function readRunningVcpus(clients: Clients, request: NodeRequest): Promise<number> {
  const scope = quotaScope(request.quotaCode ?? "");
  if (!scope) return 0;
  const instances = await allPages(async (NextToken) => {
    const page = await clients.ask("ec2", "ec2:DescribeInstances", (ec2) =>
      ec2.describeInstances({
        ...{ Filters: [{ Name: "instance-state-name", Values: ["pending", "running"] }], MaxResults: 1000 },
        ...(NextToken !== undefined && { NextToken }),
      }),
    );
    return { items: page.Reservations?.flatMap(({ Instances = [] }) => Instances), next: page.NextToken };
  });
  return instances
    .filter((one) => isCounted(one.InstanceType ?? "", scope) && !isOwn(one, request))
    .filter(({ InstanceLifecycle: lifecycle }) => (lifecycle === "spot") === scope.spot)
    .reduce((sum, one) => sum + vcpusOf(one), 0);
}

function isCounted(type: string, { types }: QuotaScope): boolean {
  return types.some((pattern) => type.startsWith(pattern.slice(0, -1)));
}

function isOwn({ Tags: tags = [] }: Instance, request: NodeRequest): boolean {
  const tag = (key: string) => tags.find(({ Key }) => Key === key)?.Value ?? "";
  return isOwnGroup(tag("eks:cluster-name"), tag("eks:nodegroup-name"), request);
}

/** Whether a node group is the one of the request, or has a name as the GPU node group of the environment. */
function isOwnGroup(cluster: string, name: string, { clusterName, nodeGroupName }: NodeRequest): boolean {
  if (cluster !== clusterName) return false;
  return nodeGroupName === undefined ? name.startsWith(groupPrefix(clusterName, "gpuNodes")) : name === nodeGroupName;
}

function vcpusOf({ InstanceType: type, CpuOptions: cpu }: Instance): number {
  return instanceType(type ?? "")?.vcpus ?? (cpu?.CoreCount ?? 0) * (cpu?.ThreadsPerCore ?? 1);
}

export async function readClusters(clients: Clients): Promise<string[]> {
  return allPages(async (nextToken) => {
    const page = await clients.ask("eks", "eks:ListClusters", (eks) =>
      eks.listClusters({ ...(nextToken !== undefined && { nextToken }) }),
    );
    return { items: page.clusters, next: page.nextToken };
  });
}

/** The node groups of a cluster, except one that is known. */
export async function readNodeGroups(clients: Clients, clusterName: string, known?: string): Promise<Nodegroup[]> {
  const names = await allPages(async (nextToken) => {
    const page = await clients.ask("eks", "eks:ListNodegroups", (eks) =>
      eks.listNodegroups({ clusterName, ...(nextToken !== undefined && { nextToken }) }),
    );
    return { items: page.nodegroups, next: page.nextToken };
  });
  const unknown = names.filter((name) => name !== known);
  const found = unknown.map(async (nodegroupName) => {
    const { nodegroup } = await clients.ask("eks", "eks:DescribeNodegroup", (eks) =>
      eks.describeNodegroup({ clusterName, nodegroupName }),
    );
    return nodegroup ?? {};
  });
  return Promise.all(found);
}

/** The newest group with a name prefix, unless it failed. */
export function newestGroup(groups: readonly Nodegroup[], namePrefix: string): RunningGroup | undefined {
  const names = groups.flatMap(({ nodegroupName }) => nodegroupName ?? []);
  const name = newestName(names, namePrefix);
  const { status = "", scalingConfig, subnets } = groups.find(({ nodegroupName }) => nodegroupName === name) ?? {};
  if (name === undefined || !scalingConfig || !isWorking(status)) return undefined;
  const { desiredSize = 0, minSize = 0, maxSize = 0 } = scalingConfig;
  return { name, desiredSize, minSize, maxSize, ...(subnets && { subnetIds: subnets }) };
}

/** Other node groups whose further nodes would count against the quota. */
export function groupsThatMayStart(
  groups: readonly Nodegroup[],
  request: NodeRequest,
): NonNullable<VcpuUse["mayStart"]> {
  const scope = quotaScope(request.quotaCode ?? "");
  if (!scope) return [];
  return groups.flatMap(({ clusterName: cluster = "", nodegroupName: name = "", ...group }) => {
    const vcpus = isOwnGroup(cluster, name, request) ? 0 : moreVcpus(group, scope);
    return vcpus > 0 ? [{ group: `${cluster}/${name}`, vcpus }] : [];
  });
}

/** The vCPUs of the nodes that a group can still start: those of its largest type. */
function moreVcpus({ capacityType, instanceTypes = [], scalingConfig = {} }: Nodegroup, scope: QuotaScope): number {
  if (capacityType === "CAPACITY_BLOCK" || (capacityType === "SPOT") !== scope.spot) return 0;
  const counted = instanceTypes.filter((type) => isCounted(type, scope));
  const perNode = counted.map((type) => instanceType(type)?.vcpus ?? 0);
  const { maxSize = 0, desiredSize = 0 } = scalingConfig;
  return Math.max(0, ...perNode) * Math.max(0, maxSize - desiredSize);
}
