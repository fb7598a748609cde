import { log } from "@pulumi/pulumi";
import { getInstanceTypeOfferings } from "@pulumi/aws/ec2/getInstanceTypeOfferings";
import { getClusters } from "@pulumi/aws/eks/getClusters";
import { getAvailabilityZones } from "@pulumi/aws/getAvailabilityZones";
import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import { getSessionContext } from "@pulumi/aws/iam/getSessionContext";
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota";
import { zoneIdsWithoutEks } from "./network/vpc/zones";
import type { CapacityRequest, PreflightFacts } from "./preflight-rules";

/**
 * Asks AWS, before anything is made, what the checks of {@link preflightProblems} need to know: zones, offerings,
 * vCPU quota, the caller and the clusters there are. Reads only. What may not be read (a missing permission) is
 * left out of the answer, with a warning; so is, silently, what an offline plan cannot know.
 */
export async function readPreflightFacts(request: CapacityRequest): Promise<PreflightFacts> {
  const [zones, offerings, quotaVcpus, callerArn, clusterNames] = await Promise.all([
    attempt("the availability zones", readZones),
    attempt("the instance type offerings", () => readOfferings([request.instanceType, request.systemInstanceType])),
    attempt("the vCPU quota", () => readQuota(request.quotaCode)),
    attempt("the caller's identity", readCaller),
    attempt("the clusters", async () => (await getClusters()).names),
  ]);
  return {
    ...(zones && { zones }),
    ...(offerings && { offerings }),
    ...(quotaVcpus !== undefined && { quotaVcpus }),
    ...(callerArn && { callerArn }),
    ...(clusterNames && { clusterNames }),
  };
}

/** Zones that every account has and EKS takes: local and wavelength zones must be opted in to. */
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

/** The role or user behind the credentials; a session's ARN names the session instead. */
async function readCaller(): Promise<string | undefined> {
  const { arn } = await getCallerIdentity();
  const { issuerArn } = await getSessionContext({ arn });
  return typeof issuerArn === "string" ? issuerArn : undefined;
}

async function attempt<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    await log.warn(`${what} could not be read, so they are not checked: ${(error as Error).message.split("\n")[0]}`);
    return undefined;
  }
}
