import { getResource } from "@pulumi/aws/cloudcontrol/getResource";
import { getLaunchTemplate, type GetLaunchTemplateResult } from "@pulumi/aws/ec2/getLaunchTemplate";
import { getSubnet } from "@pulumi/aws/ec2/getSubnet";
import { getSubnets } from "@pulumi/aws/ec2/getSubnets";
import { getVpc } from "@pulumi/aws/ec2/getVpc";
import { getVpcs } from "@pulumi/aws/ec2/getVpcs";
import { getCluster, type GetClusterResult } from "@pulumi/aws/eks/getCluster";
import { getClusterAuth } from "@pulumi/aws/eks/getClusterAuth";
import { getNodeGroup, type GetNodeGroupResult } from "@pulumi/aws/eks/getNodeGroup";
import { getNodeGroups } from "@pulumi/aws/eks/getNodeGroups";
import { getKey } from "@pulumi/aws/kms/getKey";
import { secretsKeyDescription } from "../cluster/secrets-key";
import { parseJson } from "../core/json-text";
import { valueAt } from "../core/reader/paths";
import { optionalProperty, withoutUndefined } from "../core/reader/records";
import { attempt } from "./attempt";
import { clusterChanges } from "./cluster-changes";
import { readGpuSession } from "./gpu-session";
import type {
  ChangeRequest,
  GpuSession,
  RunningEnvironment,
  RunningNetwork,
  RunningNodes,
  RunningTemplate,
} from "./running-environment";
import { gpuNodeChanges, systemNodeChanges } from "./node-changes";
import { instancesWith } from "./preview-source";
import { groupPrefix, newestName, type Section } from "./running-group";

/**
 * Reads the environment that an update would change: its cluster, network, key and GPU node group, and the nodes and pods
 * that a change of the GPU nodes would end. Undefined if the cluster does not exist.
 *
 * @param zones the zones of the region, the first of which are the default
 */
export async function readRunningEnvironment(
  request: ChangeRequest,
  clusterNames: readonly string[],
  zones: readonly string[],
): Promise<RunningEnvironment | undefined> {
  const candidates = [request.formerClusterName, request.settings.clusterName];
  const clusterName = candidates.find((name) => name !== undefined && clusterNames.includes(name));
  if (clusterName === undefined) return undefined;
  const cluster = await attempt("the cluster", () => getCluster({ name: clusterName }));
  if (!cluster) return { clusterName };
  if (cluster.status === "DELETING") return undefined;
  const names = getNodeGroups({ clusterName });
  const [network, secretsKey, gpuNodes, systemNodes] = await Promise.all([
    attempt("the network of the cluster", () => readNetwork(cluster, request)),
    attempt("the key of the cluster's Secrets", () => readKey(clusterName)),
    attempt("the GPU node group", async () => readGpuNodes(clusterName, (await names).names)),
    attempt("the system node group", async () => readSystemNodes(clusterName, (await names).names)),
  ]);
  const autoMode = valueAt(cluster, "computeConfigs.0.enabled") === true || undefined;
  const running = withoutUndefined({ clusterName, network, secretsKey, gpuNodes, systemNodes, autoMode });
  const changes = [...clusterChanges(request, running, zones), ...gpuNodeChanges(request, running, zones)];
  const ends = systemNodeChanges(request, running).length > 0;
  const instances = ends
    ? await attempt("the system instances", () => readInstances(systemNodes?.group ?? ""))
    : undefined;
  const session = changes.length > 0 && gpuNodes?.desiredSize ? await readSession(cluster, gpuNodes.group) : undefined;
  return withoutUndefined({
    ...running,
    gpuNodes: gpuNodes && withoutUndefined({ ...gpuNodes, session }),
    systemNodes: systemNodes && withoutUndefined({ ...systemNodes, instances }),
  });
}

/** The session of a GPU node group of a cluster; undefined if it has no instance. */
export async function readSession(cluster: GetClusterResult, group: string): Promise<GpuSession | undefined> {
  const instances = await attempt("the GPU instances", () => readInstances(group));
  if (instances?.length === 0) return undefined;
  return readGpuSession(group, instances ?? [], async () => ({
    endpoint: cluster.endpoint,
    certificateAuthority: cluster.certificateAuthorities[0]?.data,
    token: (await getClusterAuth({ name: cluster.name })).token,
  }));
}

function readInstances(group: string): Promise<string[]> {
  return instancesWith({ "tag:eks:nodegroup-name": [group] });
}

/** The subnets of the cluster and, in a VPC of the environment's own, the public ones. */
async function readNetwork({ vpcConfig }: GetClusterResult, { settings }: ChangeRequest): Promise<RunningNetwork> {
  const { vpcId, subnetIds } = vpcConfig;
  const filters = [
    { name: "vpc-id", values: [vpcId] },
    { name: "tag-key", values: ["kubernetes.io/role/elb"] },
  ];
  const [vpc, { ids: publicIds }] = await Promise.all([
    getVpc({ id: vpcId }),
    settings.network.existing ? { ids: [] } : getSubnets({ filters }),
  ]);
  const ids = [...new Set([...subnetIds, ...publicIds])];
  const subnets = ids.map(async (id) => {
    const { availabilityZone: zone, cidrBlock: cidr } = await getSubnet({ id });
    return { id, zone, cidr, kind: subnetIds.includes(id) ? "private" : "public" } as const;
  });
  const name = vpc.tags["Name"];
  const same = name === undefined ? undefined : await getVpcs({ tags: { Name: name } });
  const twins = same?.ids.filter((id) => id !== vpcId);
  return { vpcId, cidr: vpc.cidrBlock, ...withoutUndefined({ name, twins }), subnets: await Promise.all(subnets) };
}

/** The provider's own function does not return the key of a cluster; the Cloud Control API does. */
async function readKey(clusterName: string) {
  const { properties } = await getResource({ typeName: "AWS::EKS::Cluster", identifier: clusterName });
  const arn = valueAt(parseJson(properties), "EncryptionConfig.0.Provider.KeyArn");
  if (typeof arn !== "string") return { isOwn: false };
  const { description } = await getKey({ keyId: arn });
  return { arn, isOwn: description === secretsKeyDescription(clusterName) };
}

/** The newest group of a section. */
async function newestGroup(clusterName: string, names: readonly string[], section: Section) {
  const nodeGroupName = newestName(names, groupPrefix(clusterName, section));
  return nodeGroupName === undefined ? undefined : getNodeGroup({ clusterName, nodeGroupName });
}

async function readSystemNodes(clusterName: string, names: readonly string[]) {
  const found = await newestGroup(clusterName, names, "systemNodes");
  return found && nodesOf(found, await attempt("the launch template of the system nodes", () => readTemplate(found)));
}

async function readGpuNodes(clusterName: string, names: readonly string[]) {
  const found = await newestGroup(clusterName, names, "gpuNodes");
  const [sizes] = found?.scalingConfigs ?? [];
  if (!found || !sizes) return undefined;
  const { amiType, capacityType, subnetIds } = found;
  const { desiredSize, minSize, maxSize } = sizes;
  return {
    ...nodesOf(found, await readTemplate(found)),
    ...{ desiredSize, minSize, maxSize, amiType, capacityType },
    ...optionalProperty("subnetId", subnetIds[0]),
  };
}

function nodesOf(found: GetNodeGroupResult, template: GetLaunchTemplateResult | undefined): RunningNodes {
  const { nodeGroupName: group, version: kubernetesVersion, releaseVersion, instanceTypes } = found;
  return {
    ...{ group, kubernetesVersion, releaseVersion },
    ...optionalProperty("instanceType", instanceTypes[0] ?? template?.instanceType),
    ...(template && { template: templateOf(template) }),
  };
}

async function readTemplate({ launchTemplates }: GetNodeGroupResult): Promise<GetLaunchTemplateResult | undefined> {
  const id = launchTemplates[0]?.id;
  return id === undefined ? undefined : getLaunchTemplate({ id });
}

function templateOf(found: GetLaunchTemplateResult): RunningTemplate {
  const target = found.capacityReservationSpecifications[0]?.capacityReservationTargets[0];
  const reservation = target?.capacityReservationId || target?.capacityReservationResourceGroupArn;
  return {
    ...optionalProperty("diskSizeGiB", found.blockDeviceMappings[0]?.ebs[0]?.volumeSize),
    ...optionalProperty("userData", found.userData),
    efa: found.networkInterfaces.length > 0,
    ...optionalProperty("placementGroup", found.placements[0]?.groupName),
    ...optionalProperty("capacityReservation", reservation),
    tags: found.tagSpecifications.find(({ resourceType }) => resourceType === "instance")?.tags ?? {},
  };
}
