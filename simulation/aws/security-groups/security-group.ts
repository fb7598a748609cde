import { CloudError } from "../../world/cloud-error";
import type { Asked, AskedOf, Kind, WorldObject } from "../../world/kind";
import type { World } from "../../world/world";
import { holdsGroup, holdsVpc, toGroup, toVpc } from "../network/references";
import { types } from "../types";
import { arn, besides, ec2Id, nameFor, recomputesTags, regional, regionalOutputs, shown, textOf } from "../values";
import { liveRules } from "./live-rules";

/** Whether it is the group that the VPC was born with: nobody deletes it, it goes with the VPC. */
function isDefault(group: WorldObject): boolean {
  return group.inputs["name"] === "default";
}

/** A rule that names its own group does not keep it. */
const unlessOwn = (group: WorldObject, holder: WorldObject) => (group.id === holder.id ? undefined : holdsGroup(group));

/** What has a network interface with a group keeps it: endpoints, control planes and nodes say so. */
export const securityGroup: Kind = {
  type: types.securityGroup,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 255 },
  defaults: { description: "Managed by Pulumi", revokeRulesOnDelete: false },
  immutable: ["description", "name", "namePrefix", "vpcId"],
  references: [
    toVpc((vpc, group) => (isDefault(group) ? "goes-along" : holdsVpc(vpc))),
    toGroup("ingress[*].securityGroups[*]", unlessOwn),
    toGroup("egress[*].securityGroups[*]", unlessOwn),
  ],
  unique: ({ name, vpcId }) => {
    if (name === undefined) return undefined;
    const words = `The security group '${shown(name)}' already exists for VPC '${shown(vpcId)}'`;
    return { key: `${shown(vpcId)} ${shown(name)}`, error: new CloudError("InvalidGroup.Duplicate", words) };
  },
  id: ec2Id("sg"),
  computes: [...regionalOutputs, "arn", "egress", "ingress", "name", "ownerId"],
  live: liveRules,
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    ...besides(asked.inputs, { name: nameFor(asked.inputs, id) }),
    arn: arn(asked.world, "ec2", `security-group/${id}`),
    ownerId: asked.world.account.accountId,
  }),
  create: refuseNameAndDescription,
  remove: refuseDefault,
};

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
function refuseNameAndDescription({ inputs }: Asked): CloudError | undefined {
  const name = textOf(inputs, "name");
  if (inputs["vpcId"] === undefined) {
    const words = "No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.";
    return new CloudError("VPCIdNotSpecified", words);
  }
  if (name === "default" || name?.startsWith("sg-")) {
    const words = `Cannot use reserved security group name: ${name}`;
    return new CloudError("InvalidParameterValue", words);
  }
  const description = shown(inputs["description"]);
  if (isDescription(description)) return undefined;
  const words = `Value (${description}) for parameter GroupDescription is invalid. Character sets beyond ASCII are not supported.`;
  return new CloudError("InvalidParameterValue", words);
}

/** What may describe a group or a rule. */
export function isDescription(text: string): boolean {
  return /^[0-9A-Za-z_ .:/()#,@[\]+=&;{}!$*-]{0,255}$/.test(text);
}

function refuseDefault({ object }: AskedOf): CloudError | undefined {
  if (!isDefault(object)) return undefined;
  const words = `the specified group: "${object.id}" name: "default" cannot be deleted by a user`;
  return new CloudError("CannotDelete", words);
}

/** Takes the group that a VPC was born with under management: its rules are replaced by those that are given. */
export const defaultSecurityGroup: Kind = {
  type: types.defaultSecurityGroup,
  defaults: { revokeRulesOnDelete: false },
  required: ["vpcId"],
  immutable: ["vpcId"],
  references: [toVpc("goes-along")],
  id: ({ world, inputs }) => shown(defaultOf(world, inputs["vpcId"])?.id),
  computes: [...regionalOutputs, "arn", "description", "egress", "ingress", "name", "ownerId"],
  live: liveRules,
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    arn: arn(asked.world, "ec2", `security-group/${id}`),
    description: "default VPC security group",
    name: "default",
    ownerId: asked.world.account.accountId,
  }),
  after: adoptGroup,
};

function defaultOf(world: World, vpcId: unknown): WorldObject | undefined {
  return world.find(types.securityGroup, { vpcId, name: "default" })[0];
}

function adoptGroup({ world, object }: AskedOf): void {
  const group = world.get(types.securityGroup, object.id);
  if (!group) return;
  const { ingress = [], egress = [], tags = {} } = object.inputs;
  world.put({ ...group, inputs: { ...group.inputs, ingress, egress, tags } });
}
