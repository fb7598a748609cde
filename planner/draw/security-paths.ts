import { Netmask } from "netmask";
import type { RecordedResource } from "../record/record";
import { attempt } from "../program/attempt";
import { launchTemplateOf } from "../facts/node-groups";
import type { Reader } from "../../components/core/reader/reader";
import { clusterTypes, groupedBy, inputsOf, type ResourceIndex } from "../facts/resource-index";

/** A path of traffic to the nodes of some groups, by the security group rules of the program. */
export interface SecurityPath {
  readonly kind: "control-plane" | "node-to-node" | "vpc-wide";
  /** `blocked`: no rule allows traffic between nodes on the ports of NCCL. */
  readonly state: "open" | "blocked";
  /** Such as `tcp 443, 10250`, or `all`. */
  readonly ports: string;
  /** The URNs of the node groups. */
  readonly nodeGroups: readonly string[];
  /** Of a `vpc-wide` path. */
  readonly cidr?: string;
}

/** The range from which Linux picks the ports of NCCL. @see https://docs.kernel.org/networking/ip-sysctl.html */
const ephemeral = { from: 32768, to: 60999 } as const;

const securityGroup = "aws:ec2/securityGroup:SecurityGroup";
const ingressRule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const legacyRule = "aws:ec2/securityGroupRule:SecurityGroupRule";

interface Rule {
  /** The group that accepts. */
  readonly target: string;
  readonly protocol: string;
  readonly from: number;
  readonly to: number;
  /** URNs of the allowed sources: security groups, or a cluster for the group that EKS creates. */
  readonly sources: readonly string[];
  readonly cidrs: readonly string[];
}

/**
 * The paths to the nodes, from ingress rules; none for node groups whose security groups are not part of this program.
 * A node group without a security group gets the one that EKS creates for the cluster. It contains the control plane,
 * too, and allows all traffic from itself.
 */
export function securityPathsOf(
  index: ResourceIndex,
  nodeGroups: readonly RecordedResource[],
  vpcCidrs: readonly string[],
): SecurityPath[] {
  const rules = rulesOf(index);
  const groupsOf = new Map(nodeGroups.map((group) => [group.urn, securityGroupsOf(index, group)]));
  const ofNodes = new Set([...groupsOf.values()].flatMap((groups) => groups ?? []));
  const paths = nodeGroups.flatMap((group) => pathsTo(group.urn, groupsOf.get(group.urn), rules, ofNodes, vpcCidrs));
  return merged(paths);
}

function pathsTo(
  nodeGroup: string,
  groups: readonly string[] | undefined,
  rules: readonly Rule[],
  ofNodes: ReadonlySet<string>,
  vpcCidrs: readonly string[],
): SecurityPath[] {
  const nodeGroups = [nodeGroup];
  if (groups === undefined) return [];
  const open = (kind: SecurityPath["kind"], ports: string, cidr?: string): SecurityPath => {
    return { kind, state: "open", ports, nodeGroups, ...(cidr !== undefined && { cidr }) };
  };
  if (groups.length === 0) return [open("control-plane", "all"), open("node-to-node", "all")];
  const own = rules.filter((rule) => groups.includes(rule.target));
  const fromNodes = own.filter((rule) => rule.sources.some((source) => groups.includes(source)));
  const fromElsewhere = own.filter((rule) => rule.sources.some((source) => !ofNodes.has(source)));
  const fromVpc = own.filter((rule) => rule.cidrs.some((cidr) => coversOneOf(cidr, vpcCidrs)));
  const vpcCidr = fromVpc.flatMap((rule) => rule.cidrs).find((cidr) => coversOneOf(cidr, vpcCidrs));
  const nccl = fromNodes.filter(coversNccl);
  return [
    ...(fromElsewhere.length > 0 ? [open("control-plane", portsOf(fromElsewhere))] : []),
    ...(nccl.length > 0 ? [open("node-to-node", portsOf(nccl))] : []),
    ...(fromVpc.length > 0 ? [open("vpc-wide", portsOf(fromVpc), vpcCidr)] : []),
    ...([...nccl, ...fromVpc].some(coversNccl) ? [] : [blockedNccl(nodeGroups)]),
  ];
}

function blockedNccl(nodeGroups: readonly string[]): SecurityPath {
  const ports = `tcp ${ephemeral.from}-${ephemeral.to}`;
  return { kind: "node-to-node", state: "blocked", ports, nodeGroups };
}

/** Paths that differ only in the node group become one. */
function merged(paths: readonly SecurityPath[]): SecurityPath[] {
  const equal = groupedBy(paths, ({ kind, state, ports, cidr }) => [kind, state, ports, cidr].join("|"));
  const joined = [...equal.values()].flatMap((own) =>
    own.slice(0, 1).map((path) => ({ ...path, nodeGroups: own.flatMap(({ nodeGroups }) => nodeGroups) })),
  );
  const order = ["control-plane", "node-to-node", "vpc-wide"];
  return joined.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** The security groups of a node group's launch template; `undefined` when they are not part of this program. */
function securityGroupsOf(index: ResourceIndex, nodeGroup: RecordedResource): string[] | undefined {
  const template = launchTemplateOf(index, nodeGroup);
  if (!template) return "launchTemplate" in nodeGroup.inputs ? undefined : [];
  const direct = index.sourcesOf(template, "vpcSecurityGroupIds", securityGroup);
  const onInterfaces = index.sourcesOf(template, "networkInterfaces", securityGroup);
  const created = [...direct, ...onInterfaces].map((group) => group.urn);
  const setsGroups = "vpcSecurityGroupIds" in template.inputs || "networkInterfaces" in template.inputs;
  return created.length === 0 && setsGroups ? undefined : created;
}

const sourceTypes = [securityGroup, ...clusterTypes];

function rulesOf(index: ResourceIndex): Rule[] {
  return [
    ...index.ofType(ingressRule).flatMap((rule) => separateRules(index, rule, "referencedSecurityGroupId")),
    ...index
      .ofType(legacyRule)
      .filter((rule) => inputsOf(rule).text("type").value === "ingress")
      .flatMap((rule) => separateRules(index, rule, "sourceSecurityGroupId")),
    ...index.ofType(securityGroup).flatMap((group) => inlineRules(index, group)),
  ];
}

/** A rule that is a separate resource. */
function separateRules(index: ResourceIndex, rule: RecordedResource, sourceProperty: string): Rule[] {
  const inputs = inputsOf(rule);
  const sources = index.sourcesOf(rule, sourceProperty, ...sourceTypes).map((source) => source.urn);
  return index.sourcesOf(rule, "securityGroupId", securityGroup).map((target) => ({
    target: target.urn,
    ...portRange(inputs),
    sources: [...sources, ...(allowsItself(inputs) ? [target.urn] : [])],
    cidrs: cidrsOf(inputs),
  }));
}

/** Rules inside the group itself. Which of several sources belongs to which rule is not known before the update. */
function inlineRules(index: ResourceIndex, group: RecordedResource): Rule[] {
  const sources = index.sourcesOf(group, "ingress", ...sourceTypes).map((source) => source.urn);
  const rules = inputsOf(group).list("ingress").value ?? [];
  return rules.map((rule) => ({
    target: group.urn,
    ...portRange(rule),
    sources: [...(rule.list("securityGroups").value ? sources : []), ...(allowsItself(rule) ? [group.urn] : [])],
    cidrs: cidrsOf(rule),
  }));
}

function allowsItself(rule: Reader): boolean {
  return rule.boolean("self").value === true;
}

function portRange(rule: Reader): { protocol: string; from: number; to: number } {
  const protocol = rule.text("ipProtocol").value || rule.text("protocol").value || "-1";
  if (protocol === "-1" || protocol === "all") return { protocol: "-1", from: 0, to: 65535 };
  return { protocol, from: rule.integer("fromPort").value ?? 0, to: rule.integer("toPort").value ?? 65535 };
}

function cidrsOf(rule: Reader): readonly string[] {
  const cidr = rule.text("cidrIpv4").value;
  return [...(cidr ? [cidr] : []), ...rule.strings("cidrBlocks")];
}

function coversNccl(rule: Rule): boolean {
  return ["-1", "tcp", "6"].includes(rule.protocol) && rule.from <= ephemeral.from && rule.to >= ephemeral.to;
}

function coversOneOf(cidr: string, blocks: readonly string[]): boolean {
  return attempt(() => blocks.some((block) => new Netmask(cidr).contains(block))) ?? false;
}

/** Ports by protocol: `tcp 53, 443`, ranges as `1025-65535`; `all` when a rule has no limits. */
function portsOf(rules: readonly Rule[]): string {
  if (rules.some((rule) => rule.protocol === "-1")) return "all";
  const byPort = [...rules].sort((a, b) => a.from - b.from);
  return [...groupedBy(byPort, ({ protocol }) => protocol)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([protocol, own]) => {
      const ports = own.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
      return `${protocol} ${[...new Set(ports)].join(", ")}`;
    })
    .join("; ");
}
