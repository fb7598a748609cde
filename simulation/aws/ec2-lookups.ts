import { parseCidr } from "../../components/core/cidr-form";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { instanceType } from "../../components/nodes/machine/instance-types";
import { CloudError, existing } from "../cloud/errors";
import { type CloudObject, propertyOf, type ProviderFunction, type CloudState } from "../cloud/model";
import { types } from "./types";
import { stringOf } from "./values";

/** Functions about networks, instances and launch templates, with the outputs of the provider that a preview compares. */
export const ec2Lookups: Readonly<Record<string, ProviderFunction>> = {
  "aws:ec2/getVpc:getVpc": ({ id }, cloud) => {
    const vpc = found(cloud, types.vpc, id, "NotFound", "no matching EC2 VPC found");
    return { id, arn: vpc.computed["arn"], cidrBlock: vpc.inputs["cidrBlock"], state: "available", tags: tagsOf(vpc) };
  },
  "aws:ec2/getVpcs:getVpcs": ({ tags }, cloud) => {
    const wanted = Object.entries(isRecord(tags) ? tags : {});
    const filters = wanted.map(([key, value]) => ({ name: `tag:${key}`, values: [value] }));
    return { id: cloud.account.region, ids: idsOf(cloud, types.vpc, filters), tags };
  },
  "aws:ec2/getSubnet:getSubnet": ({ id }, cloud) => {
    const subnet = found(cloud, types.subnet, id, "InvalidSubnetID.NotFound", "no matching EC2 Subnet found");
    const availableIpAddressCount = freeAddresses(cloud, subnet);
    return { ...subnet.inputs, ...subnet.computed, id: subnet.id, state: "available", availableIpAddressCount };
  },
  "aws:ec2/getSubnets:getSubnets": ({ filters }, cloud) => {
    return { id: cloud.account.region, ids: idsOf(cloud, types.subnet, filters), tags: {} };
  },
  "aws:ec2/getInstance:getInstance": ({ instanceId }, cloud) => {
    const message = `The instance ID '${stringOf(instanceId)}' does not exist`;
    const { id, inputs } = found(cloud, types.instance, instanceId, "InvalidInstanceID.NotFound", message);
    return { ...inputs, id, instanceId: id };
  },
  "aws:ec2/getInstances:getInstances": (args, cloud) => {
    return { ...args, id: cloud.account.region, ids: idsOf(cloud, types.instance, args["filters"]) };
  },
  "aws:ec2/getLaunchTemplate:getLaunchTemplate": ({ id }, cloud) =>
    launchTemplate(found(cloud, types.launchTemplate, id, "NotFound", "no matching EC2 Launch Template found")),
  "aws:ec2/getElasticIp:getElasticIp": ({ id }, cloud) => {
    const { inputs, computed } = found(cloud, types.eip, id, "NotFound", "no matching EC2 EIP found");
    return { id, ...inputs, ...computed };
  },
};

function found(cloud: CloudState, type: string, id: unknown, code: string, message: string): CloudObject {
  return existing(cloud.get(type, stringOf(id)), new CloudError(code, message));
}

/** A data source returns all tags as `tags`. */
export function tagsOf({ inputs, computed }: CloudObject): Properties {
  const tags = computed["tagsAll"] ?? inputs["tags"];
  return isRecord(tags) ? tags : {};
}

function idsOf(cloud: CloudState, type: string, filters: unknown): string[] {
  const wanted = (Array.isArray(filters) ? filters : []).filter(isRecord);
  const objects = cloud.find(type).filter((object) => wanted.every((filter) => matches(object, filter)));
  return objects.map(({ id }) => id);
}

/** Of the filters of EC2: the VPC, the type, the lifecycle and tags. A `*` stands for any characters. */
function matches(object: CloudObject, { name, values }: Properties): boolean {
  const { inputs, computed } = object;
  const wanted = Array.isArray(values) ? values.map(stringOf) : [];
  const [key, tags] = [stringOf(name), tagsOf(object)];
  if (key === "tag-key") return wanted.some((tag) => Object.hasOwn(tags, tag));
  const facts: Properties = {
    "vpc-id": inputs["vpcId"],
    "instance-type": inputs["instanceType"],
    "instance-lifecycle": computed["spot"] === true ? "spot" : undefined,
  };
  const got = key.startsWith("tag:") ? tags[key.slice("tag:".length)] : facts[key];
  return typeof got === "string" && wanted.some((pattern) => isLike(got, pattern));
}

function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(text);
}

/** AWS reserves five addresses of each subnet. Each instance holds those of one network interface. */
function freeAddresses(cloud: CloudState, subnet: CloudObject): number {
  const size = parseCidr(stringOf(propertyOf(subnet, "cidrBlock")))?.size ?? 0;
  const taken = cloud
    .find(types.instance, { subnetId: subnet.id })
    .map(({ inputs }) => instanceType(stringOf(inputs["instanceType"]))?.ipv4PerInterface ?? 1);
  return Math.max(0, size - 5 - taken.reduce((sum, one) => sum + one, 0));
}

/** The latest version: a block is a list of at most one item, and a missing string is empty. */
function launchTemplate({ id, inputs, computed }: CloudObject): Properties {
  const listOf = (value: unknown): unknown[] => (value === undefined ? [] : [value]);
  const reservation = inputs["capacityReservationSpecification"];
  return {
    id,
    name: propertyOf({ type: "", id, inputs, computed }, "name"),
    latestVersion: computed["latestVersion"],
    instanceType: inputs["instanceType"] ?? "",
    userData: inputs["userData"] ?? "",
    blockDeviceMappings: valuesAt(inputs, "blockDeviceMappings[*]").map((mapping) =>
      isRecord(mapping) ? { ...mapping, ebs: listOf(mapping["ebs"]) } : mapping,
    ),
    networkInterfaces: inputs["networkInterfaces"] ?? [],
    placements: listOf(inputs["placement"]),
    capacityReservationSpecifications: listOf(reservation).map((one) => ({
      capacityReservationTargets: isRecord(one) ? listOf(one["capacityReservationTarget"]) : [],
    })),
    tagSpecifications: inputs["tagSpecifications"] ?? [],
    vpcSecurityGroupIds: inputs["vpcSecurityGroupIds"] ?? [],
    tags: tagsOf({ type: "", id, inputs, computed }),
  };
}
