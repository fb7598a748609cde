import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import type { CloudObject, ObjectRequest, Request, ResourceModel, CloudState } from "../../cloud/model";
import { types } from "../types";
import { arn, computedDefaults, ec2Id, nameFor, regional, stringAt, stringOf } from "../values";
import { groupInUse, groupReference, vpcInUse, vpcReference } from "./references";

/** Whether a security group is the default one of its VPC: it is deleted only with the VPC. */
function isDefault(group: CloudObject): boolean {
  return group.inputs["name"] === "default";
}

/** A rule that refers to its own group does not prevent the deletion of the group. */
const groupInUseByOther = (group: CloudObject, referrer: CloudObject) =>
  group.id === referrer.id ? undefined : groupInUse(group);

/** A security group. The models of VPC endpoints, clusters and instances prevent the deletion of a group in use. */
export const securityGroup: ResourceModel = {
  type: types.securityGroup,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 255 },
  defaults: { description: "Managed by Pulumi", revokeRulesOnDelete: false },
  references: [
    vpcReference((vpc, group) => (isDefault(group) ? "cascade" : vpcInUse(vpc))),
    groupReference("ingress[*].securityGroups[*]", groupInUseByOther),
    groupReference("egress[*].securityGroups[*]", groupInUseByOther),
  ],
  unique: ({ name, vpcId }) => {
    if (name === undefined) return undefined;
    const message = `The security group '${stringOf(name)}' already exists for VPC '${stringOf(vpcId)}'`;
    return { key: `${stringOf(vpcId)} ${stringOf(name)}`, error: new CloudError("InvalidGroup.Duplicate", message) };
  },
  id: ec2Id("sg"),
  derivedOutputs: rulesOf,
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { name: nameFor(request.inputs, id) }),
    arn: arn(request.cloud, "ec2", `security-group/${id}`),
    ownerId: request.cloud.account.accountId,
  })),
  validateCreate: rejectNameAndDescription,
  validateDelete: rejectDefault,
};

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
function rejectNameAndDescription({ inputs }: Request): CloudError | undefined {
  const name = stringAt(inputs, "name");
  if (inputs["vpcId"] === undefined) {
    const message = "No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.";
    return new CloudError("VPCIdNotSpecified", message);
  }
  if (name === "default" || name?.startsWith("sg-")) {
    const message = `Cannot use reserved security group name: ${name}`;
    return new CloudError("InvalidParameterValue", message);
  }
  const description = stringOf(inputs["description"]);
  if (isDescription(description)) return undefined;
  const message = `Value (${description}) for parameter GroupDescription is invalid. Character sets beyond ASCII are not supported.`;
  return new CloudError("InvalidParameterValue", message);
}

/** Whether EC2 accepts a text as the description of a group or a rule. */
export function isDescription(text: string): boolean {
  return /^[0-9A-Za-z_ .:/()#,@[\]+=&;{}!$*-]{0,255}$/.test(text);
}

function rejectDefault({ object }: ObjectRequest): CloudError | undefined {
  if (!isDefault(object)) return undefined;
  const message = `the specified group: "${object.id}" name: "default" cannot be deleted by a user`;
  return new CloudError("CannotDelete", message);
}

/** Manages the default security group of a VPC: the given rules replace its rules. */
export const defaultSecurityGroup: ResourceModel = {
  type: types.defaultSecurityGroup,
  defaults: { revokeRulesOnDelete: false },
  required: ["vpcId"],
  references: [vpcReference("cascade")],
  id: ({ cloud, inputs }) => stringOf(defaultOf(cloud, inputs["vpcId"])?.id),
  derivedOutputs: rulesOf,
  ...regional((request, id) => ({
    arn: arn(request.cloud, "ec2", `security-group/${id}`),
    description: "default VPC security group",
    name: "default",
    ownerId: request.cloud.account.accountId,
  })),
  afterChange: adoptGroup,
};

function defaultOf(cloud: CloudState, vpcId: unknown): CloudObject | undefined {
  return cloud.find(types.securityGroup, { vpcId, name: "default" })[0];
}

function adoptGroup({ cloud, object }: ObjectRequest): void {
  const group = cloud.get(types.securityGroup, object.id);
  if (!group) return;
  const { ingress = [], egress = [], tags = {} } = object.inputs;
  cloud.put({ ...group, inputs: { ...group.inputs, ingress, egress, tags } });
}

/** Inputs that name the peer: of a rule resource, and of an inline rule. */
const inlinePeers = {
  cidrIpv4: "cidrBlocks",
  cidrIpv6: "ipv6CidrBlocks",
  prefixListId: "prefixListIds",
  referencedSecurityGroupId: "securityGroups",
} as const;

type Peer = keyof typeof inlinePeers;

/**
 * The rules of a group that are separate resources, as the provider reads them: rules with the same protocol, ports and
 * description are one entry with several peers.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_security_group.go resourceSecurityGroupRead
 */
function rulesOf(group: CloudObject, cloud: CloudState): Properties {
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
    for (const name of Object.keys(inlinePeers) as Peer[]) {
      if (inputs[name] === groupId) entry.self = true;
      else if (inputs[name] !== undefined) (entry.peers[inlinePeers[name]] ??= []).push(inputs[name]);
    }
  }
  return listed.map(({ traffic, peers: known, self }) => ({ ...traffic, ...known, self }));
}

function trafficOf({ ipProtocol, fromPort, toPort, description = "" }: Properties): Properties {
  const all = ipProtocol === "-1";
  return { protocol: ipProtocol, fromPort: all ? 0 : fromPort, toPort: all ? 0 : toPort, description };
}
