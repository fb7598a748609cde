import type { Reader } from "../../../components/core/reader/reader";
import type { Resource, Stack } from "../../engine/resource";
import { all, any, type Truth } from "../../../components/core/reader/truth";
import { launchTemplate } from "../machines/launch-template";
import { ingressRule, securityGroup, securityGroupRule } from "../network/security-groups";
import { isGpuGroup, nodeGroup } from "../nodes/gpu-group";

/** A GPU node group and the security groups that its launch template puts on the nodes, every one of this stack. */
export interface GuardedGroup {
  readonly group: Resource;
  readonly isGpu: Truth;
  readonly securityGroups: readonly Resource[];
}

/**
 * The node groups whose security groups are all seen. Where one comes from elsewhere, such as the cluster's own, which
 * lets its members reach each other, nobody can tell what passes.
 */
export function guardedGroups(stack: Stack): GuardedGroup[] {
  return stack.ofType(nodeGroup).flatMap((group) => {
    const [template] = stack.behind(group, "launchTemplate", launchTemplate);
    const ids = template?.list("vpcSecurityGroupIds").value ?? [];
    const securityGroups = template ? stack.behind(template, "vpcSecurityGroupIds", securityGroup) : [];
    return securityGroups.length === ids.length ? [{ group, isGpu: isGpuGroup(group, stack), securityGroups }] : [];
  });
}

/** Whether nodes with these security groups can reach the ports that NCCL opens on each other. */
export function letsNcclThrough(groups: readonly Resource[], stack: Stack): Truth {
  const urns = groups.map(({ urn }) => urn);
  return any(
    ...groups.map((group) => insideLets(group)),
    ...besideOf(urns, stack).map((rule) => besideLets(rule, urns)),
  );
}

function besideOf(urns: readonly string[], stack: Stack): Resource[] {
  const rules = stack.ofType(ingressRule, securityGroupRule);
  return rules.filter((rule) => rule.dependenciesOf("securityGroupId").some((urn) => urns.includes(urn)));
}

/** Rules written into the group itself. */
function insideLets(group: Resource): Truth {
  return group
    .list("ingress")
    .is((rules) => any(...rules.map((rule) => all(coversPorts(rule, "protocol"), comesFromNodes(rule)))));
}

function comesFromNodes(rule: Reader): Truth {
  return any(
    rule.boolean("self").is((self) => self),
    ...["cidrBlocks", "ipv6CidrBlocks", "prefixListIds", "securityGroups"].map((name) =>
      rule.list(name).is((items) => items.length > 0),
    ),
  );
}

function besideLets(rule: Resource, urns: readonly string[]): Truth {
  if (rule.type === securityGroupRule) {
    const isIngress = rule.text("type").is((type) => type === "ingress");
    const isOfNodes = rule.dependenciesOf("sourceSecurityGroupId").some((urn) => urns.includes(urn));
    return all(isIngress, coversPorts(rule, "protocol"), any(isOfNodes, comesFromNodes(rule)));
  }
  const isOfNodes = rule.dependenciesOf("referencedSecurityGroupId").some((urn) => urns.includes(urn));
  const blocks = ["cidrIpv4", "cidrIpv6", "prefixListId"].map((name) => rule.text(name).is(() => true));
  return all(coversPorts(rule, "ipProtocol"), any(isOfNodes, ...blocks));
}

/** The ports that Linux gives out by itself, which NCCL listens on. */
const [firstPort, lastPort] = [32768, 60999];

function coversPorts(rule: Reader, protocolKey: string): Truth {
  const protocol = rule.at(protocolKey);
  const name = protocol.text();
  const isAll = any(
    name.is((text) => text === "all"),
    protocol.integer().is((number) => number === -1),
  );
  const isTcp = any(
    name.is((text) => text === "tcp"),
    protocol.integer().is((number) => number === 6),
  );
  const fits = all(
    rule.integer("fromPort").is((port) => port <= firstPort),
    rule.integer("toPort").is((port) => port >= lastPort),
  );
  return any(isAll, all(isTcp, fits));
}
