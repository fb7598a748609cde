import * as ec2 from "@pulumi/aws/ec2";
import { SecurityGroupEgressRule, SecurityGroupIngressRule } from "@pulumi/aws/vpc";
import * as pulumi from "@pulumi/pulumi";
import { childOptions } from "../../core/options";
import { completeArgs } from "../../core/schema";
import { named, token, type Tags } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { firewallRules, trafficModes, type FirewallGroup, type FirewallRule } from "./firewall-rules";
import {
  clusterTag,
  nodeFirewallSchema,
  type CompleteNodeFirewallArgs,
  type NodeFirewallArgs,
  type NodeFirewallTransform,
} from "./node-firewall-schema";

/**
 * Allows traffic between nodes, and from nodes to the control plane and the internet. All nodes share two security
 * groups, with one resource for each rule. The groups replace the cluster security group that EKS puts on nodes, which
 * allows all traffic between its members; do not attach that one to nodes.
 *
 * Node groups depend on `ready`: a node without its rules cannot join.
 *
 * @cost Nothing: security groups and their rules are free.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class NodeFirewall extends pulumi.ComponentResource {
  readonly nodeSecurityGroupId: pulumi.Output<string>;
  readonly auxiliarySecurityGroupId: pulumi.Output<string>;
  /** Both groups, in the order of the launch template. */
  readonly securityGroupIds: pulumi.Output<string>[];
  /** The rules: what a node group must depend on in addition to the groups. */
  readonly ready: pulumi.Resource[];

  constructor(name: string, args: NodeFirewallArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform = {}, ...settings } = completeArgs(
      `NodeFirewall "${name}"`,
      nodeFirewallSchema,
      args,
      (given): CompleteNodeFirewallArgs => ({ ...given, ...trafficModes(given) }),
    );
    super(token("NodeFirewall"), name, settings, opts);
    const options = childOptions(this, opts);

    const node = new ec2.SecurityGroup(
      ...transformed(transform.nodeSecurityGroup, name, nodeGroupArgs(settings), options),
    );
    const auxiliary = new ec2.SecurityGroup(
      ...transformed(transform.auxiliarySecurityGroup, `${name}-auxiliary`, auxiliaryGroupArgs(settings), options),
    );
    const ends: RuleEnds = {
      node: node.id,
      auxiliary: auxiliary.id,
      controlPlane: pulumi.output(settings.clusterSecurityGroupId),
      vpc: settings.vpcCidr,
    };

    this.nodeSecurityGroupId = node.id;
    this.auxiliarySecurityGroupId = auxiliary.id;
    this.securityGroupIds = [node.id, auxiliary.id];
    this.ready = firewallRules(settings).map((rule) => makeRule(name, rule, ends, settings.tags, transform, options));
    const { nodeSecurityGroupId, auxiliarySecurityGroupId, securityGroupIds } = this;
    this.registerOutputs({ nodeSecurityGroupId, auxiliarySecurityGroupId, securityGroupIds });
  }
}

type Settings = Pick<NodeFirewallArgs, "vpcId" | "clusterName" | "tags">;

/** The provider completes the name, so that a group and its replacement can exist at the same time. */
function groupArgs({ vpcId, clusterName, tags }: Settings, role: string, description: string) {
  const groupName = `${clusterName}-${role}`;
  return { namePrefix: `${groupName}-`, description, vpcId, revokeRulesOnDelete: true, tags: named(groupName, tags) };
}

function nodeGroupArgs(settings: Settings) {
  const args = groupArgs(settings, "node", "EKS node shared security group");
  return { ...args, tags: { [`${clusterTag}${settings.clusterName}`]: "owned", ...args.tags } };
}

function auxiliaryGroupArgs(settings: Settings) {
  return groupArgs(
    settings,
    "node-auxiliary",
    "Auxiliary security group for EKS nodes, shared by system and GPU nodes",
  );
}

/** The sides of a rule: the ids of the groups and the VPC's block. */
type RuleEnds = Readonly<Record<FirewallGroup, pulumi.Output<string>>> & { readonly vpc: pulumi.Input<string> };

function makeRule(
  name: string,
  rule: FirewallRule,
  ends: RuleEnds,
  tags: Tags,
  transform: NodeFirewallTransform,
  options: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const args = {
    securityGroupId: ends[rule.group],
    description: rule.description,
    ipProtocol: rule.protocol === "all" ? "-1" : rule.protocol,
    ...(rule.ports && { fromPort: rule.ports[0], toPort: rule.ports[1] }),
    ...peerArgs(rule.peer, ends),
    tags,
  };
  const ruleName = `${name}-${rule.name}`;
  return rule.direction === "ingress"
    ? new SecurityGroupIngressRule(...transformed(transform.ingressRule, ruleName, args, options))
    : new SecurityGroupEgressRule(...transformed(transform.egressRule, ruleName, args, options));
}

function peerArgs(peer: FirewallRule["peer"], ends: RuleEnds) {
  if (peer === "anywhere") return { cidrIpv4: "0.0.0.0/0" };
  return peer === "vpc" ? { cidrIpv4: ends.vpc } : { referencedSecurityGroupId: ends[peer] };
}
