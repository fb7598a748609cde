import { CloudError } from "../../cloud/errors";
import type { Request, ResourceModel, Reference } from "../../cloud/model";
import { valuesAt } from "../../../components/core/reader/paths";
import { types } from "../types";
import { arn, computedDefaults, ec2Id, regional, stringOf } from "../values";
import {
  groupInUse,
  subnetInUse,
  vpcInUse,
  groupReference,
  routeTableReference,
  subnetReference,
  vpcReference,
} from "./references";

/** The API of VPC endpoints writes `Id` in its error codes where the other EC2 APIs write `ID`. */
function withErrorCode(reference: Reference, code: string): Reference {
  return { ...reference, missing: (id) => new CloudError(code, reference.missing(id).explanation) };
}

const gatewayServices = ["s3", "dynamodb"];

export const vpcEndpoint: ResourceModel = {
  type: types.vpcEndpoint,
  defaults: { vpcEndpointType: "Gateway" },
  required: ["vpcId"],
  references: [
    withErrorCode(vpcReference("vpcId", vpcInUse), "InvalidVpcId.NotFound"),
    withErrorCode(subnetReference("subnetIds[*]", subnetInUse), "InvalidSubnetId.NotFound"),
    withErrorCode(groupReference("securityGroupIds[*]", groupInUse), "InvalidSecurityGroupId.NotFound"),
    withErrorCode(routeTableReference("routeTableIds[*]"), "InvalidRouteTableId.NotFound"),
  ],
  unique: ({ privateDnsEnabled, serviceName, vpcId }) => {
    if (privateDnsEnabled !== true) return undefined;
    const host = stringOf(serviceName).split(".").slice(2).reverse().join(".");
    const conflict = "private-dns-enabled cannot be set because there is already a conflicting DNS domain";
    const error = new CloudError(
      "InvalidParameter",
      `${conflict} for ${host}.amazonaws.com in the VPC ${stringOf(vpcId)}.`,
    );
    return { key: `${stringOf(vpcId)} ${stringOf(serviceName)}`, error };
  },
  id: ec2Id("vpce"),
  ...regional((request, id) => {
    const { serviceName, vpcEndpointType } = request.inputs;
    const isInterface = vpcEndpointType === "Interface";
    const service = stringOf(serviceName).split(".").at(-1) ?? "";
    const dnsName = `${id}.${service}.${request.cloud.account.region}.vpce.amazonaws.com`;
    return {
      ...computedDefaults(request.inputs, { privateDnsEnabled: false }),
      arn: arn(request.cloud, "ec2", `vpc-endpoint/${id}`),
      ownerId: request.cloud.account.accountId,
      requesterManaged: false,
      state: "available",
      prefixListId: isInterface ? "" : id.replace("vpce-", "pl-"),
      dnsEntries: isInterface ? [{ dnsName, hostedZoneId: "Z27UANNT0PRK1T" }] : [],
      networkInterfaceIds: valuesAt(request.inputs, "subnetIds[*]").map(
        (_, index) => `${id.replace("vpce", "eni")}${index}`,
      ),
    };
  }),
  validateCreate: (request) =>
    rejectService(request) ?? rejectDns(request) ?? rejectZones(request) ?? rejectRoutes(request),
  seconds: { create: 60, update: 30, delete: 60 },
};

function rejectService({ cloud, inputs }: Request): CloudError | undefined {
  const name = stringOf(inputs["serviceName"]);
  const prefix = `com.amazonaws.${cloud.account.region}.`;
  if (!name.startsWith(prefix)) {
    return new CloudError("InvalidServiceName", `The Vpc Endpoint Service '${name}' does not exist`);
  }
  if (inputs["vpcEndpointType"] !== "Gateway" || gatewayServices.includes(name.slice(prefix.length))) return undefined;
  const message = "Endpoint type (Gateway) does not match available service types ([Interface]).";
  return new CloudError("InvalidParameter", message);
}

function rejectDns({ cloud, inputs }: Request): CloudError | undefined {
  if (inputs["privateDnsEnabled"] !== true) return undefined;
  const vpc = cloud.get(types.vpc, stringOf(inputs["vpcId"]));
  if (vpc?.inputs["enableDnsSupport"] === true && vpc.inputs["enableDnsHostnames"] === true) return undefined;
  const message = `Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true for ${stringOf(vpc?.id)}`;
  return new CloudError("InvalidParameter", message);
}

/** A VPC endpoint has at most one network interface per zone. */
function rejectZones({ cloud, inputs }: Request): CloudError | undefined {
  const zones = new Set<unknown>();
  for (const id of valuesAt(inputs, "subnetIds[*]").map(String)) {
    const subnet = cloud.get(types.subnet, id);
    const zone = subnet?.inputs["availabilityZone"] ?? subnet?.computed["availabilityZone"];
    if (zones.has(zone)) {
      const message = `Found another VPC endpoint subnet in the availability zone of ${id}. VPC endpoint subnets should be in different availability zones supported by the VPC endpoint service.`;
      return new CloudError("DuplicateSubnetsInSameZone", message);
    }
    zones.add(zone);
  }
  return undefined;
}

/** A route table has at most one gateway endpoint per service. */
function rejectRoutes({ cloud, inputs }: Request): CloudError | undefined {
  const tables = valuesAt(inputs, "routeTableIds[*]");
  const others = cloud.find(types.vpcEndpoint, { vpcId: inputs["vpcId"], serviceName: inputs["serviceName"] });
  for (const other of others) {
    const shared = valuesAt(other.inputs, "routeTableIds[*]").find((id) => tables.includes(id));
    if (shared === undefined) continue;
    const message = `route table ${stringOf(shared)} already has a route with destination-prefix-list-id ${stringOf(other.computed["prefixListId"])}`;
    return new CloudError("RouteAlreadyExists", message);
  }
  return undefined;
}
