import * as aws from "@pulumi/aws";
import { kubernetesVersion, tags, type Choices } from "./choices";
import { trust, type Cluster } from "./cluster";
import type { Network } from "./network";

interface Group {
  readonly name: string;
  readonly key: "primary" | "gpu";
  readonly amiType: string;
  readonly pinnedRelease: string;
  readonly instanceType: string;
  readonly sizes: { readonly minSize: number; readonly desiredSize: number; readonly maxSize: number };
  readonly subnets: readonly aws.ec2.Subnet[];
  readonly labels: Record<string, string>;
  readonly taints: { key: string; value: string; effect: string }[];
  readonly bootScript: string;
}

const packages = "tree bind-utils tcpdump nvme-cli links sysstat ipset htop";

/** The two groups of nodes, and the role of the system nodes, to which the original attached its controllers' rights. */
export function nodes({ privateSubnets }: Network, cluster: Cluster, choices: Choices) {
  const primary = nodeGroup(cluster, choices, {
    name: "myeks-ng-1",
    key: "primary",
    amiType: "AL2023_x86_64_STANDARD",
    pinnedRelease: "1.35.8-20260930",
    instanceType: "t3.medium",
    sizes: { minSize: 1, desiredSize: 2, maxSize: 4 },
    subnets: privateSubnets,
    labels: { tier: "primary" },
    taints: [],
    bootScript: `#!/bin/bash\ndnf update -y\ndnf install -y ${packages}\n`,
  });
  const gpu = nodeGroup(cluster, choices, {
    name: "myeks-ng-gpu",
    key: "gpu",
    amiType: "AL2023_x86_64_NVIDIA",
    pinnedRelease: "1.35.8-20260930",
    instanceType: "g5.xlarge",
    sizes: { minSize: 0, desiredSize: 0, maxSize: 2 },
    subnets: privateSubnets.slice(0, 1),
    labels: { tier: "gpu", "nvidia.com/gpu": "true", "k8s.amazonaws.com/accelerator": "nvidia-a10g" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    bootScript: `#!/bin/bash\ndnf install -y ${packages} pciutils\n`,
  });
  return { groups: [primary.group, gpu.group], systemRole: primary.role };
}

function nodeGroup({ eks, nodeGroupIds }: Cluster, choices: Choices, wanted: Group) {
  const { name, key } = wanted;
  const role = new aws.iam.Role(name, {
    name,
    assumeRolePolicy: trust("ec2.amazonaws.com"),
    forceDetachPolicies: true,
    tags,
  });
  const policies = ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryReadOnly", "AmazonEKS_CNI_Policy"];
  for (const policy of [...policies, "AmazonSSMManagedInstanceCore"]) {
    new aws.iam.RolePolicyAttachment(`${name}-${policy}`, {
      role: role.name,
      policyArn: `arn:aws:iam::aws:policy/${policy}`,
    });
  }
  const ofGroup = { Name: name, ...tags };
  const { rootGiB } = choices;
  const template = new aws.ec2.LaunchTemplate(key, {
    namePrefix: `${key}-`,
    description: `Custom launch template for ${name} EKS managed node group`,
    updateDefaultVersion: true,
    metadataOptions: {
      httpEndpoint: "enabled",
      httpTokens: "required",
      httpPutResponseHopLimit: choices.metadataHops,
    },
    vpcSecurityGroupIds: nodeGroupIds,
    tagSpecifications: ["instance", "volume", "network-interface"].map((resourceType) => ({
      resourceType,
      tags: ofGroup,
    })),
    userData: Buffer.from(wanted.bootScript).toString("base64"),
    ...(rootGiB !== "of the AMI" && {
      blockDeviceMappings: [
        { deviceName: "/dev/xvda", ebs: { volumeType: "gp3", volumeSize: rootGiB[key], encrypted: "true" } },
      ],
    }),
  });
  const group = new aws.eks.NodeGroup(
    name,
    {
      nodeGroupName: name,
      clusterName: eks.name,
      nodeRoleArn: role.arn,
      version: kubernetesVersion,
      amiType: wanted.amiType,
      releaseVersion: choices.versions === "pinned" ? wanted.pinnedRelease : recommendedRelease(key),
      capacityType: "ON_DEMAND",
      instanceTypes: [wanted.instanceType],
      scalingConfig: wanted.sizes,
      subnetIds: wanted.subnets.map(({ id }) => id),
      labels: wanted.labels,
      taints: wanted.taints,
      updateConfig: { maxUnavailablePercentage: 33, updateStrategy: choices.updateStrategy },
      launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
      tags: ofGroup,
    },
    { ignoreChanges: ["scalingConfig.desiredSize"] },
  );
  return { group, role };
}

/** The module reads it anew in every run, and each run may roll the nodes. */
function recommendedRelease(key: "primary" | "gpu") {
  const variant = key === "gpu" ? "nvidia" : "standard";
  const path = `/aws/service/eks/optimized-ami/${kubernetesVersion}/amazon-linux-2023/x86_64`;
  return aws.ssm.getParameterOutput({ name: `${path}/${variant}/recommended/release_version` }).value;
}
