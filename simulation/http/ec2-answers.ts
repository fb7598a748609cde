import { valuesAt } from "../../components/core/reader/paths";
import type { Properties } from "../../components/core/wire";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { propertyOf, type CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { createdAt, picked } from "./objects";

/** A kind of object of EC2: its names in the API, and the object as the API describes it. */
export interface Ec2Kind {
  readonly types: readonly string[];
  /** The parameter with an ID, e.g. `VpcId`. */
  readonly param: string;
  /** The element of the answer with the objects. */
  readonly list: string;
  /** The subject of the error code of a missing object, e.g. `InvalidVpcID`. */
  readonly missing: string;
  readonly item: (object: CloudObject, cloud: SimulatedCloud) => Properties;
}

/** The answers by the end of the operation: `Vpcs` for DescribeVpcs. Elements have the names of the API's XML. */
export const ec2Kinds: Readonly<Record<string, Ec2Kind>> = {
  Vpcs: {
    ...{ types: [types.vpc], param: "VpcId", list: "vpcSet", missing: "InvalidVpcID" },
    item: (vpc) => ({
      ...{ vpcId: vpc.id, state: "available", isDefault: false },
      ...picked(vpc, "cidrBlock", "instanceTenancy", "ownerId"),
    }),
  },
  Subnets: {
    ...{ types: [types.subnet], param: "SubnetId", list: "subnetSet", missing: "InvalidSubnetID" },
    item: (subnet, cloud) => {
      const { availableIpAddressCount } = cloud.call("aws:ec2/getSubnet:getSubnet", { id: subnet.id });
      return {
        ...{ subnetId: subnet.id, state: "available", availableIpAddressCount },
        ...picked(subnet, "vpcId", "cidrBlock", "availabilityZone", "availabilityZoneId", "ownerId"),
        ...picked(subnet, "mapPublicIpOnLaunch"),
      };
    },
  },
  InternetGateways: {
    ...{ types: [types.internetGateway], param: "InternetGatewayId", list: "internetGatewaySet" },
    missing: "InvalidInternetGatewayID",
    item: (gateway) => ({
      internetGatewayId: gateway.id,
      attachmentSet: valuesAt(gateway.inputs, "vpcId").map((vpcId) => ({ vpcId, state: "attached" })),
    }),
  },
  NatGateways: {
    ...{ types: [types.natGateway], param: "NatGatewayId", list: "natGatewaySet", missing: "NatGateway" },
    item: (gateway, cloud) => ({
      ...{ natGatewayId: gateway.id, state: "available", createTime: createdAt(cloud, gateway) },
      ...{ vpcId: vpcOf(cloud, gateway), ...picked(gateway, "subnetId", "connectivityType") },
      natGatewayAddressSet: [picked(gateway, "allocationId", "associationId", "networkInterfaceId", "privateIp")],
    }),
  },
  Addresses: {
    ...{ types: [types.eip], param: "AllocationId", list: "addressesSet", missing: "InvalidAllocationID" },
    item: (address, cloud) => {
      const [gateway] = cloud.find(types.natGateway, { allocationId: address.id });
      const used = gateway && picked(gateway, "associationId", "networkInterfaceId");
      return { allocationId: address.id, domain: "vpc", ...picked(address, "publicIp"), ...used };
    },
  },
  RouteTables: {
    ...{ types: [types.routeTable], param: "RouteTableId", list: "routeTableSet", missing: "InvalidRouteTableID" },
    item: routeTable,
  },
  SecurityGroups: {
    ...{ types: [types.securityGroup], param: "GroupId", list: "securityGroupInfo", missing: "InvalidGroup" },
    item: (group, cloud) => ({
      ...{ groupId: group.id, groupName: propertyOf(group, "name"), groupDescription: group.inputs["description"] },
      ...picked(group, "vpcId", "ownerId"),
      ipPermissions: peersOf(group, cloud, types.ingressRule),
      ipPermissionsEgress: peersOf(group, cloud, types.egressRule),
    }),
  },
  SecurityGroupRules: {
    types: [types.ingressRule, types.egressRule],
    ...{ param: "SecurityGroupRuleId", list: "securityGroupRuleSet", missing: "InvalidSecurityGroupRuleId" },
    item: securityGroupRule,
  },
  LaunchTemplates: {
    ...{ types: [types.launchTemplate], param: "LaunchTemplateId", list: "launchTemplates" },
    missing: "InvalidLaunchTemplateId",
    item: (template, cloud) => ({
      ...{ launchTemplateId: template.id, launchTemplateName: propertyOf(template, "name") },
      ...{ createTime: createdAt(cloud, template), latestVersionNumber: template.computed["latestVersion"] },
    }),
  },
  VpcEndpoints: {
    ...{ types: [types.vpcEndpoint], param: "VpcEndpointId", list: "vpcEndpointSet", missing: "InvalidVpcEndpointId" },
    item: (endpoint, cloud) => ({
      ...{ vpcEndpointId: endpoint.id, creationTimestamp: createdAt(cloud, endpoint) },
      ...{ state: "Available", ...picked(endpoint, "vpcEndpointType", "vpcId", "serviceName") },
      ...{ subnetIdSet: valuesAt(endpoint.inputs, "subnetIds[*]") },
      ...{ routeTableIdSet: valuesAt(endpoint.inputs, "routeTableIds[*]") },
    }),
  },
  FlowLogs: {
    ...{ types: [types.flowLog], param: "FlowLogId", list: "flowLogSet", missing: "InvalidFlowLogId" },
    item: (log, cloud) => ({
      ...{ flowLogId: log.id, flowLogStatus: "ACTIVE", creationTime: createdAt(cloud, log) },
      ...{ resourceId: log.inputs["vpcId"], ...picked(log, "trafficType", "logDestinationType", "logDestination") },
    }),
  },
  Instances: {
    ...{ types: [types.instance], param: "InstanceId", list: "reservationSet", missing: "InvalidInstanceID" },
    item: (instance, cloud) => {
      const { subnetId, instanceType } = instance.inputs;
      const subnet = cloud.get(types.subnet, stringOf(subnetId));
      return {
        ...{ instanceId: instance.id, instanceType, subnetId, vpcId: vpcOf(cloud, instance) },
        instanceState: { code: 16, name: "running" },
        placement: { availabilityZone: subnet && propertyOf(subnet, "availabilityZone") },
        ...(instance.computed["spot"] === true && { instanceLifecycle: "spot" }),
      };
    },
  },
};

function vpcOf(cloud: SimulatedCloud, { inputs }: CloudObject): unknown {
  return cloud.get(types.subnet, stringOf(inputs["subnetId"]))?.inputs["vpcId"];
}

function routeTable(table: CloudObject, cloud: SimulatedCloud): Properties {
  const routeTableId = table.id;
  const vpc = cloud.get(types.vpc, stringOf(table.inputs["vpcId"]));
  const state = { state: "associated" };
  const isMain = vpc?.computed["mainRouteTableId"] === routeTableId;
  const main = { routeTableAssociationId: routeTableId.replace("rtb", "rtbassoc"), main: true };
  const own = cloud.find(types.routeTableAssociation, { routeTableId });
  const associations = own.map(({ id, inputs: { subnetId, gatewayId } }) => {
    return { routeTableAssociationId: id, main: false, subnetId, gatewayId };
  });
  const routes = cloud.find(types.route, { routeTableId }).map((route) => ({
    ...picked(route, "destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"),
    ...{ ...picked(route, "gatewayId", "natGatewayId"), origin: "CreateRoute", state: "active" },
  }));
  return {
    ...{ routeTableId, ...picked(table, "vpcId", "ownerId") },
    routeSet: [{ destinationCidrBlock: vpc?.inputs["cidrBlock"], gatewayId: "local", state: "active" }, ...routes],
    associationSet: [...(isMain ? [main] : []), ...associations].map((one) => {
      return { ...one, routeTableId, associationState: state };
    }),
  };
}

/** The permissions of a group that name another one. */
function peersOf({ id }: CloudObject, cloud: SimulatedCloud, type: string): Properties[] {
  const rules = cloud.find(type).filter(({ inputs }) => inputs["securityGroupId"] === id);
  return rules.flatMap(({ inputs: { ipProtocol, fromPort, toPort, referencedSecurityGroupId: groupId } }) =>
    groupId === undefined
      ? []
      : [{ ipProtocol, fromPort, toPort, groups: [{ groupId, userId: cloud.account.accountId }] }],
  );
}

function securityGroupRule(rule: CloudObject, { account }: SimulatedCloud): Properties {
  const { securityGroupId, ipProtocol, referencedSecurityGroupId: groupId, fromPort, toPort } = rule.inputs;
  return {
    ...{ securityGroupRuleId: rule.id, groupId: securityGroupId, groupOwnerId: account.accountId },
    ...{ isEgress: rule.type === types.egressRule, ipProtocol },
    // EC2 describes a rule for all protocols with all ports.
    ...(ipProtocol === "-1" ? { fromPort: -1, toPort: -1 } : { fromPort, toPort }),
    ...picked(rule, "cidrIpv4", "cidrIpv6", "prefixListId", "description"),
    ...(groupId !== undefined && { referencedGroupInfo: { groupId, userId: account.accountId } }),
  };
}
