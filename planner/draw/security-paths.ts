import { Netmask } from "netmask";
import type { RecordedResource } from "../record/record";
import { launchTemplateOf } from "../facts/node-groups";
import { clusterTypes, listAt, numberAt, textAt, valueAt, type ResourceIndex } from "../facts/resource-index";

/** A way traffic may take to the nodes of some groups, as the security-group rules of the program allow it. */
export interface SecurityPath {
  readonly kind: "control-plane" | "node-to-node" | "vpc-wide";
  /** `blocked`: no rule lets nodes reach each other where NCCL listens. */
  readonly state: "open" | "blocked";
  /** Such as `tcp 443, 10250`, or `all`. */
  readonly ports: string;
  /** The URNs of the node groups. */
  readonly nodeGroups: readonly string[];
  /** Of a `vpc-wide` path. */
  readonly cidr?: string;
}

/** NCCL listens on ports that Linux picks from here. @see https://docs.kernel.org/networking/ip-sysctl.html */
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
  /** URNs of the groups that may come in: security groups, or the cluster whose own group it is. */
  readonly sources: readonly string[];
  readonly cidrs: readonly string[];
}

/**
 * The paths to the nodes; none for groups whose security groups are not part of this program. Egress rules are not
 * looked at. Node groups that bring no security group of this program get the group EKS makes for the cluster, which
 * the control plane is in, too, and which accepts everything from itself.
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
  if (groups.length === 0) {
    const everything = { state: "open", ports: "all", nodeGroups } as const;
    return [
      { kind: "control-plane", ...everything },
      { kind: "node-to-node", ...everything },
    ];
  }
  const mine = rules.filter((rule) => groups.includes(rule.target));
  const fromNodes = mine.filter((rule) => rule.sources.some((source) => groups.includes(source)));
  const fromVpc = mine.filter((rule) => rule.cidrs.some((cidr) => coversOneOf(cidr, vpcCidrs)));
  const fromElsewhere = mine.filter((rule) => rule.sources.some((source) => !ofNodes.has(source)));
  const nccl = fromNodes.filter(coversNccl);
  const found: SecurityPath[] = [];
  if (fromElsewhere.length > 0) {
    found.push({ kind: "control-plane", state: "open", ports: portsOf(fromElsewhere), nodeGroups });
  }
  if (nccl.length > 0) found.push({ kind: "node-to-node", state: "open", ports: portsOf(nccl), nodeGroups });
  if (fromVpc.length > 0) {
    const cidr = fromVpc.flatMap((rule) => rule.cidrs).find((one) => coversOneOf(one, vpcCidrs)) ?? "";
    found.push({ kind: "vpc-wide", state: "open", ports: portsOf(fromVpc), nodeGroups, cidr });
  }
  if (![...nccl, ...fromVpc].some(coversNccl)) {
    const ports = `tcp ${ephemeral.from}-${ephemeral.to}`;
    found.push({ kind: "node-to-node", state: "blocked", ports, nodeGroups });
  }
  return found;
}

/** Paths that differ only in the node group become one. */
function merged(paths: readonly SecurityPath[]): SecurityPath[] {
  const byRest = new Map<string, SecurityPath>();
  for (const path of paths) {
    const key = [path.kind, path.state, path.ports, path.cidr ?? ""].join("|");
    const known = byRest.get(key);
    byRest.set(key, known ? { ...known, nodeGroups: [...known.nodeGroups, ...path.nodeGroups] } : path);
  }
  const order = ["control-plane", "node-to-node", "vpc-wide"];
  return [...byRest.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** The groups that a node group's launch template brings; `undefined` when they are not part of this program. */
function securityGroupsOf(index: ResourceIndex, nodeGroup: RecordedResource): string[] | undefined {
  const template = launchTemplateOf(index, nodeGroup);
  if (!template) return valueAt(nodeGroup.inputs, "launchTemplate") === undefined ? [] : undefined;
  const direct = index.sourcesOf(template, "vpcSecurityGroupIds", securityGroup);
  const onInterfaces = index.sourcesOf(template, "networkInterfaces", securityGroup);
  const made = [...direct, ...onInterfaces].map((group) => group.urn);
  const brings = "vpcSecurityGroupIds" in template.inputs || "networkInterfaces" in template.inputs;
  return made.length === 0 && brings ? undefined : made;
}

function rulesOf(index: ResourceIndex): Rule[] {
  const sourceTypes = [securityGroup, ...clusterTypes];
  const rules: Rule[] = [];
  for (const rule of index.ofType(ingressRule, legacyRule)) {
    if (rule.type === legacyRule && valueAt(rule.inputs, "type") !== "ingress") continue;
    const sourceProperty = rule.type === legacyRule ? "sourceSecurityGroupId" : "referencedSecurityGroupId";
    for (const target of index.sourcesOf(rule, "securityGroupId", securityGroup)) {
      const sources = index.sourcesOf(rule, sourceProperty, ...sourceTypes).map((source) => source.urn);
      const self = valueAt(rule.inputs, "self") === true ? [target.urn] : [];
      rules.push({
        target: target.urn,
        ...portRange(rule.inputs),
        sources: [...sources, ...self],
        cidrs: cidrsOf(rule.inputs),
      });
    }
  }
  return [...rules, ...index.ofType(securityGroup).flatMap((group) => inlineRules(index, group))];
}

/** Rules inside the group itself. Which of several sources belongs to which rule is not known before the update. */
function inlineRules(index: ResourceIndex, group: RecordedResource): Rule[] {
  const sources = index.sourcesOf(group, "ingress", securityGroup, ...clusterTypes).map((source) => source.urn);
  return listAt(group.inputs, "ingress").map((rule) => ({
    target: group.urn,
    ...portRange(rule),
    sources: [
      ...(Array.isArray(valueAt(rule, "securityGroups")) ? sources : []),
      ...(valueAt(rule, "self") === true ? [group.urn] : []),
    ],
    cidrs: cidrsOf(rule),
  }));
}

function portRange(rule: unknown): { protocol: string; from: number; to: number } {
  const protocol = textAt(rule, "ipProtocol") ?? textAt(rule, "protocol") ?? "-1";
  if (protocol === "-1" || protocol === "all") return { protocol: "-1", from: 0, to: 65535 };
  return { protocol, from: numberAt(rule, "fromPort") ?? 0, to: numberAt(rule, "toPort") ?? 65535 };
}

function cidrsOf(rule: unknown): string[] {
  const one = textAt(rule, "cidrIpv4");
  return [
    ...(one === undefined ? [] : [one]),
    ...listAt(rule, "cidrBlocks").filter((cidr) => typeof cidr === "string"),
  ];
}

function coversNccl(rule: Rule): boolean {
  return ["-1", "tcp", "6"].includes(rule.protocol) && rule.from <= ephemeral.from && rule.to >= ephemeral.to;
}

function coversOneOf(cidr: string, blocks: readonly string[]): boolean {
  try {
    const wide = new Netmask(cidr);
    return blocks.some((block) => wide.contains(block));
  } catch {
    return false;
  }
}

/** Ports by protocol: `tcp 53, 443`, ranges as `1025-65535`; `all` when a rule has no limits. */
function portsOf(rules: readonly Rule[]): string {
  if (rules.some((rule) => rule.protocol === "-1")) return "all";
  const byProtocol = new Map<string, Map<string, number>>();
  for (const { protocol, from, to } of rules) {
    const ports = byProtocol.get(protocol) ?? new Map<string, number>();
    ports.set(from === to ? String(from) : `${from}-${to}`, from);
    byProtocol.set(protocol, ports);
  }
  return [...byProtocol]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([protocol, ports]) =>
        `${protocol} ${[...ports]
          .sort(([, a], [, b]) => a - b)
          .map(([port]) => port)
          .join(", ")}`,
    )
    .join("; ");
}
