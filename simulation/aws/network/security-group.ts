import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import type { CloudObject, ObjectRequest, Request, ResourceModel } from "../../cloud/model";
import type { SimulatedCloud } from "../../cloud/simulated-cloud";
import { types } from "../types";
import {
  arn,
  computedDefaults,
  ec2Id,
  nameFor,
  recomputesTags,
  regionalOutputNames,
  regionalOutputs,
  stringAt,
  stringOf,
} from "../values";
import { groupInUse, groupReference, vpcInUse, vpcReference } from "./references";

/** Whether it is the group that the VPC was born with: nobody deletes it, it goes with the VPC. */
function isDefault(group: CloudObject): boolean {
  return group.inputs["name"] === "default";
}

/** A rule that names its own group does not keep it. */
const unlessOwn = (group: CloudObject, holder: CloudObject) => (group.id === holder.id ? undefined : groupInUse(group));

/** What has a network interface with a group keeps it: endpoints, control planes and nodes say so. */
export const securityGroup: ResourceModel = {
  type: types.securityGroup,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 255 },
  defaults: { description: "Managed by Pulumi", revokeRulesOnDelete: false },
  immutable: ["description", "name", "namePrefix", "vpcId"],
  references: [
    vpcReference((vpc, group) => (isDefault(group) ? "cascade" : vpcInUse(vpc))),
    groupReference("ingress[*].securityGroups[*]", unlessOwn),
    groupReference("egress[*].securityGroups[*]", unlessOwn),
  ],
  unique: ({ name, vpcId }) => {
    if (name === undefined) return undefined;
    const words = `The security group '${stringOf(name)}' already exists for VPC '${stringOf(vpcId)}'`;
    return { key: `${stringOf(vpcId)} ${stringOf(name)}`, error: new CloudError("InvalidGroup.Duplicate", words) };
  },
  id: ec2Id("sg"),
  computes: [...regionalOutputNames, "arn", "egress", "ingress", "name", "ownerId"],
  derivedOutputs: rulesOf,
  recomputes: recomputesTags,
  computed: (request, id) => ({
    ...regionalOutputs(request),
    ...computedDefaults(request.inputs, { name: nameFor(request.inputs, id) }),
    arn: arn(request.cloud, "ec2", `security-group/${id}`),
    ownerId: request.cloud.account.accountId,
  }),
  validateCreate: rejectNameAndDescription,
  validateDelete: rejectDefault,
};

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
function rejectNameAndDescription({ inputs }: Request): CloudError | undefined {
  const name = stringAt(inputs, "name");
  if (inputs["vpcId"] === undefined) {
    const words = "No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.";
    return new CloudError("VPCIdNotSpecified", words);
  }
  if (name === "default" || name?.startsWith("sg-")) {
    const words = `Cannot use reserved security group name: ${name}`;
    return new CloudError("InvalidParameterValue", words);
  }
  const description = stringOf(inputs["description"]);
  if (isDescription(description)) return undefined;
  const words = `Value (${description}) for parameter GroupDescription is invalid. Character sets beyond ASCII are not supported.`;
  return new CloudError("InvalidParameterValue", words);
}

/** What may describe a group or a rule. */
export function isDescription(text: string): boolean {
  return /^[0-9A-Za-z_ .:/()#,@[\]+=&;{}!$*-]{0,255}$/.test(text);
}

function rejectDefault({ object }: ObjectRequest): CloudError | undefined {
  if (!isDefault(object)) return undefined;
  const words = `the specified group: "${object.id}" name: "default" cannot be deleted by a user`;
  return new CloudError("CannotDelete", words);
}

/** Takes the group that a VPC was born with under management: its rules are replaced by those that are given. */
export const defaultSecurityGroup: ResourceModel = {
  type: types.defaultSecurityGroup,
  defaults: { revokeRulesOnDelete: false },
  required: ["vpcId"],
  immutable: ["vpcId"],
  references: [vpcReference("cascade")],
  id: ({ cloud, inputs }) => stringOf(defaultOf(cloud, inputs["vpcId"])?.id),
  computes: [...regionalOutputNames, "arn", "description", "egress", "ingress", "name", "ownerId"],
  derivedOutputs: rulesOf,
  recomputes: recomputesTags,
  computed: (request, id) => ({
    ...regionalOutputs(request),
    arn: arn(request.cloud, "ec2", `security-group/${id}`),
    description: "default VPC security group",
    name: "default",
    ownerId: request.cloud.account.accountId,
  }),
  afterChange: adoptGroup,
};

function defaultOf(cloud: SimulatedCloud, vpcId: unknown): CloudObject | undefined {
  return cloud.find(types.securityGroup, { vpcId, name: "default" })[0];
}

function adoptGroup({ cloud, object }: ObjectRequest): void {
  const group = cloud.get(types.securityGroup, object.id);
  if (!group) return;
  const { ingress = [], egress = [], tags = {} } = object.inputs;
  cloud.put({ ...group, inputs: { ...group.inputs, ingress, egress, tags } });
}

/** Where a rule says who is let through, and where a group's own list of rules does. */
const peers = {
  cidrIpv4: "cidrBlocks",
  cidrIpv6: "ipv6CidrBlocks",
  prefixListId: "prefixListIds",
  referencedSecurityGroupId: "securityGroups",
} as const;

type Peer = keyof typeof peers;

/**
 * The rules that are resources of their own, as a group's provider reads them: those of one protocol, of the same ports
 * and description are one, with all their peers.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_security_group.go resourceSecurityGroupRead
 */
export function rulesOf(group: CloudObject, cloud: SimulatedCloud): Properties {
  const read = (type: string) => groupedRules(cloud.find(type, { securityGroupId: group.id }), group.id);
  return { ingress: read(types.ingressRule), egress: read(types.egressRule) };
}

function groupedRules(rules: readonly CloudObject[], groupId: string): Properties[] {
  const listed: { traffic: Properties; peers: Record<string, unknown[]>; self: boolean }[] = [];
  for (const { inputs } of rules) {
    const traffic = trafficOf(inputs);
    const same = listed.find((entry) => isDeepStrictEqual(entry.traffic, traffic));
    const entry = same ?? { traffic, peers: {}, self: false };
    if (!same) listed.push(entry);
    for (const name of Object.keys(peers) as Peer[]) {
      if (inputs[name] === groupId) entry.self = true;
      else if (inputs[name] !== undefined) (entry.peers[peers[name]] ??= []).push(inputs[name]);
    }
  }
  return listed.map(({ traffic, peers: known, self }) => ({ ...traffic, ...known, self }));
}

function trafficOf({ ipProtocol, fromPort, toPort, description = "" }: Properties): Properties {
  const all = ipProtocol === "-1";
  return { protocol: ipProtocol, fromPort: all ? 0 : fromPort, toPort: all ? 0 : toPort, description };
}
