import { any, compare, type Reading } from "../../engine/values";
import { adviseAt, failAt, resourceRule, type Check } from "../../engine/rule";
import { groupsWithin } from "../../facts/node-groups";
import { sizeOf } from "../../facts/node-counts";
import { machinesOf, nodeGroup, scalingGroup, typesWhere } from "../../facts/node-sources";

/**
 * The rule compares each pair of sizes that is known. A size that a component does not state has the default of its
 * type.
 *
 * `ignoreChanges` on the desired size does not help. It has no effect on a new EKS node group. An update sends all
 * three sizes, with the ignored one from Pulumi's state, which the rule reads. The update of an Auto Scaling group
 * omits an ignored desired capacity; AWS rejects only a new group. The rule cannot tell which case it is, and warns.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/node_group.go
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/autoscaling/group.go
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html
 */
export const nodegroupScalingOrder = resourceRule({
  id: "nodegroup-scaling-order",
  title: "The sizes of a node group are whole numbers with minSize <= desiredSize <= maxSize.",
  severity: "high",
  incident:
    "the preview accepted a node group with maxSize below desiredSize, and EKS rejected it after the cluster was created",
  types: typesWhere(({ sizes }) => sizes !== undefined),
  *judge(resource) {
    const [group] = groupsWithin(resource);
    const { kind, sizes } = machinesOf(resource.type);
    if (!sizes || !group) return;
    const report = kind === "managed" || kind === "component" ? ofEks : always;
    const min = sizeOf(group, "min");
    const max = sizeOf(group, "max");
    yield size(min, 0);
    yield size(max, sizes.smallestMax);
    yield ordered(min, max, report);
    const desired = sizeOf(group, "desired");
    const ofDesired = (group.ignores(sizes.desired) && ignored[group.type]) || report;
    yield size(desired, 0, ofDesired);
    yield ordered(min, desired, ofDesired);
    yield ordered(desired, max, ofDesired);
  },
});

/** How to report sizes that AWS may reject. */
interface Report {
  readonly check: typeof failAt;
  readonly whyRejected: string;
  /** A hint to append to the fix. */
  readonly hint: string;
}

const always: Report = {
  check: failAt,
  whyRejected: "AWS rejects such sizes, but only during the update.",
  hint: "",
};

const whyEks = "EKS rejects such a group, but only during the update, after 15 to 20 minutes.";
const ofEks: Report = { ...always, whyRejected: whyEks };

/** By type, for a desired size with `ignoreChanges`. On a component the option does not reach the groups. */
const ignored: Readonly<Record<string, Report>> = {
  [nodeGroup]: {
    ...ofEks,
    hint: "; if the group exists, ignoreChanges keeps its desired size: scale it outside Pulumi, then run pulumi refresh",
  },
  [scalingGroup]: {
    check: adviseAt,
    whyRejected: "AWS rejects such a group when it is created. ignoreChanges helps only if the group already exists.",
    hint: "",
  },
};

function size(given: Reading<number>, smallest: number, { check } = always): Check {
  const isLess = given.is((value) => value < smallest);
  return check(given, any(given.isMalformed, isLess), {
    why: `AWS accepts whole numbers of ${smallest} or more. It rejects the group during the update.`,
    fix: `set ${given.path} to a whole number of ${smallest} or more`,
  });
}

/** {@link size} already reports a negative upper size. */
function ordered(lower: Reading<number>, upper: Reading<number>, { check, whyRejected, hint }: Report): Check {
  const lowest = Math.max(0, upper.value ?? 0);
  const lowered = lowest === 0 ? "0" : `${lowest} or less`;
  const isReversed = compare(lower, upper, (low, high) => high >= 0 && low > high);
  return check(upper, isReversed, {
    got: `${upper.shown}, below ${lower.path} ${lower.shown}`,
    why: whyRejected,
    fix: `raise ${upper.path} to ${lower.value} or more, or lower ${lower.path} to ${lowered}${hint}`,
  });
}
