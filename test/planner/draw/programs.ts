import { unknownSentinel as unknown } from "../../../components/core/wire";
import type { ResourceSpec } from "../recordings";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";

function gpuGroup(more: Partial<ResourceSpec> = {}): ResourceSpec {
  return {
    type: nodeGroup,
    name: "gpu",
    ...more,
    inputs: {
      instanceTypes: ["g5.8xlarge"],
      scalingConfig: { desiredSize: 2, minSize: 0, maxSize: 8 },
      ...more.inputs,
    },
  };
}

const cluster: ResourceSpec = {
  type: "aws:eks/cluster:Cluster",
  name: "cluster",
  inputs: { name: "prod", version: "1.34", vpcConfig: { endpointPrivateAccess: true, endpointPublicAccess: false } },
};

/** A cluster in an existing network, with the security group that EKS creates. */
export const existingVpc: ResourceSpec[] = [
  cluster,
  gpuGroup({ inputs: { subnetIds: ["subnet-0aaa"] } }),
  {
    type: nodeGroup,
    name: "system",
    inputs: { instanceTypes: ["t3.medium"], subnetIds: ["subnet-0aaa", "subnet-0bbb"] },
  },
];

/** Two zones with a NAT gateway each, GPU nodes in both, security groups in the older ways. */
export const twoZones: ResourceSpec[] = [
  { type: "aws:ec2/vpc:Vpc", name: "vpc", inputs: { cidrBlock: "10.0.0.0/16" } },
  { type: "aws:ec2/internetGateway:InternetGateway", name: "igw", from: { vpcId: ["vpc"] } },
  ...["a", "b"].flatMap((letter): ResourceSpec[] => {
    const zone = `eu-west-1${letter}`;
    return [
      {
        type: "aws:ec2/subnet:Subnet",
        name: `public-${letter}`,
        inputs: { availabilityZone: zone },
        from: { vpcId: ["vpc"] },
      },
      {
        type: "aws:ec2/subnet:Subnet",
        name: `private-${letter}`,
        inputs: { availabilityZone: zone, cidrBlock: `10.0.${letter === "a" ? 1 : 2}.0/24` },
        from: { vpcId: ["vpc"] },
      },
      { type: "aws:ec2/natGateway:NatGateway", name: `nat-${letter}`, from: { subnetId: [`public-${letter}`] } },
      {
        type: "aws:ec2/routeTable:RouteTable",
        name: `in-${letter}`,
        from: { routes: [`nat-${letter}`], vpcId: ["vpc"] },
      },
      { type: "aws:ec2/routeTable:RouteTable", name: `out-${letter}`, from: { routes: ["igw"], vpcId: ["vpc"] } },
      {
        type: "aws:ec2/routeTableAssociation:RouteTableAssociation",
        name: `in-${letter}-1`,
        from: { subnetId: [`private-${letter}`], routeTableId: [`in-${letter}`] },
      },
      {
        type: "aws:ec2/routeTableAssociation:RouteTableAssociation",
        name: `out-${letter}-1`,
        from: { subnetId: [`public-${letter}`], routeTableId: [`out-${letter}`] },
      },
    ];
  }),
  cluster,
  {
    type: "aws:ec2/securityGroup:SecurityGroup",
    name: "nodes",
    inputs: {
      ingress: [
        { protocol: "tcp", fromPort: 0, toPort: 65535, self: true },
        { protocol: "tcp", fromPort: 10250, toPort: 10250, securityGroups: [unknown] },
      ],
    },
    from: { ingress: ["cluster"], vpcId: ["vpc"] },
  },
  {
    type: "aws:ec2/securityGroupRule:SecurityGroupRule",
    name: "webhooks",
    inputs: { type: "ingress", protocol: "tcp", fromPort: 9443, toPort: 9443 },
    from: { securityGroupId: ["nodes"], sourceSecurityGroupId: ["cluster"] },
  },
  {
    type: "aws:ec2/securityGroupRule:SecurityGroupRule",
    name: "out",
    inputs: { type: "egress", protocol: "-1", cidrBlocks: ["0.0.0.0/0"] },
    from: { securityGroupId: ["nodes"] },
  },
  {
    type: "aws:ec2/launchTemplate:LaunchTemplate",
    name: "template",
    inputs: { vpcSecurityGroupIds: [unknown] },
    from: { vpcSecurityGroupIds: ["nodes"] },
  },
  gpuGroup({
    inputs: { subnetIds: [unknown, unknown], launchTemplate: { id: unknown } },
    from: { subnetIds: ["private-a", "private-b"], launchTemplate: ["template"] },
  }),
  { type: "kubernetes:helm.sh/v3:Release", name: "operator", inputs: { chart: "nvidia/gpu-operator" } },
  {
    type: "kubernetes:helm.sh/v3:Release",
    name: "lbc",
    inputs: { chart: "oci://public.ecr.aws/eks/aws-load-balancer-controller", version: "3.5.0" },
  },
];

/** A cluster and nodes whose subnets are known only after the update. */
export const unknownSubnets: ResourceSpec[] = [
  { type: "eks:index:Cluster", name: "cluster", remote: true, inputs: {} },
  {
    type: "eks:index:ManagedNodeGroup",
    name: "gpu",
    remote: true,
    inputs: { instanceTypes: ["g5.xlarge"], subnetIds: unknown },
  },
];

/** Nothing a picture of a cluster could show. */
export const bucketOnly: ResourceSpec[] = [{ type: "aws:s3/bucket:Bucket", name: "bucket" }];

/** Names and labels that are syntax in Graphviz, Mermaid, XML or Markdown. */
export const hostileNames: ResourceSpec[] = [
  {
    type: "aws:ec2/vpc:Vpc",
    name: "vpc",
    inputs: { cidrBlock: "10.0.0.0/16", tags: { Name: '"]; end <b>&amp; %% #quot; "' } },
  },
  {
    type: "aws:ec2/subnet:Subnet",
    name: "end",
    inputs: { availabilityZone: "subgraph x\n}" },
    from: { vpcId: ["vpc"] },
  },
  gpuGroup({
    name: "</TABLE> class x y\u0000\u0007",
    inputs: { instanceTypes: ["g5.xlarge"], subnetIds: [unknown], taints: [] },
    from: { subnetIds: ["end"] },
  }),
];
