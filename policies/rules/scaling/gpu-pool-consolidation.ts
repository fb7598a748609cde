import { all, any, equals, not, type Reader, type Truth } from "../../engine/values";
import { adviseAt, failAt, resourceRule } from "../../engine/rule";
import { requiresGpu } from "../../facts/karpenter";
import { someOf } from "../../facts/lists";
import { machinesOf, nodePools } from "../../facts/node-sources";

/**
 * A budget of 0 nodes without a schedule keeps nodes in use, whatever the policy is. A node is also terminated when it
 * drifts: with a fixed AMI, when the pool changes; with EKS Auto Mode, each time EKS has a new AMI.
 * @see https://karpenter.sh/docs/concepts/disruption/#consolidation
 */
export const gpuPoolConsolidation = resourceRule({
  id: "gpu-pool-consolidation",
  title: "A NodePool of GPU nodes terminates only empty nodes.",
  severity: "medium",
  incident: "a training pod was moved to a cheaper node, and six hours of training without a checkpoint were lost",
  types: nodePools.filter((type) => type.endsWith(":NodePool")),
  *judge(pool) {
    const policy = pool.text("spec.disruption.consolidationPolicy");
    const budgets = pool.list("spec.disruption.budgets");
    const isKept = someOf(budgets, (one) => all(keeps(one, "Underutilized"), one.text("schedule").isAbsent));
    const { requirements = "" } = machinesOf(pool.type);
    const isFixed = not(pool.integer("spec.replicas").isAbsent);
    const isMoving = all(not(equals(policy, "WhenEmpty")), not(isKept), not(isFixed));
    const isGpu = requiresGpu(pool.list(requirements));
    yield failAt(policy, all(isGpu, isMoving), {
      why: "Karpenter then also terminates nodes in use, to move their pods to fewer or cheaper nodes: a training job loses its work since the last checkpoint.",
      fix: `set ${policy.path} to "WhenEmpty"`,
    });
    const isAutoMode = equals(pool.text("spec.template.spec.nodeClassRef.group"), "eks.amazonaws.com");
    const isReplaced = not(someOf(budgets, (one) => keeps(one, "Drifted")));
    yield adviseAt(budgets, all(isGpu, isAutoMode, isReplaced), {
      why: "EKS then also terminates nodes in use when it has a new AMI, which can be every week: 10 % of one node is rounded up to one node.",
      fix: `add { nodes: "0", reasons: ["Drifted"] } to ${budgets.path}, with a schedule and a duration if nodes may be replaced at other times`,
    });
  },
});

/** Whether a budget keeps nodes that Karpenter would end for a reason, at some time. */
function keeps(budget: Reader, reason: string): Truth {
  const reasons = budget.list("reasons");
  const isMeant = someOf(reasons, (one) => equals(one.text(), reason));
  return all(equals(budget.text("nodes"), "0", "0%"), any(reasons.isAbsent, isMeant));
}
