import type { Properties } from "../../../components/core/wire";
import type { ApiRequest, Computed, Row } from "./row";

/** A request to EC2. `tagged` is the resource type in its tag specification. */
function ec2(operation: string, tagged?: string, more: Partial<ApiRequest> = {}): ApiRequest {
  const computed = [...(tagged === undefined ? [] : [tagSpecification(tagged)]), ...(more.computed ?? [])];
  return { service: "ec2", operation, ...more, computed };
}

function tagSpecification(type: string): Computed {
  return {
    from: ["tags"],
    params: ({ tags }) =>
      tags === undefined ? {} : { TagSpecifications: [{ ResourceType: type, Tags: tagList(tags) }] },
  };
}

const tagList = (tags: unknown) =>
  Object.entries(tags as object).map(([Key, Value]) => ({ Key, Value: Value as string }));

/** Members that have no input. */
const added = (params: object): Computed => ({ from: [], params: () => params });

/** The tags of an object that exists already. */
const tagExisting = (idOf: (inputs: Properties) => unknown): ApiRequest =>
  ec2("CreateTags", undefined, {
    only: [],
    computed: [{ from: ["tags"], params: (inputs) => ({ Resources: [idOf(inputs)], Tags: tagList(inputs["tags"]) }) }],
  });

/** An attribute of a VPC or subnet that exists already. */
function attribute(operation: string, input: string, member: string, id: object): ApiRequest {
  const value: Computed = { from: [input], params: (inputs) => ({ ...id, [member]: { Value: inputs[input] } }) };
  return ec2(operation, undefined, { only: [], computed: [value], when: (inputs) => inputs[input] !== undefined });
}

const vpcId = { VpcId: "vpc-0123456789abcdef0" };
const subnetId = { SubnetId: "subnet-0123456789abcdef0" };

const permission: Computed = {
  from: ["cidrIpv4", "description", "fromPort", "toPort", "ipProtocol", "referencedSecurityGroupId", "securityGroupId"],
  params: (inputs) => {
    const { cidrIpv4: CidrIp, description: Description, referencedSecurityGroupId: GroupId } = inputs;
    const { fromPort: FromPort, toPort: ToPort, ipProtocol: IpProtocol, securityGroupId } = inputs;
    const ports = FromPort === undefined ? {} : { FromPort, ToPort };
    const from =
      GroupId === undefined
        ? { IpRanges: [{ CidrIp, Description }] }
        : { UserIdGroupPairs: [{ GroupId, Description }] };
    return { GroupId: securityGroupId, IpPermissions: [{ IpProtocol, ...ports, ...from }] };
  },
};

export const ec2Rows: Readonly<Record<string, Row>> = {
  "aws:ec2/vpc:Vpc": {
    requests: [
      ec2("CreateVpc", "vpc"),
      attribute("ModifyVpcAttribute", "enableDnsSupport", "EnableDnsSupport", vpcId),
      attribute("ModifyVpcAttribute", "enableDnsHostnames", "EnableDnsHostnames", vpcId),
    ],
  },
  "aws:ec2/subnet:Subnet": {
    requests: [
      ec2("CreateSubnet", "subnet"),
      attribute("ModifySubnetAttribute", "mapPublicIpOnLaunch", "MapPublicIpOnLaunch", subnetId),
    ],
  },
  "aws:ec2/internetGateway:InternetGateway": {
    requests: [
      ec2("CreateInternetGateway", "internet-gateway"),
      ec2("AttachInternetGateway", undefined, {
        only: ["vpcId"],
        computed: [added({ InternetGatewayId: "igw-0123456789abcdef0" })],
      }),
    ],
  },
  "aws:ec2/eip:Eip": { requests: [ec2("AllocateAddress", "elastic-ip")] },
  "aws:ec2/natGateway:NatGateway": { requests: [ec2("CreateNatGateway", "natgateway")] },
  "aws:ec2/routeTable:RouteTable": { requests: [ec2("CreateRouteTable", "route-table")] },
  "aws:ec2/routeTableAssociation:RouteTableAssociation": { requests: [ec2("AssociateRouteTable")] },
  "aws:ec2/route:Route": { requests: [ec2("CreateRoute")] },
  "aws:ec2/defaultRouteTable:DefaultRouteTable": {
    requests: [tagExisting(({ defaultRouteTableId }) => defaultRouteTableId)],
    notSent: {
      defaultRouteTableId: "it names the table that exists",
      routes: "the list is empty: routes that exist are deleted",
    },
  },
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": {
    requests: [tagExisting(() => "sg-0123456789abcdef0")],
    notSent: {
      vpcId: "it names the VPC whose group exists",
      egress: "the list is empty: rules that exist are deleted",
      ingress: "the list is empty: rules that exist are deleted",
    },
  },
  "aws:ec2/securityGroup:SecurityGroup": {
    requests: [ec2("CreateSecurityGroup", "security-group", { members: { name: "GroupName" } })],
    notSent: { revokeRulesOnDelete: "the plugin applies it when it deletes the group" },
  },
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {
    requests: [ec2("AuthorizeSecurityGroupIngress", "security-group-rule", { computed: [permission] })],
  },
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": {
    requests: [ec2("AuthorizeSecurityGroupEgress", "security-group-rule", { computed: [permission] })],
  },
  "aws:ec2/vpcEndpoint:VpcEndpoint": { requests: [ec2("CreateVpcEndpoint", "vpc-endpoint")] },
  "aws:ec2/flowLog:FlowLog": {
    requests: [
      ec2("CreateFlowLogs", "vpc-flow-log", {
        members: { iamRoleArn: "DeliverLogsPermissionArn" },
        computed: [{ from: ["vpcId"], params: (inputs) => ({ ResourceIds: [inputs["vpcId"]], ResourceType: "VPC" }) }],
      }),
    ],
  },
  "aws:ec2/launchTemplate:LaunchTemplate": {
    requests: [
      ec2("CreateLaunchTemplate", "launch-template", {
        below: "LaunchTemplateData",
        members: {
          name: "/LaunchTemplateName",
          description: "/VersionDescription",
          vpcSecurityGroupIds: "SecurityGroupIds",
          "networkInterfaces.securityGroups": "Groups",
        },
      }),
    ],
    notSent: { updateDefaultVersion: "the first version is the default; the plugin applies it to later ones" },
  },
};
