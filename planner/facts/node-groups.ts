import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import type { RecordedResource } from "../record/record";
import { listAt, numberAt, textAt, valueAt, type ResourceIndex } from "./resource-index";

/** Types with the arguments of an EKS managed node group; the second is the component of @pulumi/eks. */
export const nodeGroupTypes = ["aws:eks/nodeGroup:NodeGroup", "eks:index:ManagedNodeGroup"] as const;

/** One managed node group, read from what the program registered. A field is absent when it is not known yet. */
export interface NodeGroupFacts {
  readonly urn: string;
  /** The physical name when the program sets it, else the logical one. */
  readonly name: string;
  readonly logicalName: string;
  readonly instanceTypes: readonly string[];
  /** Absent when the nodes have no GPU. The model is absent when the instance type is not in the catalogue. */
  readonly gpu?: GpuFacts;
  readonly subnets: readonly SubnetFacts[];
  /** True when the group takes fewer subnets than these: the program picks among them at the update. */
  readonly picksSubnet: boolean;
  /** The zones of those subnets that are known, in order, each once. */
  readonly zones: readonly string[];
  readonly size: { readonly desired?: number; readonly min?: number; readonly max?: number };
  readonly vcpusPerNode?: number;
  /** Service Quotas code, in vCPUs, that its nodes count against. */
  readonly quotaCode?: string;
  readonly disk?: { readonly sizeGiB?: number; readonly type?: string; readonly encrypted?: boolean };
  readonly amiType?: string;
  readonly releaseVersion?: string;
  readonly capacityType: string;
  readonly taints: readonly string[];
  readonly owner: string;
}

export interface GpuFacts {
  readonly model?: string;
  readonly perNode?: number;
  /** The share of its one GPU that the type has, where it has only a part. */
  readonly fraction?: number;
  readonly memoryGiB?: number;
}

export interface SubnetFacts {
  /** Absent for a subnet that is not part of this program. */
  readonly urn?: string;
  readonly name: string;
  readonly zone?: string;
}

/** Such as `1 x NVIDIA A10G`, or `1/8 of an NVIDIA L4`. */
export function gpuText(gpu: GpuFacts): string {
  const model = `NVIDIA ${gpu.model ?? "GPU"}`;
  if (gpu.fraction !== undefined) return `1/${Math.round(1 / gpu.fraction)} of an ${model}`;
  return gpu.perNode === undefined ? model : `${gpu.perNode} x ${model}`;
}

/** Every managed node group of a recording, in the order of registration. */
export function nodeGroupsOf(index: ResourceIndex): NodeGroupFacts[] {
  return index.ofType(...nodeGroupTypes).map((group) => factsOf(index, group));
}

/** The node groups whose nodes have GPUs. */
export function gpuGroupsOf(index: ResourceIndex): NodeGroupFacts[] {
  return nodeGroupsOf(index).filter((group) => group.gpu !== undefined);
}

/** The launch template that a node group names, when the same program makes it. */
export function launchTemplateOf(index: ResourceIndex, group: RecordedResource): RecordedResource | undefined {
  return index.sourcesOf(group, "launchTemplate", "aws:ec2/launchTemplate:LaunchTemplate")[0];
}

function factsOf(index: ResourceIndex, group: RecordedResource): NodeGroupFacts {
  const template = launchTemplateOf(index, group);
  const instanceTypes = instanceTypesOf(group, template);
  const row = instanceType(instanceTypes[0] ?? "");
  const subnets = subnetsOf(index, group);
  const capacityType = textAt(group.inputs, "capacityType") ?? "ON_DEMAND";
  return {
    urn: group.urn,
    name: textAt(group.inputs, "nodeGroupName") ?? group.name,
    logicalName: group.name,
    instanceTypes,
    ...present("gpu", gpuOf(row, textAt(group.inputs, "amiType"))),
    subnets,
    picksSubnet: picksSubnet(group, subnets.length),
    zones: [...new Set(subnets.map((subnet) => subnet.zone).filter((zone) => zone !== undefined))].sort(),
    size: {
      ...present("desired", numberAt(group.inputs, "scalingConfig.desiredSize")),
      ...present("min", numberAt(group.inputs, "scalingConfig.minSize")),
      ...present("max", numberAt(group.inputs, "scalingConfig.maxSize")),
    },
    ...present("vcpusPerNode", row?.vcpus),
    ...present("quotaCode", row?.quotaCodes[capacityType === "SPOT" ? "spot" : "onDemand"]),
    ...present("disk", diskOf(group, template)),
    ...present("amiType", textAt(group.inputs, "amiType")),
    ...present("releaseVersion", textAt(group.inputs, "releaseVersion")),
    capacityType,
    taints: listAt(group.inputs, "taints").map(taintText),
    owner: ownerOf(index, group),
  };
}

function instanceTypesOf(group: RecordedResource, template: RecordedResource | undefined): string[] {
  const named = listAt(group.inputs, "instanceTypes").filter((type) => typeof type === "string");
  const fromTemplate = textAt(template?.inputs, "instanceType");
  return named.length === 0 && fromTemplate !== undefined ? [fromTemplate] : named;
}

function gpuOf(row: InstanceType | undefined, amiType: string | undefined): GpuFacts | undefined {
  if (!row) return amiType?.includes("NVIDIA") ? {} : undefined;
  if (row.gpus === 0) return undefined;
  return {
    ...present("model", row.gpuModel),
    perNode: row.gpus,
    ...present("fraction", row.gpuFraction),
    ...present("memoryGiB", row.gpuMemoryGiB),
  };
}

/** Subnets of the program first; ids of existing ones as they are. */
function subnetsOf(index: ResourceIndex, group: RecordedResource): SubnetFacts[] {
  const made = index.sourcesOf(group, "subnetIds", "aws:ec2/subnet:Subnet");
  const existing = listAt(group.inputs, "subnetIds").filter((id) => typeof id === "string" && id.startsWith("subnet-"));
  return [
    ...made.map((subnet) => ({
      urn: subnet.urn,
      name: subnet.name,
      ...present("zone", textAt(subnet.inputs, "availabilityZone") ?? textAt(subnet.inputs, "availabilityZoneId")),
    })),
    ...existing.map((id) => ({ name: String(id) })),
  ];
}

function picksSubnet(group: RecordedResource, candidates: number): boolean {
  const taken = valueAt(group.inputs, "subnetIds");
  return Array.isArray(taken) && candidates > taken.length;
}

function diskOf(group: RecordedResource, template: RecordedResource | undefined): NodeGroupFacts["disk"] {
  const root = listAt(template?.inputs, "blockDeviceMappings")[0];
  const sizeGiB = numberAt(root, "ebs.volumeSize") ?? numberAt(group.inputs, "diskSize");
  if (root === undefined && sizeGiB === undefined) return undefined;
  const encrypted = valueAt(root, "ebs.encrypted");
  return {
    ...present("sizeGiB", sizeGiB),
    ...present("type", textAt(root, "ebs.volumeType")),
    ...present("encrypted", encrypted === undefined ? undefined : encrypted === true || encrypted === "true"),
  };
}

function taintText(taint: unknown): string {
  const value = textAt(taint, "value");
  return `${textAt(taint, "key") ?? "?"}${value === undefined ? "" : `=${value}`}:${textAt(taint, "effect") ?? "?"}`;
}

/** Who changes `desiredSize` after creation: what the component around the group says, else what it ignores. */
function ownerOf(index: ResourceIndex, group: RecordedResource): string {
  for (const component of index.ancestorsOf(group)) {
    const owner = textAt(component.inputs, "owner") ?? textAt(component.inputs, "scaling.owner");
    if (owner !== undefined) return owner;
  }
  const ignored = group.options.ignoreChanges.some((path) => "scalingConfig.desiredSize".startsWith(path));
  return ignored ? "outside" : "pulumi";
}

/** An optional field: left out when it has no value. */
function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
