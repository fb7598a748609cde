import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { clusterName, kubernetesVersion, tags, type Choices } from "./choices";
import { vpcCidr, type Network } from "./network";

/** The cluster with its key, log group, identity provider and administrator, and the security groups of the nodes. */
export function cluster({ vpc, privateSubnets }: Network, choices: Choices) {
  const key = new aws.kms.Key("cluster", {
    description: "myeks cluster encryption key",
    enableKeyRotation: true,
    tags,
  });
  new aws.kms.Alias("cluster", { name: "alias/eks/myeks", targetKeyId: key.id });
  new aws.cloudwatch.LogGroup("cluster", { name: "/aws/eks/myeks/cluster", retentionInDays: 90, tags });

  const role = new aws.iam.Role("cluster", {
    namePrefix: "myeks-cluster-",
    assumeRolePolicy: trust("eks.amazonaws.com", ["sts:AssumeRole", "sts:TagSession"]),
    forceDetachPolicies: true,
    tags,
  });
  const policy = new aws.iam.RolePolicyAttachment("cluster", {
    role: role.name,
    policyArn: "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
  });
  const encryption = new aws.iam.Policy("cluster-encryption", {
    policy: allow(["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"], key.arn),
  });
  new aws.iam.RolePolicyAttachment("cluster-encryption", { role: role.name, policyArn: encryption.arn });

  const groups = securityGroups(vpc, choices);
  const eks = new aws.eks.Cluster(
    "myeks",
    {
      name: clusterName,
      version: kubernetesVersion,
      roleArn: role.arn,
      bootstrapSelfManagedAddons: false,
      enabledClusterLogTypes: ["api", "scheduler"],
      accessConfig: {
        authenticationMode: choices.authenticationMode,
        bootstrapClusterCreatorAdminPermissions: false,
      },
      vpcConfig: {
        subnetIds: privateSubnets.map(({ id }) => id),
        securityGroupIds: [groups.ofCluster.id],
        endpointPrivateAccess: true,
        endpointPublicAccess: true,
        publicAccessCidrs: [...choices.publicAccessCidrs],
      },
      encryptionConfig: { resources: ["secrets"], provider: { keyArn: key.arn } },
      tags,
    },
    { dependsOn: policy },
  );
  administrator(eks);
  new aws.iam.OpenIdConnectProvider("irsa", {
    url: eks.identities.apply(([identity]) => identity?.oidcs?.[0]?.issuer ?? ""),
    clientIdLists: ["sts.amazonaws.com"],
    tags: { Name: "myeks-eks-irsa", ...tags },
  });
  return { eks, nodeGroupIds: [groups.ofNodes.id, groups.auxiliary.id] };
}

export type Cluster = ReturnType<typeof cluster>;

function administrator(eks: aws.eks.Cluster): void {
  const principalArn = aws.iam.getSessionContextOutput({ arn: aws.getCallerIdentityOutput().arn }).issuerArn;
  new aws.eks.AccessEntry("cluster-creator", { clusterName: eks.name, principalArn, type: "STANDARD" });
  new aws.eks.AccessPolicyAssociation("cluster-creator", {
    clusterName: eks.name,
    principalArn,
    policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    accessScope: { type: "cluster" },
  });
}

/** The group of the cluster, the group that the module gives every node, and the one next to it. */
function securityGroups(vpc: aws.ec2.Vpc, { nccl }: Choices) {
  const ofCluster = new aws.ec2.SecurityGroup("cluster", {
    namePrefix: "myeks-cluster-",
    description: "EKS cluster security group",
    vpcId: vpc.id,
    tags: { Name: "myeks-cluster", ...tags },
  });
  const ofNodes = new aws.ec2.SecurityGroup("node", {
    namePrefix: "myeks-node-",
    description: "EKS node shared security group",
    vpcId: vpc.id,
    tags: { Name: "myeks-node", "kubernetes.io/cluster/myeks": "owned", ...tags },
  });
  const auxiliary = new aws.ec2.SecurityGroup("node-group-sg", {
    name: "myeks-node-group-sg",
    description: "Auxiliary security group for EKS Node Group",
    vpcId: vpc.id,
    tags: { Name: "myeks-node-group-sg" },
  });

  const tcp = (name: string, to: aws.ec2.SecurityGroup, from: aws.ec2.SecurityGroup, port: number, last = port) =>
    ingress(name, { to, from, protocol: "tcp", port, last });
  tcp("cluster-443", ofCluster, ofNodes, 443);
  for (const port of [443, 10250]) tcp(`node-${port}`, ofNodes, ofCluster, port);
  tcp("node-dns-tcp", ofNodes, ofNodes, 53);
  ingress("node-dns-udp", { to: ofNodes, from: ofNodes, protocol: "udp", port: 53, last: 53 });
  if (nccl.nodeToNode) {
    tcp("node-ephemeral", ofNodes, ofNodes, 1025, 65535);
    for (const port of [4443, 6443, 8443, 9443, 10251]) tcp(`node-${port}`, ofNodes, ofCluster, port);
    everywhere("node", ofNodes);
  }
  if (nccl.vpcWide) {
    new aws.vpc.SecurityGroupIngressRule("vpc-all", {
      securityGroupId: auxiliary.id,
      ipProtocol: "-1",
      cidrIpv4: vpcCidr,
    });
  }
  everywhere("auxiliary", auxiliary);
  return { ofCluster, ofNodes, auxiliary };
}

interface IngressRule {
  readonly to: aws.ec2.SecurityGroup;
  readonly from: aws.ec2.SecurityGroup;
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  readonly last: number;
}

function ingress(name: string, { to, from, protocol, port, last }: IngressRule): void {
  new aws.vpc.SecurityGroupIngressRule(name, {
    securityGroupId: to.id,
    referencedSecurityGroupId: from.id,
    ipProtocol: protocol,
    fromPort: port,
    toPort: last,
  });
}

function everywhere(name: string, group: aws.ec2.SecurityGroup): void {
  new aws.vpc.SecurityGroupEgressRule(name, { securityGroupId: group.id, ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" });
}

/** A trust policy for a service of AWS. */
export function trust(service: string, actions: string[] = ["sts:AssumeRole"]): string {
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: service }, Action: actions }],
  });
}

/** A policy with one statement. */
export function allow(Action: string[], Resource: pulumi.Input<string>) {
  return pulumi.jsonStringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", Action, Resource }] });
}
