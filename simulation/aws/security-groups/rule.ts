import type { Properties } from "../../../components/core/wire";
import { parseCidr } from "../../../components/core/cidr-form";
import { unknownSentinel } from "../../../components/core/wire";
import { CloudError } from "../../world/cloud-error";
import type { Asked, AskedOf, CheckFailure, Kind } from "../../world/kind";
import { holdsGroup, toGroup } from "../network/references";
import { types } from "../types";
import { arn, ec2Id, recomputesTags, regional, regionalOutputs, shown, textOf, topOf } from "../values";
import { isDescription } from "./security-group";

/** Rules that a group may have in each direction. @see https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
export const ruleQuota = 60;

/** The provider's names and those of the API. */
const peers = {
  cidrIpv4: "cidr_ipv4",
  cidrIpv6: "cidr_ipv6",
  prefixListId: "prefix_list_id",
  referencedSecurityGroupId: "referenced_security_group_id",
} as const;

const peerNames = Object.keys(peers);

const withPorts = ["tcp", "udp", "icmp", "6", "17", "1"];

export const ingressRule = ruleKind(types.ingressRule);
export const egressRule = ruleKind(types.egressRule);

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifySecurityGroupRules.html for what can be changed */
function ruleKind(type: string): Kind {
  return {
    type,
    required: ["ipProtocol", "securityGroupId"],
    immutable: ["securityGroupId"],
    // A rule's peer can be changed, but not from an address range to a group or back.
    replaces: (path, change) => change !== "update" && peerNames.includes(topOf(path)),
    check: checkPeers,
    references: [
      toGroup("securityGroupId", "goes-along"),
      toGroup("referencedSecurityGroupId", (group, rule) =>
        rule.inputs["securityGroupId"] === group.id ? undefined : holdsGroup(group),
      ),
    ],
    unique: (inputs) => ({ key: keyOf(inputs), error: duplicate(inputs) }),
    id: ec2Id("sgr"),
    computes: [...regionalOutputs, "arn", "securityGroupRuleId"],
    recomputes: recomputesTags,
    computed: (asked, id) => ({
      ...regional(asked),
      arn: arn(asked.world, "ec2", `security-group-rule/${id}`),
      securityGroupRuleId: id,
    }),
    create: (asked) => refuseRule(asked) ?? refuseQuota(type, asked),
    update: (asked) => refuseRule(asked) ?? refuseDuplicate(type, asked),
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
  return [{ property: "cidrIpv4", reason: `"${shown(cidrIpv4)}" is not a valid CIDR block${hint}` }];
}

/** Two rules are the same when they let the same through, whatever they are called. */
function keyOf(inputs: Properties): string {
  const { securityGroupId, ipProtocol, fromPort, toPort } = inputs;
  const ports = shown(ipProtocol) === "-1" ? [] : [fromPort, toPort];
  return [securityGroupId, ipProtocol, ...ports, peerOf(inputs)].map(String).join(" ");
}

function peerOf(inputs: Properties): string {
  return peerNames.map((name) => textOf(inputs, name)).find((given) => given !== undefined) ?? "";
}

function duplicate(inputs: Properties): CloudError {
  const protocol = shown(inputs["ipProtocol"]);
  const ports = `from port: ${shown(inputs["fromPort"])}, to port: ${shown(inputs["toPort"])}`;
  const through = protocol === "-1" ? "ALL" : `${protocol.toUpperCase()}, ${ports}`;
  const words = `the specified rule "peer: ${peerOf(inputs)}, ${through}, ALLOW" already exists`;
  return new CloudError("InvalidPermission.Duplicate", words);
}

function refuseRule({ world, inputs }: Asked): CloudError | undefined {
  const protocol = shown(inputs["ipProtocol"]);
  if (withPorts.includes(protocol) && (inputs["fromPort"] === undefined || inputs["toPort"] === undefined)) {
    const words = "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.";
    return new CloudError("InvalidParameterValue", words);
  }
  const description = textOf(inputs, "description") ?? "";
  if (!isDescription(description)) {
    const allowed = "a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*";
    const words = `Invalid rule description. Valid descriptions are strings less than 256 characters from the following set:  ${allowed}`;
    return new CloudError("InvalidParameterValue", words);
  }
  const [group, other] = [inputs["securityGroupId"], inputs["referencedSecurityGroupId"]].map((id) =>
    world.get(types.securityGroup, shown(id)),
  );
  if (!other || group?.inputs["vpcId"] === other.inputs["vpcId"]) return undefined;
  const words = "You have specified two resources that belong to different networks.";
  return new CloudError("InvalidGroup.NotFound", words);
}

function refuseQuota(type: string, { world, inputs }: Asked): CloudError | undefined {
  if (world.find(type, { securityGroupId: inputs["securityGroupId"] }).length < ruleQuota) return undefined;
  const words = "The maximum number of rules per security group has been reached.";
  return new CloudError("RulesPerSecurityGroupLimitExceeded", words);
}

function refuseDuplicate(type: string, { world, inputs, object }: AskedOf): CloudError | undefined {
  const taken = world.find(type).some((other) => other.id !== object.id && keyOf(other.inputs) === keyOf(inputs));
  return taken ? duplicate(inputs) : undefined;
}
