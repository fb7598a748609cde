import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { instanceType, instanceTypeNames } from "../../components/nodes/machine/instance-types";
import { offlineCloud } from "../../planner/record/offline-cloud";
import { CloudError } from "../cloud/errors";
import type { Account, Place, ProviderFunction } from "../cloud/model";
import { addressQuota } from "./network/gateways";
import { zoneId, vpcQuota } from "./network/vpc";
import { arn, stringOf } from "./values";

/** A new account in Seoul with its first quota increase: enough vCPUs for two nodes of the smallest GPU types. */
export function defaultAccount(): Account {
  const accountId = "123456789012";
  return {
    accountId,
    ...placeOf("ap-northeast-2"),
    caller: `arn:aws:iam::${accountId}:user/learner`,
    gpuVcpuQuota: 8,
  };
}

/** The zones and the partition of a region. */
export function placeOf(region: string): Place {
  const call = (name: string) => offlineCloud(region).call(`aws:index/${name}:${name}`, {});
  return {
    region,
    partition: String(call("getPartition")["partition"]),
    zones: call("getAvailabilityZones")["names"] as string[],
  };
}

/** Functions about the account, its region and its quotas. */
export const accountFunctions: Readonly<Record<string, ProviderFunction>> = {
  "aws:index/getAvailabilityZones:getAvailabilityZones": (args, { account }) => availabilityZones(args, account),
  "aws:index/getCallerIdentity:getCallerIdentity": (_, { account: { accountId, caller } }) => ({
    id: accountId,
    accountId,
    arn: caller,
    userId: "AIDA00000000000000001",
  }),
  "aws:index/getPartition:getPartition": offlineAnswer("aws:index/getPartition:getPartition"),
  "aws:index/getRegion:getRegion": (_, { account: { region } }) => ({
    id: region,
    region,
    name: region,
    description: region,
    endpoint: `ec2.${region}.amazonaws.com`,
  }),
  "aws:iam/getSessionContext:getSessionContext": (args) => sessionContext(args),
  "aws:servicequotas/getServiceQuota:getServiceQuota": (args, cloud) => {
    const { serviceCode, quotaCode } = args;
    const quotaArn = arn(cloud, "servicequotas", `${stringOf(serviceCode)}/${stringOf(quotaCode)}`);
    return { ...args, id: quotaArn, arn: quotaArn, adjustable: true, value: quota(args, cloud.account) };
  },
  "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": instanceTypeOfferings,
};

/** Answers as the offline planner does. */
export function offlineAnswer(token: string): ProviderFunction {
  return (args, { account }) => offlineCloud(account.region).call(token, args);
}

/** All zones are available and need no opt-in. */
function availabilityZones(args: Properties, account: Account): Properties {
  const { state } = args;
  const filters = valuesAt(args, "filters[*]").filter(isRecord);
  const optIn = filters.find((filter) => filter["name"] === "opt-in-status");
  const wanted = optIn === undefined || valuesAt(optIn, "values[*]").includes("opt-in-not-required");
  const names = account.zones.filter(
    (zone) =>
      wanted &&
      (state === undefined || state === "available") &&
      !valuesAt(args, "excludeNames[*]").includes(zone) &&
      !valuesAt(args, "excludeZoneIds[*]").includes(zoneId(zone)),
  );
  return { id: account.region, groupNames: [account.region], names, zoneIds: names.map(zoneId) };
}

/** The issuer of an assumed-role session is the role, the issuer of a user is the user. */
function sessionContext(args: Properties): Properties {
  const given = stringOf(args["arn"]);
  const form = /^arn:([\w-]+):sts::(\d{12}):assumed-role\/([^/]+)\/(.+)$/;
  const [, partition, accountId, issuerName, sessionName] = form.exec(given) ?? [];
  if (issuerName === undefined) {
    return { ...args, id: given, issuerArn: given, issuerId: "", issuerName: "", sessionName: "" };
  }
  const issuerArn = `arn:${partition}:iam::${accountId}:role/${issuerName}`;
  return { ...args, id: given, issuerArn, issuerId: "AROA00000000000000001", issuerName, sessionName };
}

/** The quotas that the simulation enforces. @see https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html */
function quota({ serviceCode, quotaCode }: Properties, account: Account): number {
  const fixed: Readonly<Record<string, number>> = { "vpc/L-F678F1CE": vpcQuota, "ec2/L-0263D0A3": addressQuota };
  const value = serviceCode === "ec2" && gpuQuotaCodes().has(stringOf(quotaCode)) ? account.gpuVcpuQuota : undefined;
  const found = value ?? fixed[`${stringOf(serviceCode)}/${stringOf(quotaCode)}`];
  if (found !== undefined) return found;
  const message = "The request failed because the specified service quota doesn't exist.";
  throw new CloudError("NoSuchResourceException", message);
}

/** The simulated account has one quota for all GPU instance types, on-demand and spot. */
function gpuQuotaCodes(): ReadonlySet<string> {
  const types = instanceTypeNames
    .map((name) => instanceType(name))
    .filter((type) => type !== undefined && type.gpus > 0);
  return new Set(types.flatMap((type) => Object.values(type?.quotaCodes ?? {})));
}

/** The instance types that the region offers, in the zones of the account. */
function instanceTypeOfferings(args: Properties, { account }: { account: Account }): Properties {
  const token = "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings";
  const { instanceTypes, locations, ...rest } = offlineCloud(account.region).call(token, args);
  const zones = locations as string[];
  const offered = (instanceTypes as string[])
    .map((type, index) => ({ type, zone: zones[index] ?? "" }))
    .filter(({ zone }) => account.zones.includes(zone));
  return {
    ...rest,
    instanceTypes: offered.map(({ type }) => type),
    locations: offered.map(({ zone }) => zone),
    locationTypes: offered.map(() => "availability-zone"),
  };
}
