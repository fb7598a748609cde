import * as ec2 from "@pulumi/aws/ec2";
import * as awsEks from "@pulumi/aws/eks";
import * as iam from "@pulumi/aws/iam";
import * as vpc from "@pulumi/aws/vpc";
import { Cluster } from "@pulumi/eks/cluster";
import { Release } from "@pulumi/kubernetes/helm/v3/release";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";

export interface LabOptions {
  root?: string;
  cluster?: string;
  nccl?: "open" | "blocked";
  /** Index of the zone of the GPU nodes. */
  gpuZone?: number;
  /** Whether the warning of a documentation address is logged. */
  warns?: boolean;
  operator?: boolean;
  /** A database password in a resource's input: must never be shown. */
  secret?: string;
}

const zones = ["a", "b", "c"].map((letter) => `ap-northeast-2${letter}`);

class Group extends pulumi.ComponentResource {
  constructor(token: string, name: string, args: pulumi.Inputs, opts?: pulumi.ComponentResourceOptions) {
    super(`eks-gpu-lab:index:${token}`, name, args, opts);
  }
}

/** A GPU environment as a program of the field would write it: the same resource types, without the components. */
export function labProgram(options: LabOptions = {}): Promise<pulumi.Inputs> {
  const rootName = options.root ?? "lab";
  const clusterName = options.cluster ?? "myeks";
  const root = new Group("GpuEnvironment", rootName, { clusterName, nccl: options.nccl ?? "open" });
  const network = makeNetwork(rootName, clusterName, root);
  const cluster = makeCluster(rootName, clusterName, network, root);
  const groups = makeFirewall(rootName, cluster, network, options.nccl ?? "open", root);
  makeNodes(rootName, clusterName, cluster, network, groups, options, root);
  if (options.operator) makeOperator(rootName, cluster, root);
  if (options.secret !== undefined) {
    new iam.Role(
      `${rootName}-secret`,
      { assumeRolePolicy: "{}", description: pulumi.secret(options.secret) },
      { parent: root },
    );
  }
  const warned = options.warns
    ? pulumi.log.warn("publicAccessCidrs: 203.0.113.0/24 is a documentation address", root)
    : Promise.resolve();
  return warned.then(() => ({ clusterName }));
}

interface MadeNetwork {
  vpc: ec2.Vpc;
  publicSubnets: ec2.Subnet[];
  privateSubnets: ec2.Subnet[];
}

function makeNetwork(root: string, prefix: string, parent: pulumi.Resource): MadeNetwork {
  const group = new Group("Vpc", root, { cidr: "192.168.0.0/16", natGateways: "single" }, { parent });
  const opts = { parent: group };
  const main = new ec2.Vpc(root, { cidrBlock: "192.168.0.0/16", tags: { Name: `${prefix}-VPC` } }, opts);
  const subnet = (kind: "public" | "private", index: number) =>
    new ec2.Subnet(
      `${root}-${kind}-${index}`,
      {
        vpcId: main.id,
        availabilityZone: zones[index] ?? "",
        cidrBlock: `192.168.${(index + (kind === "public" ? 0 : 3)) * 4}.0/22`,
        mapPublicIpOnLaunch: kind === "public",
      },
      opts,
    );
  const publicSubnets = [0, 1, 2].map((index) => subnet("public", index));
  const privateSubnets = [0, 1, 2].map((index) => subnet("private", index));
  const gateway = new ec2.InternetGateway(`${root}-internet`, { vpcId: main.id }, opts);
  const address = new ec2.Eip(`${root}-nat`, { domain: "vpc" }, opts);
  const nat = new ec2.NatGateway(
    `${root}-nat`,
    { allocationId: address.id, subnetId: publicSubnets[0]?.id ?? "" },
    { ...opts, dependsOn: gateway },
  );
  for (const kind of ["public", "private"] as const) {
    const table = new ec2.RouteTable(`${root}-${kind}`, { vpcId: main.id }, opts);
    const target = kind === "public" ? { gatewayId: gateway.id } : { natGatewayId: nat.id };
    new ec2.Route(`${root}-${kind}`, { routeTableId: table.id, destinationCidrBlock: "0.0.0.0/0", ...target }, opts);
    (kind === "public" ? publicSubnets : privateSubnets).forEach((one, index) => {
      new ec2.RouteTableAssociation(`${root}-${kind}-${index}`, { subnetId: one.id, routeTableId: table.id }, opts);
    });
  }
  return { vpc: main, publicSubnets, privateSubnets };
}

function makeCluster(root: string, name: string, network: MadeNetwork, parent: pulumi.Resource): Cluster {
  const group = new Group("EksCluster", root, { clusterName: name, kubernetesVersion: "1.35" }, { parent });
  return new Cluster(
    root,
    {
      name,
      version: "1.35",
      vpcId: network.vpc.id,
      subnetIds: network.privateSubnets.map((subnet) => subnet.id),
      endpointPrivateAccess: true,
      endpointPublicAccess: true,
      publicAccessCidrs: ["203.0.113.0/24"],
      skipDefaultNodeGroup: true,
      skipDefaultSecurityGroups: true,
    },
    { parent: group },
  );
}

function makeFirewall(
  root: string,
  cluster: Cluster,
  network: MadeNetwork,
  nccl: "open" | "blocked",
  parent: pulumi.Resource,
): ec2.SecurityGroup[] {
  const group = new Group("NodeFirewall", root, { nccl }, { parent });
  const opts = { parent: group };
  const node = new ec2.SecurityGroup(root, { vpcId: network.vpc.id, description: "nodes" }, opts);
  const auxiliary = new ec2.SecurityGroup(`${root}-auxiliary`, { vpcId: network.vpc.id }, opts);
  const ingress = (role: string, args: Omit<vpc.SecurityGroupIngressRuleArgs, "securityGroupId">, to = node) =>
    new vpc.SecurityGroupIngressRule(`${root}-${role}`, { securityGroupId: to.id, ...args }, opts);
  for (const port of [443, 10250, 4443, 6443, 8443, 9443, 10251, 8082]) {
    const referencedSecurityGroupId = cluster.clusterSecurityGroupId;
    ingress(`from-control-plane-${port}`, {
      ipProtocol: "tcp",
      fromPort: port,
      toPort: port,
      referencedSecurityGroupId,
    });
  }
  for (const ipProtocol of ["tcp", "udp"]) {
    ingress(`dns-${ipProtocol}`, { ipProtocol, fromPort: 53, toPort: 53, referencedSecurityGroupId: node.id });
  }
  if (nccl === "open") {
    ingress("node-to-node", {
      ipProtocol: "tcp",
      fromPort: 1025,
      toPort: 65535,
      referencedSecurityGroupId: node.id,
    });
    ingress("vpc-wide", { ipProtocol: "-1", cidrIpv4: network.vpc.cidrBlock }, auxiliary);
  }
  new vpc.SecurityGroupEgressRule(
    `${root}-egress`,
    { securityGroupId: auxiliary.id, ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" },
    opts,
  );
  return [node, auxiliary];
}

function makeNodes(
  root: string,
  clusterName: string,
  cluster: Cluster,
  network: MadeNetwork,
  firewall: ec2.SecurityGroup[],
  options: LabOptions,
  parent: pulumi.Resource,
): void {
  const addon = (addonName: string, addonVersion: string, dependsOn: pulumi.Resource[]) =>
    new awsEks.Addon(`${root}-${addonName}`, { clusterName, addonName, addonVersion }, { parent, dependsOn });
  const before = [
    addon("vpc-cni", "v1.22.4-eksbuild.3", [cluster]),
    addon("kube-proxy", "v1.35.0-eksbuild.2", [cluster]),
  ];
  const role = (name: string, on: pulumi.Resource) =>
    new iam.Role(name, { assumeRolePolicy: "{}", managedPolicyArns: [] }, { parent: on });
  const template = (name: string, volumeSize: number, on: pulumi.Resource) =>
    new ec2.LaunchTemplate(
      name,
      {
        vpcSecurityGroupIds: firewall.map((one) => one.id),
        metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
        blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize, volumeType: "gp3", encrypted: "true" } }],
      },
      { parent: on },
    );

  const system = new Group("SystemNodeGroup", `${root}-system`, { instanceType: "t3.medium" }, { parent });
  const systemTemplate = template(`${root}-system`, 30, system);
  const systemNodes = new awsEks.NodeGroup(
    `${root}-system`,
    {
      clusterName,
      nodeGroupName: `${clusterName}-ng-1`,
      amiType: "AL2023_x86_64_STANDARD",
      releaseVersion: "1.35.8-20260930",
      instanceTypes: ["t3.medium"],
      nodeRoleArn: role(`${root}-system`, system).arn,
      subnetIds: network.privateSubnets.map((subnet) => subnet.id),
      scalingConfig: { desiredSize: 2, minSize: 1, maxSize: 4 },
      launchTemplate: { id: systemTemplate.id, version: systemTemplate.latestVersion.apply(String) },
    },
    { parent: system, dependsOn: before },
  );

  const instanceType = "g5.xlarge";
  const maxSize = 2;
  const gpu = new Group("GpuNodeGroup", `${root}-gpu`, { instanceType, maxSize, owner: "session" }, { parent });
  const gpuTemplate = template(`${root}-gpu`, 100, gpu);
  new awsEks.NodeGroup(
    `${root}-gpu`,
    {
      clusterName,
      nodeGroupName: `${clusterName}-ng-gpu`,
      amiType: "AL2023_x86_64_NVIDIA",
      releaseVersion: "1.35.8-20260930",
      capacityType: "ON_DEMAND",
      instanceTypes: [instanceType],
      nodeRoleArn: role(`${root}-gpu`, gpu).arn,
      subnetIds: [network.privateSubnets[options.gpuZone ?? 0]?.id ?? ""],
      scalingConfig: { desiredSize: 0, minSize: 0, maxSize },
      taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
      labels: { tier: "gpu" },
      launchTemplate: { id: gpuTemplate.id, version: gpuTemplate.latestVersion.apply(String) },
    },
    { parent: gpu, dependsOn: before, ignoreChanges: ["scalingConfig.desiredSize"] },
  );
  addon("coredns", "v1.13.1-eksbuild.1", [systemNodes]);
  addon("eks-node-monitoring-agent", "v1.5.1-eksbuild.1", [systemNodes]);
}

function makeOperator(root: string, cluster: Cluster, parent: pulumi.Resource): void {
  const group = new Group("GpuOperator", `${root}-gpu-operator`, { chartVersion: "v26.3.1" }, { parent });
  const provider = new Provider(`${root}-kubernetes`, { kubeconfig: cluster.kubeconfigJson }, { parent });
  new Release(
    `${root}-gpu-operator`,
    {
      chart: "gpu-operator",
      version: "v26.3.1",
      namespace: "gpu-operator",
      repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
      values: { driver: { enabled: false }, toolkit: { enabled: false } },
    },
    { parent: group, provider },
  );
}
