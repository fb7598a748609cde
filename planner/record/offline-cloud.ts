import { addonDefaults } from "../../components/cluster/addons/addon-defaults";
import { kubernetesVersion } from "../../components/core/versions";
import { price, pricedRegions } from "../../components/cost/prices";
import { unknownOutput, type Properties } from "../../components/core/wire";
import type { World } from "./record";

/** The zones that new accounts see, by region. @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/ */
const zoneLetters: Readonly<Record<string, string>> = {
  "ap-northeast-1": "acd",
  "ap-northeast-2": "abcd",
  "us-east-1": "abcdef",
  "us-west-2": "abcd",
};

/** Another stack, of which offline nobody knows anything. */
const stackReference = "pulumi:pulumi:StackReference";

/** A world that also tells what it could not answer. */
export interface OfflineWorld extends World {
  /** Provider functions that got an empty answer, each once. */
  readonly unanswered: ReadonlySet<string>;
}

type Answer = (args: Properties) => Properties;

/**
 * Believable answers of AWS for one region: what a plan knows without asking anybody. What depends on the account
 * or the day (quotas, image ids, the caller) stays unknown.
 */
export function offlineWorld(region: string): OfflineWorld {
  const answers = answersFor(region);
  const unanswered = new Set<string>();
  return {
    unanswered,
    outputsOf: ({ type }) =>
      type === stackReference ? { outputs: unknownOutput, secretOutputNames: unknownOutput } : {},
    call(token, args) {
      const answer = answers[token];
      if (answer) return answer(args);
      unanswered.add(token);
      return {};
    },
  };
}

function answersFor(region: string): Readonly<Record<string, Answer>> {
  const zones = [...(zoneLetters[region] ?? "abc")].map((letter) => `${region}${letter}`);
  const partition = partitionOf(region);
  return {
    "aws:index/getAvailabilityZones:getAvailabilityZones": () => ({
      id: region,
      names: zones,
      zoneIds: zones,
      groupNames: [region],
    }),
    "aws:index/getPartition:getPartition": () => partition,
    "aws:index/getRegion:getRegion": () => ({ id: region, region, name: region, description: region }),
    "aws:index/getCallerIdentity:getCallerIdentity": () => ({
      id: "123456789012",
      accountId: "123456789012",
      arn: unknownOutput,
      userId: unknownOutput,
    }),
    "aws:iam/getSessionContext:getSessionContext": (args) => ({ ...args, issuerArn: unknownOutput }),
    "aws:eks/getCluster:getCluster": ({ name }) => ({ id: name, name, region, ...existingCluster }),
    "aws:eks/getClusters:getClusters": () => ({ id: region, names: [] }),
    "aws:eks/getNodeGroups:getNodeGroups": (args) => ({ ...args, id: region, names: [] }),
    "aws:eks/getNodeGroup:getNodeGroup": (args) => ({ ...args, ...existingNodeGroup }),
    "aws:cloudwatch/getLogGroups:getLogGroups": (args) => ({ ...args, id: region, arns: [], logGroupNames: [] }),
    "aws:cloudwatch/getLogGroup:getLogGroup": (args) => ({ ...args, ...existingLogGroup }),
    "aws:servicequotas/getServiceQuota:getServiceQuota": (args) => ({ ...args, value: unknownOutput }),
    "aws:ssm/getParameter:getParameter": (args) => ({ ...args, value: unknownOutput }),
    "aws:eks/getAddonVersion:getAddonVersion": (args) => ({ ...args, version: addonVersion(args) }),
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": (args) => offerings(region, zones, args),
  };
}

/** A cluster that is there already: it has these, and nobody here knows them. */
const existingCluster: Properties = {
  arn: unknownOutput,
  certificateAuthorities: unknownOutput,
  endpoint: unknownOutput,
  identities: unknownOutput,
  roleArn: unknownOutput,
  version: unknownOutput,
  vpcConfig: unknownOutput,
};

/** A node group that is there already. */
const existingNodeGroup: Properties = {
  arn: unknownOutput,
  nodeRoleArn: unknownOutput,
  resources: unknownOutput,
  scalingConfigs: unknownOutput,
  status: unknownOutput,
  subnetIds: unknownOutput,
};

/** A log group that is there already. */
const existingLogGroup: Properties = { arn: unknownOutput, retentionInDays: unknownOutput, tags: unknownOutput };

function partitionOf(region: string): Properties {
  if (region.startsWith("cn-")) return { id: "aws-cn", partition: "aws-cn", dnsSuffix: "amazonaws.com.cn" };
  if (region.startsWith("us-gov-")) return { id: "aws-us-gov", partition: "aws-us-gov", dnsSuffix: "amazonaws.com" };
  return { id: "aws", partition: "aws", dnsSuffix: "amazonaws.com" };
}

function addonVersion(args: Properties): unknown {
  const minor = typeof args["kubernetesVersion"] === "string" ? args["kubernetesVersion"] : kubernetesVersion;
  return addonDefaults[minor]?.[String(args["addonName"])]?.version ?? unknownOutput;
}

/** Every zone offers a type that the region has a price for; of regions and types without a price table, all. */
function offerings(region: string, zones: readonly string[], args: Properties): Properties {
  const filters = Array.isArray(args["filters"]) ? (args["filters"] as { name?: string; values?: string[] }[]) : [];
  const wanted = (name: string) => filters.find((filter) => filter.name === name)?.values;
  const types = (wanted("instance-type") ?? []).filter(
    (type) => !pricedRegions.includes(region) || price(region, type) !== undefined || !isPricedSomewhere(type),
  );
  const locations = (wanted("location") ?? zones).filter((zone) => zones.includes(zone));
  const pairs = types.flatMap((type) => locations.map((zone) => ({ type, zone })));
  return {
    id: region,
    ...args,
    instanceTypes: pairs.map((pair) => pair.type),
    locations: pairs.map((pair) => pair.zone),
    locationTypes: pairs.map(() => "availability-zone"),
  };
}

function isPricedSomewhere(type: string): boolean {
  return pricedRegions.some((region) => price(region, type) !== undefined);
}
