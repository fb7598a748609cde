import { all, any, type Truth } from "../../../components/core/reader/truth";
import type { Resource, Stack } from "../../engine/resource";
import { failIf, stackRule } from "../../engine/rule";
import { defaultSecurityGroup, egressRule, ingressRule, securityGroup, securityGroupRule } from "../../facts/network";

const groups = [securityGroup, defaultSecurityGroup];
const rules = [securityGroupRule, ingressRule, egressRule];
const directions = ["ingress", "egress"] as const;

/**
 * Rules that a group states itself are all the rules it has: each update takes away those that stand on their own, and
 * the next one puts them back. An adopted default group states its rules even where it states none. Rules belong to
 * the group whose output they were given; what was typed in as text is not seen.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/ec2/securitygroup/
 */
export const securityGroupRuleConflict = stackRule({
  id: "security-group-rule-conflict",
  title: "A security group states its rules itself, or has them as resources, but not both.",
  severity: "high",
  incident:
    "a switch for NCCL traffic was a rule of its own on a group with rules inside: each second update took it away",
  types: [...groups, ...rules],
  *judge(stack) {
    for (const group of stack.ofType(...groups)) {
      for (const direction of directions) {
        const inside = group.list(direction);
        const hasOwn = group.type === defaultSecurityGroup ? true : inside.is((items) => items.length > 0);
        const beside = any(...rulesOf(group, stack).map((rule) => isOf(rule, direction)));
        yield failIf(
          all(hasOwn, beside),
          () => ({
            path: direction,
            got: inside.value?.length
              ? "rules inside the group, and rules of their own beside them"
              : "rules of their own on an adopted default group",
            why: "Each update of the group takes away the rules that stand on their own, and the next update puts them back: traffic comes and goes.",
            fix:
              group.type === defaultSecurityGroup
                ? "make a security group of your own for these rules"
                : `make a resource of each rule in ${direction}, and remove ${direction} from the group`,
          }),
          group,
        );
      }
    }
  },
});

/** The rules that were given the id of a group. */
function rulesOf(group: Resource, stack: Stack): Resource[] {
  return stack.ofType(...rules).filter((rule) => rule.dependenciesOf("securityGroupId").includes(group.urn));
}

function isOf(rule: Resource, direction: (typeof directions)[number]): Truth {
  if (rule.type === securityGroupRule) return rule.text("type").is((type) => type === direction);
  return (rule.type === ingressRule) === (direction === "ingress");
}
