import { all, any, equals, not } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { requiresGpu } from "../../facts/karpenter";
import { someOf } from "../../facts/lists";
import { machinesOf, nodePools } from "../../facts/node-sources";

/**
 * A budget of 0 nodes without a schedule keeps nodes in use, whatever the policy is.
 * @see https://karpenter.sh/docs/concepts/disruption/#consolidation
 */
export const gpuPoolConsolidation = resourceRule({
  id: "gpu-pool-consolidation",
  title: "A NodePool of GPU nodes ends empty nodes only.",
  severity: "medium",
  incident: "a training pod was moved to a cheaper node, and six hours of training without a checkpoint were lost",
  types: nodePools.filter((type) => type.endsWith(":NodePool")),
  *judge(pool) {
    const policy = pool.text("spec.disruption.consolidationPolicy");
    const isKept = someOf(pool.list("spec.disruption.budgets"), (budget) =>
      all(
        equals(budget.text("nodes"), "0", "0%"),
        budget.text("schedule").isAbsent,
        any(
          budget.list("reasons").isAbsent,
          someOf(budget.list("reasons"), (reason) => equals(reason.text(), "Underutilized")),
        ),
      ),
    );
    const { requirements = "" } = machinesOf(pool.type);
    const isFixed = not(pool.integer("spec.replicas").isAbsent);
    const isMoving = all(not(equals(policy, "WhenEmpty")), not(isKept), not(isFixed));
    yield failAt(policy, all(requiresGpu(pool.list(requirements)), isMoving), {
      why: "Karpenter then also ends nodes in use, to move their pods to fewer or cheaper nodes: a training job loses what it did since its last checkpoint.",
      fix: `set ${policy.path} to "WhenEmpty"`,
    });
  },
});
