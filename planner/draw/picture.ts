import type { RecordedResource, Recording } from "../record/record";
import { gpuText, nodeGroupTypes, nodeGroupsOf, type NodeGroupFacts } from "../facts/node-groups";
import type { Reader } from "../../components/core/reader/reader";
import { clusterTypes, indexOf, inputsOf } from "../facts/resource-index";
import { networksOf, type Network, type SubnetBox } from "./networks";
import { securityPathsOf, type SecurityPath } from "./security-paths";

/** The content of a plan's diagram, independent of the format. Equal recordings give equal pictures. */
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
  /** Whether it runs in only one of those subnets; which one is not known yet. */
  readonly picksSubnet: boolean;
}

/** Derives the picture of any program from the types and dependencies of its resources. */
export function pictureOf(recording: Recording, region: string): Picture {
  const index = indexOf(recording);
  const groups = nodeGroupsOf(index);
  const networks = networksOf(index, groups);
  const cidrs = networks.map((network) => network.cidr).filter((cidr) => cidr !== undefined);
  const releases = index.ofType("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart");
  const isOperator = (release: RecordedResource) =>
    inputsOf(release).text("chart").value?.endsWith("gpu-operator") ?? false;
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
    ...(operator && { gpuOperator: inputsOf(operator).text("version").value || "latest version" }),
    paths: securityPathsOf(index, index.ofType(...nodeGroupTypes), cidrs),
  };
}

function clusterBox(cluster: RecordedResource): ClusterBox {
  const inputs = inputsOf(cluster);
  const version = inputs.text("version").value;
  return {
    urn: cluster.urn,
    name: inputs.text("name").value || cluster.name,
    ...(version && { version }),
    endpoint: endpointText(inputs),
  };
}

/** @pulumi/eks has these arguments at the top level, the AWS resource has them under `vpcConfig`. */
function endpointText(inputs: Reader): string {
  const sources = [inputs, inputs.at("vpcConfig")];
  const isSetTo = (key: string, value: boolean) => sources.some((one) => one.boolean(key).value === value);
  const cidrs = sources.flatMap((one) => one.strings("publicAccessCidrs"));
  const modes = [
    ...(isSetTo("endpointPrivateAccess", true) ? ["private"] : []),
    ...(isSetTo("endpointPublicAccess", false) ? [] : [`public from ${cidrs.join(", ") || "anywhere"}`]),
  ];
  return modes.join(", ");
}

function nodeGroupBox(group: NodeGroupFacts): NodeGroupBox {
  return {
    urn: group.urn,
    name: group.name,
    instanceType: group.instanceTypes.join(" or ") || "instance type known after the update",
    ...(group.gpu && { gpu: gpuText(group.gpu) }),
    size: group.size,
    subnets: group.subnets.map((subnet) => subnet.urn ?? subnet.name),
    picksSubnet: group.picksSubnet,
  };
}

function addonText(addon: RecordedResource): string {
  const inputs = inputsOf(addon);
  const version = inputs.text("addonVersion").value;
  return nameAndVersion(inputs.text("addonName").value || addon.name, version?.replace(/-eksbuild\.\d+$/, ""));
}

function chartText(release: RecordedResource): string {
  const inputs = inputsOf(release);
  const chart = inputs.text("chart").value || release.name;
  return nameAndVersion(chart.slice(chart.lastIndexOf("/") + 1), inputs.text("version").value);
}

function nameAndVersion(name: string, version: string | undefined): string {
  return version ? `${name} ${version}` : name;
}

/** The known sizes, such as `desired 0, min 0, max 2`. */
export function sizeText({ size, subnets, picksSubnet }: NodeGroupBox): string {
  const known = (["desired", "min", "max"] as const).filter((key) => size[key] !== undefined);
  if (known.length === 0) return "size known after the update";
  const together = subnets.length > 1 && !picksSubnet ? " in total" : "";
  return known.map((key) => `${key} ${size[key]}`).join(", ") + together;
}

/** The lines below the name of a node group: machine and GPU, and a note if the subnet is not known yet. */
export function machineLines(group: NodeGroupBox): readonly string[] {
  const machine = group.gpu === undefined ? group.instanceType : `${group.instanceType}, ${group.gpu}`;
  return [machine, ...(group.picksSubnet ? ["in one of these subnets"] : [])];
}

/**
 * What is known of a control plane: its name, its endpoint and its software. Add-ons and charts are in the first cluster, because
 * a plan does not contain the cluster of a chart.
 */
export function controlPlaneLines(picture: Picture, cluster: ClusterBox, index: number): readonly string[] {
  const version = cluster.version === undefined ? "" : `, Kubernetes ${cluster.version}`;
  const software = {
    "Add-ons": picture.addons,
    "GPU Operator": picture.gpuOperator === undefined ? [] : [picture.gpuOperator],
    "Helm charts": picture.charts,
  };
  const installed = Object.entries(software).filter(([, items]) => index === 0 && items.length > 0);
  return [
    cluster.name + version,
    `API endpoint: ${cluster.endpoint}`,
    ...installed.map(([kind, items]) => `${kind}: ${items.join(", ")}`),
  ];
}

/** The label of a path, in one or two lines. */
export function pathLines(path: SecurityPath): readonly string[] {
  if (path.state === "blocked") return ["NCCL blocked", `no rule allows ${path.ports}`];
  const ports = path.ports === "all" ? "all ports" : path.ports;
  switch (path.kind) {
    case "control-plane":
      return [ports];
    case "node-to-node":
      return ["NCCL", ports];
    case "vpc-wide":
      return ["VPC-wide", `${ports} from ${path.cidr ?? "the VPC"}`];
  }
}

/** The title of a subnet: its kind, and its CIDR block or else its name. */
export function subnetText({ kind, cidr, name }: SubnetBox): string {
  return kind === "existing" ? name : `${kind} ${cidr ?? name}`;
}

/** Whether the picture has a route to the internet. */
export function hasInternet(picture: Picture): boolean {
  const subnets = picture.networks.flatMap(({ zones }) => zones.flatMap((zone) => zone.subnets));
  const gateway = picture.networks.some(({ internetGateway }) => internetGateway !== undefined);
  return gateway || subnets.some(({ natRoutes }) => natRoutes.length > 0);
}

/** The text of an empty picture. */
export const nothingToDraw = "This program creates no VPC, no cluster and no node group.";

/** Whether a group has no running nodes. */
export function isStopped(group: NodeGroupBox): boolean {
  return group.size.desired === 0;
}
