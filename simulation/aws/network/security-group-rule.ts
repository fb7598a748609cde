import type { Properties } from "../../../components/core/wire";
import { parseCidr } from "../../../components/core/cidr-form";
import { unknownSentinel } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import type { Request, ObjectRequest, CheckFailure, ResourceModel } from "../../cloud/model";
import { groupInUse, groupReference } from "./references";
import { types } from "../types";
import { arn, ec2Id, regional, stringAt, stringOf } from "../values";
import { isDescription } from "./security-group";

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
