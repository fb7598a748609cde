import { all, any, equals, type Truth } from "../../engine/values";
import { failAt, onEach, stackRule, type Resource } from "../../engine/rule";
import { defaultSecurityGroup, egressRule, ingressRule, securityGroup, securityGroupRule } from "../../facts/network";

const groups = [securityGroup, defaultSecurityGroup];
const rules = [securityGroupRule, ingressRule, egressRule];
const directions = ["ingress", "egress"] as const;

/**
 * A group with inline rules owns all its rules: each update removes rules that are separate resources, and the next one
 * adds them again. An adopted default group always owns its rules. The rule finds the group by its output, and does not
 * see ids that are strings.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/ec2/securitygroup/
 */
export const securityGroupRuleConflict = stackRule({
  id: "security-group-rule-conflict",
  title: "A security group has its rules either inline or as separate resources, not both.",
  severity: "high",
  incident:
    "the toggle for NCCL traffic was a separate rule of a group with inline rules, so every second update removed it",
  types: [...groups, ...rules],
  *judge(stack) {
    yield* onEach(stack.ofType(...groups), function* (group) {
      const isDefault = group.type === defaultSecurityGroup;
      const users = stack.ofType(...rules).filter((one) => one.dependenciesOf("securityGroupId").includes(group.urn));
      for (const direction of directions) {
        const inside = group.list(direction);
        const hasOwn = isDefault || inside.is((items) => items.length > 0);
        const isSeparate = any(...users.map((rule) => isOf(rule, direction)));
        yield failAt({ path: direction }, all(hasOwn, isSeparate), {
          got: inside.value?.length
            ? "inline rules, and separate rule resources"
            : "separate rule resources on an adopted default group",
          why: "Each update of the group removes the separate rules, and the next update adds them again. Traffic is alternately allowed and blocked.",
          fix: isDefault
            ? "create another security group for these rules"
            : `create a resource for each rule in ${direction}, and remove ${direction} from the group`,
        });
      }
    });
  },
});

function isOf(rule: Resource, direction: (typeof directions)[number]): Truth {
  if (rule.type === securityGroupRule) return equals<string>(rule.text("type"), direction);
  return (rule.type === ingressRule) === (direction === "ingress");
}
