import { simulatedWorld, type SimulatedWorldOptions } from "../../../../simulation/simulated-world";
import { eksTypes } from "../../../../simulation/aws/eks/types";
import { types } from "../../../../simulation/aws/types";
import type { WorldObject } from "../../../../simulation/world/kind";
import type { World } from "../../../../simulation/world/world";
import type { Properties } from "../../../../components/core/wire";

export const roles = {
  cluster: "arn:aws:iam::123456789012:role/cluster",
  nodes: "arn:aws:iam::123456789012:role/nodes",
  pods: "arn:aws:iam::123456789012:role/pods",
} as const;

export const keyArn = "arn:aws:kms:ap-northeast-2:123456789012:key/1";

/** A world with what a cluster and its nodes stand on: two zones, roles with their policies, a key, a launch template. */
export function foundation(options: SimulatedWorldOptions = {}): World {
  const world = simulatedWorld(options);
  put(world, types.vpc, "vpc-1", { cidrBlock: "192.168.0.0/16" });
  for (const [id, zone] of Object.entries({ "subnet-a": "ap-northeast-2a", "subnet-b": "ap-northeast-2b" })) {
    put(world, types.subnet, id, { vpcId: "vpc-1", availabilityZone: zone });
  }
  for (const [name, arn] of Object.entries(roles)) {
    const assumeRolePolicy = name === "pods" ? `{"Principal":"pods.eks.amazonaws.com"}` : "{}";
    put(world, types.role, name, { name, assumeRolePolicy }, { arn });
  }
  attach(world, "cluster", "AmazonEKSClusterPolicy");
  attach(world, "nodes", "AmazonEKSWorkerNodePolicy");
  put(world, types.key, "1", {}, { arn: keyArn });
  put(world, types.securityGroup, "sg-nodes", { vpcId: "vpc-1", name: "nodes" });
  put(world, types.launchTemplate, "lt-1", { name: "nodes", vpcSecurityGroupIds: ["sg-nodes"] });
  return world;
}

export function put(world: World, type: string, id: string, inputs: Properties, computed: Properties = {}): void {
  world.put({ type, id, inputs, computed });
}

export function attach(world: World, role: string, policy: string): void {
  const policyArn = `arn:aws:iam::aws:policy/${policy}`;
  put(world, types.rolePolicyAttachment, `${role}/${policyArn}`, { role, policyArn });
}

export const clusterInputs: Properties = {
  name: "lab",
  version: "1.35",
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

export function makeCluster(world: World, over: Properties = {}): Promise<WorldObject> {
  return world.create(eksTypes.cluster, { ...clusterInputs, ...over });
}

export function makeAddon(world: World, addonName: string, over: Properties = {}): Promise<WorldObject> {
  return world.create(eksTypes.addon, { clusterName: "lab", addonName, ...over });
}

/** A cluster on which nodes become ready. */
export async function clusterForNodes(options: SimulatedWorldOptions = {}, over: Properties = {}): Promise<World> {
  const world = foundation(options);
  await makeCluster(world, over);
  await makeAddon(world, "vpc-cni");
  await makeAddon(world, "kube-proxy");
  return world;
}

export const groupInputs: Properties = {
  clusterName: "lab",
  nodeGroupName: "system",
  nodeRoleArn: roles.nodes,
  subnetIds: ["subnet-a", "subnet-b"],
  amiType: "AL2023_x86_64_STANDARD",
  instanceTypes: ["t3.medium"],
  capacityType: "ON_DEMAND",
  version: "1.35",
  releaseVersion: "1.35.8-20260930",
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

export function makeGroup(world: World, over: Properties = {}): Promise<WorldObject> {
  return world.create(eksTypes.nodeGroup, { ...groupInputs, ...over });
}

/** The configuration of a Kubernetes provider for the cluster, as @pulumi/eks makes it. */
export function providerFor(world: World, ...more: readonly string[]): Properties {
  const cluster = world.get(eksTypes.cluster, "lab");
  const args = ["--region", "ap-northeast-2", "eks", "get-token", "--cluster-name", "lab", ...more];
  return {
    kubeconfig: JSON.stringify({
      clusters: [{ name: "kubernetes", cluster: { server: cluster?.computed["endpoint"] } }],
      users: [{ name: "aws", user: { exec: { command: "aws", args } } }],
    }),
  };
}

/** The message of the error that a request ends with. */
export async function messageOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    return (error as Error).message;
  }
  return "no error";
}

/** What is in the world, by type and id. */
export function contents(world: World): string[] {
  return world.objects.map(({ type, id }) => `${type} ${id}`).sort();
}
