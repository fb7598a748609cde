import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import { Resource } from "../../policies/engine/resource";
import { templatesOf } from "../../policies/facts/launch-templates";
import { sizeOf } from "../../policies/facts/node-counts";
import { machineTypes } from "../../policies/facts/node-groups";
import { pulumiManagedGroups } from "../../policies/facts/node-sources";
import type { RecordedResource } from "../record/record";
import { asAnalyzed } from "../record/recorded-resource";
import { optionalProperty } from "../../components/core/reader/records";
import { Reader } from "../../components/core/reader/reader";
import { inputsOf, type ResourceIndex } from "./resource-index";

/** The EKS managed node group, and the component of @pulumi/eks with the same arguments. */
export const nodeGroupTypes = pulumiManagedGroups;

/** A managed node group as the program registered it. A field is absent when it is not known yet. */
export interface NodeGroupFacts {
  readonly urn: string;
  /** The physical name if the program sets it, else the logical name. */
  readonly name: string;
  readonly logicalName: string;
  readonly instanceTypes: readonly string[];
  /** Absent when the nodes have no GPU. The model is absent when the instance type is not in the catalog. */
  readonly gpu?: GpuFacts;
  readonly subnets: readonly SubnetFacts[];
  /** Whether the group uses fewer subnets than these: the program picks from them during the update. */
  readonly picksSubnet: boolean;
  /** The known zones of those subnets, in order, each once. */
  readonly zones: readonly string[];
  readonly size: { readonly desired?: number; readonly min?: number; readonly max?: number };
  readonly vcpusPerNode?: number;
  /** The code of the vCPU quota in Service Quotas that its nodes count against. Those of a Capacity Block count against none. */
  readonly quotaCode?: string;
  readonly disk?: { readonly sizeGiB?: number; readonly type?: string; readonly encrypted?: boolean };
  readonly amiType?: string;
  readonly releaseVersion?: string;
  /** What decides the AMI of a NodePool, which has neither of these. */
  readonly ami?: string;
  readonly capacityType: string;
  readonly taints: readonly string[];
  readonly owner: string;
}

interface GpuFacts {
  readonly model?: string;
  readonly perNode?: number;
  /** The share of one GPU, for an instance type with less than a whole GPU. */
  readonly fraction?: number;
  readonly memoryGiB?: number;
}

interface SubnetFacts {
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
  return index.ofType(...pulumiManagedGroups).map((group) => factsOf(index, group));
}

/** The node groups whose nodes have GPUs. */
export function gpuGroupsOf(index: ResourceIndex): NodeGroupFacts[] {
  return nodeGroupsOf(index).filter((group) => group.gpu !== undefined);
}

/** The launch template of a node group, if the program creates it. */
export function launchTemplateOf(index: ResourceIndex, group: RecordedResource): RecordedResource | undefined {
  const [template] = templatesOf(index.stack, new Resource(asAnalyzed(group)));
  return template && index.byUrn(template.urn);
}

function factsOf(index: ResourceIndex, group: RecordedResource): NodeGroupFacts {
  const inputs = new Resource(asAnalyzed(group));
  const template = templatesOf(index.stack, inputs)[0] ?? new Reader(undefined);
  const instanceTypes = machineTypes(inputs, index.stack).flatMap(({ value }) => value ?? []);
  const row = instanceType(instanceTypes[0] ?? "");
  const subnets = subnetsOf(index, group);
  const capacityType = inputs.text("capacityType").value || "ON_DEMAND";
  const market = capacityType === "SPOT" ? "spot" : "onDemand";
  const amiType = inputs.text("amiType").value;
  return {
    urn: group.urn,
    name: inputs.text("nodeGroupName").value || group.name,
    logicalName: group.name,
    instanceTypes,
    ...optionalProperty("gpu", gpuOf(row, amiType)),
    subnets,
    picksSubnet: picksSubnet(inputs, subnets.length),
    zones: zonesOf(subnets),
    size: {
      ...optionalProperty("desired", sizeOf(inputs, "desired").value),
      ...optionalProperty("min", sizeOf(inputs, "min").value),
      ...optionalProperty("max", sizeOf(inputs, "max").value),
    },
    ...optionalProperty("vcpusPerNode", row?.vcpus),
    ...optionalProperty("quotaCode", capacityType === "CAPACITY_BLOCK" ? undefined : row?.quotaCodes[market]),
    ...optionalProperty("disk", diskOf(inputs, template)),
    ...optionalProperty("amiType", amiType),
    ...optionalProperty("releaseVersion", inputs.text("releaseVersion").value),
    capacityType,
    taints: (inputs.list("taints").value ?? []).map(taintText),
    owner: ownerOf(index, group),
  };
}

export function gpuOf(row: InstanceType | undefined, amiType: string | undefined): GpuFacts | undefined {
  if (!row) return amiType?.includes("NVIDIA") ? {} : undefined;
  if (row.gpus === 0) return undefined;
  return {
    ...optionalProperty("model", row.gpuModel),
    perNode: row.gpus,
    ...optionalProperty("fraction", row.gpuFraction),
    ...optionalProperty("memoryGiB", row.gpuMemoryGiB),
  };
}

/** Subnets of the program first; then those of the ids that exist. */
export function subnetsOf(
  index: ResourceIndex,
  group: RecordedResource,
  property = "subnetIds",
  ids = inputsOf(group).strings(property),
): SubnetFacts[] {
  const created = index.sourcesOf(group, property, "aws:ec2/subnet:Subnet");
  const existing = ids.filter((id) => id.startsWith("subnet-"));
  return [
    ...created.map((subnet) => ({ urn: subnet.urn, name: subnet.name, ...optionalProperty("zone", zoneOf(subnet)) })),
    ...existing.map((id) => ({ name: id })),
  ];
}

/** The known zones of subnets, in order, each once. */
export function zonesOf(subnets: readonly SubnetFacts[]): string[] {
  return [...new Set(subnets.map((subnet) => subnet.zone).filter((zone) => zone !== undefined))].sort();
}

/** The name or the id of a subnet's zone. */
export function zoneOf(subnet: RecordedResource): string | undefined {
  const inputs = inputsOf(subnet);
  return inputs.text("availabilityZone").value || inputs.text("availabilityZoneId").value || undefined;
}

function picksSubnet(inputs: Reader, candidates: number): boolean {
  const chosen = inputs.list("subnetIds").value;
  return chosen !== undefined && candidates > chosen.length;
}

function diskOf(inputs: Reader, template: Reader): NodeGroupFacts["disk"] {
  const root = template.list("blockDeviceMappings").value?.[0];
  const sizeGiB = root?.integer("ebs.volumeSize").value ?? inputs.integer("diskSize").value;
  if (root === undefined && sizeGiB === undefined) return undefined;
  return {
    ...optionalProperty("sizeGiB", sizeGiB),
    ...optionalProperty("type", root?.text("ebs.volumeType").value),
    ...optionalProperty("encrypted", root?.boolean("ebs.encrypted").value),
  };
}

export function taintText(taint: Reader): string {
  const value = taint.text("value").value;
  const [key, effect] = [taint.text("key").value || "?", taint.text("effect").value || "?"];
  return `${key}${value ? `=${value}` : ""}:${effect}`;
}

/** Who changes `desiredSize` after creation: the `owner` of the component around the group, else what it ignores. */
function ownerOf(index: ResourceIndex, group: RecordedResource): string {
  for (const component of index.ancestorsOf(group)) {
    const inputs = inputsOf(component);
    const owner = inputs.text("owner").value || inputs.text("scaling.owner").value;
    if (owner) return owner;
  }
  const ignored = group.options.ignoreChanges.some((path) => "scalingConfig.desiredSize".startsWith(path));
  return ignored ? "outside" : "pulumi";
}
