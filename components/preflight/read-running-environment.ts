import { getResource } from "@pulumi/aws/cloudcontrol/getResource";
import { getInstances } from "@pulumi/aws/ec2/getInstances";
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
import { optionalProperty } from "../core/reader/records";
import { attempt } from "./attempt";
import { clusterChanges } from "./cluster-changes";
import { gpuNodeChanges } from "./gpu-node-changes";
import { readGpuSession } from "./gpu-session";
import type {
  ChangeRequest,
  GpuSession,
  RunningEnvironment,
  RunningGpuNodes,
  RunningKey,
  RunningNetwork,
  RunningSubnet,
  RunningSystemNodes,
  RunningTemplate,
} from "./running-environment";
import { groupPrefix, newestName } from "./running-group";
import { systemNodeChanges } from "./system-node-changes";

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
  const groups = getNodeGroups({ clusterName });
  const [network, secretsKey, gpuNodes, systemNodes] = await Promise.all([
    attempt("the network of the cluster", () => readNetwork(cluster, request)),
    attempt("the key of the cluster's Secrets", () => readKey(clusterName)),
    attempt("the GPU node group", async () => readGpuNodes(clusterName, (await groups).names)),
    attempt("the system node group", async () => readSystemNodes(clusterName, (await groups).names)),
  ]);
  const running = {
    clusterName,
    ...(network && { network }),
    ...(secretsKey && { secretsKey }),
    ...(gpuNodes && { gpuNodes }),
    ...(systemNodes && { systemNodes }),
  };
  const changes = [...clusterChanges(request, running, zones), ...gpuNodeChanges(request, running, zones)];
  return withSession(await withSystemNodes(request, running), cluster, changes.length > 0);
}

/** With the system nodes that the update would replace. */
async function withSystemNodes(request: ChangeRequest, running: RunningEnvironment): Promise<RunningEnvironment> {
  const { systemNodes } = running;
  if (!systemNodes || systemNodeChanges(request, running).length === 0) return running;
  const instances = await attempt("the system instances", () => readInstances(systemNodes.group));
  return { ...running, systemNodes: { ...systemNodes, ...optionalProperty("instances", instances) } };
}

/** With the session that the update would end. */
async function withSession(
  running: RunningEnvironment,
  cluster: GetClusterResult,
  ends: boolean,
): Promise<RunningEnvironment> {
  const { gpuNodes } = running;
  if (!ends || !gpuNodes || gpuNodes.desiredSize === 0) return running;
  const session = await readSession(cluster, gpuNodes.group);
  return session ? { ...running, gpuNodes: { ...gpuNodes, session } } : running;
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

async function readInstances(group: string): Promise<string[]> {
  const { ids } = await getInstances({
    filters: [{ name: "tag:eks:nodegroup-name", values: [group] }],
    instanceStateNames: ["pending", "running"],
  });
  return ids;
}

/** The subnets of the cluster and, in a VPC of the environment's own, the public ones. */
async function readNetwork({ vpcConfig }: GetClusterResult, { settings }: ChangeRequest): Promise<RunningNetwork> {
  const { vpcId, subnetIds } = vpcConfig;
  const [vpc, publicIds] = await Promise.all([
    getVpc({ id: vpcId }),
    settings.network.existing ? [] : publicSubnetIds(vpcId),
  ]);
  const subnets = await Promise.all([
    ...subnetIds.map((id) => readSubnet(id, "private")),
    ...publicIds.filter((id) => !subnetIds.includes(id)).map((id) => readSubnet(id, "public")),
  ]);
  const name = vpc.tags["Name"];
  return {
    vpcId,
    cidr: vpc.cidrBlock,
    ...(name !== undefined && { name, twins: await twinsOf(vpcId, name) }),
    subnets,
  };
}

async function twinsOf(vpcId: string, name: string): Promise<string[]> {
  const { ids } = await getVpcs({ tags: { Name: name } });
  return ids.filter((id) => id !== vpcId);
}

async function publicSubnetIds(vpcId: string): Promise<string[]> {
  const filters = [
    { name: "vpc-id", values: [vpcId] },
    { name: "tag-key", values: ["kubernetes.io/role/elb"] },
  ];
  return (await getSubnets({ filters })).ids;
}

async function readSubnet(id: string, kind: RunningSubnet["kind"]): Promise<RunningSubnet> {
  const { availabilityZone: zone, cidrBlock: cidr } = await getSubnet({ id });
  return { id, zone, cidr, kind };
}

/** The provider's own function does not return the key of a cluster; the Cloud Control API does. */
async function readKey(clusterName: string): Promise<RunningKey> {
  const { properties } = await getResource({ typeName: "AWS::EKS::Cluster", identifier: clusterName });
  const arn = valueAt(parseJson(properties), "EncryptionConfig.0.Provider.KeyArn");
  if (typeof arn !== "string") return { isOwn: false };
  const { description } = await getKey({ keyId: arn });
  return { arn, isOwn: description === secretsKeyDescription(clusterName) };
}

async function readSystemNodes(clusterName: string, names: readonly string[]): Promise<RunningSystemNodes | undefined> {
  const group = newestName(names, groupPrefix(clusterName, "systemNodes"));
  if (group === undefined) return undefined;
  const found = await getNodeGroup({ clusterName, nodeGroupName: group });
  const { instanceTypes, releaseVersion, version: kubernetesVersion } = found;
  const template = await attempt("the launch template of the system nodes", () => readTemplate(found));
  return {
    ...{ group, kubernetesVersion, releaseVersion },
    ...optionalProperty("instanceType", instanceTypes[0]),
    ...(template && { template: templateOf(template) }),
  };
}

async function readGpuNodes(clusterName: string, names: readonly string[]): Promise<RunningGpuNodes | undefined> {
  const group = newestName(names, groupPrefix(clusterName, "gpuNodes"));
  if (group === undefined) return undefined;
  const found = await getNodeGroup({ clusterName, nodeGroupName: group });
  const [sizes] = found.scalingConfigs;
  if (!sizes) return undefined;
  const launchTemplate = await readTemplate(found);
  const { desiredSize, minSize, maxSize } = sizes;
  return {
    group,
    desiredSize,
    minSize,
    maxSize,
    ...optionalProperty("instanceType", found.instanceTypes[0] ?? launchTemplate?.instanceType),
    amiType: found.amiType,
    capacityType: found.capacityType,
    kubernetesVersion: found.version,
    releaseVersion: found.releaseVersion,
    ...optionalProperty("subnetId", found.subnetIds[0]),
    ...(launchTemplate && { template: templateOf(launchTemplate) }),
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
