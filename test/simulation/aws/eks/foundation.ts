import { amiReleases, kubernetesVersion } from "../../../../components/core/versions";
import type { Properties } from "../../../../components/core/wire";
import { types } from "../../../../simulation/aws/types";
import type { CloudObject } from "../../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../../simulation/cloud/simulated-cloud";
import { type CloudOptions, createCloud } from "../../../../simulation/create-cloud";

/** The AMI release of the pinned Kubernetes version, and two later ones. */
export const amiRelease = amiReleases[kubernetesVersion] ?? "";
export const [laterAmiRelease, latestAmiRelease] = ["20991230", "20991231"].map((date) =>
  amiRelease.replace(/\d{8}$/, date),
) as [string, string];

/** A Kubernetes minor version: 0 is the pinned one, 1 the next one. */
export function minorVersion(offset: number): string {
  const [major, minor] = kubernetesVersion.split(".");
  return `${major}.${Number(minor) + offset}`;
}

export const roles = {
  cluster: "arn:aws:iam::123456789012:role/cluster",
  nodes: "arn:aws:iam::123456789012:role/nodes",
  pods: "arn:aws:iam::123456789012:role/pods",
} as const;

export const keyArn = "arn:aws:kms:ap-northeast-2:123456789012:key/1";

/** A cloud with the dependencies of a cluster and its nodes: two subnets, roles with policies, a key, a launch template. */
export function foundation(options: CloudOptions = {}): SimulatedCloud {
  const cloud = createCloud(options);
  put(cloud, types.vpc, "vpc-1", { cidrBlock: "192.168.0.0/16" });
  for (const [id, letter, cidrBlock] of [
    ["subnet-a", "a", "192.168.0.0/20"],
    ["subnet-b", "b", "192.168.16.0/20"],
  ] as const) {
    put(cloud, types.subnet, id, { vpcId: "vpc-1", availabilityZone: `ap-northeast-2${letter}`, cidrBlock });
  }
  for (const [name, arn] of Object.entries(roles)) {
    const assumeRolePolicy = name === "pods" ? `{"Principal":"pods.eks.amazonaws.com"}` : "{}";
    put(cloud, types.role, name, { name, assumeRolePolicy }, { arn });
  }
  attach(cloud, "cluster", "AmazonEKSClusterPolicy");
  attach(cloud, "nodes", "AmazonEKSWorkerNodePolicy");
  put(cloud, types.key, "1", {}, { arn: keyArn });
  put(cloud, types.securityGroup, "sg-nodes", { vpcId: "vpc-1", name: "nodes" });
  put(cloud, types.launchTemplate, "lt-1", { name: "nodes", vpcSecurityGroupIds: ["sg-nodes"] });
  return cloud;
}

export function put(
  cloud: SimulatedCloud,
  type: string,
  id: string,
  inputs: Properties,
  computed: Properties = {},
): void {
  cloud.put({ type, id, inputs, computed });
}

export function attach(cloud: SimulatedCloud, role: string, policy: string): void {
  const policyArn = `arn:aws:iam::aws:policy/${policy}`;
  put(cloud, types.rolePolicyAttachment, `${role}/${policyArn}`, { role, policyArn });
}

export const clusterInputs: Properties = {
  name: "lab",
  version: kubernetesVersion,
  roleArn: roles.cluster,
  bootstrapSelfManagedAddons: false,
  accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: true },
  vpcConfig: {
    subnetIds: ["subnet-a", "subnet-b"],
    endpointPrivateAccess: true,
    endpointPublicAccess: true,
    publicAccessCidrs: ["8.8.8.8/32"],
  },
};

export function makeCluster(cloud: SimulatedCloud, over: Properties = {}): Promise<CloudObject> {
  return cloud.create(types.cluster, { ...clusterInputs, ...over });
}

export function makeAddon(cloud: SimulatedCloud, addonName: string, over: Properties = {}): Promise<CloudObject> {
  return cloud.create(types.addon, { clusterName: "lab", addonName, ...over });
}

/** A cloud with a cluster in which nodes become ready. */
export async function clusterForNodes(options: CloudOptions = {}, over: Properties = {}): Promise<SimulatedCloud> {
  const cloud = foundation(options);
  await makeCluster(cloud, over);
  await makeAddon(cloud, "vpc-cni");
  await makeAddon(cloud, "kube-proxy");
  return cloud;
}

export const groupInputs: Properties = {
  clusterName: "lab",
  nodeGroupName: "system",
  nodeRoleArn: roles.nodes,
  subnetIds: ["subnet-a", "subnet-b"],
  amiType: "AL2023_x86_64_STANDARD",
  instanceTypes: ["t3.medium"],
  capacityType: "ON_DEMAND",
  version: kubernetesVersion,
  releaseVersion: amiRelease,
  launchTemplate: { id: "lt-1", version: "1" },
  scalingConfig: { desiredSize: 2, minSize: 1, maxSize: 4 },
};

export const gpuInputs: Properties = {
  ...groupInputs,
  nodeGroupName: "gpu",
  amiType: "AL2023_x86_64_NVIDIA",
  instanceTypes: ["g5.xlarge"],
  subnetIds: ["subnet-a"],
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 4 },
};

export function makeGroup(cloud: SimulatedCloud, over: Properties = {}): Promise<CloudObject> {
  return cloud.create(types.nodeGroup, { ...groupInputs, ...over });
}

/** The configuration of a Kubernetes provider for the cluster, as @pulumi/eks creates it. */
export function providerFor(cloud: SimulatedCloud, ...more: readonly string[]): Properties {
  const cluster = cloud.get(types.cluster, "lab");
  const args = ["--region", "ap-northeast-2", "eks", "get-token", "--cluster-name", "lab", ...more];
  return {
    kubeconfig: JSON.stringify({
      clusters: [{ name: "kubernetes", cluster: { server: cluster?.computed["endpoint"] } }],
      users: [{ name: "aws", user: { exec: { command: "aws", args } } }],
    }),
  };
}

/** The message of the error of a request, or "no error". */
export async function messageOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    return (error as Error).message;
  }
  return "no error";
}

/** The objects of a cloud, as `type id`. */
export function contents(cloud: SimulatedCloud): string[] {
  return cloud.objects.map(({ type, id }) => `${type} ${id}`).sort();
}
