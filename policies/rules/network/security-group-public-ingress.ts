import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, some } from "../../../components/core/reader/truth";
import type { Resource } from "../../engine/resource";
import { failIf, resourceRule, type Check } from "../../engine/rule";
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

const why = "Everyone on the internet can reach the resources of the group.";

/**
 * A load balancer in a lab needs listed addresses too. Exempt a group that must be public by its name.
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
    yield failIf(isPublicBlock(block), () => fault(rule, block.path, shownBlock(block.value ?? "")));
  }
}

function* ofRule(rule: Resource): Iterable<Check> {
  const isIngress = rule.text("type").is((type) => type === "ingress");
  for (const blocks of listsOf(rule)) {
    yield failIf(all(isIngress, hasPublicBlock(blocks)), () => fault(rule, blocks.path, shownPublicBlock(blocks)));
  }
}

/** Rules in the group itself. Reports the first public one. */
function ofGroup(group: Resource): Check {
  const rules = group.list("ingress");
  const isPublic = (rule: Reader) => any(...listsOf(rule).map(hasPublicBlock));
  return failIf(
    rules.is((items) => some(items, isPublic)),
    () => {
      const lists = (rules.value ?? []).flatMap(listsOf);
      const first = lists.find((blocks) => hasPublicBlock(blocks) === true);
      return first ? fault(group, first.path, shownPublicBlock(first)) : fault(group, rules.path, rules.shown);
    },
  );
}

function listsOf(rule: Reader): Reading<readonly Reader[]>[] {
  return ["cidrBlocks", "ipv6CidrBlocks"].map((name) => rule.list(name));
}

function fault({ name }: Resource, path: string, got: string) {
  const access = `list in ${path} the addresses that need access, or allow a security group`;
  const exemption = `{"security-group-public-ingress": {"exempt": ["${name}"]}}`;
  return {
    path,
    got,
    why,
    fix: `${access}; if it must be public, such as a website, exempt it in the policy configuration: ${exemption}`,
  };
}
