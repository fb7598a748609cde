import type { RecordedResource, Recording } from "../record/record";
import { gpuText, nodeGroupTypes, nodeGroupsOf, type NodeGroupFacts } from "../facts/node-groups";
import { clusterTypes, indexOf, textAt, valueAt } from "../facts/resource-index";
import { networksOf, type Network } from "./networks";
import { securityPathsOf, type SecurityPath } from "./security-paths";

/** What a picture of a plan shows, without a word on how. Two equal recordings give two equal pictures. */
export interface Picture {
  readonly title: string;
  readonly region: string;
  readonly networks: readonly Network[];
  readonly clusters: readonly ClusterBox[];
  readonly nodeGroups: readonly NodeGroupBox[];
  readonly addons: readonly string[];
  /** Helm releases other than the GPU Operator. */
  readonly charts: readonly string[];
  /** Version of the GPU Operator's chart. */
  readonly gpuOperator?: string;
  readonly paths: readonly SecurityPath[];
}

export interface ClusterBox {
  readonly urn: string;
  readonly name: string;
  readonly version?: string;
  /** Such as `private, public from 203.0.113.0/24`. */
  readonly endpoint: string;
}

export interface NodeGroupBox {
  readonly urn: string;
  readonly name: string;
  readonly instanceType: string;
  /** Such as `1 x NVIDIA A10G`. */
  readonly gpu?: string;
  readonly size: NodeGroupFacts["size"];
  /** URNs or ids of the subnets it runs in. */
  readonly subnets: readonly string[];
  /** True when it runs in one of those subnets, which one is not known yet. */
  readonly picksSubnet: boolean;
}

/** Derives the picture of any program from the types and dependencies of its resources. */
export function pictureOf(recording: Recording, region: string): Picture {
  const index = indexOf(recording);
  const groups = nodeGroupsOf(index);
  const networks = networksOf(index, groups);
  const cidrs = networks.map((network) => network.cidr).filter((cidr) => cidr !== undefined);
  const releases = index.ofType("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart");
  const isOperator = (release: RecordedResource) => textAt(release.inputs, "chart")?.endsWith("gpu-operator") ?? false;
  const operator = releases.find(isOperator);
  return {
    title: recording.stack,
    region,
    networks,
    clusters: index.ofType(...clusterTypes).map(clusterBox),
    nodeGroups: groups.map(nodeGroupBox),
    addons: index.ofType("aws:eks/addon:Addon", "eks:index:Addon").map(addonText).sort(),
    charts: releases
      .filter((release) => !isOperator(release))
      .map(chartText)
      .sort(),
    ...(operator && { gpuOperator: textAt(operator.inputs, "version") ?? "newest version" }),
    paths: securityPathsOf(index, index.ofType(...nodeGroupTypes), cidrs),
  };
}

function clusterBox(cluster: RecordedResource): ClusterBox {
  const version = textAt(cluster.inputs, "version");
  return {
    urn: cluster.urn,
    name: textAt(cluster.inputs, "name") ?? cluster.name,
    ...(version !== undefined && { version }),
    endpoint: endpointText(cluster.inputs),
  };
}

/** Arguments of @pulumi/eks stand at the top, those of the AWS resource under `vpcConfig`. */
function endpointText(inputs: RecordedResource["inputs"]): string {
  const at = (key: string) => valueAt(inputs, key) ?? valueAt(inputs, `vpcConfig.${key}`);
  const cidrs = at("publicAccessCidrs");
  const from = Array.isArray(cidrs) && cidrs.length > 0 ? cidrs.map(String).join(", ") : "anywhere";
  const ways = [
    ...(at("endpointPrivateAccess") === true ? ["private"] : []),
    ...(at("endpointPublicAccess") === false ? [] : [`public from ${from}`]),
  ];
  return ways.join(", ");
}

function nodeGroupBox(group: NodeGroupFacts): NodeGroupBox {
  return {
    urn: group.urn,
    name: group.name,
    instanceType: group.instanceTypes.join(" or ") || "instance type not known yet",
    ...(group.gpu && { gpu: gpuText(group.gpu) }),
    size: group.size,
    subnets: group.subnets.map((subnet) => subnet.urn ?? subnet.name),
    picksSubnet: group.picksSubnet,
  };
}

function addonText(addon: RecordedResource): string {
  const name = textAt(addon.inputs, "addonName") ?? addon.name;
  const version = textAt(addon.inputs, "addonVersion");
  return version === undefined ? name : `${name} ${version.replace(/-eksbuild\.\d+$/, "")}`;
}

function chartText(release: RecordedResource): string {
  const chart = textAt(release.inputs, "chart") ?? release.name;
  const name = chart.slice(chart.lastIndexOf("/") + 1);
  const version = textAt(release.inputs, "version");
  return version === undefined ? name : `${name} ${version}`;
}
