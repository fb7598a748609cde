import { IAM } from "@aws-sdk/client-iam";
import { expect, test } from "vitest";
import { awsClients as awsIn } from "../../../aws/clients";
import { identify } from "../../../commands/leftovers/identify";
import { findLeftovers } from "../../../commands/leftovers/list";
import type { Target } from "../../../commands/leftovers/leftover";
import { removeLeftovers } from "../../../commands/leftovers/remove";
import { useAws } from "../../support/aws-environment";
import { awsServer, raw, type Params } from "../../support/aws-server";
import { simulator } from "../../support/aws-simulators";
import { endProfileOfEks, idOf, makeOrphans, region, stackTags } from "./support/orphans";

/** Leftovers against ministack. Unlike moto, it has add-ons and access entries; it has neither classic load balancers nor documents. */

const ministack = simulator("ministack", "leftovers");

/** Ministack answers the older version of the API as the newer one. AWS answers it with an empty list. */
function noClassic({ Version }: Params) {
  const list = "<DescribeLoadBalancersResult><LoadBalancerDescriptions/></DescribeLoadBalancersResult>";
  const body = `<DescribeLoadBalancersResponse>${list}</DescribeLoadBalancersResponse>`;
  return Version === "2012-06-01" ? raw(200, "text/xml", body) : undefined;
}

const account = "000000000000";
const options = {
  isConfirmed: () => true,
  signal: new AbortController().signal,
  progress: () => undefined,
  intervalMs: 10,
  waitMs: 5000,
};

test("everything is listed, also an add-on, and removed; a key is left, whose deletion is pending", async (context) => {
  const endpoint = ministack(context);
  const DeleteNodegroup = ({ cluster: name, group }: Params) =>
    endProfileOfEks(endpoint, String(name), String(group)).then(() => undefined);
  const ListDocuments = () => ({ DocumentIdentifiers: [] });
  useAws((await awsServer({ DescribeLoadBalancers: noClassic, DeleteNodegroup, ListDocuments }, endpoint)).endpoint);
  const { ec2, eks, cluster } = await makeOrphans("myeks", "gpu-lab", { withClassic: false, account });
  const id = idOf(cluster, account);
  const tags = { ...stackTags("gpu-lab", "vpc-cni"), "eks-gpu-lab/id": id };
  await eks.createAddon({ clusterName: cluster, addonName: "vpc-cni", tags });
  const stack = "organization/eks-gpu-lab/gpu-lab";
  const target: Target = { region, account, ids: [id], clusters: [cluster], stack };
  const aws = awsIn({ region });
  const listing = await findLeftovers(aws, target);
  expect([...new Set(listing.leftovers.map(({ kind }) => kind))]).toEqual([
    ...["schedule group", "CloudWatch alarm", "SQS queue", "load balancer", "target group", "node group", "add-on"],
    ...["cluster", "instance", "launch template", "NAT gateway", "VPC endpoint", "volume", "network interface"],
    ...["elastic address", "security group", "route table", "subnet", "internet gateway", "VPC", "log group"],
    ...["KMS key", "instance profile", "role"],
  ]);
  expect(listing.unread).toEqual([]);
  // Ministack does not tell the tags of network interfaces, so this one stays, and keeps its network.
  const NetworkInterfaceId = listing.leftovers.find(({ kind }) => kind === "network interface")?.id;
  await ec2.deleteNetworkInterface({ NetworkInterfaceId });
  const { failures, remaining } = await removeLeftovers(aws, await findLeftovers(aws, target), options);
  expect(failures).toEqual([]);
  // The agent of Container Insights writes its group without tags.
  const left = remaining.leftovers.map(({ kind, isEnding }) => [kind, isEnding]);
  expect(left).toEqual([
    ["log group", undefined],
    ["KMS key", true],
  ]);
});

/** An interrupted create: its type, and its inputs. */
type Pending = readonly [type: string, inputs: Readonly<Record<string, unknown>>];

test("objects without tags are found by the inputs of their creates, and those that do not exist are not", async (context) => {
  useAws(ministack(context));
  const {
    ec2,
    eks,
    cluster,
    subnets,
    vpc,
    key: targetKeyId,
  } = await makeOrphans("other", undefined, { withClassic: false });
  const { RouteTables = [] } = await ec2.describeRouteTables({ Filters: [{ Name: "vpc-id", Values: [vpc] }] });
  const { RouteTableId: routeTableId = "", Routes = [] } =
    RouteTables.find((one) => one.Routes?.some(({ GatewayId }) => GatewayId?.startsWith("igw-") === true)) ?? {};
  const gatewayId = Routes.find(({ DestinationCidrBlock }) => DestinationCidrBlock === "0.0.0.0/0")?.GatewayId;
  const { SecurityGroups = [] } = await ec2.describeSecurityGroups({ Filters: [{ Name: "vpc-id", Values: [vpc] }] });
  const groupOf = (name: string) => SecurityGroups.find(({ GroupName }) => GroupName === name)?.GroupId ?? "";
  const rule = { securityGroupId: groupOf("other-nodes"), ipProtocol: "tcp", fromPort: 443, toPort: 443 };
  const principalArn = "arn:aws:iam::000000000000:role/admin";
  await eks.createAccessEntry({ clusterName: cluster, principalArn });
  const { Policies: [policy] = [] } = await new IAM({ region }).listPolicies({ Scope: "Local" });
  const role = "other-system-2026";
  const alias = "alias/eks/other";

  const exist: readonly Pending[] = [
    ["aws:ec2/route:Route", { routeTableId, destinationCidrBlock: "0.0.0.0/0", gatewayId }],
    ["aws:ec2/routeTableAssociation:RouteTableAssociation", { routeTableId, subnetId: subnets[0] }],
    [
      "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
      { ...rule, referencedSecurityGroupId: groupOf("other-control-plane") },
    ],
    ["aws:iam/rolePolicy:RolePolicy", { role, name: "inline" }],
    ["aws:kms/alias:Alias", { name: alias, targetKeyId }],
    ["aws:eks/accessEntry:AccessEntry", { clusterName: cluster, principalArn }],
  ];
  const not: readonly Pending[] = [
    ["aws:ec2/route:Route", { routeTableId, destinationCidrBlock: "10.1.0.0/16", gatewayId }],
    ["aws:ec2/route:Route", { routeTableId, destinationCidrBlock: "0.0.0.0/0", natGatewayId: "nat-1" }],
    ["aws:ec2/route:Route", { routeTableId: "rtb-0123456789abcdef0", destinationCidrBlock: "0.0.0.0/0" }],
    ["aws:ec2/routeTableAssociation:RouteTableAssociation", { routeTableId, subnetId: subnets[1] }],
    ["aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", { ...rule, toPort: 444, cidrIpv4: "0.0.0.0/0" }],
    ["aws:iam/rolePolicy:RolePolicy", { role, name: "none" }],
    ["aws:iam/rolePolicy:RolePolicy", { role: "none", name: "inline" }],
    ["aws:kms/alias:Alias", { name: "alias/none", targetKeyId }],
    ["aws:kms/alias:Alias", { name: alias, targetKeyId: "another" }],
    // It has no id of the environment.
    ["aws:iam/policy:Policy", { name: policy?.PolicyName }],
    ["aws:eks/accessEntry:AccessEntry", { clusterName: cluster, principalArn: `${principalArn}2` }],
    ["aws:autoscaling/tag:Tag", {}],
  ];
  const pending = [...exist, ...not].map(([type, inputs], at) => ({ urn: `urn:${at}`, name: `n${at}`, type, inputs }));
  const { identified, absent, unread } = await identify(awsIn({ region }), pending);
  expect(unread).toEqual([]);
  expect(identified.map(({ resource, id }) => [resource.type, id])).toEqual([
    ["aws:ec2/route:Route", `${routeTableId}_0.0.0.0/0`],
    ["aws:ec2/routeTableAssociation:RouteTableAssociation", `${subnets[0]}/${routeTableId}`],
    ["aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", expect.stringMatching(/^sgr-/)],
    ["aws:iam/rolePolicy:RolePolicy", `${role}:inline`],
    ["aws:kms/alias:Alias", alias],
    ["aws:eks/accessEntry:AccessEntry", `${cluster}:${principalArn}`],
  ]);
  expect(absent.map(({ urn }) => urn).sort()).toEqual(not.map((_, at) => `urn:${at + exist.length}`).sort());
});

test("a kind that is read in several places and cannot be read is reported once", async (context) => {
  useAws(ministack(context));
  const { cluster } = await makeOrphans("twice", "gpu-lab", { withClassic: false, account });
  const target: Target = { region, account, ids: [idOf(cluster, account)], clusters: [cluster] };
  const { unread } = await findLeftovers(awsIn({ region }), target);
  expect(unread.map(({ what }) => what)).toEqual(["SSM documents", "classic load balancers"]);
});
