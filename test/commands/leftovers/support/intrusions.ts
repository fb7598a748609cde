import { AutoScaling } from "@aws-sdk/client-auto-scaling";
import { EC2, type ResourceType } from "@aws-sdk/client-ec2";
import { EKS } from "@aws-sdk/client-eks";
import { ElasticLoadBalancingV2 } from "@aws-sdk/client-elastic-load-balancing-v2";
import { IAM } from "@aws-sdk/client-iam";
import { KMS } from "@aws-sdk/client-kms";
import { Scheduler } from "@aws-sdk/client-scheduler";
import { idOf, makeOrphans, region, stackTags, type Orphans } from "./orphans";

/** What somebody else has in the account, and what of the environment that needs. */
export interface Intrusion {
  readonly foreign: readonly (string | undefined)[];
  readonly needed: readonly (string | undefined)[];
}

export type Intrude = (own: Orphans) => Promise<Intrusion>;

const ownTags = (name: string) => ({ ...stackTags("gpu-lab", name), "eks-gpu-lab/id": idOf("myeks") });
const listOf = (tags: Record<string, string>) => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
const tagged = (ResourceType: ResourceType, tags: Record<string, string>) => ({
  TagSpecifications: [{ ResourceType, Tags: listOf(tags) }],
});
const somebody = { owner: "somebody", Name: "myeks-database" };
const trust = JSON.stringify({ Version: "2012-10-17", Statement: [] });
let serial = 0;
const unique = (name: string) => `${name}-${++serial}`;

async function instanceIn(ec2: EC2, SubnetId: string, more: object = {}): Promise<string> {
  const { Instances = [] } = await ec2.runInstances({
    ...{ ImageId: "ami-12c6146b", InstanceType: "t3.medium", MinCount: 1, MaxCount: 1, SubnetId },
    ...tagged("instance", somebody),
    ...more,
  });
  return Instances[0]?.InstanceId ?? "";
}

/** A volume with the tags of the EBS CSI driver. */
export async function claimVolume(ec2: EC2, name: string, more: object = {}): Promise<string | undefined> {
  const tags = {
    ...{ ...somebody, "eks-gpu-lab/id": idOf("myeks"), "kubernetes.io/cluster/myeks": "owned" },
    ...{ CSIVolumeName: `pvc-${name}`, "kubernetes.io/created-for/pv/name": `pvc-${name}` },
  };
  const { VolumeId } = await ec2.createVolume({
    ...{ AvailabilityZone: `${region}a`, Size: 9, ...more },
    ...tagged("volume", tags),
  });
  return VolumeId;
}

/** A VPC of somebody else, with an instance. */
async function foreignVpc(ec2: EC2, tags: Record<string, string> = somebody) {
  const { Vpc } = await ec2.createVpc({ CidrBlock: "10.9.0.0/16", ...tagged("vpc", tags) });
  const vpc = Vpc?.VpcId ?? "";
  const { Subnet } = await ec2.createSubnet({ VpcId: vpc, CidrBlock: "10.9.0.0/24" });
  const subnet = Subnet?.SubnetId ?? "";
  return { vpc, subnet, instance: await instanceIn(ec2, subnet) };
}

async function groupsOf({ ec2, vpc }: Orphans, name: string): Promise<string> {
  const { SecurityGroups = [] } = await ec2.describeSecurityGroups({ Filters: [{ Name: "vpc-id", Values: [vpc] }] });
  return SecurityGroups.find(({ GroupName }) => GroupName === name)?.GroupId ?? "";
}

async function tableOf({ ec2, vpc }: Orphans): Promise<string> {
  const Filters = [
    { Name: "vpc-id", Values: [vpc] },
    { Name: "tag:eks-gpu-lab/name", Values: ["VPC-public"] },
  ];
  return (await ec2.describeRouteTables({ Filters })).RouteTables?.[0]?.RouteTableId ?? "";
}

async function gatewayOf({ ec2, vpc }: Orphans): Promise<string> {
  const Filters = [{ Name: "attachment.vpc-id", Values: [vpc] }];
  return (await ec2.describeInternetGateways({ Filters })).InternetGateways?.[0]?.InternetGatewayId ?? "";
}

async function templateOf({ ec2 }: Orphans): Promise<string> {
  const answer = await ec2.describeLaunchTemplates({ LaunchTemplateNames: ["myeks-system"] });
  return answer.LaunchTemplates?.[0]?.LaunchTemplateId ?? "";
}

const roleName = "myeks-system-2026";

/** Objects whose names others have, too: what a request that changes them is called. */
export const namedObjects: Readonly<Record<string, readonly [operation: RegExp, name: string]>> = {
  role: [/Role/, roleName],
  cluster: [/^DELETE clusters\/myeks$/, "myeks"],
  "schedule group": [/schedule-groups/, "myeks-lease-2026"],
  profile: [/InstanceProfile/, "myeks-system"],
};

/** Each is one class of things that others do in an account. */
export const intrusions: Readonly<Record<string, Intrude>> = {
  "an instance in a subnet of the environment": async (own) => {
    const { ec2, vpc, subnets } = own;
    const group = await groupsOf(own, "myeks-nodes");
    const instance = await instanceIn(ec2, subnets[0] ?? "", { SecurityGroupIds: [group] });
    return { foreign: [instance], needed: [vpc, subnets[0], group, await tableOf(own), await gatewayOf(own)] };
  },
  "an interface of a database in a subnet": async ({ ec2, vpc, subnets }) => {
    const { NetworkInterface: one } = await ec2.createNetworkInterface({
      ...{ SubnetId: subnets[1], Description: "RDSNetworkInterface" },
    });
    return { foreign: [one?.NetworkInterfaceId], needed: [vpc, subnets[1]] };
  },
  "a security group whose rules name one of the environment": async (own) => {
    const { ec2, vpc } = own;
    const group = await groupsOf(own, "myeks-control-plane");
    const { GroupId } = await ec2.createSecurityGroup({ VpcId: vpc, GroupName: unique("mine"), Description: "mine" });
    for (const port of [1, 2, 3]) {
      const to = port === 3 ? group : await groupsOf(own, "default");
      const IpPermissions = [{ IpProtocol: "tcp", FromPort: port, ToPort: port, UserIdGroupPairs: [{ GroupId: to }] }];
      await ec2.authorizeSecurityGroupIngress({ GroupId, IpPermissions });
    }
    return { foreign: [GroupId], needed: [group, vpc] };
  },
  "a NAT gateway in a subnet": async ({ ec2, vpc, subnets }) => {
    const { AllocationId } = await ec2.allocateAddress({ Domain: "vpc", ...tagged("elastic-ip", somebody) });
    const { NatGateway: nat } = await ec2.createNatGateway({ SubnetId: subnets[1], AllocationId });
    return { foreign: [nat?.NatGatewayId, AllocationId], needed: [vpc, subnets[1]] };
  },
  "a route table with a route to the NAT gateway": async ({ ec2, vpc, nat, address, subnets }) => {
    const { RouteTable: table } = await ec2.createRouteTable({ VpcId: vpc, ...tagged("route-table", somebody) });
    const RouteTableId = table?.RouteTableId;
    await ec2.createRoute({ RouteTableId, DestinationCidrBlock: "0.0.0.0/0", NatGatewayId: nat });
    return { foreign: [RouteTableId], needed: [vpc, nat, address, subnets[0]] };
  },
  "a subnet with the route table of the environment": async (own) => {
    const { ec2, vpc } = own;
    const { Subnet } = await ec2.createSubnet({ VpcId: vpc, CidrBlock: "192.168.77.0/24" });
    const table = await tableOf(own);
    await ec2.associateRouteTable({ RouteTableId: table, SubnetId: Subnet?.SubnetId });
    return { foreign: [Subnet?.SubnetId], needed: [vpc, table, await gatewayOf(own)] };
  },
  "an endpoint with the route table of the environment": async (own) => {
    const { ec2, vpc } = own;
    const table = await tableOf(own);
    const ServiceName = `com.amazonaws.${region}.dynamodb`;
    const { VpcEndpoint: one } = await ec2.createVpcEndpoint({ VpcId: vpc, ServiceName, RouteTableIds: [table] });
    return { foreign: [one?.VpcEndpointId], needed: [vpc, table] };
  },
  "a peering connection": async ({ ec2, vpc }) => {
    const other = await foreignVpc(ec2);
    const { VpcPeeringConnection: one } = await ec2.createVpcPeeringConnection({ VpcId: vpc, PeerVpcId: other.vpc });
    const VpcPeeringConnectionId = one?.VpcPeeringConnectionId;
    await ec2.acceptVpcPeeringConnection({ VpcPeeringConnectionId });
    return { foreign: [VpcPeeringConnectionId, other.vpc, other.instance], needed: [vpc] };
  },
  "a VPN gateway": async ({ ec2, vpc }) => {
    const { VpnGateway } = await ec2.createVpnGateway({ Type: "ipsec.1" });
    await ec2.attachVpnGateway({ VpnGatewayId: VpnGateway?.VpnGatewayId, VpcId: vpc });
    return { foreign: [VpnGateway?.VpnGatewayId], needed: [vpc] };
  },
  "a load balancer in the VPC": async ({ vpc, subnets }) => {
    const elb = new ElasticLoadBalancingV2({ region });
    const { LoadBalancers } = await elb.createLoadBalancer({ Name: unique("mine"), Subnets: [...subnets] });
    return { foreign: [LoadBalancers?.[0]?.LoadBalancerArn], needed: [vpc, ...subnets] };
  },
  "a load balancer with the target group of the environment": async () => {
    const elb = new ElasticLoadBalancingV2({ region });
    const { subnet } = await foreignVpc(new EC2({ region }));
    const { LoadBalancers } = await elb.createLoadBalancer({
      Name: unique("mine"),
      Subnets: [subnet],
      Type: "network",
    });
    const LoadBalancerArn = LoadBalancers?.[0]?.LoadBalancerArn;
    const { TargetGroups } = await elb.describeTargetGroups({ Names: ["k8s-myeks"] });
    const TargetGroupArn = TargetGroups?.[0]?.TargetGroupArn;
    const DefaultActions = [{ Type: "forward" as const, TargetGroupArn }];
    await elb.createListener({ LoadBalancerArn, Protocol: "TCP", Port: 80, DefaultActions });
    return { foreign: [LoadBalancerArn], needed: [TargetGroupArn] };
  },
  "what the environment has in another VPC": async ({ ec2 }) => {
    const other = await foreignVpc(ec2);
    const { GroupId } = await ec2.createSecurityGroup({
      ...{ VpcId: other.vpc, GroupName: unique("far"), Description: "far" },
      ...tagged("security-group", ownTags("far-group")),
    });
    const user = await instanceIn(ec2, other.subnet, { SecurityGroupIds: [GroupId ?? ""] });
    const { Subnet } = await ec2.createSubnet({
      ...{ VpcId: other.vpc, CidrBlock: "10.9.1.0/24" },
      ...tagged("subnet", ownTags("far-subnet")),
    });
    const inSubnet = await instanceIn(ec2, Subnet?.SubnetId ?? "");
    const { InternetGateway } = await ec2.createInternetGateway(tagged("internet-gateway", ownTags("far-gateway")));
    const GatewayId = InternetGateway?.InternetGatewayId;
    await ec2.attachInternetGateway({ InternetGatewayId: GatewayId, VpcId: other.vpc });
    const { RouteTable } = await ec2.createRouteTable({ VpcId: other.vpc });
    const RouteTableId = RouteTable?.RouteTableId;
    await ec2.createRoute({ RouteTableId, DestinationCidrBlock: "0.0.0.0/0", GatewayId });
    return {
      foreign: [other.vpc, other.subnet, other.instance, user, inSubnet, RouteTableId],
      needed: [GroupId, Subnet?.SubnetId, GatewayId],
    };
  },
  "objects with all tags of one of the environment": async ({ ec2, vpc, key }) => {
    const { vpc: copied } = await foreignVpc(ec2, { ...ownTags("VPC"), Name: "myeks-VPC" });
    const RoleName = unique("prod");
    await new IAM({ region }).createRole({
      ...{ RoleName, AssumeRolePolicyDocument: trust, Tags: listOf(ownTags("system-role")) },
    });
    const Tags = Object.entries(ownTags("secrets-key")).map(([TagKey, TagValue]) => ({ TagKey, TagValue }));
    const { KeyMetadata } = await new KMS({ region }).createKey({ Tags });
    const { Volumes = [] } = {
      Volumes: [
        await ec2.createVolume({
          ...{ AvailabilityZone: `${region}a`, Size: 9 },
          ...tagged("volume", ownTags("data")),
        }),
      ],
    };
    // Which one is the copy cannot be seen, so both stay.
    return { foreign: [copied, RoleName, KeyMetadata?.KeyId, Volumes[0]?.VolumeId], needed: [vpc, "role", key] };
  },
  "a volume that was restored from a copied snapshot, with all tags": async ({ ec2 }) => {
    const original = await claimVolume(ec2, "alone");
    const { SnapshotId } = await ec2.createSnapshot({ VolumeId: original });
    await ec2.deleteVolume({ VolumeId: original });
    return { foreign: [await claimVolume(ec2, "alone", { SnapshotId })], needed: [] };
  },
  "a restored volume next to the original": async ({ ec2 }) => {
    const original = await claimVolume(ec2, "both");
    const { SnapshotId } = await ec2.createSnapshot({ VolumeId: original });
    return { foreign: [await claimVolume(ec2, "both", { SnapshotId })], needed: [original] };
  },
  "a volume with the name of another one in the cluster": async ({ ec2 }) => {
    return { foreign: [await claimVolume(ec2, "same"), await claimVolume(ec2, "same")], needed: [] };
  },
  "an instance with all tags of a node, and the id": async ({ ec2 }) => {
    const { subnet } = await foreignVpc(ec2);
    const tags = { ...somebody, "eks-gpu-lab/id": idOf("myeks"), "kubernetes.io/cluster/myeks": "owned" };
    return { foreign: [await instanceIn(ec2, subnet, tagged("instance", tags))], needed: [] };
  },
  "objects with the id of a copy in another region or account": async ({ ec2 }) => {
    const RoleName = unique("west");
    const id = idOf("myeks").replace(region, "us-west-2");
    const Tags = listOf({ ...ownTags("west-role"), "eks-gpu-lab/id": id });
    await new IAM({ region }).createRole({ RoleName, AssumeRolePolicyDocument: trust, Tags });
    const other = await foreignVpc(ec2, { ...ownTags("west"), "eks-gpu-lab/id": idOf("myeks", "210987654321") });
    return { foreign: [RoleName, other.vpc, other.subnet, other.instance], needed: [] };
  },
  "an instance with an address of the environment": async ({ ec2 }) => {
    const other = await foreignVpc(ec2);
    const allocate = async (name: string) =>
      (await ec2.allocateAddress({ Domain: "vpc", ...tagged("elastic-ip", ownTags(name)) })).AllocationId;
    const [first, second] = [await allocate("moved-1"), await allocate("moved-2")];
    await ec2.associateAddress({ AllocationId: first, InstanceId: other.instance });
    const { NetworkInterface: one } = await ec2.createNetworkInterface({ SubnetId: other.subnet });
    await ec2.associateAddress({ AllocationId: second, NetworkInterfaceId: one?.NetworkInterfaceId });
    return { foreign: [other.instance, one?.NetworkInterfaceId], needed: [first, second] };
  },
  "an instance with a volume of the environment": async ({ ec2 }) => {
    const other = await foreignVpc(ec2);
    const { VolumeId } = await ec2.createVolume({
      ...{ AvailabilityZone: `${region}a`, Size: 7 },
      ...tagged("volume", { "eks-gpu-lab/id": idOf("myeks"), "kubernetes.io/cluster/myeks": "owned" }),
    });
    await ec2.attachVolume({ VolumeId, InstanceId: other.instance, Device: "/dev/sdz" });
    return { foreign: [other.instance], needed: [VolumeId] };
  },
  "aliases of the key": async ({ key }) => {
    const kms = new KMS({ region });
    // The second one is as long as alias/eks/ before the name of the cluster.
    const aliases = [unique("alias/prod-db"), "alias/dev/myeks"];
    for (const AliasName of aliases) await kms.createAlias({ AliasName, TargetKeyId: key });
    return { foreign: aliases, needed: [key, "alias/eks/myeks"] };
  },
  "an instance profile with the role of the environment": async () => {
    const iam = new IAM({ region });
    const InstanceProfileName = unique("mine");
    await iam.createInstanceProfile({ InstanceProfileName });
    await iam.addRoleToInstanceProfile({ InstanceProfileName, RoleName: roleName });
    return { foreign: [InstanceProfileName], needed: ["role"] };
  },
  "an instance with the profile of the environment": async ({ ec2 }) => {
    const { subnet } = await foreignVpc(ec2);
    const instance = await instanceIn(ec2, subnet, { IamInstanceProfile: { Name: "myeks-system" } });
    return { foreign: [instance], needed: ["profile", "role"] };
  },
  "an Auto Scaling group with the launch template": async (own) => {
    const { ec2, subnets, vpc } = own;
    const template = await templateOf(own);
    const group = await groupsOf(own, "myeks-nodes");
    const AutoScalingGroupName = unique("mine");
    const { LaunchTemplate } = await ec2.createLaunchTemplate({
      ...{ LaunchTemplateName: unique("mine"), LaunchTemplateData: { SecurityGroupIds: [group] } },
    });
    const autoScaling = new AutoScaling({ region });
    const sizes = { MinSize: 0, MaxSize: 1, DesiredCapacity: 0 };
    await autoScaling.createAutoScalingGroup({
      ...{ AutoScalingGroupName, ...sizes, VPCZoneIdentifier: subnets[1] },
      LaunchTemplate: { LaunchTemplateId: template, Version: "$Latest" },
    });
    const second = unique("mine");
    await autoScaling.createAutoScalingGroup({
      ...{ AutoScalingGroupName: second, ...sizes, VPCZoneIdentifier: subnets[1] },
      LaunchTemplate: { LaunchTemplateId: LaunchTemplate?.LaunchTemplateId, Version: "1" },
    });
    const foreign = [AutoScalingGroupName, second, LaunchTemplate?.LaunchTemplateId];
    return { foreign, needed: [template, subnets[1], vpc, group] };
  },
  "a node group in the cluster": async ({ ec2, eks, cluster, subnets }) => {
    const nodegroupName = unique("mine");
    const nodeRole = "arn:aws:iam::123456789012:role/mine";
    const { nodegroup } = await eks.createNodegroup({
      ...{ clusterName: cluster, nodegroupName, nodeRole, subnets: [subnets[1] ?? ""] },
      scalingConfig: { minSize: 0, maxSize: 1, desiredSize: 0 },
    });
    const group = nodegroup?.resources?.autoScalingGroups?.[0]?.name ?? "";
    const tags = { ...somebody, "aws:eks:cluster-name": cluster, "aws:autoscaling:groupName": group };
    const node = await instanceIn(ec2, subnets[1] ?? "", tagged("instance", tags));
    const alone = await instanceIn(ec2, subnets[1] ?? "", tagged("instance", { "aws:eks:cluster-name": cluster }));
    return { foreign: [nodegroupName, node, alone], needed: ["cluster", subnets[1]] };
  },
  "schedules in the schedule group": async () => {
    const scheduler = new Scheduler({ region });
    const GroupName = "myeks-lease-2026";
    await new EKS({ region }).createCluster({
      ...{ name: unique("prod"), roleArn: "arn:aws:iam::123456789012:role/prod", version: "1.35" },
      resourcesVpcConfig: { subnetIds: [] },
    });
    const target = async (Name: string, Arn: string, Input: string) => {
      const Target = { Arn, Input, RoleArn: "arn:aws:iam::123456789012:role/mine" };
      const times = { ScheduleExpression: "rate(1 day)", FlexibleTimeWindow: { Mode: "OFF" as const } };
      await scheduler.createSchedule({ GroupName, Name, Target, ...times });
      return Name;
    };
    const arn = "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig";
    const input = JSON.stringify({ ClusterName: `prod-${serial}`, NodegroupName: "gpu" });
    // The name of the second one is an ID of the environment.
    const foreign = [await target("myeks-nightly", arn, input)];
    return { foreign, needed: ["schedule group"] };
  },
  "a schedule of a function in the schedule group": async ({ vpc }) => {
    const GroupName = "myeks-lease-2026";
    const Target = { Arn: "arn:aws:lambda:::function:mine", RoleArn: "arn:aws:iam::123456789012:role/mine" };
    const times = { ScheduleExpression: "rate(1 day)", FlexibleTimeWindow: { Mode: "OFF" as const } };
    // Its name is an ID of the environment.
    await new Scheduler({ region }).createSchedule({ GroupName, Name: vpc, Target, ...times });
    return { foreign: [], needed: ["schedule group"] };
  },
  "a cluster with a role and a subnet of the environment": async ({ ec2, eks, subnets, vpc }) => {
    const name = unique("prod");
    await eks.createCluster({
      ...{ name, version: "1.35", roleArn: `arn:aws:iam::123456789012:role/${unique("other")}` },
      resourcesVpcConfig: { subnetIds: [(await foreignVpc(ec2)).subnet] },
      tags: { "eks-gpu-lab/id": idOf("prod") },
    });
    // It has the name of the environment's group.
    await eks.createNodegroup({
      ...{ clusterName: name, nodegroupName: "myeks-system-2026", subnets: [subnets[1] ?? ""] },
      nodeRole: `arn:aws:iam::123456789012:role/${roleName}`,
    });
    return { foreign: [name], needed: ["role", subnets[1], vpc] };
  },
  "a lab with the same stack and a name that begins the same": async () => {
    const twin = await makeOrphans("myeks-2", "gpu-lab", { withClassic: false });
    const { vpc, subnets, nat, address, cluster, group, key } = twin;
    const names = ["myeks-2-system-2026", "myeks-2-system", "myeks-2-lease-2026", "alias/eks/myeks-2"];
    return { foreign: [vpc, ...subnets, nat, address, cluster, group, key, ...names], needed: [] };
  },
  "names and old tags only": async ({ ec2 }) => {
    const instance = await instanceIn(
      ec2,
      (await foreignVpc(ec2)).subnet,
      tagged("instance", stackTags("gpu-lab", "x")),
    );
    const { vpc } = await foreignVpc(ec2, { ...stackTags("gpu-lab", "VPC"), Name: "myeks-VPC" });
    const RoleName = unique("myeks-system");
    const Tags = listOf(stackTags("gpu-lab", "old-role"));
    await new IAM({ region }).createRole({ RoleName, AssumeRolePolicyDocument: trust, Tags });
    const { KeyMetadata } = await new KMS({ region }).createKey({});
    await new KMS({ region }).createAlias({ AliasName: "alias/eks/myeks-2025", TargetKeyId: KeyMetadata?.KeyId });
    return { foreign: [instance, vpc, RoleName, KeyMetadata?.KeyId, "alias/eks/myeks-2025"], needed: [] };
  },
};
