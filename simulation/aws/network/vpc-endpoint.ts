import { CloudError } from "../../world/cloud-error";
import type { Asked, Kind, Reference } from "../../world/kind";
import { valuesAt } from "../../world/paths";
import { types } from "../types";
import { arn, besides, ec2Id, recomputesTags, regional, regionalOutputs, shown } from "../values";
import { holdsGroup, holdsSubnet, holdsVpc, toGroup, toRouteTable, toSubnet, toVpc } from "./references";

/** The API of endpoints writes Id where the others of EC2 write ID. */
function asEndpointsSay(reference: Reference, code: string): Reference {
  return { ...reference, missing: (id) => new CloudError(code, reference.missing(id).explanation) };
}

const gatewayServices = ["s3", "dynamodb"];

export const vpcEndpoint: Kind = {
  type: types.vpcEndpoint,
  defaults: { vpcEndpointType: "Gateway" },
  required: ["vpcId"],
  immutable: ["serviceName", "serviceRegion", "vpcEndpointType", "vpcId"],
  references: [
    asEndpointsSay(toVpc(holdsVpc), "InvalidVpcId.NotFound"),
    asEndpointsSay(toSubnet("subnetIds[*]", holdsSubnet), "InvalidSubnetId.NotFound"),
    asEndpointsSay(toGroup("securityGroupIds[*]", holdsGroup), "InvalidSecurityGroupId.NotFound"),
    asEndpointsSay(toRouteTable("routeTableIds[*]"), "InvalidRouteTableId.NotFound"),
  ],
  unique: ({ privateDnsEnabled, serviceName, vpcId }) => {
    if (privateDnsEnabled !== true) return undefined;
    const host = shown(serviceName).split(".").slice(2).reverse().join(".");
    const conflict = "private-dns-enabled cannot be set because there is already a conflicting DNS domain";
    const error = new CloudError(
      "InvalidParameter",
      `${conflict} for ${host}.amazonaws.com in the VPC ${shown(vpcId)}.`,
    );
    return { key: `${shown(vpcId)} ${shown(serviceName)}`, error };
  },
  id: ec2Id("vpce"),
  computes: [
    ...regionalOutputs,
    "arn",
    "dnsEntries",
    "networkInterfaceIds",
    "ownerId",
    "prefixListId",
    "privateDnsEnabled",
    "requesterManaged",
    "state",
  ],
  recomputes: recomputesTags,
  computed: (asked, id) => {
    const { serviceName, vpcEndpointType } = asked.inputs;
    const isInterface = vpcEndpointType === "Interface";
    const service = shown(serviceName).split(".").at(-1) ?? "";
    const dnsName = `${id}.${service}.${asked.world.account.region}.vpce.amazonaws.com`;
    return {
      ...regional(asked),
      ...besides(asked.inputs, { privateDnsEnabled: false }),
      arn: arn(asked.world, "ec2", `vpc-endpoint/${id}`),
      ownerId: asked.world.account.accountId,
      requesterManaged: false,
      state: "available",
      prefixListId: isInterface ? "" : id.replace("vpce-", "pl-"),
      dnsEntries: isInterface ? [{ dnsName, hostedZoneId: "Z27UANNT0PRK1T" }] : [],
      networkInterfaceIds: valuesAt(asked.inputs, "subnetIds[*]").map(
        (_, index) => `${id.replace("vpce", "eni")}${index}`,
      ),
    };
  },
  create: (asked) => refuseService(asked) ?? refuseDns(asked) ?? refuseZones(asked) ?? refuseRoutes(asked),
  seconds: { create: 60, update: 30, delete: 60 },
};

function refuseService({ world, inputs }: Asked): CloudError | undefined {
  const name = shown(inputs["serviceName"]);
  const prefix = `com.amazonaws.${world.account.region}.`;
  if (!name.startsWith(prefix)) {
    return new CloudError("InvalidServiceName", `The Vpc Endpoint Service '${name}' does not exist`);
  }
  if (inputs["vpcEndpointType"] !== "Gateway" || gatewayServices.includes(name.slice(prefix.length))) return undefined;
  const words = "Endpoint type (Gateway) does not match available service types ([Interface]).";
  return new CloudError("InvalidParameter", words);
}

function refuseDns({ world, inputs }: Asked): CloudError | undefined {
  if (inputs["privateDnsEnabled"] !== true) return undefined;
  const vpc = world.get(types.vpc, shown(inputs["vpcId"]));
  if (vpc?.inputs["enableDnsSupport"] === true && vpc.inputs["enableDnsHostnames"] === true) return undefined;
  const words = `Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true for ${shown(vpc?.id)}`;
  return new CloudError("InvalidParameter", words);
}

/** An endpoint has one interface in a zone. */
function refuseZones({ world, inputs }: Asked): CloudError | undefined {
  const zones = new Set<unknown>();
  for (const id of valuesAt(inputs, "subnetIds[*]").map(String)) {
    const subnet = world.get(types.subnet, id);
    const zone = subnet?.inputs["availabilityZone"] ?? subnet?.computed["availabilityZone"];
    if (zones.has(zone)) {
      const words = `Found another VPC endpoint subnet in the availability zone of ${id}. VPC endpoint subnets should be in different availability zones supported by the VPC endpoint service.`;
      return new CloudError("DuplicateSubnetsInSameZone", words);
    }
    zones.add(zone);
  }
  return undefined;
}

/** A route table leads to a service through one gateway endpoint. */
function refuseRoutes({ world, inputs }: Asked): CloudError | undefined {
  const tables = valuesAt(inputs, "routeTableIds[*]");
  const others = world.find(types.vpcEndpoint, { vpcId: inputs["vpcId"], serviceName: inputs["serviceName"] });
  for (const other of others) {
    const shared = valuesAt(other.inputs, "routeTableIds[*]").find((id) => tables.includes(id));
    if (shared === undefined) continue;
    const words = `route table ${shown(shared)} already has a route with destination-prefix-list-id ${shown(other.computed["prefixListId"])}`;
    return new CloudError("RouteAlreadyExists", words);
  }
  return undefined;
}
