import type { cloudwatch, ec2, iam, vpc } from "@pulumi/aws";
import { isPlainObject, join, keysOf, matching, noObject, oneOf, onlyKeys, trueOrFalse } from "../../core/checks";
import type { Problem } from "../../core/problems";
import { tagsProblems, type Tags } from "../../core/tokens";
import { transformProblems, type Transform } from "../../core/transform";
import { parseCidr, vpcCidrProblems } from "../cidr";
import { subnetPlanProblems } from "./subnet-plan";
import { defaultZoneCount, zonesProblems } from "./zones";

/** Which private subnets reach the internet through which NAT gateway. */
export type NatGateways = "single" | "perAz" | "none";

/** Adjusts each underlying resource of a kind before it is made. */
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

export interface VpcArgs {
  /**
   * IPv4 block of the VPC, /16 to /28, private. The default layout of the subnets needs a /22 for two zones, a /21 for
   * three or four, a /20 for five or six. A change replaces the VPC and everything in it.
   *
   * @default "192.168.0.0/16" - that of the Terraform original
   */
  readonly cidr?: string;
  /**
   * Availability Zones by name, 2 to 6, of the provider's region. Adding one at the end keeps the subnets of three or
   * more; see `subnetPlan` for what any other change replaces.
   *
   * @default the first three zones of the region that EKS takes - asked at each preview, so name them for an
   * environment that lives long
   */
  readonly zones?: readonly string[];
  /**
   * IPv4 blocks of the public subnets, one a zone, /16 to /27. Stated together with `privateSubnetCidrs`.
   *
   * @default equal blocks from the VPC's first address on, at most /22 - see `subnetPlan`
   */
  readonly publicSubnetCidrs?: readonly string[];
  /**
   * IPv4 blocks of the private subnets, one a zone, /16 to /25, /24 or larger advised: pods take their addresses there.
   *
   * @default equal blocks behind the public ones, at most /22 - see `subnetPlan`
   */
  readonly privateSubnetCidrs?: readonly string[];
  /**
   * How private subnets reach the internet: through one NAT gateway in the first zone, through one a zone, or not at
   * all. With "none" nodes pull images from Amazon ECR only: those of the GPU Operator must be copied there.
   *
   * @default "single" - a lab can lose its way out with a zone, and each further gateway costs as much as the first
   */
  readonly natGateways?: NatGateways;
  /**
   * Whether the AWS services that nodes and controllers call have interface endpoints in the private subnets.
   *
   * @default false - the NAT gateway reaches them, and twelve endpoints in three zones cost more than it
   */
  readonly interfaceEndpoints?: boolean;
  /**
   * Whether accepted and rejected flows are logged, to a CloudWatch log group that keeps them 7 days.
   *
   * @default false - worth its money only while one looks for blocked traffic
   */
  readonly flowLogs?: boolean;
  /**
   * Prefix of the Name tags, as in `myeks-VPC` and `myeks-PublicSubnet-a`: letters, digits, `.`, `_`, `-`.
   *
   * @default the component's name - the one name it has
   */
  readonly nameTag?: string;
  /**
   * Tags of every resource that takes tags.
   *
   * @default {} - only the Name and, on subnets, the role for load balancers
   */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the underlying resources.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: VpcTransform;
}

export const vpcDefaults = {
  cidr: "192.168.0.0/16",
  natGateways: "single",
  interfaceEndpoints: false,
  flowLogs: false,
  tags: {},
} as const;

const vpcKeys = keysOf<VpcArgs>({
  cidr: true,
  zones: true,
  publicSubnetCidrs: true,
  privateSubnetCidrs: true,
  natGateways: true,
  interfaceEndpoints: true,
  flowLogs: true,
  nameTag: true,
  tags: true,
  transform: true,
});

export const vpcTransformKeys = keysOf<VpcTransform>({
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
});

/** Every problem of the arguments, without asking AWS. */
export function vpcProblems(args: VpcArgs, at = ""): Problem[] {
  const given: unknown = args;
  if (!isPlainObject(given)) return noObject(at, given);
  const { cidr = vpcDefaults.cidr, zones, publicSubnetCidrs, privateSubnetCidrs, nameTag } = args;
  const cidrFaults = vpcCidrProblems(join(at, "cidr"), cidr);
  const zoneFaults = zones === undefined ? [] : zonesProblems(join(at, "zones"), zones);
  const vpc = cidrFaults.length === 0 ? parseCidr(cidr) : undefined;
  const zoneCount = zoneFaults.length === 0 ? (zones?.length ?? defaultZoneCount) : undefined;
  return [
    ...onlyKeys(at, given, vpcKeys),
    ...cidrFaults,
    ...zoneFaults,
    ...subnetPlanProblems({ vpc, zoneCount, publicSubnetCidrs, privateSubnetCidrs }, at),
    ...wayOutProblems(args, at),
    ...tagsProblems(join(at, "tags"), args.tags),
    ...(nameTag === undefined ? [] : nameTagProblems(join(at, "nameTag"), nameTag)),
    ...transformProblems(join(at, "transform"), args.transform, vpcTransformKeys),
  ];
}

function wayOutProblems(args: VpcArgs, at: string): Problem[] {
  const { natGateways = vpcDefaults.natGateways, interfaceEndpoints = vpcDefaults.interfaceEndpoints } = args;
  const { flowLogs = vpcDefaults.flowLogs } = args;
  const path = join(at, "natGateways");
  const problems = [
    ...oneOf(path, natGateways, ["single", "perAz", "none"]),
    ...trueOrFalse(join(at, "interfaceEndpoints"), interfaceEndpoints),
    ...trueOrFalse(join(at, "flowLogs"), flowLogs),
  ];
  if (natGateways !== "none" || interfaceEndpoints !== false) return problems;
  const other = join(at, "interfaceEndpoints");
  const why = `Without a NAT gateway, and with ${other} false, no node can reach EKS, ECR or EC2: none could join the cluster.`;
  return [
    ...problems,
    { code: "conflict", path, got: natGateways, why, fix: `set ${other} to true, or ${path} to "single"` },
  ];
}

function nameTagProblems(path: string, got: unknown): Problem[] {
  const form = "1 to 100 letters, digits, dots, underscores and hyphens, the first a letter or digit";
  return matching(path, got, /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, form, `set ${path} to a name such as myeks`);
}
