import { all, any, equals, type Reader, type Reading, type Truth } from "../../engine/values";
import { failAt, resourceRule, type Check, type Resource } from "../../engine/rule";
import { someOf } from "../../facts/lists";
import {
  defaultSecurityGroup,
  hasPublicBlock,
  ingressRule,
  isPublicBlock,
  securityGroup,
  securityGroupRule,
  shownBlock,
  shownPublicBlock,
} from "../../facts/network";

/**
 * A load balancer in a lab also needs listed addresses. If a group must be public, exempt it by its name.
 * @see https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html
 */
export const securityGroupPublicIngress = resourceRule({
  id: "security-group-public-ingress",
  title: "No security group allows ingress from the whole internet.",
  severity: "high",
  incident: "a security group for one laptop allowed 0.0.0.0/0, so its nodes were open to the whole internet",
  types: [securityGroup, defaultSecurityGroup, securityGroupRule, ingressRule],
  *judge(resource) {
    if (resource.type === ingressRule) yield* ofIngressRule(resource);
    else if (resource.type === securityGroupRule) yield* ofRule(resource);
    else yield ofGroup(resource);
  },
});

function* ofIngressRule(rule: Resource): Iterable<Check> {
  for (const block of [rule.text("cidrIpv4"), rule.text("cidrIpv6")]) {
    yield opened(rule, { path: block.path, shown: shownBlock(block.value ?? "") }, isPublicBlock(block));
  }
}

function* ofRule(rule: Resource): Iterable<Check> {
  const isIngress = equals(rule.text("type"), "ingress");
  for (const blocks of listsOf(rule)) yield opened(rule, placeIn(blocks), all(isIngress, hasPublicBlock(blocks)));
}

/** Rules in the group itself. Reports the first public one. */
function ofGroup(group: Resource): Check {
  const rules = group.list("ingress");
  const isPublic = (rule: Reader) => any(...listsOf(rule).map(hasPublicBlock));
  const first = (rules.value ?? []).flatMap(listsOf).find((blocks) => hasPublicBlock(blocks) === true);
  return opened(group, first ? placeIn(first) : rules, someOf(rules, isPublic));
}

function listsOf(rule: Reader): Reading<readonly Reader[]>[] {
  return ["cidrBlocks", "ipv6CidrBlocks"].map((name) => rule.list(name));
}

/** A path, and what a message shows. */
type Place = Pick<Reading<unknown>, "path" | "shown">;

function placeIn(blocks: Reading<readonly Reader[]>): Place {
  return { path: blocks.path, shown: shownPublicBlock(blocks) };
}

function opened({ name }: Resource, place: Place, condition: Truth): Check {
  const access = `list in ${place.path} the addresses that need access, or allow a security group`;
  const exemption = `{"security-group-public-ingress": {"exempt": ["${name}"]}}`;
  return failAt(place, condition, {
    why: "Everyone on the internet can reach the resources of the group.",
    fix: `${access}; if it must be public, such as for a website, exempt it in the policy configuration: ${exemption}`,
  });
}
