import { getInstanceTypeOfferings } from "@pulumi/aws/ec2/getInstanceTypeOfferings";
import { getClusters } from "@pulumi/aws/eks/getClusters";
import { getNodeGroup, type GetNodeGroupResult } from "@pulumi/aws/eks/getNodeGroup";
import { getNodeGroups } from "@pulumi/aws/eks/getNodeGroups";
import { getAvailabilityZones } from "@pulumi/aws/getAvailabilityZones";
import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import { getRegion } from "@pulumi/aws/getRegion";
import { getSessionContext } from "@pulumi/aws/iam/getSessionContext";
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota";
import { zoneIdsWithoutEks } from "../network/vpc/zones";
import { attempt } from "./attempt";
import { readNamesakes } from "./namesakes";
import { readOwnObjects } from "./own-objects";
import { readGpuSubnet, readImages, readVcpuUse } from "./preflight-capacity";
import { groupPrefix, isWorking, newestName } from "./running-group";
import type { CapacityRequest, PreflightFacts, RunningGroup } from "./preflight-facts";
import { readRunningEnvironment } from "./read-running-environment";
import { secondGroupsOf } from "./preflight-leftovers";
import { namesakeReaders } from "./namesake-readers";
import { readSecondObjects } from "./read-second-objects";

/**
 * Reads from AWS the facts for {@link preflightProblems}, before any resource is created: zones, offerings, vCPU quota
 * and what runs of it, AMI releases, the caller and its account, the existing clusters, the names that are taken, the node
 * groups of the cluster, the free addresses of an existing subnet, what an interrupted update left, and the existing
 * environment with the GPU nodes and pods that a change would end. Read-only. A part that cannot be read, because a permission is missing, is left out
 * with a warning. Values that an offline plan cannot know are left out silently. Without a request there is nothing to
 * read.
 */
export async function readPreflightFacts(request: CapacityRequest | undefined): Promise<PreflightFacts> {
  if (request === undefined) return {};
  const { change } = request;
  const [zones, offerings, quotaVcpus, account, callerArn, region, tagged, cluster] = await Promise.all([
    attempt("the availability zones", readZones),
    attempt("the instance type offerings", () => readOfferings([request.instanceType, request.systemInstanceType])),
    attempt("the vCPU quota", () => readQuota(request.quotaCode)),
    attempt("the caller's account", async () => (await getCallerIdentity()).accountId),
    attempt("the caller's identity", readCaller),
    attempt("the region", async () => (await getRegion()).region),
    readTagged(request),
    readCluster(request),
  ]);
  const capacity = await readCapacity(request, cluster.runningGroups);
  const running =
    change && cluster.clusterNames && (await readRunningEnvironment(change, ownClusters(cluster), zones ?? []));
  return {
    ...(zones && { zones }),
    ...(offerings && { offerings }),
    ...(quotaVcpus !== undefined && { quotaVcpus }),
    ...(account && { account }),
    ...(callerArn && { callerArn }),
    ...(region && { region }),
    ...tagged,
    ...cluster,
    ...capacity,
    ...(running && { running }),
  };
}

/** What has the tag of the stack. */
async function readTagged({ change, clusterName }: CapacityRequest): Promise<Pick<PreflightFacts, "secondObjects">> {
  const { stackTag } = change ?? {};
  if (stackTag === undefined) return {};
  const what = "the addresses and launch templates of the stack";
  const secondObjects = await attempt(what, () => readSecondObjects(stackTag, clusterName));
  return secondObjects ? { secondObjects } : {};
}

/** What runs of the quota, the AMI releases, and the free addresses. */
async function readCapacity(
  request: CapacityRequest,
  runningGroups: PreflightFacts["runningGroups"],
): Promise<Pick<PreflightFacts, "vcpuUse" | "images" | "gpuSubnet">> {
  const [vcpuUse, images, gpuSubnet] = await Promise.all([
    attempt("the running GPU instances", () => readVcpuUse(request)),
    attempt("the AMI releases", () => readImages(request)),
    attempt("the subnet of the GPU nodes", () => readGpuSubnet(request, runningGroups)),
  ]);
  return { ...(vcpuUse && { vcpuUse }), ...(images && { images }), ...(gpuSubnet && { gpuSubnet }) };
}

type ClusterFacts = Pick<
  PreflightFacts,
  "clusterNames" | "own" | "namesakes" | "runningGroups" | "secondGroups" | "parts"
>;

/** What the stack has, the names that others have, and the node groups of an existing cluster. */
async function readCluster(request: CapacityRequest): Promise<ClusterFacts> {
  const [clusterNames, own] = await Promise.all([
    attempt("the clusters", readClusterNames),
    attempt("the state of the stack", readOwnObjects),
  ]);
  if (!clusterNames) return own ? { own } : {};
  // Without the state, a cluster that exists counts as the stack's.
  const isKnown = own !== undefined || !clusterNames.includes(request.clusterName);
  const namesakes = isKnown ? await readNamesakes(request, own, namesakeReaders(clusterNames)) : undefined;
  const known = { clusterNames, ...(own && { own }), ...(namesakes && { namesakes }) };
  if (!ownClusters(known).includes(request.clusterName)) return known;
  return { ...known, ...(await attempt("the node groups", () => readGroups(request))) };
}

/** Without those that others have. */
function ownClusters({ clusterNames = [], own, namesakes = [] }: ClusterFacts): string[] {
  return clusterNames.filter((name) => !own || namesakes.every((one) => one.kind !== "cluster" || one.name !== name));
}

/** Undefined in an offline plan, which knows of no cluster. */
async function readClusterNames(): Promise<string[] | undefined> {
  const { names } = await getClusters();
  return Array.isArray(names) ? names : undefined;
}

/** The newest group of each section, and the state of all. */
async function readGroups({
  clusterName,
  scaledGroups = [],
}: CapacityRequest): Promise<Pick<PreflightFacts, "runningGroups" | "secondGroups" | "parts">> {
  const { names } = await getNodeGroups({ clusterName });
  const prefixes = (["systemNodes", "gpuNodes"] as const).map((section) => groupPrefix(clusterName, section));
  const own = names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  const groups = new Map(
    await Promise.all(
      own.map(async (name) => [name, await getNodeGroup({ clusterName, nodeGroupName: name })] as const),
    ),
  );
  const running = scaledGroups.map(({ section, namePrefix }) => {
    const name = newestName(names, namePrefix) ?? "";
    return [section, runningOf(name, groups.get(name))] as const;
  });
  return {
    runningGroups: Object.fromEntries(running),
    secondGroups: secondGroupsOf(clusterName, names),
    parts: { groups: [...groups].map(([name, { status }]) => ({ name, status })) },
  };
}

function runningOf(name: string, group: GetNodeGroupResult | undefined): RunningGroup | undefined {
  const [sizes] = group?.scalingConfigs ?? [];
  if (!group || !sizes || !isWorking(group.status)) return undefined;
  const { desiredSize, minSize, maxSize } = sizes;
  return { name, desiredSize, minSize, maxSize, ...(Array.isArray(group.subnetIds) && { subnetIds: group.subnetIds }) };
}

/** The zones that EKS supports, without local and wavelength zones, which require an opt-in. */
async function readZones(): Promise<string[]> {
  const { names } = await getAvailabilityZones({
    state: "available",
    excludeZoneIds: zoneIdsWithoutEks,
    filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }],
  });
  return names;
}

async function readOfferings(types: readonly string[]): Promise<Record<string, string[]>> {
  const { instanceTypes, locations } = await getInstanceTypeOfferings({
    locationType: "availability-zone",
    filters: [{ name: "instance-type", values: [...new Set(types)] }],
  });
  const byType: Record<string, string[]> = Object.fromEntries(types.map((type) => [type, []]));
  instanceTypes.forEach((type, index) => byType[type]?.push(locations[index] ?? ""));
  return byType;
}

async function readQuota(quotaCode: string | undefined): Promise<number | undefined> {
  if (quotaCode === undefined) return undefined;
  const { value } = await getServiceQuota({ serviceCode: "ec2", quotaCode });
  return typeof value === "number" ? value : undefined;
}

/** The role or user of the credentials. The ARN of a session contains the session instead. */
async function readCaller(): Promise<string | undefined> {
  const { arn } = await getCallerIdentity();
  const { issuerArn } = await getSessionContext({ arn });
  return typeof issuerArn === "string" ? issuerArn : undefined;
}
