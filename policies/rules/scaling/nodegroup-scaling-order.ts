import { compare, type Reading } from "../../../components/core/reader/reading";
import { any } from "../../../components/core/reader/truth";
import { adviseIf, failIf, resourceRule, type Check } from "../../engine/rule";
import { nodeGroup, scalingGroup, sizesOf } from "../../facts/node-groups";

/**
 * Each pair of sizes is judged as soon as both are known. `ignoreChanges` does not excuse the desired size of an EKS
 * node group: it has no effect on a new one, and an update that touches the sizes sends all three, the ignored one as
 * Pulumi's state has it. That is the value seen here. The update of an Auto Scaling group leaves an ignored desired
 * capacity out, and AWS moves it between the new limits; only a new group is refused. Which of the two it is cannot be
 * seen, hence a warning.
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
    "a node group with maxSize below desiredSize was planned without complaint, and refused when the cluster had been made",
  types: Object.keys(sizesOf),
  *judge(group) {
    const sizes = sizesOf[group.type];
    if (!sizes) return;
    const min = group.integer(sizes.min);
    const max = group.integer(sizes.max);
    yield size(min, 0);
    yield size(max, sizes.smallestMax);
    yield ordered(min, max);
    const desired = group.integer(sizes.desired);
    const ofDesired = (group.ignores(sizes.desired) && ignored[group.type]) || always;
    yield size(desired, 0, ofDesired);
    yield ordered(min, desired, ofDesired);
    yield ordered(desired, max, ofDesired);
  },
});

/** How sizes that AWS may refuse are reported. */
interface Report {
  readonly check: typeof failIf;
  readonly whyRefused: string;
  /** What else the fix needs. */
  readonly besides: string;
}

const always: Report = {
  check: failIf,
  whyRefused: "AWS refuses such a group, but only when the update reaches it: for EKS 15 to 20 minutes in.",
  besides: "",
};

/** The same by type, for a desired size that `ignoreChanges` covers. On a component it does not reach the groups. */
const ignored: Readonly<Record<string, Report>> = {
  [nodeGroup]: {
    ...always,
    besides:
      "; if the group exists, ignoreChanges holds its desired size: scale it outside Pulumi, then pulumi refresh",
  },
  [scalingGroup]: {
    check: adviseIf,
    whyRefused: "AWS refuses to create such a group. ignoreChanges helps only where the group exists already.",
    besides: "",
  },
};

function size(given: Reading<number>, smallest: number, { check } = always): Check {
  return check(
    any(
      given.isMalformed,
      given.is((value) => value < smallest),
    ),
    () => ({
      path: given.path,
      got: given.shown,
      why: `AWS takes whole numbers of ${smallest} or more, and refuses anything else in the middle of the update.`,
      fix: `set ${given.path} to a whole number of ${smallest} or more`,
    }),
  );
}

/** A negative upper size is reported by {@link size} already. */
function ordered(lower: Reading<number>, upper: Reading<number>, { check, whyRefused, besides } = always): Check {
  return check(
    compare(lower, upper, (low, high) => high >= 0 && low > high),
    () => ({
      path: upper.path,
      got: `${upper.shown}, below ${lower.path} ${lower.shown}`,
      why: whyRefused,
      fix: `raise ${upper.path} to ${lower.shown} or more, or lower ${lower.path} to ${upper.shown} or less${besides}`,
    }),
  );
}
