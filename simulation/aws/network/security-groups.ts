import { isDeepStrictEqual } from "node:util";
import { parseCidr } from "../../../components/core/cidr-form";
import { unknownSentinel, type Properties } from "../../../components/core/wire";
import { groupInUse, groupReference, vpcInUse, vpcReference } from "./references";
import { types } from "../types";
import { arn, computedDefaults, ec2Id, nameFor, regional, stringAt, stringOf } from "../values";
import { CloudError } from "../../cloud/errors";
import type { CloudObject, ObjectRequest, Request, ResourceModel, CloudState, CheckFailure } from "../../cloud/model";

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
    vpcReference("vpcId", (vpc, group) => (isDefault(group) ? "cascade" : vpcInUse(vpc))),
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
function isDescription(text: string): boolean {
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
  references: [vpcReference("vpcId", "cascade")],
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

/** Quota of rules per security group and direction. @see https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
const ruleQuota = 60;

/** Inputs that name the peer of a rule: names of the provider and of the API. */
const peers = {
  cidrIpv4: "cidr_ipv4",
  cidrIpv6: "cidr_ipv6",
  prefixListId: "prefix_list_id",
  referencedSecurityGroupId: "referenced_security_group_id",
} as const;

const peerNames = Object.keys(peers);

const protocolsWithPorts = ["tcp", "udp", "icmp", "6", "17", "1"];

export const ingressRule = ruleModel(types.ingressRule);
export const egressRule = ruleModel(types.egressRule);

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifySecurityGroupRules.html */
function ruleModel(type: string): ResourceModel {
  return {
    type,
    required: ["ipProtocol", "securityGroupId"],
    check: checkPeers,
    references: [
      groupReference("securityGroupId", "cascade"),
      groupReference("referencedSecurityGroupId", (group, rule) =>
        rule.inputs["securityGroupId"] === group.id ? undefined : groupInUse(group),
      ),
    ],
    unique: (inputs) => ({ key: keyOf(inputs), error: duplicate(inputs) }),
    id: ec2Id("sgr"),
    ...regional((request, id) => ({
      arn: arn(request.cloud, "ec2", `security-group-rule/${id}`),
      securityGroupRuleId: id,
    })),
    validateCreate: (request) => rejectRule(request) ?? rejectQuota(type, request),
    validateUpdate: (request) => rejectRule(request) ?? rejectDuplicate(type, request),
  };
}

function checkPeers(inputs: Properties): CheckFailure[] {
  const given = peerNames.filter((name) => inputs[name] !== undefined);
  if (given.length !== 1) {
    const reason = `Exactly one of these attributes must be configured: [${Object.values(peers).join(",")}]`;
    return [{ property: given[0] ?? peerNames[0] ?? "", reason }];
  }
  const { cidrIpv4 } = inputs;
  if (cidrIpv4 === undefined || cidrIpv4 === unknownSentinel) return [];
  const block = parseCidr(cidrIpv4)?.toString();
  if (block === cidrIpv4) return [];
  const hint = block === undefined ? "" : `; did you mean "${block}"?`;
  return [{ property: "cidrIpv4", reason: `"${stringOf(cidrIpv4)}" is not a valid CIDR block${hint}` }];
}

/** Two rules are equal when they allow the same traffic, whatever their descriptions. */
function keyOf(inputs: Properties): string {
  const { securityGroupId, ipProtocol, fromPort, toPort } = inputs;
  const ports = stringOf(ipProtocol) === "-1" ? [] : [fromPort, toPort];
  return [securityGroupId, ipProtocol, ...ports, peerOf(inputs)].map(String).join(" ");
}

function peerOf(inputs: Properties): string {
  return peerNames.map((name) => stringAt(inputs, name)).find((given) => given !== undefined) ?? "";
}

function duplicate(inputs: Properties): CloudError {
  const protocol = stringOf(inputs["ipProtocol"]);
  const ports = `from port: ${stringOf(inputs["fromPort"])}, to port: ${stringOf(inputs["toPort"])}`;
  const through = protocol === "-1" ? "ALL" : `${protocol.toUpperCase()}, ${ports}`;
  const message = `the specified rule "peer: ${peerOf(inputs)}, ${through}, ALLOW" already exists`;
  return new CloudError("InvalidPermission.Duplicate", message);
}

function rejectRule({ cloud, inputs }: Request): CloudError | undefined {
  const protocol = stringOf(inputs["ipProtocol"]);
  if (protocolsWithPorts.includes(protocol) && (inputs["fromPort"] === undefined || inputs["toPort"] === undefined)) {
    const message = "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.";
    return new CloudError("InvalidParameterValue", message);
  }
  const description = stringAt(inputs, "description") ?? "";
  if (!isDescription(description)) {
    const allowed = "a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*";
    const message = `Invalid rule description. Valid descriptions are strings less than 256 characters from the following set:  ${allowed}`;
    return new CloudError("InvalidParameterValue", message);
  }
  const [group, other] = [inputs["securityGroupId"], inputs["referencedSecurityGroupId"]].map((id) =>
    cloud.get(types.securityGroup, stringOf(id)),
  );
  if (!other || group?.inputs["vpcId"] === other.inputs["vpcId"]) return undefined;
  const message = "You have specified two resources that belong to different networks.";
  return new CloudError("InvalidGroup.NotFound", message);
}

function rejectQuota(type: string, { cloud, inputs }: Request): CloudError | undefined {
  if (cloud.find(type, { securityGroupId: inputs["securityGroupId"] }).length < ruleQuota) return undefined;
  const message = "The maximum number of rules per security group has been reached.";
  return new CloudError("RulesPerSecurityGroupLimitExceeded", message);
}

function rejectDuplicate(type: string, { cloud, inputs, object }: ObjectRequest): CloudError | undefined {
  const taken = cloud.find(type).some((other) => other.id !== object.id && keyOf(other.inputs) === keyOf(inputs));
  return taken ? duplicate(inputs) : undefined;
}
