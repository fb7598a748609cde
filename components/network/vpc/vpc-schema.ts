import type { cloudwatch, ec2, iam, vpc } from "@pulumi/aws";
import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { tagMap } from "../../core/tokens";
import { transformOf, type Transform } from "../../core/transform";
import { newVpcCidr } from "../cidr";
import { privateSubnetCidrs, publicSubnetCidrs, subnetPlanConflicts } from "./subnet-plan";
import { defaultZoneCount, zoneList } from "./zones";

const natGatewayModes = ["single", "perAz", "none"] as const;

/** Which private subnets reach the internet through which NAT gateway. */
export type NatGateways = (typeof natGatewayModes)[number];

/** Adjusts each underlying resource of a kind before it is created. */
export interface VpcTransform {
  readonly vpc?: Transform<ec2.VpcArgs>;
  readonly defaultSecurityGroup?: Transform<ec2.DefaultSecurityGroupArgs>;
  readonly defaultRouteTable?: Transform<ec2.DefaultRouteTableArgs>;
  readonly publicSubnet?: Transform<ec2.SubnetArgs>;
  readonly privateSubnet?: Transform<ec2.SubnetArgs>;
  readonly internetGateway?: Transform<ec2.InternetGatewayArgs>;
  readonly natAddress?: Transform<ec2.EipArgs>;
  readonly natGateway?: Transform<ec2.NatGatewayArgs>;
  readonly publicRouteTable?: Transform<ec2.RouteTableArgs>;
  readonly privateRouteTable?: Transform<ec2.RouteTableArgs>;
  readonly publicRoute?: Transform<ec2.RouteArgs>;
  readonly privateRoute?: Transform<ec2.RouteArgs>;
  readonly routeTableAssociation?: Transform<ec2.RouteTableAssociationArgs>;
  readonly s3Endpoint?: Transform<ec2.VpcEndpointArgs>;
  readonly interfaceEndpoint?: Transform<ec2.VpcEndpointArgs>;
  readonly endpointSecurityGroup?: Transform<ec2.SecurityGroupArgs>;
  readonly endpointIngressRule?: Transform<vpc.SecurityGroupIngressRuleArgs>;
  readonly flowLogGroup?: Transform<cloudwatch.LogGroupArgs>;
  readonly flowLogRole?: Transform<iam.RoleArgs>;
  readonly flowLogRolePolicy?: Transform<iam.RolePolicyArgs>;
  readonly flowLog?: Transform<ec2.FlowLogArgs>;
}

const transformKeys = {
  vpc: true,
  defaultSecurityGroup: true,
  defaultRouteTable: true,
  publicSubnet: true,
  privateSubnet: true,
  internetGateway: true,
  natAddress: true,
  natGateway: true,
  publicRouteTable: true,
  privateRouteTable: true,
  publicRoute: true,
  privateRoute: true,
  routeTableAssociation: true,
  s3Endpoint: true,
  interfaceEndpoint: true,
  endpointSecurityGroup: true,
  endpointIngressRule: true,
  flowLogGroup: true,
  flowLogRole: true,
  flowLogRolePolicy: true,
  flowLog: true,
} as const;

/** What can be chosen for a new VPC. */
export const vpcSettings = s.section({
  /**
   * IPv4 block of the VPC, /16 to /28, private. The default layout of the subnets needs a /22 for two zones, a /21 for
   * three or four, a /20 for five or six. A VPC keeps its block.
   *
   * @default "192.168.0.0/16" - the block of the Terraform original
   * @change refused - The update would fail halfway with DependencyViolation, and fail again after you revert the
   * value.
   */
  cidr: s.optional(newVpcCidr(), "192.168.0.0/16"),
  /**
   * Names of 2 to 6 Availability Zones in the provider's region. A cluster keeps its zones and their order.
   *
   * In a VPC without a cluster, adding a zone at the end keeps the subnets of three or more; see `subnetPlan` for what
   * any other change replaces.
   *
   * @default the region's first three zones that EKS accepts - read at each preview, so set the zones for a
   * long-lived environment
   * @change refused - EKS accepts only subnets in the cluster's zones. Another order would move blocks to other zones.
   */
  zones: s.optional(zoneList()),
  /**
   * IPv4 blocks of the public subnets, one per zone, /16 to /27. Requires `privateSubnetCidrs`.
   *
   * @default equal blocks from the VPC's first address on, at most /22 - see `subnetPlan`
   * @change refused - A subnet keeps its block, and load balancers and NAT gateways use it.
   */
  publicSubnetCidrs: s.optional(publicSubnetCidrs()),
  /**
   * IPv4 blocks of the private subnets, one per zone, /16 to /25. Use /24 or larger: pods take their addresses there.
   *
   * @default equal blocks behind the public ones, at most /22 - see `subnetPlan`
   * @change refused - A subnet keeps its block, and nodes and the cluster use it.
   */
  privateSubnetCidrs: s.optional(privateSubnetCidrs()),
  /**
   * How private subnets reach the internet: through one NAT gateway (`single`), through one per zone (`perAz`), or not
   * (`none`). With `none`, nodes pull images only from Amazon ECR: copy the images of the GPU Operator there.
   *
   * @default "single" - a lab tolerates losing internet access with a zone, and each further gateway costs as much as
   * the first
   * @change in place, 3 min - Open connections to the internet break. `none` removes the internet access of all nodes.
   * @changeCost each NAT gateway by the hour and by GB
   */
  natGateways: s.optional(s.oneOf(natGatewayModes), "single"),
  /**
   * Whether the AWS services that nodes and controllers call have interface endpoints in the private subnets.
   *
   * @default false - the NAT gateway reaches them, and twelve endpoints in three zones cost more than the gateway
   * @change in place, 3 to 5 min - Connections to AWS services move; clients retry.
   * @changeCost each endpoint in each zone by the hour
   */
  interfaceEndpoints: s.optional(s.flag(), false),
  /**
   * Whether accepted and rejected flows are logged, to a CloudWatch log group that keeps them for 7 days.
   *
   * @default false - worth the cost only while you look for blocked traffic
   * @change in place, 1 min - `false` deletes the log group with its logs.
   * @changeCost CloudWatch, by GB
   */
  flowLogs: s.optional(s.flag(), false),
});

type Values = ValueOf<typeof vpcSettings>;

/** Arguments of a new VPC that contradict each other. */
export function vpcConflicts(values: Values, at: string): Problem[] {
  const zoneCount = values.zones?.length ?? defaultZoneCount;
  return [...subnetPlanConflicts({ ...values, zoneCount }, at), ...egressConflicts(values, at)];
}

function egressConflicts({ natGateways, interfaceEndpoints }: Values, at: string): Problem[] {
  if (natGateways !== "none" || interfaceEndpoints) return [];
  const path = join(at, "natGateways");
  const other = join(at, "interfaceEndpoints");
  const why = `Without a NAT gateway, and with ${other} false, no node can reach EKS, ECR or EC2, or join the cluster.`;
  const fix = `set ${other} to true, or ${path} to "single"`;
  return [{ code: "conflict", path, got: natGateways, why, fix }];
}

const vpcSection = s.section({
  ...vpcSettings.entries,
  /**
   * Prefix of the Name tags, as in `myeks-VPC` and `myeks-PublicSubnet-a`: up to 100 letters, digits, dots, underscores
   * and hyphens.
   *
   * @default the component's name - the resources of two VPCs can be told apart
   */
  nameTag: s.optional(
    s.matching(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      "1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit",
      "set {path} to a name such as myeks",
    ),
  ),
  /**
   * Tags for every resource that supports tags.
   * @default {} - only Name and, on subnets, the role for load balancers
   */
  tags: s.optional(tagMap(), {}),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(transformOf<VpcTransform>(transformKeys)),
});

/** Arguments of a Vpc. */
export const vpcSchema = v.pipe(vpcSection, s.check(vpcConflicts));

export interface VpcArgs extends Readonly<GivenOf<typeof vpcSchema>> {}

/** The arguments with every choice made. */
export type CompleteVpcArgs = ValueOf<typeof vpcSchema> & { readonly nameTag: string };

export const vpcDefaults = defaultsOf(vpcSection);

/** Every problem in the arguments; AWS is not called. */
export function vpcProblems(args: VpcArgs, at = ""): readonly Problem[] {
  return problemsIn(vpcSchema, args, at);
}
