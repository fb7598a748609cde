import type { Cluster, Nodegroup } from "@aws-sdk/client-eks";
import { stackTag } from "../../components/core/stack-tags";
import { allPages } from "../../sessions/clients";
import { codeOf, type Aws } from "../aws";
import { free, isRunning, sinceOf, type Found, type Search } from "../found";
import { hourly } from "../rates";
import type { Kind } from "./kind";

const reads = ["eks:ListClusters", "eks:DescribeCluster"];

/** All clusters of the region. */
export async function readClusters(aws: Aws): Promise<Cluster[]> {
  const eks = await aws.eks();
  const names = await allPages(async (nextToken) => {
    const answer = await eks.listClusters({ ...(nextToken !== undefined && { nextToken }) });
    return { items: answer.clusters, next: answer.nextToken };
  });
  const all = await Promise.all(names.map((name) => eks.describeCluster({ name })));
  return all.flatMap(({ cluster }) => cluster ?? []);
}

/** The clusters with a tag of the stack, and those with the names. */
export async function clustersOf({ stack, clusters: names, existing }: Search): Promise<Cluster[]> {
  const isOf = ({ name = "", tags }: Cluster) =>
    names.includes(name) || (stack !== undefined && tags?.[stackTag] === stack);
  return (await existing()).filter(isOf);
}

/** The ends of requests that fail while an object is being deleted. */
async function isMissing(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return false;
  } catch (error) {
    if (codeOf(error) === "ResourceNotFoundException") return true;
    throw error;
  }
}

export const clusters: Kind = {
  kind: "cluster",
  type: "aws:eks/cluster:Cluster",
  reads,
  read: async (aws, search) => {
    const eks = await aws.eks();
    return (await clustersOf(search)).map(
      ({ name = "", version = "", status = "", createdAt, tags = {}, ...cluster }): Found => ({
        ...{ id: name, detail: `Kubernetes ${version}, ${status}`, tags, cluster: name },
        isRunning: isRunning(status),
        ...sinceOf(createdAt),
        ...usesOfCluster(cluster),
        rate: hourly(aws.region, "eks-control-plane-standard", 1, "price in standard support"),
        steps: [
          {
            cli: `eks delete-cluster --name ${name}`,
            action: "eks:DeleteCluster",
            run: () => eks.deleteCluster({ name }),
          },
        ],
        wait: {
          cli: `eks wait cluster-deleted --name ${name}`,
          isOver: () => isMissing(() => eks.describeCluster({ name })),
        },
      }),
    );
  },
};

/** What a cluster needs, by which other clusters are found that use an object of the environment. */
export function usesOfCluster({ resourcesVpcConfig: network = {}, roleArn, encryptionConfig = [] }: Cluster) {
  const { vpcId: vpc, subnetIds = [], securityGroupIds = [], clusterSecurityGroupId } = network;
  const keys = encryptionConfig.flatMap(({ provider }) => provider?.keyArn?.split("/").at(-1) ?? []);
  const role = `role ${roleArn?.split("/").at(-1)}`;
  return {
    uses: [...subnetIds, ...securityGroupIds, clusterSecurityGroupId ?? "", ...keys, role],
    ...(vpc !== undefined && { vpc }),
  };
}

/** Node groups. Their nodes are listed as instances, which have the cost. */
export const nodeGroups: Kind = {
  kind: "node group",
  type: "aws:eks/nodeGroup:NodeGroup",
  reads: [...reads, "eks:ListNodegroups", "eks:DescribeNodegroup"],
  read: async (aws, search) => {
    const lists = (await clustersOf(search)).map(({ name = "" }) => readNodeGroups(aws, name));
    const found = (await Promise.all(lists)).flat();
    return Promise.all(found.map((one) => nodeGroup(aws, one)));
  },
};

/** All node groups of a cluster. */
export async function readNodeGroups(aws: Aws, clusterName: string): Promise<Nodegroup[]> {
  const eks = await aws.eks();
  const names = await allPages(async (nextToken) => {
    const answer = await eks.listNodegroups({ clusterName, ...(nextToken !== undefined && { nextToken }) });
    return { items: answer.nodegroups, next: answer.nextToken };
  });
  const all = await Promise.all(names.map((nodegroupName) => eks.describeNodegroup({ clusterName, nodegroupName })));
  return all.flatMap(({ nodegroup }) => nodegroup ?? []);
}

/** What a node group needs in addition to its cluster. */
export function usesOfNodeGroup({ subnets = [], nodeRole = "", launchTemplate }: Nodegroup): string[] {
  return [...subnets, `role ${nodeRole.split("/").at(-1)}`, launchTemplate?.id ?? ""];
}

async function nodeGroup(aws: Aws, one: Nodegroup): Promise<Found> {
  const { nodegroupName = "", clusterName = "", status = "", createdAt, tags = {}, scalingConfig } = one;
  const eks = await aws.eks();
  const named = { clusterName, nodegroupName };
  const options = `--cluster-name ${clusterName} --nodegroup-name ${nodegroupName}`;
  return {
    ...{ id: nodegroupName, pulumiId: `${clusterName}:${nodegroupName}`, tags, cluster: clusterName },
    aliases: (one.resources?.autoScalingGroups ?? []).map(({ name }) => `Auto Scaling group ${name}`),
    uses: [`cluster ${clusterName}`, ...usesOfNodeGroup(one)],
    detail: `${status}, desired ${scalingConfig?.desiredSize ?? 0}`,
    ...sinceOf(createdAt),
    rate: { perDay: 0, note: "the instances have the cost" },
    steps: [
      { cli: `eks delete-nodegroup ${options}`, action: "eks:DeleteNodegroup", run: () => eks.deleteNodegroup(named) },
    ],
    wait: {
      cli: `eks wait nodegroup-deleted ${options}`,
      isOver: () => isMissing(() => eks.describeNodegroup(named)),
    },
  };
}

/** Add-ons that the state does not know: their cluster removes them, but an update cannot create them again. */
export const addons: Kind = {
  kind: "add-on",
  type: "aws:eks/addon:Addon",
  reads: [...reads, "eks:ListAddons", "eks:DescribeAddon"],
  read: async (aws, search) => {
    const eks = await aws.eks();
    const lists = (await clustersOf(search)).map(async ({ name: clusterName = "" }) => {
      const names = await allPages(async (nextToken) => {
        const answer = await eks.listAddons({ clusterName, ...(nextToken !== undefined && { nextToken }) });
        return { items: answer.addons, next: answer.nextToken };
      });
      return Promise.all(names.map((addonName) => eks.describeAddon({ clusterName, addonName })));
    });
    const found = (await Promise.all(lists)).flat();
    return found.flatMap(({ addon }): Found[] => {
      if (!addon) return [];
      const { addonName = "", clusterName = "", status = "", createdAt, tags = {} } = addon;
      return [
        {
          ...{ id: addonName, pulumiId: `${clusterName}:${addonName}`, detail: status, tags, cluster: clusterName },
          ...sinceOf(createdAt),
          ...{ within: `cluster ${clusterName}`, rate: free },
          steps: [
            {
              cli: `eks delete-addon --cluster-name ${clusterName} --addon-name ${addonName}`,
              action: "eks:DeleteAddon",
              run: () => eks.deleteAddon({ clusterName, addonName }),
            },
          ],
        },
      ];
    });
  },
};
