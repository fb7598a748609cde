import { Budgets } from "@aws-sdk/client-budgets";
import { CloudWatch } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import { EC2, type ResourceType } from "@aws-sdk/client-ec2";
import { EKS, type Nodegroup } from "@aws-sdk/client-eks";
import { ElasticLoadBalancing } from "@aws-sdk/client-elastic-load-balancing";
import { ElasticLoadBalancingV2 } from "@aws-sdk/client-elastic-load-balancing-v2";
import { IAM } from "@aws-sdk/client-iam";
import { KMS } from "@aws-sdk/client-kms";
import { Scheduler } from "@aws-sdk/client-scheduler";
import { SQS } from "@aws-sdk/client-sqs";

export const region = "ap-northeast-2";
const policy = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "ec2:DescribeVpcs", Resource: "*" }],
});
const trust = JSON.stringify({ Version: "2012-10-17", Statement: [] });

export interface Orphans {
  readonly vpc: string;
  readonly subnets: readonly string[];
  readonly nat: string;
  readonly address: string;
  readonly cluster: string;
  readonly group: string;
  readonly key: string;
  readonly ec2: EC2;
  readonly eks: EKS;
}

/** The id of the environment with this cluster. */
export function idOf(cluster: string, account = "123456789012"): string {
  return `${region}/${account}/00000000-0000-4000-8000-${Buffer.from(cluster).toString("hex").padStart(12, "0")}`;
}

/** The identity of an environment in the state of its stack. */
export function identityOf(cluster: string) {
  const urn = "urn:pulumi:gpu-lab::eks-gpu-lab::eks-gpu-lab:index:GpuEnvironment$pulumi:index:Stash::gpu-lab-identity";
  return { ...{ urn, type: "pulumi:index:Stash", custom: true, id: "1" }, outputs: { output: idOf(cluster) } };
}

/** The tags of the stack `organization/eks-gpu-lab/NAME`. */
export function stackTags(stack: string, name: string): Record<string, string> {
  return { "eks-gpu-lab/stack": `organization/eks-gpu-lab/${stack}`, "eks-gpu-lab/name": name };
}

function listOf(tags: Record<string, string>) {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

interface OrphanOptions {
  /** Whether the simulator has classic load balancers. */
  readonly withClassic?: boolean;
  /** Whether the objects have the id of the environment; earlier versions did not set it. */
  readonly hasId?: boolean;
  readonly account?: string;
  readonly instanceType?: "t3.medium" | "g5.xlarge";
}

/**
 * What a run of a lab stack creates, with the requests that the providers send.
 *
 * @param stack undefined: without its tags and without an id
 */
export async function makeOrphans(
  cluster: string,
  stack: string | undefined,
  { withClassic = true, hasId = true, instanceType = "t3.medium", account }: OrphanOptions = {},
): Promise<Orphans> {
  const id: Record<string, string> = stack !== undefined && hasId ? { "eks-gpu-lab/id": idOf(cluster, account) } : {};
  const tagsOf = (name: string) => ({
    Name: `${cluster}-${name}`,
    ...(stack !== undefined && stackTags(stack, name)),
    ...id,
  });
  const network = await makeNetwork(tagsOf, { [`kubernetes.io/cluster/${cluster}`]: "owned" });
  const key = await makeKeyAndLogs(cluster, tagsOf);
  const group = await makeCluster(cluster, network, tagsOf);
  await makeWhatTheClusterMade(cluster, network, { withClassic, instanceType }, id);
  await makeIdentities(cluster, tagsOf);
  const { nodegroup } = await new EKS({ region }).describeNodegroup({ clusterName: cluster, nodegroupName: group });
  await makeProfileOfEks(nodegroup);
  return { ...network, cluster, group, key, eks: new EKS({ region }) };
}

type TagsOf = (name: string) => Record<string, string>;

async function makeNetwork(tagsOf: TagsOf, clusterTag: Record<string, string>) {
  const ec2 = new EC2({ region });
  const tagged = (ResourceType: ResourceType, name: string) => ({
    TagSpecifications: [{ ResourceType, Tags: listOf(tagsOf(name)) }],
  });
  const { Vpc } = await ec2.createVpc({ CidrBlock: "192.168.0.0/16", ...tagged("vpc", "VPC") });
  const vpc = Vpc?.VpcId ?? "";
  const subnets: string[] = [];
  for (const [at, zone] of ["a", "c"].entries()) {
    const AvailabilityZone = `${region}${zone}`;
    const at24 = { VpcId: vpc, CidrBlock: `192.168.${at}.0/24`, AvailabilityZone };
    const { Subnet } = await ec2.createSubnet({ ...at24, ...tagged("subnet", `PublicSubnet-${zone}`) });
    subnets.push(Subnet?.SubnetId ?? "");
  }
  const [subnet = ""] = subnets;
  const { InternetGateway } = await ec2.createInternetGateway(tagged("internet-gateway", "IGW"));
  const gateway = InternetGateway?.InternetGatewayId ?? "";
  await ec2.attachInternetGateway({ InternetGatewayId: gateway, VpcId: vpc });
  const { AllocationId: address = "" } = await ec2.allocateAddress({ Domain: "vpc", ...tagged("elastic-ip", "NAT") });
  const { NatGateway } = await ec2.createNatGateway({
    ...{ SubnetId: subnet, AllocationId: address },
    ...tagged("natgateway", "NAT"),
  });
  const { RouteTable } = await ec2.createRouteTable({ VpcId: vpc, ...tagged("route-table", "VPC-public") });
  const table = RouteTable?.RouteTableId ?? "";
  await ec2.createRoute({ RouteTableId: table, DestinationCidrBlock: "0.0.0.0/0", GatewayId: gateway });
  await ec2.associateRouteTable({ RouteTableId: table, SubnetId: subnet });
  await ec2.createVpcEndpoint({
    ...{ VpcId: vpc, ServiceName: `com.amazonaws.${region}.s3`, VpcEndpointType: "Gateway" },
    ...tagged("vpc-endpoint", "S3"),
  });
  const [nodes = "", controlPlane = ""] = [
    await makeGroup(ec2, vpc, { ...tagsOf("nodes"), ...clusterTag }),
    await makeGroup(ec2, vpc, tagsOf("control-plane")),
  ];
  for (const [GroupId, other] of [
    [nodes, controlPlane],
    [controlPlane, nodes],
  ] as const) {
    const IpPermissions = [{ IpProtocol: "tcp", FromPort: 443, ToPort: 443, UserIdGroupPairs: [{ GroupId: other }] }];
    await ec2.authorizeSecurityGroupIngress({ GroupId, IpPermissions });
  }
  return { ec2, vpc, subnets, address, nat: NatGateway?.NatGatewayId ?? "" };
}

async function makeGroup(ec2: EC2, VpcId: string, tags: Record<string, string>): Promise<string> {
  const GroupName = tags["Name"] ?? "";
  const TagSpecifications = [{ ResourceType: "security-group" as const, Tags: listOf(tags) }];
  const { GroupId = "" } = await ec2.createSecurityGroup({ VpcId, GroupName, Description: "nodes", TagSpecifications });
  return GroupId;
}

async function makeKeyAndLogs(cluster: string, tagsOf: TagsOf): Promise<string> {
  const kms = new KMS({ region });
  const { KeyMetadata } = await kms.createKey({
    Tags: Object.entries({ ...tagsOf("secrets-key"), Name: cluster }).map(([TagKey, TagValue]) => ({
      TagKey,
      TagValue,
    })),
  });
  const key = KeyMetadata?.KeyId ?? "";
  await kms.createAlias({ AliasName: `alias/eks/${cluster}`, TargetKeyId: key });
  const logs = new CloudWatchLogs({ region });
  await logs.createLogGroup({ logGroupName: `/aws/eks/${cluster}/cluster`, tags: tagsOf("logs") });
  await logs.createLogGroup({ logGroupName: `/aws/containerinsights/${cluster}/performance` });
  return key;
}

const eksProfileOf = ({ resources }: Nodegroup = {}) => resources?.autoScalingGroups?.[0]?.name;

/** EKS makes it for each managed node group; moto does not. */
async function makeProfileOfEks(group: Nodegroup | undefined): Promise<void> {
  const [iam, InstanceProfileName] = [new IAM({ region }), eksProfileOf(group)];
  await iam.createInstanceProfile({ InstanceProfileName });
  await iam.addRoleToInstanceProfile({ InstanceProfileName, RoleName: group?.nodeRole?.split("/").at(-1) });
}

/** Removes the profile of a node group as EKS does, before moto removes the group. */
export async function endProfileOfEks(endpoint: string, clusterName: string, nodegroupName: string): Promise<void> {
  const iam = new IAM({ region, endpoint });
  const { nodegroup } = await new EKS({ region, endpoint }).describeNodegroup({ clusterName, nodegroupName });
  const InstanceProfileName = eksProfileOf(nodegroup);
  const { InstanceProfiles = [] } = await iam.listInstanceProfiles({});
  const profile = InstanceProfiles.find((one) => one.InstanceProfileName === InstanceProfileName);
  if (!profile) return;
  for (const { RoleName } of profile.Roles ?? [])
    await iam.removeRoleFromInstanceProfile({ InstanceProfileName, RoleName });
  await iam.deleteInstanceProfile({ InstanceProfileName });
}

type Network = Awaited<ReturnType<typeof makeNetwork>>;

async function makeCluster(cluster: string, { ec2, subnets }: Network, tagsOf: TagsOf): Promise<string> {
  const [eks, roleArn] = [new EKS({ region }), "arn:aws:iam::123456789012:role/nodes"];
  const nodeRole = `arn:aws:iam::123456789012:role/${cluster}-system-2026`;
  await eks.createCluster({
    ...{ name: cluster, roleArn, version: "1.35", tags: tagsOf("cluster") },
    resourcesVpcConfig: { subnetIds: [...subnets] },
  });
  const { LaunchTemplate } = await ec2.createLaunchTemplate({
    ...{ LaunchTemplateName: `${cluster}-system`, LaunchTemplateData: { InstanceType: "t3.medium" } },
    TagSpecifications: [{ ResourceType: "launch-template", Tags: listOf(tagsOf("system-launch-template")) }],
  });
  const group = `${cluster}-system-2026`;
  await eks.createNodegroup({
    ...{ clusterName: cluster, nodegroupName: group, nodeRole, subnets: [...subnets] },
    ...{ scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 }, tags: tagsOf("system") },
    launchTemplate: { id: LaunchTemplate?.LaunchTemplateId, version: "1" },
  });
  return group;
}

/** Objects of controllers and of the VPC CNI, which Pulumi does not know. */
async function makeWhatTheClusterMade(
  cluster: string,
  { ec2, subnets, vpc }: Network,
  { withClassic, instanceType }: Required<Pick<OrphanOptions, "withClassic" | "instanceType">>,
  id: Record<string, string>,
): Promise<void> {
  const owned = { [`kubernetes.io/cluster/${cluster}`]: "owned", ...id };
  const [subnet = ""] = subnets;
  await ec2.createVolume({
    ...{ AvailabilityZone: `${region}a`, Size: 50, VolumeType: "gp3" },
    TagSpecifications: [
      { ResourceType: "volume", Tags: listOf({ ...owned, "kubernetes.io/created-for/pvc/name": "prometheus" }) },
    ],
  });
  await ec2.createNetworkInterface({
    ...{ SubnetId: subnet, Description: "aws-K8S-i-0123456789abcdef0" },
    TagSpecifications: [
      { ResourceType: "network-interface", Tags: listOf({ "cluster.k8s.amazonaws.com/name": cluster, ...id }) },
    ],
  });
  await makeInstance(ec2, cluster, subnet, instanceType);
  const elbv2 = new ElasticLoadBalancingV2({ region });
  const controller = listOf({ "elbv2.k8s.aws/cluster": cluster, ...id });
  const name = `k8s-${cluster}`.slice(0, 30);
  await elbv2.createLoadBalancer({ Name: name, Subnets: [...subnets], Type: "network", Tags: controller });
  await elbv2.createTargetGroup({ Name: name, Protocol: "TCP", Port: 80, VpcId: vpc, Tags: controller });
  if (!withClassic) return;
  const listeners = [{ Protocol: "TCP", LoadBalancerPort: 80, InstancePort: 80 }];
  await new ElasticLoadBalancing({ region }).createLoadBalancer({
    ...{ LoadBalancerName: `classic-${cluster}`, Listeners: listeners, Subnets: [subnet], Tags: listOf(owned) },
    SecurityGroups: [await makeGroup(ec2, vpc, { Name: `k8s-elb-${cluster}`, ...owned })],
  });
}

/** An instance whose node group is gone. */
async function makeInstance(
  ec2: EC2,
  cluster: string,
  SubnetId: string,
  InstanceType: "t3.medium" | "g5.xlarge",
): Promise<void> {
  const tags = {
    ...{ [`kubernetes.io/cluster/${cluster}`]: "owned", "eks:nodegroup-name": "gone" },
    ...{ "aws:eks:cluster-name": cluster, "aws:autoscaling:groupName": "eks-gone" },
  };
  await ec2.runInstances({
    ...{ ImageId: "ami-12c6146b", InstanceType, MinCount: 1, MaxCount: 1, SubnetId },
    TagSpecifications: [{ ResourceType: "instance", Tags: listOf(tags) }],
  });
}

async function makeIdentities(cluster: string, tagsOf: TagsOf): Promise<void> {
  const iam = new IAM({ region });
  const RoleName = `${cluster}-system-2026`;
  await iam.createRole({ RoleName, AssumeRolePolicyDocument: trust, Tags: listOf(tagsOf("system-role")) });
  // moto does not know the policies of AWS.
  const { Policy } = await iam.createPolicy({ PolicyName: `${cluster}-policy`, PolicyDocument: policy });
  await iam.attachRolePolicy({ RoleName, PolicyArn: Policy?.Arn });
  await iam.putRolePolicy({ RoleName, PolicyName: "inline", PolicyDocument: policy });
  const InstanceProfileName = `${cluster}-system`;
  await iam.createInstanceProfile({ InstanceProfileName, Tags: listOf(tagsOf("system-profile")) });
  await iam.addRoleToInstanceProfile({ InstanceProfileName, RoleName });
  const Name = `${cluster}-lease-2026`;
  await new Scheduler({ region }).createScheduleGroup({ Name, Tags: listOf(tagsOf("lease")) });
  await new SQS({ region }).createQueue({ QueueName: Name, tags: tagsOf("lease-failures") });
  await new CloudWatch({ region }).putMetricAlarm({
    ...{ AlarmName: Name, Namespace: "AWS/SQS", MetricName: "ApproximateNumberOfMessagesVisible", Period: 300 },
    ...{ Statistic: "Maximum", EvaluationPeriods: 1, ComparisonOperator: "GreaterThanThreshold", Threshold: 0 },
    Tags: listOf(tagsOf("lease-failed")),
  });
  const Budget = { BudgetName: Name, BudgetType: "COST", TimeUnit: "MONTHLY" } as const;
  const limited = { ...Budget, BudgetLimit: { Amount: "100", Unit: "USD" } };
  await new Budgets({ region }).createBudget({ AccountId: "123456789012", Budget: limited });
}
