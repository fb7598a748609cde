import { getInstance } from "@pulumi/aws/ec2/getInstance";
import { getInstances } from "@pulumi/aws/ec2/getInstances";
import { getSubnet } from "@pulumi/aws/ec2/getSubnet";
import { getParameter } from "@pulumi/aws/ssm/getParameter";
import { instanceType, quotaScope } from "../nodes/machine/instance-types";
import type { CapacityRequest, GpuSubnet, PreflightFacts, PublishedImage, VcpuUse } from "./preflight-facts";
import { groupPrefix } from "./running-group";

/** What counts against the quota of the GPU type, outside the GPU node group: of types in the catalog only. */
export async function readVcpuUse({ quotaCode, clusterName }: CapacityRequest): Promise<VcpuUse | undefined> {
  const scope = quotaScope(quotaCode ?? "");
  if (!scope) return undefined;
  const [all, spot, own] = await Promise.all([
    instancesWith({ "instance-type": scope.types }),
    instancesWith({ "instance-type": scope.types, "instance-lifecycle": ["spot"] }),
    instancesWith({
      "instance-type": scope.types,
      "tag:eks:cluster-name": [clusterName],
      "tag:eks:nodegroup-name": [`${groupPrefix(clusterName, "gpuNodes")}*`],
    }),
  ]);
  const others = all.filter((id) => spot.includes(id) === scope.spot && !own.includes(id));
  const vcpus = await Promise.all(others.map(readVcpus));
  return { running: vcpus.reduce((sum, one) => sum + one, 0) };
}

async function instancesWith(filters: Readonly<Record<string, readonly string[]>>): Promise<readonly string[]> {
  const { ids } = await getInstances({
    instanceStateNames: ["pending", "running"],
    filters: Object.entries(filters).map(([name, values]) => ({ name, values: [...values] })),
  });
  return ids;
}

async function readVcpus(instanceId: string): Promise<number> {
  const { instanceType: type } = await getInstance({ instanceId });
  return instanceType(type)?.vcpus ?? 0;
}

/** Whether AWS publishes the AMI releases. */
export async function readImages({ images = [] }: CapacityRequest): Promise<PreflightFacts["images"]> {
  if (images.length === 0) return undefined;
  const names = [...new Set(images.map(({ name }) => name))];
  const found = await Promise.all(names.map(async (name) => [name, await readImage(`${name}/image_id`)] as const));
  return Object.fromEntries(found);
}

/** The provider names a missing parameter in the text of the error only. */
async function readImage(name: string): Promise<PublishedImage> {
  try {
    await getParameter({ name });
    return { exists: true };
  } catch (error) {
    if (/couldn't find resource|ParameterNotFound/.test((error as Error).message)) return { exists: false };
    throw error;
  }
}

/** The subnet of the GPU nodes: that of the running group, or the existing one in the arguments. */
export async function readGpuSubnet(
  { gpuSubnetId }: CapacityRequest,
  runningGroups: PreflightFacts["runningGroups"],
): Promise<GpuSubnet | undefined> {
  const id = runningGroups?.gpuNodes?.subnetIds?.[0] ?? gpuSubnetId;
  if (id === undefined) return undefined;
  const { availableIpAddressCount: free } = await getSubnet({ id });
  return typeof free === "number" ? { id, freeAddresses: free } : undefined;
}
