import { getLogGroup } from "@pulumi/aws/cloudwatch/getLogGroup";
import { getLogGroups } from "@pulumi/aws/cloudwatch/getLogGroups";
import { getInstanceTypeOfferings } from "@pulumi/aws/ec2/getInstanceTypeOfferings";
import { getClusters } from "@pulumi/aws/eks/getClusters";
import { getNodeGroup } from "@pulumi/aws/eks/getNodeGroup";
import { getNodeGroups } from "@pulumi/aws/eks/getNodeGroups";
import { getAvailabilityZones } from "@pulumi/aws/getAvailabilityZones";
import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import { getRegion } from "@pulumi/aws/getRegion";
import { getSessionContext } from "@pulumi/aws/iam/getSessionContext";
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota";
import { zoneIdsWithoutEks } from "../network/vpc/zones";
import { attempt } from "./attempt";
import { readGpuSubnet, readImages, readVcpuUse } from "./preflight-capacity";
import { isWorking, newestName } from "./running-group";
import type { CapacityRequest, PreflightFacts, RunningGroup, ScaledGroup } from "./preflight-facts";
import { readRunningEnvironment } from "./read-running-environment";
import { secondGroupsOf } from "./preflight-leftovers";
import { readSecondObjects } from "./read-second-objects";

/**
 * Reads from AWS the facts for {@link preflightProblems}, before any resource is created: zones, offerings, vCPU quota
 * and what runs of it, AMI releases, the caller, the existing clusters, the log group or node groups of the cluster, the
 * free addresses of an existing subnet, what an interrupted update left, and the existing environment with the GPU nodes
 * and pods that a change would end. Read-only. A part that cannot be read, because a permission is missing, is left out
 * with a warning. Values that an offline plan cannot know are left out silently. Without a request there is nothing to
 * read.
 */
export async function readPreflightFacts(request: CapacityRequest | undefined): Promise<PreflightFacts> {
  if (request === undefined) return {};
  const { change } = request;
  const [zones, offerings, quotaVcpus, callerArn, region, tagged, cluster] = await Promise.all([
    attempt("the availability zones", readZones),
    attempt("the instance type offerings", () => readOfferings([request.instanceType, request.systemInstanceType])),
    attempt("the vCPU quota", () => readQuota(request.quotaCode)),
    attempt("the caller's identity", readCaller),
    attempt("the region", async () => (await getRegion()).region),
    readTagged(request),
    readCluster(request),
  ]);
  const capacity = await readCapacity(request, cluster.runningGroups);
  const running =
    change && cluster.clusterNames && (await readRunningEnvironment(change, cluster.clusterNames, zones ?? []));
  return {
    ...(zones && { zones }),
    ...(offerings && { offerings }),
    ...(quotaVcpus !== undefined && { quotaVcpus }),
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

type ClusterFacts = Pick<PreflightFacts, "clusterNames" | "strayLogGroup" | "runningGroups" | "secondGroups">;

/** The node groups of an existing cluster, or a log group that a deleted cluster left behind. */
async function readCluster({ clusterName, logGroupName, scaledGroups = [] }: CapacityRequest): Promise<ClusterFacts> {
  const clusterNames = await attempt("the clusters", readClusterNames);
  if (!clusterNames) return {};
  if (clusterNames.includes(clusterName)) {
    return { clusterNames, ...(await attempt("the node groups", () => readGroups(clusterName, scaledGroups))) };
  }
  const strayLogGroup = await attempt("the log groups", () => isStray(logGroupName));
  return { clusterNames, ...(strayLogGroup !== undefined && { strayLogGroup }) };
}

/** Undefined in an offline plan, which knows of no cluster. */
async function readClusterNames(): Promise<string[] | undefined> {
  const { names } = await getClusters();
  return Array.isArray(names) ? names : undefined;
}

/** A log group that EKS created has no tags. One from a failed update has a Name; the next update continues with it. */
async function isStray(name: string | undefined): Promise<boolean> {
  if (name === undefined) return false;
  const { logGroupNames } = await getLogGroups({ logGroupNamePrefix: name });
  if (!logGroupNames.includes(name)) return false;
  const { tags } = await getLogGroup({ name });
  return (tags as Readonly<Record<string, string>> | undefined)?.["Name"] === undefined;
}

async function readGroups(
  clusterName: string,
  groups: readonly ScaledGroup[],
): Promise<Pick<PreflightFacts, "runningGroups" | "secondGroups">> {
  const { names } = await getNodeGroups({ clusterName });
  const found = groups.map(async (group) => [group.section, await readGroup(clusterName, names, group)] as const);
  return {
    runningGroups: Object.fromEntries(await Promise.all(found)),
    secondGroups: secondGroupsOf(clusterName, names),
  };
}

async function readGroup(
  clusterName: string,
  names: readonly string[],
  { namePrefix }: ScaledGroup,
): Promise<RunningGroup | undefined> {
  const name = newestName(names, namePrefix);
  if (name === undefined) return undefined;
  const { scalingConfigs, status, subnetIds } = await getNodeGroup({ clusterName, nodeGroupName: name });
  const [sizes] = scalingConfigs;
  if (!sizes || !isWorking(status)) return undefined;
  const { desiredSize, minSize, maxSize } = sizes;
  return { name, desiredSize, minSize, maxSize, ...(Array.isArray(subnetIds) && { subnetIds }) };
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
