import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import { EC2 } from "@aws-sdk/client-ec2";
import { EventBridge } from "@aws-sdk/client-eventbridge";
import { IAM } from "@aws-sdk/client-iam";
import { KMS } from "@aws-sdk/client-kms";
import { SSM } from "@aws-sdk/client-ssm";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { createCloud } from "../../../simulation/create-cloud";
import { serveAccount, type Exchange } from "../../../simulation/http/account-server";
import { useAws } from "../../support/aws-environment";
import { exchangeProblems, missingModels } from "../../support/aws-models";
import { saySkipped } from "../../support/skips";

// The operations with which leftovers are found and removed. Each exchange is compared with the models of AWS.

const missing = missingModels();
if (missing !== undefined) saySkipped(`skipped, requests of leftovers by the models of AWS: ${missing}`);
const exchanges: Exchange[] = [];
afterAll(() => {
  if (missing === undefined) expect([...new Set(exchangeProblems(exchanges))]).toEqual([]);
});

const region = "ap-northeast-2";
const client = { region, maxAttempts: 1 };
const ec2 = () => new EC2(client);
let cloud: SimulatedCloud;

beforeEach(async () => {
  cloud = createCloud();
  const server = await serveAccount(cloud, (exchange) => void exchanges.push(exchange));
  onTestFinished(() => server.close());
  useAws(server.endpoint);
});

const create = async (type: string, inputs: object) => (await cloud.create(type, { ...inputs })).id;

/** A VPC with a public and a NAT gateway, an address and a route. */
async function network() {
  const vpcId = await create(types.vpc, { cidrBlock: "10.0.0.0/16", tags: { Name: "a", lab: "x" } });
  const at = { vpcId, availabilityZone: `${region}a` };
  const subnetId = await create(types.subnet, { ...at, cidrBlock: "10.0.0.0/24", tags: { Name: "b" } });
  const gateway = await create(types.internetGateway, { vpcId });
  const allocationId = await create(types.eip, {});
  const nat = await create(types.natGateway, { subnetId, allocationId, connectivityType: "public" });
  const routeTableId = await create(types.routeTable, { vpcId });
  await create(types.route, { routeTableId, destinationCidrBlock: "0.0.0.0/0", gatewayId: gateway });
  const association = await create(types.routeTableAssociation, { routeTableId, subnetId });
  return { vpcId, subnetId, gateway, allocationId, nat, routeTableId, association };
}

test("EC2 finds objects by ID, by tag and by VPC, and names filters and IDs that do not exist", async () => {
  const { vpcId, subnetId, routeTableId, gateway, association } = await network();
  const other = await create(types.vpc, { cidrBlock: "10.1.0.0/16" });
  const idsOf = async (Filters: { Name: string; Values: string[] }[]) =>
    ((await ec2().describeVpcs({ Filters })).Vpcs ?? []).map(({ VpcId }) => VpcId);
  expect(await idsOf([])).toEqual([vpcId, other]);
  expect(await idsOf([{ Name: "tag:lab", Values: ["x", "y"] }])).toEqual([vpcId]);
  expect(await idsOf([{ Name: "tag-key", Values: ["lab"] }])).toEqual([vpcId]);
  const twice = [{ Name: "tag:lab", Values: ["x"] }];
  expect(await idsOf([...twice, { Name: "tag:Name", Values: ["b"] }])).toEqual([]);
  expect((await ec2().describeVpcs({ VpcIds: [other] })).Vpcs).toMatchObject([{ CidrBlock: "10.1.0.0/16" }]);
  await expect(ec2().describeVpcs({ VpcIds: ["vpc-9"] })).rejects.toMatchObject({ name: "InvalidVpcID.NotFound" });
  await expect(idsOf([{ Name: "colour", Values: ["red"] }])).rejects.toThrow("The filter 'colour' is invalid");
  const Filters = [{ Name: "vpc-id", Values: [vpcId] }];
  expect((await ec2().describeSubnets({ Filters })).Subnets).toMatchObject([
    { SubnetId: subnetId, AvailableIpAddressCount: 251, Tags: [{ Key: "Name", Value: "b" }] },
  ]);
  const { RouteTables = [] } = await ec2().describeRouteTables({ Filters });
  expect(RouteTables.map(({ Associations }) => Associations?.[0]?.Main)).toEqual([true, false]);
  expect(RouteTables[1]).toMatchObject({
    RouteTableId: routeTableId,
    Routes: [{ GatewayId: "local" }, { DestinationCidrBlock: "0.0.0.0/0", GatewayId: gateway }],
    Associations: [{ RouteTableAssociationId: association, SubnetId: subnetId }],
  });
});

test("EC2 rejects what other objects need, until they are deleted in order", async () => {
  const { vpcId, subnetId, gateway, allocationId, nat, routeTableId, association } = await network();
  const rejected = async (request: Promise<unknown>) => {
    const error: unknown = await request.catch((reason: unknown) => reason);
    return (error as { readonly name: string }).name;
  };
  const [detach, remove] = [{ InternetGatewayId: gateway, VpcId: vpcId }, { InternetGatewayId: gateway }];
  const requests = [
    () => ec2().deleteVpc({ VpcId: vpcId }),
    () => ec2().deleteSubnet({ SubnetId: subnetId }),
    () => ec2().detachInternetGateway(detach),
    () => ec2().deleteInternetGateway(remove),
    () => ec2().deleteRouteTable({ RouteTableId: routeTableId }),
  ];
  for (const request of requests) expect(await rejected(request())).toBe("DependencyViolation");
  expect(await rejected(ec2().releaseAddress({ AllocationId: allocationId }))).toBe("AuthFailure");
  await ec2().deleteNatGateway({ NatGatewayId: nat });
  expect(await rejected(ec2().describeNatGateways({ NatGatewayIds: [nat] }))).toBe("NatGatewayNotFound");
  await ec2().releaseAddress({ AllocationId: allocationId });
  await ec2().disassociateRouteTable({ AssociationId: association });
  await ec2().deleteRouteTable({ RouteTableId: routeTableId });
  await ec2().deleteSubnet({ SubnetId: subnetId });
  await ec2().detachInternetGateway(detach);
  expect(await rejected(ec2().detachInternetGateway(detach))).toBe("Gateway.NotAttached");
  await ec2().deleteInternetGateway(remove);
  await ec2().deleteVpc({ VpcId: vpcId });
  expect(cloud.objects).toEqual([]);
});

test("requests for several objects name those that stay", async () => {
  const { vpcId } = await network();
  const id = await create(types.vpcEndpoint, { vpcId, serviceName: `com.amazonaws.${region}.s3` });
  const { Unsuccessful } = await ec2().deleteVpcEndpoints({ VpcEndpointIds: [id, "vpce-9"] });
  expect(Unsuccessful).toMatchObject([{ ResourceId: "vpce-9", Error: { Code: "InvalidVpcEndpointId.NotFound" } }]);
  expect(cloud.find(types.vpcEndpoint)).toEqual([]);
});

test("IAM deletes a role once its policies are detached", async () => {
  const iam = new IAM(client);
  const assumeRolePolicy = `{"Version":"2012-10-17","Statement":[]}`;
  const statement = { Effect: "Allow", Action: "eks:*", Resource: "*" };
  const policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  const role = { RoleName: "nodes" };
  cloud.put({
    ...{ type: types.role, id: "nodes", inputs: { name: "nodes", assumeRolePolicy, forceDetachPolicies: true } },
    computed: { arn: "arn:aws:iam::123456789012:role/nodes", uniqueId: "AROA00000000000000001" },
  });
  const PolicyArn = "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy";
  await create(types.rolePolicyAttachment, { role: "nodes", policyArn: PolicyArn });
  await create(types.rolePolicy, { role: "nodes", name: "own", policy });
  await expect(iam.deleteRole(role)).rejects.toMatchObject({ name: "DeleteConflictException" });
  expect((await iam.listAttachedRolePolicies(role)).AttachedPolicies).toEqual([
    { PolicyName: "AmazonEKS_CNI_Policy", PolicyArn },
  ]);
  await iam.detachRolePolicy({ ...role, PolicyArn });
  await iam.deleteRolePolicy({ ...role, PolicyName: "own" });
  await expect(iam.deleteRolePolicy({ ...role, PolicyName: "own" })).rejects.toMatchObject({
    name: "NoSuchEntityException",
  });
  const InstanceProfileName = await create(types.instanceProfile, { role: "nodes", tags: { lab: "x" } });
  await expect(iam.deleteRole(role)).rejects.toThrow("must remove roles from instance profile first");
  for (const { InstanceProfiles } of [await iam.listInstanceProfiles({}), await iam.listInstanceProfilesForRole(role)])
    expect(InstanceProfiles).toMatchObject([{ InstanceProfileName, Roles: [role] }]);
  const { InstanceProfile } = await iam.getInstanceProfile({ InstanceProfileName });
  expect(InstanceProfile?.Tags).toEqual([{ Key: "lab", Value: "x" }]);
  await expect(iam.deleteInstanceProfile({ InstanceProfileName })).rejects.toMatchObject({
    name: "DeleteConflictException",
  });
  await iam.removeRoleFromInstanceProfile({ InstanceProfileName, ...role });
  await iam.deleteInstanceProfile({ InstanceProfileName });
  await iam.deleteRole(role);
  expect((await iam.listRoles({})).Roles).toEqual([]);
});

test("EventBridge deletes a rule once its targets are removed, and Systems Manager a document", async () => {
  const [events, ssm] = [new EventBridge(client), new SSM(client)];
  const Name = await create(types.eventRule, { eventPattern: "{}", tags: { lab: "x" } });
  await create(types.eventTarget, { rule: Name, arn: "arn:aws:sqs:ap-northeast-2:123456789012:queue" });
  const { Rules: [rule] = [] } = await events.listRules({});
  expect((await events.listTagsForResource({ ResourceARN: rule?.Arn })).Tags).toEqual([{ Key: "lab", Value: "x" }]);
  await expect(events.deleteRule({ Name })).rejects.toThrow("Rule can't be deleted since it has targets.");
  const { Targets = [] } = await events.listTargetsByRule({ Rule: Name });
  await events.removeTargets({ Rule: Name, Ids: Targets.map(({ Id = "" }) => Id) });
  await events.deleteRule({ Name });
  await expect(events.listTargetsByRule({ Rule: Name })).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  const ResourceId = await create(types.document, { content: "{}", documentType: "Automation", tags: { lab: "x" } });
  expect((await ssm.listDocuments({})).DocumentIdentifiers).toMatchObject([{ Name: ResourceId }]);
  const { TagList } = await ssm.listTagsForResource({ ResourceType: "Document", ResourceId });
  expect(TagList).toEqual([{ Key: "lab", Value: "x" }]);
  await ssm.deleteDocument({ Name: ResourceId });
  await expect(ssm.deleteDocument({ Name: ResourceId })).rejects.toMatchObject({ name: "InvalidDocument" });
  expect(cloud.objects).toEqual([]);
});

test("KMS and CloudWatch Logs answer with names and tags", async () => {
  const [kms, logs] = [new KMS(client), new CloudWatchLogs(client)];
  const KeyId = await create(types.key, { tags: { lab: "x" } });
  await create(types.alias, { name: "alias/eks/a", targetKeyId: KeyId });
  expect((await kms.listAliases({})).Aliases).toEqual([{ AliasName: "alias/eks/a", TargetKeyId: KeyId }]);
  expect((await kms.listResourceTags({ KeyId })).Tags).toEqual([{ TagKey: "lab", TagValue: "x" }]);
  await kms.deleteAlias({ AliasName: "alias/eks/a" });
  await kms.scheduleKeyDeletion({ KeyId, PendingWindowInDays: 7 });
  await expect(kms.describeKey({ KeyId })).rejects.toMatchObject({ name: "NotFoundException" });
  await create(types.logGroup, { name: "/aws/eks/a/cluster", tags: { lab: "x" } });
  const logGroupNamePrefix = "/aws/eks/a/";
  const { logGroups: [group] = [] } = await logs.describeLogGroups({ logGroupNamePrefix });
  const resourceArn = group?.arn?.replace(/:\*$/, "") ?? "";
  expect((await logs.listTagsForResource({ resourceArn })).tags).toEqual({ lab: "x" });
  await logs.deleteLogGroup({ logGroupName: group?.logGroupName });
  expect((await logs.describeLogGroups({ logGroupNamePrefix })).logGroups).toEqual([]);
  await expect(logs.describeDestinations({})).rejects.toThrow("does not answer DescribeDestinations");
});
