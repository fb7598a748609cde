import { addonDefaults } from "../../components/cluster/addons/addon-defaults";
import { kubernetesVersion } from "../../components/core/versions";
import { isOffered } from "../../components/cost/prices";
import { isRecord } from "../../components/core/reader/records";
import { isUnknown } from "../../components/core/reader/truth";
import { unknownOutput, type Properties } from "../../components/core/wire";
import { manifestFunctions } from "../manifests/manifest-components";
import { stackReference, type Answers } from "../lookups/answers";
import { CallMarks, placeholderResult, type Variant } from "../lookups/placeholders";
import { policyDocument } from "../lookups/policy-document";
import type { Fields, ResultTypes } from "../lookups/result-types";
import { unknownResult } from "../lookups/sdk-lookups";
import type { Cloud } from "./offline-monitor";

/** The zones of new accounts, by region. @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/ */
const zoneLetters: Readonly<Record<string, string>> = {
  "ap-northeast-1": "acd",
  "ap-northeast-2": "abcd",
  "us-east-1": "abcdef",
  "us-west-2": "abcd",
};

/** Outputs of the resources that the engine itself has. */
function engineOutputs({ type, inputs }: Parameters<Cloud["outputsOf"]>[0]): Properties | undefined {
  return type === "pulumi:index:Stash" ? { output: inputs["input"] } : undefined;
}

/** The outputs of another stack. Unless the user gave them, they are unknown offline, and the stack is named. */
function stackOutputs(reference: Properties, answers: Answers | undefined, unknownStacks: Set<string>): Properties {
  const outputs = answers?.resultOf(stackReference, reference);
  if (outputs) return { outputs, secretOutputNames: [] };
  unknownStacks.add(String(reference["name"]));
  return { outputs: unknownOutput, secretOutputNames: unknownOutput };
}

/** The name that the provider of Kubernetes generates for an object whose metadata has none. */
function generatedName({ type, inputs: { metadata } }: Parameters<Cloud["outputsOf"]>[0]): Properties {
  if (!type.startsWith("kubernetes:") || !isRecord(metadata) || "name" in metadata) return {};
  return { metadata: { ...metadata, name: unknownOutput } };
}

/** A cloud that also collects the functions with unknown results. */
export interface OfflineCloud extends Cloud {
  /** Each once. */
  readonly unanswered: ReadonlySet<string>;
  /** Those of which the program awaited a result, and got placeholders. */
  readonly guessed: ReadonlySet<string>;
  /** The other stacks whose outputs the program reads, and are unknown. */
  readonly stacks: ReadonlySet<string>;
}

/** What is known about lookups besides the answers of every account. */
export interface KnownLookups {
  /** The zones of the account in the region of the stack. @default those of new accounts */
  readonly zones?: readonly string[] | undefined;
  /** @default no form of a result is known */
  readonly types?: ResultTypes;
  /** @default none */
  readonly answers?: Answers;
  /** @default 0 */
  readonly variant?: Variant;
}

type Answer = (args: Properties) => Properties;

/**
 * Plausible answers of AWS for one region. Values that depend on the account or the date (quotas, image ids, the
 * caller) are unknown.
 */
export function offlineCloud(stackRegion: string, known: KnownLookups = {}): OfflineCloud {
  const { zones: ofStack, types, answers, variant = 0 } = known;
  const unanswered = new Set<string>();
  const guessed = new Set<string>();
  const stacks = new Set<string>();
  const marks = new CallMarks();
  const answerOf = (token: string, region: string): Answer | undefined => {
    // The zones of a region that is known only after the update are unknown, too.
    if (isUnknown(region)) return undefined;
    return answersFor(region, (region === stackRegion ? ofStack : undefined) ?? zonesOf(region))[token];
  };

  /** A result with all its properties: those that are known, and unknown ones or their placeholders. */
  const completed = (token: string, fields: Fields, args: Properties, own: Properties, isAwaited: boolean) => {
    const stated = Object.entries(args).filter(([key]) => fields.has(key));
    const known: Properties = { ...Object.fromEntries(stated), ...own };
    const others = new Map([...fields].filter(([key]) => !(key in known)));
    if (others.size === 0) return known;
    unanswered.add(token);
    if (!isAwaited) return { ...Object.fromEntries([...others.keys()].map((key) => [key, unknownOutput])), ...known };
    guessed.add(token);
    return { ...placeholderResult(types as ResultTypes, token, others, variant, marks.of(token, args)), ...known };
  };

  return {
    unanswered,
    guessed,
    stacks,
    outputsOf: (resource) =>
      resource.type === stackReference
        ? stackOutputs(resource.inputs, answers, stacks)
        : (engineOutputs(resource) ?? generatedName(resource)),
    call(token, args, { isAwaited, region = stackRegion } = { isAwaited: false }) {
      const given = answers?.resultOf(token, args);
      const answer = answerOf(token, region);
      if (answer && !given) return answer(args);
      const own = { ...existing[token]?.(args, region), ...answer?.(args), ...given };
      const fields = types?.of(token);
      if (fields) return completed(token, fields, args, own, isAwaited);
      if (!given) unanswered.add(token);
      return Object.keys(own).length === 0 ? unknownResult : own;
    },
  };
}

function zonesOf(region: string): readonly string[] {
  return [...(zoneLetters[region] ?? "abc")].map((letter) => `${region}${letter}`);
}

/** What is known of an object that exists. Its other properties are unknown. */
const existing: Readonly<Record<string, (args: Properties, region: string) => Properties>> = {
  "aws:eks/getCluster:getCluster": ({ name }, region) => ({ id: name, name, region }),
  "aws:ec2/getSubnet:getSubnet": () => ({ availableIpAddressCount: unknownOutput }),
};

function answersFor(region: string, zones: readonly string[]): Readonly<Record<string, Answer>> {
  const partition = partitionOf(region);
  return {
    ...manifestFunctions,
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
    "aws:iam/getPolicyDocument:getPolicyDocument": policyDocument,
    "aws:iam/getSessionContext:getSessionContext": (args) => ({ ...args, issuerArn: unknownOutput }),
    "aws:eks/getClusters:getClusters": () => ({ id: region, names: unknownOutput }),
    "aws:eks/getNodeGroups:getNodeGroups": (args) => ({ ...args, id: region, names: [] }),
    "aws:cloudwatch/getLogGroups:getLogGroups": (args) => ({ ...args, id: region, arns: [], logGroupNames: [] }),
    "aws:servicequotas/getServiceQuota:getServiceQuota": (args) => ({ ...args, value: unknownOutput }),
    // Nothing is known of an earlier update.
    "pulumi:pulumi:readStackOutputs": (args) => args,
    "pulumi:pulumi:readStackResourceOutputs": (args) => args,
    "aws:ssm/getParameter:getParameter": (args) => ({ ...args, value: unknownOutput }),
    "aws:eks/getAddonVersion:getAddonVersion": (args) => ({ ...args, version: addonVersion(args) }),
    "aws:ec2/getInstances:getInstances": (args) => ({ ...args, id: region, ids: [] }),
    "aws:resourcegroupstaggingapi/getResources:getResources": (args) => ({ ...args, resourceTagMappingLists: [] }),
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": (args) => offerings(region, zones, args),
  };
}

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
