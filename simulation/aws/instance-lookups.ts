import { parseCidr } from "../../components/core/cidr-form";
import { instanceType } from "../../components/nodes/machine/instance-types";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import { propertyOf, type CloudObject, type ProviderFunction, type CloudState } from "../cloud/model";
import { types } from "./types";
import { stringOf } from "./values";

/** Functions about running instances and the addresses that they leave. */
export const instanceLookups: Readonly<Record<string, ProviderFunction>> = {
  "aws:ec2/getInstances:getInstances": (args, cloud) => {
    const filters = (Array.isArray(args["filters"]) ? args["filters"] : []).filter(isRecord);
    const ids = cloud
      .find(types.instance)
      .filter((instance) => filters.every((filter) => matches(instance, filter)))
      .map(({ id }) => id);
    return { ...args, id: cloud.account.region, ids };
  },
  "aws:ec2/getInstance:getInstance": (args, cloud) => {
    const id = stringOf(args["instanceId"]);
    const instance = cloud.get(types.instance, id);
    if (!instance) throw new CloudError("InvalidInstanceID.NotFound", `The instance ID '${id}' does not exist`);
    return { ...instance.inputs, id, instanceId: id };
  },
  "aws:ec2/getSubnet:getSubnet": (args, cloud) => {
    const id = stringOf(args["id"]);
    const subnet = cloud.get(types.subnet, id);
    if (!subnet) throw new CloudError("InvalidSubnetID.NotFound", "no matching EC2 Subnet found");
    return {
      ...subnet.inputs,
      ...subnet.computed,
      id,
      state: "available",
      availableIpAddressCount: freeAddresses(cloud, subnet),
    };
  },
};

/** Of the filters of EC2: the type, the lifecycle and tags. A `*` stands for any characters. */
function matches({ inputs, computed }: CloudObject, { name, values }: Properties): boolean {
  const wanted = Array.isArray(values) ? values.map(stringOf) : [];
  const tags = isRecord(inputs["tags"]) ? inputs["tags"] : {};
  const facts: Properties = {
    "instance-type": inputs["instanceType"],
    "instance-lifecycle": computed["spot"] === true ? "spot" : undefined,
  };
  const key = stringOf(name);
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
