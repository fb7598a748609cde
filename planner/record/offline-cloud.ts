import { addonDefaults } from "../../components/cluster/addons/addon-defaults";
import { kubernetesVersion } from "../../components/core/versions";
import { isOffered } from "../../components/cost/prices";
import { unknownOutput, type Properties } from "../../components/core/wire";
import type { Cloud } from "./offline-monitor";

/** The zones of new accounts, by region. @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/ */
const zoneLetters: Readonly<Record<string, string>> = {
  "ap-northeast-1": "acd",
  "ap-northeast-2": "abcd",
  "us-east-1": "abcdef",
  "us-west-2": "abcd",
};

/** Outputs of the resources that the engine itself has. The outputs of another stack are unknown offline. */
export function engineOutputs({ type, inputs }: Parameters<Cloud["outputsOf"]>[0]): Properties | undefined {
  if (type === "pulumi:pulumi:StackReference") return { outputs: unknownOutput, secretOutputNames: unknownOutput };
  return type === "pulumi:index:Stash" ? { output: inputs["input"] } : undefined;
}

/** A cloud that also collects the calls that it could not answer. */
export interface OfflineCloud extends Cloud {
  /** Provider functions that got an empty result, each once. */
  readonly unanswered: ReadonlySet<string>;
}

type Answer = (args: Properties) => Properties;

/**
 * Plausible answers of AWS for one region. Values that depend on the account or the date (quotas, image ids, the
 * caller) are unknown.
 *
 * @param zones the zones of the account @default those of new accounts
 */
export function offlineCloud(region: string, zones?: readonly string[]): OfflineCloud {
  const answers = answersFor(
    region,
    zones ?? [...(zoneLetters[region] ?? "abc")].map((letter) => `${region}${letter}`),
  );
  const unanswered = new Set<string>();
  return {
    unanswered,
    outputsOf: (resource) => engineOutputs(resource) ?? {},
    call(token, args) {
      const answer = answers[token];
      if (answer) return answer(args);
      unanswered.add(token);
      return {};
    },
  };
}

function answersFor(region: string, zones: readonly string[]): Readonly<Record<string, Answer>> {
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
    "aws:eks/getClusters:getClusters": () => ({ id: region, names: unknownOutput }),
    "aws:eks/getNodeGroups:getNodeGroups": (args) => ({ ...args, id: region, names: [] }),
    "aws:eks/getNodeGroup:getNodeGroup": (args) => ({ ...args, ...existingNodeGroup }),
    "aws:cloudwatch/getLogGroups:getLogGroups": (args) => ({ ...args, id: region, arns: [], logGroupNames: [] }),
    "aws:cloudwatch/getLogGroup:getLogGroup": (args) => ({ ...args, ...existingLogGroup }),
    "aws:servicequotas/getServiceQuota:getServiceQuota": (args) => ({ ...args, value: unknownOutput }),
    // Nothing is known of an earlier update.
    "pulumi:pulumi:readStackOutputs": (args) => args,
    "pulumi:pulumi:readStackResourceOutputs": (args) => args,
    "aws:ssm/getParameter:getParameter": (args) => ({ ...args, value: unknownOutput }),
    "aws:eks/getAddonVersion:getAddonVersion": (args) => ({ ...args, version: addonVersion(args) }),
    "aws:ec2/getInstances:getInstances": (args) => ({ ...args, id: region, ids: [] }),
    "aws:resourcegroupstaggingapi/getResources:getResources": (args) => ({ ...args, resourceTagMappingLists: [] }),
    "aws:ec2/getSubnet:getSubnet": (args) => ({ ...args, availableIpAddressCount: unknownOutput }),
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": (args) => offerings(region, zones, args),
  };
}

/** An existing cluster: it has these properties, with unknown values. */
const existingCluster: Properties = {
  arn: unknownOutput,
  certificateAuthorities: unknownOutput,
  endpoint: unknownOutput,
  identities: unknownOutput,
  roleArn: unknownOutput,
  version: unknownOutput,
  vpcConfig: unknownOutput,
};

/** An existing node group. */
const existingNodeGroup: Properties = {
  arn: unknownOutput,
  nodeRoleArn: unknownOutput,
  resources: unknownOutput,
  scalingConfigs: unknownOutput,
  status: unknownOutput,
  subnetIds: unknownOutput,
};

/** An existing log group. */
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

/** A region offers a type in every zone, unless the price table tells otherwise. */
function offerings(region: string, zones: readonly string[], args: Properties): Properties {
  const filters = Array.isArray(args["filters"]) ? (args["filters"] as { name?: string; values?: string[] }[]) : [];
  const wanted = (name: string) => filters.find((filter) => filter.name === name)?.values;
  const types = (wanted("instance-type") ?? []).filter((type) => isOffered(region, type) !== false);
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
