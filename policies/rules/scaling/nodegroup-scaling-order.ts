import { compare, type Reading } from "../../core/reading";
import { failIf, resourceRule, type Check } from "../../core/rule";
import { any } from "../../core/unknown";

/** Where a type keeps its sizes, and the smallest maximum that AWS takes for it. */
interface Sizes {
  readonly min: string;
  readonly desired: string;
  readonly max: string;
  readonly smallestMax: 0 | 1;
}

const ofComponent: Sizes = { min: "minSize", desired: "desiredSize", max: "maxSize", smallestMax: 1 };
const ofEks: Sizes = {
  min: "scalingConfig.minSize",
  desired: "scalingConfig.desiredSize",
  max: "scalingConfig.maxSize",
  smallestMax: 1,
};
const ofAutoScaling: Sizes = { min: "minSize", desired: "desiredCapacity", max: "maxSize", smallestMax: 0 };

/**
 * The maximum of an EKS node group is 1 or more; an Auto Scaling group may have 0. The components of @pulumi/eks are
 * listed for the offline plan, which never sees what they make; the engine shows them without inputs, but their groups.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
 */
const sizesOf: Readonly<Record<string, Sizes>> = {
  "eks-gpu-lab:index:GpuNodeGroup": ofComponent,
  "eks-gpu-lab:index:SystemNodeGroup": ofComponent,
  "aws:eks/nodeGroup:NodeGroup": ofEks,
  "eks:index:ManagedNodeGroup": ofEks,
  "aws:autoscaling/group:Group": ofAutoScaling,
  "eks:index:NodeGroupV2": ofAutoScaling,
};

/**
 * Each pair of sizes is judged as soon as both are known. Where `ignoreChanges` covers the desired size, as it does
 * beside an autoscaler, the value seen is the one of the last update: then only the component's arguments tell what the
 * program asks for, and a group without a component is judged by its limits alone.
 */
export const nodegroupScalingOrder = resourceRule({
  id: "nodegroup-scaling-order",
  title: "The sizes of a node group are whole numbers with minSize <= desiredSize <= maxSize.",
  severity: "high",
  incident:
    "a node group with maxSize below desiredSize was planned without complaint, and refused 15 to 20 minutes in",
  types: Object.keys(sizesOf),
  *judge(group) {
    const sizes = sizesOf[group.type];
    if (!sizes) return;
    const min = group.integer(sizes.min);
    const max = group.integer(sizes.max);
    yield size(min, 0);
    yield size(max, sizes.smallestMax);
    yield ordered(min, max);
    if (group.ignores(sizes.desired)) return;
    const desired = group.integer(sizes.desired);
    yield size(desired, 0);
    yield ordered(min, desired);
    yield ordered(desired, max);
  },
});

function size(given: Reading<number>, smallest: number): Check {
  return failIf(
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
function ordered(lower: Reading<number>, upper: Reading<number>): Check {
  return failIf(
    compare(lower, upper, (low, high) => high >= 0 && low > high),
    () => ({
      path: upper.path,
      got: `${upper.shown}, below ${lower.path} ${lower.shown}`,
      why: "AWS refuses such a group, but only when the update reaches it: for EKS 15 to 20 minutes in.",
      fix: `raise ${upper.path} to ${lower.shown} or more, or lower ${lower.path} to ${upper.shown} or less`,
    }),
  );
}
