import type { Cluster, Nodegroup } from "@aws-sdk/client-eks";
import { stackTag } from "../../../components/core/stack-tags";
import { itemsOf, request, type Aws } from "../../../aws/clients";
import { free, isRunning, lastPart, hourly, type Found, type Search } from "../found";
import { inTurn, sharedReading, step } from "../requests";
import { kindOf } from "./kind";

const reads = ["eks:ListClusters", "eks:DescribeCluster"];

export const readClusters = sharedReading(async (aws): Promise<Cluster[]> => {
  const names = await itemsOf(aws, "eks:ListClusters", "clusters", {});
  const all = await Promise.all(names.map((name) => request(aws, "eks:DescribeCluster", { name })));
  return all.flatMap(({ cluster }) => cluster ?? []);
});

/** The clusters with a tag of the stack, and those with the names. */
export async function clustersOf({ stack, clusters: names, existing }: Search): Promise<Cluster[]> {
  const isOf = ({ name = "", tags }: Cluster) =>
    names.includes(name) || (stack !== undefined && tags?.[stackTag] === stack);
  return (await existing()).filter(isOf);
}

/** What the searched clusters have. */
async function inClusters<T>(search: Search, read: (cluster: string) => Promise<readonly T[]>): Promise<T[]> {
  const all = await inTurn(await clustersOf(search), ({ name = "" }) => read(name));
  return all.flat();
}

export const clusters = kindOf({
  kind: "cluster",
  type: "aws:eks/cluster:Cluster",
  reads,
  list: (_, search) => clustersOf(search),
  found: ({ name = "", version = "", status = "", createdAt, tags = {}, ...cluster }, aws) => ({
    ...{ id: name, detail: `Kubernetes ${version}, ${status}`, tags, cluster: name, since: createdAt?.toISOString() },
    isRunning: isRunning(status),
    ...usesOfCluster(cluster),
    rate: hourly(aws.region, "eks-control-plane-standard", 1, "price in standard support"),
    steps: [step(aws, "eks:DeleteCluster", { name })],
    wait: {
      cli: `eks wait cluster-deleted --name ${name}`,
      isOver: async () => (await request(aws, "eks:DescribeCluster", { name })).cluster === undefined,
    },
  }),
});

/** What a cluster needs, by which other clusters are found that use an object of the environment. */
export function usesOfCluster({ resourcesVpcConfig: network = {}, roleArn, encryptionConfig = [] }: Cluster) {
  const { vpcId: vpc, subnetIds = [], securityGroupIds = [], clusterSecurityGroupId } = network;
  const keys = encryptionConfig.map(({ provider }) => lastPart(provider?.keyArn));
  const uses = [...subnetIds, ...securityGroupIds, clusterSecurityGroupId, ...keys, `role ${lastPart(roleArn)}`];
  return { uses, vpc };
}

/** Node groups. Their nodes are listed as instances, which have the cost. */
export const nodeGroups = kindOf({
  kind: "node group",
  isInNetwork: true,
  type: "aws:eks/nodeGroup:NodeGroup",
  reads: [...reads, "eks:ListNodegroups", "eks:DescribeNodegroup"],
  list: (aws, search) => inClusters(search, (cluster) => readNodeGroups(aws, cluster)),
  found: nodeGroup,
});

export const readNodeGroups = sharedReading(async (aws, clusterName: string): Promise<Nodegroup[]> => {
  const names = await itemsOf(aws, "eks:ListNodegroups", "nodegroups", { clusterName });
  const all = await Promise.all(
    names.map((nodegroupName) => request(aws, "eks:DescribeNodegroup", { clusterName, nodegroupName })),
  );
  return all.flatMap(({ nodegroup }) => nodegroup ?? []);
});

/** What a node group needs in addition to its cluster. */
export function usesOfNodeGroup({ subnets = [], nodeRole, launchTemplate, remoteAccess }: Nodegroup) {
  const groups = remoteAccess?.sourceSecurityGroups ?? [];
  return [...subnets, `role ${lastPart(nodeRole)}`, launchTemplate?.id, ...groups];
}

/** How what EKS makes for a node group refers to the group. */
export function nodesOf(role: string | undefined): string {
  return `nodes with the role ${lastPart(role)}`;
}

function nodeGroup(one: Nodegroup, aws: Aws): Found {
  const { nodegroupName = "", clusterName = "", status = "", createdAt, tags = {}, scalingConfig } = one;
  const { autoScalingGroups: groups = [] } = one.resources ?? {};
  const named = { clusterName, nodegroupName };
  return {
    ...{ id: nodegroupName, pulumiId: `${clusterName}:${nodegroupName}`, tags, cluster: clusterName },
    aliases: [nodesOf(one.nodeRole), ...groups.map(({ name }) => `Auto Scaling group ${name}`)],
    uses: [`cluster ${clusterName}`, ...usesOfNodeGroup(one)],
    detail: `${status}, desired ${scalingConfig?.desiredSize ?? 0}`,
    since: createdAt?.toISOString(),
    rate: { perDay: 0, note: "the cost is listed with the instances" },
    steps: [step(aws, "eks:DeleteNodegroup", named)],
    wait: {
      cli: `eks wait nodegroup-deleted --cluster-name ${clusterName} --nodegroup-name ${nodegroupName}`,
      isOver: async () => (await request(aws, "eks:DescribeNodegroup", named)).nodegroup === undefined,
    },
  };
}

/** Add-ons that the state does not know: their cluster removes them, but an update cannot create them again. */
export const addons = kindOf({
  kind: "add-on",
  type: "aws:eks/addon:Addon",
  reads: [...reads, "eks:ListAddons", "eks:DescribeAddon"],
  list: async (aws, search) => {
    return inClusters(search, async (clusterName) => {
      const names = await itemsOf(aws, "eks:ListAddons", "addons", { clusterName });
      const all = await inTurn(names, (addonName) => request(aws, "eks:DescribeAddon", { clusterName, addonName }));
      return all.flatMap(({ addon }) => addon ?? []);
    });
  },
  found: ({ addonName = "", clusterName = "", status, createdAt, tags = {} }, aws) => ({
    ...{ id: addonName, pulumiId: `${clusterName}:${addonName}`, detail: status, tags, cluster: clusterName },
    ...{ since: createdAt?.toISOString(), within: `cluster ${clusterName}`, rate: free },
    steps: [step(aws, "eks:DeleteAddon", { clusterName, addonName })],
  }),
});
