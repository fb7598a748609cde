import { Netmask } from "netmask";
import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import {
  type CloudObject,
  type ObjectRequest,
  propertyOf,
  type Request,
  type ResourceModel,
  type CloudState,
} from "../../cloud/model";
import { types } from "../types";
import { arn, computedDefaults, ec2Id, numberOf, regional, stringOf } from "../values";
import { subnetInUse, subnetReference, vpcInUse, vpcReference } from "./references";

/** Quota of Elastic IP addresses in a region. @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html */
export const addressQuota = 5;

/** An address from a block for documentation. @see https://www.rfc-editor.org/rfc/rfc5737 */
const publicIp = (id: string) => `203.0.113.${numberOf(id, 254) + 1}`;

export const eip: ResourceModel = {
  type: types.eip,
  id: ec2Id("eipalloc"),
  ...regional((request, id) => {
    const { region } = request.cloud.account;
    return {
      ...computedDefaults(request.inputs, { domain: "vpc", networkBorderGroup: region, publicIpv4Pool: "amazon" }),
      allocationId: id,
      arn: arn(request.cloud, "ec2", `elastic-ip/${id}`),
      publicIp: publicIp(id),
      publicDns: `ec2-${publicIp(id).replaceAll(".", "-")}.${region}.compute.amazonaws.com`,
    };
  }),
  derivedOutputs: associationOf,
  validateCreate: ({ cloud }) =>
    cloud.find(types.eip).length < addressQuota
      ? undefined
      : new CloudError("AddressLimitExceeded", "The maximum number of addresses has been reached."),
};

/**
 * The NAT gateway that an address is associated with.
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/ec2_eip.go resourceEIPRead
 */
function associationOf(address: CloudObject, cloud: CloudState): Properties {
  const [gateway] = cloud.find(types.natGateway, { allocationId: address.id });
  const { associationId = "", networkInterfaceId = "" } = gateway?.computed ?? {};
  const privateIp = gateway && propertyOf(gateway, "privateIp");
  return {
    associationId,
    instance: "",
    networkInterface: networkInterfaceId,
    privateIp: privateIp ?? "",
    privateDns:
      privateIp === undefined
        ? ""
        : `ip-${stringOf(privateIp).replaceAll(".", "-")}.${cloud.account.region}.compute.internal`,
  };
}

export const natGateway: ResourceModel = {
  type: types.natGateway,
  defaults: { connectivityType: "public" },
  references: [
    subnetReference("subnetId", subnetInUse),
    {
      path: "allocationId",
      to: types.eip,
      missing: (id) => new CloudError("InvalidAllocationID.NotFound", `The allocation ID '${id}' does not exist`),
      // The message of AWS for an address that a NAT gateway uses.
      onDelete: new CloudError("AuthFailure", "You do not have permission to access the specified resource."),
    },
  ],
  id: ec2Id("nat"),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { privateIp: privateIp(request, id) }),
    associationId: id.replace("nat", "eipassoc"),
    networkInterfaceId: id.replace("nat", "eni"),
    publicIp: request.cloud.get(types.eip, stringOf(request.inputs["allocationId"]))?.computed["publicIp"] ?? "",
  })),
  validateCreate: ({ inputs }) =>
    inputs["connectivityType"] === "private" || inputs["allocationId"] !== undefined
      ? undefined
      : new CloudError(
          "MissingParameter",
          "The request must include the AllocationId parameter. Add the required parameter and retry the request.",
        ),
  createFailure: creationFailure,
  seconds: { create: 95, delete: 50 },
};

/** AWS reserves the first four addresses of a subnet. Undefined in a preview, where the subnet may not exist. */
function privateIp({ cloud, inputs }: Request, id: string): string | undefined {
  const subnet = cloud.get(types.subnet, stringOf(inputs["subnetId"]));
  if (!subnet) return undefined;
  const { base, size } = new Netmask(stringOf(subnet.inputs["cidrBlock"]));
  const [first = 0, second = 0, third = 0, fourth = 0] = base.split(".").map(Number);
  const offset = 4 + numberOf(id, Math.min(size, 256) - 5);
  return [first, second, third, fourth + offset].join(".");
}

/** AWS creates a NAT gateway that cannot work; it then enters the state `failed`. @see https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html */
function creationFailure({ cloud, object }: ObjectRequest): string | undefined {
  if (object.inputs["connectivityType"] === "private") return undefined;
  const vpcId = cloud.get(types.subnet, stringOf(object.inputs["subnetId"]))?.inputs["vpcId"];
  if (cloud.find(types.internetGateway, { vpcId }).length === 0) {
    return failedState(object, `Gateway.NotAttached: Network ${stringOf(vpcId)} has no Internet gateway attached`);
  }
  const [first] = cloud.find(types.natGateway, { allocationId: object.inputs["allocationId"] });
  if (!first || first.id === object.id) return undefined;
  const { allocationId } = object.inputs;
  const message = `Elastic IP address [${stringOf(allocationId)}] is already associated`;
  return failedState(object, `Resource.AlreadyAssociated: ${message}`);
}

function failedState({ id }: CloudObject, error: string): string {
  const state = "unexpected state 'failed', wanted target 'available'";
  return `waiting for EC2 NAT Gateway (${id}) create: ${state}. last error: ${error}`;
}

export const internetGateway: ResourceModel = {
  type: types.internetGateway,
  references: [vpcReference("vpcId", vpcInUse)],
  id: ec2Id("igw"),
  ...regional((request, id) => ({
    arn: arn(request.cloud, "ec2", `internet-gateway/${id}`),
    ownerId: request.cloud.account.accountId,
  })),
  validateCreate: rejectAttach,
  validateUpdate: (request) =>
    request.inputs["vpcId"] === request.object.inputs["vpcId"]
      ? undefined
      : (rejectDetach(request) ?? rejectAttach(request)),
  validateDelete: rejectDetach,
};

function rejectAttach({ cloud, inputs }: Request): CloudError | undefined {
  const { vpcId } = inputs;
  if (vpcId === undefined || cloud.find(types.internetGateway, { vpcId }).length === 0) return undefined;
  const message = `Network ${stringOf(vpcId)} already has an internet gateway attached`;
  return new CloudError("InvalidParameterValue", message);
}

/** @see https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Internet_Gateway.html */
function rejectDetach({ cloud, object }: ObjectRequest): CloudError | undefined {
  const { vpcId } = object.inputs;
  const subnets = cloud.find(types.subnet, { vpcId });
  if (vpcId === undefined || !hasPublicAddresses(cloud, subnets)) return undefined;
  const message = `Network ${stringOf(vpcId)} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`;
  return new CloudError("DependencyViolation", message);
}

/** Public NAT gateways have public addresses, and so do instances in subnets that assign them. */
function hasPublicAddresses(cloud: CloudState, subnets: readonly CloudObject[]): boolean {
  return subnets.some(
    ({ id, inputs }) =>
      cloud.find(types.natGateway, { subnetId: id, connectivityType: "public" }).length > 0 ||
      (inputs["mapPublicIpOnLaunch"] === true && cloud.find(types.instance, { subnetId: id }).length > 0),
  );
}
