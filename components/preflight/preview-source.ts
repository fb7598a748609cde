import { getLogGroup, type GetLogGroupResult } from "@pulumi/aws/cloudwatch/getLogGroup";
import { getLogGroups } from "@pulumi/aws/cloudwatch/getLogGroups";
import { getInstance } from "@pulumi/aws/ec2/getInstance";
import { getInstances } from "@pulumi/aws/ec2/getInstances";
import { getInstanceTypeOfferings } from "@pulumi/aws/ec2/getInstanceTypeOfferings";
import { getSubnet } from "@pulumi/aws/ec2/getSubnet";
import { getCluster } from "@pulumi/aws/eks/getCluster";
import { getClusters } from "@pulumi/aws/eks/getClusters";
import { getNodeGroup } from "@pulumi/aws/eks/getNodeGroup";
import { getNodeGroups } from "@pulumi/aws/eks/getNodeGroups";
import { getAvailabilityZones } from "@pulumi/aws/getAvailabilityZones";
import { getAlias } from "@pulumi/aws/kms/getAlias";
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota";
import { getParameter } from "@pulumi/aws/ssm/getParameter";
import { instanceClusterTag, nodePoolTags } from "../core/instance-tags";
import { optionalProperty } from "../core/reader/records";
import { zoneIdsWithoutEks } from "../network/vpc/zones";
import { instanceType, quotaScope } from "../nodes/machine/instance-types";
import { attempt, ifExists } from "./attempt";
import type { ReadNamesake } from "./namesakes";
import { readOwnObjects } from "./own-objects";
import type { CapacityRequest, FixedKind, VcpuUse } from "./preflight-facts";
import type { FactSource } from "./read-facts";
import { groupPrefix, sectionOf, type FoundGroup } from "./running-group";

/** Asks AWS with functions of the provider, as an update would. */
export function previewSource(request: CapacityRequest): FactSource {
  return {
    zones: async () => {
      const filters = [{ name: "opt-in-status", values: ["opt-in-not-required"] }];
      return (await getAvailabilityZones({ state: "available", excludeZoneIds: zoneIdsWithoutEks, filters })).names;
    },
    offers: async (values) => {
      const filters = [{ name: "instance-type", values }];
      const found = await getInstanceTypeOfferings({ locationType: "availability-zone", filters });
      return found.instanceTypes.map((type, index) => ({ type, zone: found.locations[index] ?? "" }));
    },
    quota: async (quotaCode) => {
      const { value } = await getServiceQuota({ serviceCode: "ec2", quotaCode });
      return typeof value === "number" ? value : undefined;
    },
    image: async (name) => ({ exists: (await ifExists(getParameter({ name: `${name}/image_id` }))) !== undefined }),
    // An offline plan knows of no cluster.
    clusterNames: async () => {
      const { names } = await getClusters();
      return Array.isArray(names) ? names : undefined;
    },
    own: readOwnObjects,
    namesakes: namesakeReaders,
    groups: async (_, isOwn) => (isOwn ? attempt("the node groups", () => readGroups(request.clusterName)) : undefined),
    vcpuUse: () => readVcpuUse(request),
    freeAddresses: async (id) => {
      const { availableIpAddressCount: free } = await getSubnet({ id });
      return typeof free === "number" ? free : undefined;
    },
  };
}

/** Without a permission, nothing is found, with a warning. */
function namesakeReaders(clusterNames: readonly string[]): Readonly<Record<FixedKind, ReadNamesake>> {
  return {
    cluster: async (name) => {
      if (!clusterNames.includes(name)) return undefined;
      // That it exists is known.
      const found = await attempt(`the owner of the cluster ${name}`, () => getCluster({ name }));
      return found ? { ...optionalProperty("created", found.createdAt), tags: found.tags } : {};
    },
    "log group": (name) =>
      attempt("the log groups", async () => {
        const { logGroupNames } = await getLogGroups({ logGroupNamePrefix: name });
        if (!logGroupNames.includes(name)) return undefined;
        // An answer of a test or of another provider can lack the time.
        const { creationTime, tags = {} } = (await getLogGroup({ name })) as Partial<GetLogGroupResult>;
        return { ...(creationTime !== undefined && { created: new Date(creationTime).toISOString() }), tags };
      }),
    "key alias": (name) =>
      attempt("the key aliases", async () => ((await ifExists(getAlias({ name }))) ? {} : undefined)),
  };
}

/** The node groups of the environment. */
async function readGroups(clusterName: string): Promise<FoundGroup[]> {
  const { names } = await getNodeGroups({ clusterName });
  const own = names.filter((name) => sectionOf(clusterName, name) !== undefined);
  return Promise.all(
    own.map(async (name) => {
      const found = await getNodeGroup({ clusterName, nodeGroupName: name });
      const { status, scalingConfigs: [sizes] = [], subnetIds } = found as Partial<typeof found>;
      return { name, status: status ?? "", sizes, ...(Array.isArray(subnetIds) && { subnetIds }) };
    }),
  );
}

/**
 * What counts against the quota of the GPU type, outside the GPU node group or NodePool: of types in the catalog only. Instances
 * of EKS Auto Mode that the account hides are missing: the provider cannot ask for them.
 */
async function readVcpuUse({ quotaCode, clusterName, nodePool }: CapacityRequest): Promise<VcpuUse | undefined> {
  const scope = quotaScope(quotaCode ?? "");
  if (!scope) return undefined;
  const ofPool = nodePool === undefined ? [] : Object.values(nodePoolTags);
  const [all, spot, ...own] = await Promise.all([
    instancesWith({ "instance-type": scope.types }),
    instancesWith({ "instance-type": scope.types, "instance-lifecycle": ["spot"] }),
    instancesWith({
      "instance-type": scope.types,
      "tag:eks:cluster-name": [clusterName],
      "tag:eks:nodegroup-name": [`${groupPrefix(clusterName, "gpuNodes")}*`],
    }),
    ...ofPool.map((tag) =>
      instancesWith({ [`tag:${instanceClusterTag}`]: [clusterName], [`tag:${tag}`]: [nodePool ?? ""] }),
    ),
  ]);
  const others = all.filter((id) => spot.includes(id) === scope.spot && !own.flat().includes(id));
  const found = await Promise.all(others.map((instanceId) => getInstance({ instanceId })));
  return { running: found.reduce((sum, one) => sum + (instanceType(one.instanceType)?.vcpus ?? 0), 0) };
}

/** The ids of the instances that these filters select. */
export async function instancesWith(filters: Readonly<Record<string, readonly string[]>>): Promise<string[]> {
  const { ids } = await getInstances({
    instanceStateNames: ["pending", "running"],
    filters: Object.entries(filters).map(([name, values]) => ({ name, values: [...values] })),
  });
  return ids;
}
