import * as ec2 from "@pulumi/aws/ec2";
import { getAvailabilityZonesOutput } from "@pulumi/aws/getAvailabilityZones";
import * as pulumi from "@pulumi/pulumi";
import * as cloudwatch from "@pulumi/aws/cloudwatch";
import * as iam from "@pulumi/aws/iam";
import { childOptions } from "../../core/options";
import { InputError, type Problem } from "../../core/problems";
import { completeArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import type { Network } from "../network";
import { subnetPlan } from "./subnet-plan";
import { makeEndpoints } from "./vpc-endpoints";
import { partTags, after, type VpcParts } from "./vpc-parts";
import { makeRouting, type Subnets } from "./vpc-routing";
import { vpcSchema, type CompleteVpcArgs, type VpcArgs } from "./vpc-schema";
import { defaultZoneCount, zoneIdsWithoutEks } from "./zones";

/**
 * Creates a VPC for an EKS cluster: a public and a private subnet in each zone, tagged for load balancers, their routes
 * to the internet, a gateway endpoint for S3, and a default security group and route table without rules and routes.
 *
 * Node groups depend on `ready`. Before a destroy, remove what Kubernetes created in the VPC. The public addresses of
 * load balancers keep the internet gateway attached. Network interfaces that the VPC CNI left behind (state available,
 * tag node.k8s.amazonaws.com/instance_id) keep subnets and security groups from being deleted.
 *
 * @cost In ap-northeast-2, 2026: a NAT gateway 0.059 USD an hour and 0.059 USD a GB, its public address 0.005 USD an
 * hour; interface endpoints 0.013 USD an hour each in a zone, so 0.47 USD for the twelve in three zones, and 0.01 USD a
 * GB; flow logs about 0.8 USD a GB. The rest is free. Without nodes it costs the same, except for traffic.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class Vpc extends pulumi.ComponentResource implements Network {
  readonly vpcId: pulumi.Output<string>;
  readonly cidrBlock: pulumi.Output<string>;
  readonly zones: pulumi.Output<string>[];
  readonly publicSubnetIds: pulumi.Output<string>[];
  readonly privateSubnetIds: pulumi.Output<string>[];
  /** In the order of the zones: one, one per zone, or none. */
  readonly natGatewayIds: pulumi.Output<string>[];
  readonly publicRouteTableId: pulumi.Output<string>;
  /** One for all private subnets, or one per zone. */
  readonly privateRouteTableIds: pulumi.Output<string>[];
  readonly ready: pulumi.Resource[];

  constructor(name: string, args: VpcArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const { transform = {}, ...settings } = completeArgs(`Vpc "${name}"`, vpcSchema, args, completeAs(name));
    super(token("Vpc"), name, settings, opts);
    const { nameTag, tags } = settings;
    const parts: VpcParts = { name, nameTag, tags, transform, options: childOptions(this, opts) };

    const zones = settings.zones?.map((zone) => pulumi.output(zone)) ?? firstZones(defaultZoneCount, this);
    const blocks = subnetPlan({ ...settings, zoneCount: zones.length });
    const vpc = makeVpc(parts, settings.cidr);
    closeDefaults(parts, vpc);
    const subnets: Subnets = {
      public: zones.map((zone, index) => makeSubnet(parts, vpc, "public", index, zone, blocks.public)),
      private: zones.map((zone, index) => makeSubnet(parts, vpc, "private", index, zone, blocks.private)),
    };
    const routing = makeRouting(parts, vpc, subnets, settings.natGateways);
    const routeTables = [routing.publicRouteTable, ...routing.privateRouteTables];
    const endpoints = makeEndpoints(parts, vpc, subnets, routeTables, settings.interfaceEndpoints);
    if (settings.flowLogs) makeFlowLogs(parts, vpc);

    this.vpcId = vpc.id;
    this.cidrBlock = vpc.cidrBlock;
    this.zones = zones;
    this.publicSubnetIds = subnets.public.map((subnet) => subnet.id);
    this.privateSubnetIds = subnets.private.map((subnet) => subnet.id);
    this.natGatewayIds = routing.natGateways.map((gateway) => gateway.id);
    this.publicRouteTableId = routing.publicRouteTable.id;
    this.privateRouteTableIds = routing.privateRouteTables.map((table) => table.id);
    this.ready = [...routing.ready, ...endpoints];
    this.registerOutputs({
      vpcId: this.vpcId,
      cidrBlock: this.cidrBlock,
      zones: this.zones,
      publicSubnetIds: this.publicSubnetIds,
      privateSubnetIds: this.privateSubnetIds,
      natGatewayIds: this.natGatewayIds,
      publicRouteTableId: this.publicRouteTableId,
      privateRouteTableIds: this.privateRouteTableIds,
    });
  }
}

/** The name of the component is the prefix of the Name tags, unless the arguments set another. */
function completeAs(name: string) {
  return (given: ValueOf<typeof vpcSchema>): CompleteVpcArgs => ({ ...given, nameTag: given.nameTag ?? name });
}

/**
 * The names of the first zones of the provider's region that EKS accepts: available, without opt-in (Local Zones and
 * Wavelength Zones need one), and not one of those that EKS rejects.
 *
 * @throws InputError inside the outputs when the region has fewer
 */
export function firstZones(count: number, parent: pulumi.Resource): pulumi.Output<string>[] {
  const { names } = getAvailabilityZonesOutput(
    {
      state: "available",
      filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }],
      excludeZoneIds: zoneIdsWithoutEks,
    },
    { parent },
  );
  const enough = names.apply((found) => {
    if (found.length >= count) return found;
    throw new InputError("Vpc", [tooFewZones(found, count)]);
  });
  return [...Array(count).keys()].map((index) => enough.apply((found) => found[index] as string));
}

function tooFewZones(found: readonly string[], count: number): Problem {
  const why = `The default is the first ${count} zones, and EKS accepts ${found.length} of this region's zones in this account.`;
  const fix = `set zones to two or more of them, e.g. ${JSON.stringify(found.slice(0, 2))}, or choose another region`;
  return { code: "not-offered", path: "zones", got: found, why, fix };
}

/** EKS nodes cannot register in a VPC without DNS resolution and host names. */
function makeVpc(parts: VpcParts, cidr: string): ec2.Vpc {
  const args = { cidrBlock: cidr, enableDnsSupport: true, enableDnsHostnames: true, tags: partTags(parts, "VPC") };
  return new ec2.Vpc(...transformed(parts.transform.vpc, parts.name, args, parts.options));
}

/** A resource that uses the VPC's default security group or route table by mistake reaches nothing. */
function closeDefaults(parts: VpcParts, vpc: ec2.Vpc): void {
  const { name, transform, options } = parts;
  const tags = partTags(parts, "VPC-default");
  const groupArgs = { vpcId: vpc.id, ingress: [], egress: [], tags };
  new ec2.DefaultSecurityGroup(
    ...transformed(transform.defaultSecurityGroup, `${name}-default-group`, groupArgs, options),
  );
  const tableArgs = { defaultRouteTableId: vpc.defaultRouteTableId, routes: [], tags };
  new ec2.DefaultRouteTable(...transformed(transform.defaultRouteTable, `${name}-default-routes`, tableArgs, options));
}

/** How the two kinds of subnets differ. The AWS Load Balancer Controller selects subnets by the tags. */
const kinds = {
  public: { label: "PublicSubnet", roleTag: "kubernetes.io/role/elb", mapPublicIpOnLaunch: true },
  private: { label: "PrivateSubnet", roleTag: "kubernetes.io/role/internal-elb", mapPublicIpOnLaunch: false },
} as const;

function makeSubnet(
  parts: VpcParts,
  vpc: ec2.Vpc,
  kind: keyof typeof kinds,
  index: number,
  zone: pulumi.Output<string>,
  blocks: readonly string[],
): ec2.Subnet {
  const { label, roleTag, mapPublicIpOnLaunch } = kinds[kind];
  const letter = zone.apply((name) => name.slice(-1));
  const args: ec2.SubnetArgs = {
    vpcId: vpc.id,
    cidrBlock: blocks[index],
    availabilityZone: zone,
    mapPublicIpOnLaunch,
    tags: { [roleTag]: "1", ...partTags(parts, pulumi.interpolate`${label}-${letter}`) },
  };
  const transform = kind === "public" ? parts.transform.publicSubnet : parts.transform.privateSubnet;
  return new ec2.Subnet(...transformed(transform, `${parts.name}-${kind}-${index + 1}`, args, parts.options));
}

const retentionInDays = 7;

/** Nitro instances, which include all GPU instances, write a record each minute, regardless of the setting. */
const aggregationSeconds = 60;

/** Logs every accepted and rejected flow of the VPC to CloudWatch. */
function makeFlowLogs(parts: VpcParts, vpc: ec2.Vpc): void {
  const { name, nameTag, transform, options } = parts;
  const tags = partTags(parts, "flow-logs");
  const groupArgs = { namePrefix: `/aws/vpc/${nameTag}/flow-logs-`, retentionInDays, tags };
  const group = new cloudwatch.LogGroup(
    ...transformed(transform.flowLogGroup, `${name}-flow-log-group`, groupArgs, options),
  );
  const { role, policy } = makeRole(parts, vpc, group);
  const args = {
    vpcId: vpc.id,
    trafficType: "ALL",
    logDestinationType: "cloud-watch-logs",
    logDestination: group.arn,
    iamRoleArn: role.arn,
    maxAggregationInterval: aggregationSeconds,
    tags,
  };
  new ec2.FlowLog(...transformed(transform.flowLog, `${name}-flow-log`, args, after(parts, policy)));
}

/**
 * A role that only the flow logs of this account assume, and that writes to the one log group. It cannot create log
 * groups: records that arrive after a destroy would create a new one, outside Pulumi and without a retention period.
 *
 * @see https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html
 */
function makeRole(parts: VpcParts, vpc: ec2.Vpc, group: cloudwatch.LogGroup) {
  const { name, transform, options } = parts;
  const roleArgs = {
    description: "Writes the flow logs of a VPC",
    assumeRolePolicy: pulumi.jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "vpc-flow-logs.amazonaws.com" },
          Action: "sts:AssumeRole",
          Condition: { StringEquals: { "aws:SourceAccount": vpc.ownerId } },
        },
      ],
    }),
    tags: partTags(parts, "flow-logs"),
  };
  const role = new iam.Role(...transformed(transform.flowLogRole, `${name}-flow-log-role`, roleArgs, options));
  const policyArgs = {
    role: role.id,
    policy: pulumi.jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Action: ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogGroups", "logs:DescribeLogStreams"],
          Resource: pulumi.interpolate`${group.arn}:*`,
        },
      ],
    }),
  };
  const policy = new iam.RolePolicy(
    ...transformed(transform.flowLogRolePolicy, `${name}-flow-log-policy`, policyArgs, options),
  );
  return { role, policy };
}
