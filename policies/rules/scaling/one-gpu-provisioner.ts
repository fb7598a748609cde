import { taintRepels } from "../../../components/core/kubernetes";
import { all, any, compare, equals, not, Reading, some, type Reader, type Truth } from "../../engine/values";
import { failAt, onEach, type Check, type Resource, type Stack } from "../../engine/rule";
import { autoscalerTypes, isAutoscaled } from "../../facts/cluster-autoscaler";
import { clusterRule } from "../../facts/each-cluster";
import { allowsMarket, requiredTypes, startsForPods } from "../../facts/karpenter";
import { templateTypes } from "../../facts/launch-templates";
import { openIn, someOf, textsIn } from "../../facts/lists";
import { sizeOf } from "../../facts/node-counts";
import { groupsOf, isGpuGroup, taintsOf } from "../../facts/node-groups";
import { machinesOf, managedGroups, nodePools } from "../../facts/node-sources";

/**
 * Nodes are for the same pods if their taints are the same, and no label or requirement has different values. Of two
 * NodePools of one provisioner, the NodePool with the greater `weight` takes precedence, so the rule accepts different
 * weights. A conflict between them also needs a common instance type. Karpenter, EKS Auto Mode and the Cluster
 * Autoscaler do not know of each other. A NodePool with `replicas`, or with a limit of 0 GPUs, does not start a node
 * for a pod. The pools that are part of EKS Auto Mode have no GPUs.
 * @see https://karpenter.sh/docs/concepts/nodepools/
 * @see https://github.com/aws/karpenter-provider-aws/issues/2543
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auto-migrate-karpenter.html
 */
export const oneGpuProvisioner = clusterRule({
  id: "one-gpu-provisioner",
  title: "Only one NodePool or node group starts the node for a GPU pod.",
  severity: "medium",
  incident:
    "the Cluster Autoscaler and Karpenter each started a GPU node for the same pod, and one ran empty for an hour",
  types: [...nodePools, ...managedGroups, ...templateTypes, ...autoscalerTypes],
  *judge(stack) {
    const pools = stack.ofType(...nodePools);
    const groups = pools.length === 0 ? [] : groupsOf(stack, managedGroups);
    yield* onEach(pools, (pool) => {
      const isStarting = startsForPods(pool);
      if (isStarting === false) return [];
      const before = pools.slice(0, pools.indexOf(pool));
      return [ofOthers(pool, isStarting, [...groups, ...before], stack), ofPools(pool, isStarting, before)];
    });
  },
});

/** Another controller that also starts a node for the pods of a pool. */
function ofOthers(pool: Resource, isStarting: Truth, others: readonly Resource[], stack: Stack): Check {
  const isSecond = (other: Resource) => {
    const starts = () => (isPool(other) ? isOfOtherController(pool, other) : addsNodes(other, stack));
    return lazily(() => forSamePods(pool, other), starts);
  };
  const taints = taintsOf(pool);
  return failAt(taints, all(isStarting, some(others, isSecond)), {
    why: `${nameOf(others.find((other) => isSecond(other) === true))} is for the same pods. The two controllers do not know of each other: for one pod, each of them starts a GPU node.`,
    fix: `add a taint to ${taints.path} that only the pods for this NodePool tolerate, or remove one of the two`,
  });
}

/** Another pool of the same controller, which may choose either. */
function ofPools(pool: Resource, isStarting: Truth, others: readonly Resource[]): Check {
  const weight = weightOf(pool);
  const isEqual = (other: Resource) =>
    lazily(
      () => compare(weight, weightOf(other), (own, its) => own === its),
      () => forSamePods(pool, other),
      () => all(not(isOfOtherController(pool, other)), shareMachines(pool, other)),
    );
  return failAt(pool.integer("spec.weight"), all(isStarting, some(others, isEqual)), {
    why: `${nameOf(others.find((other) => isEqual(other) === true))} is for the same pods and has the same weight. The program does not decide which of the two starts a node, or its price and labels.`,
    fix: `set ${weight.path} to a number from 1 to 100 in one of them, because the greater weight takes precedence; or give them different taints`,
  });
}

/** The later conditions are asked only if the answer depends on them. */
function lazily(...conditions: readonly (() => Truth)[]): Truth {
  return conditions.reduce((answer: Truth, condition) => (answer === false ? false : all(answer, condition())), true);
}

function isPool({ type }: Resource): boolean {
  return nodePools.includes(type);
}

function nameOf(other: Resource | undefined): string {
  return other ? `The ${isPool(other) ? "NodePool" : "node group"} ${other.name}` : "";
}

/** Without a weight, 0. @see https://karpenter.sh/docs/concepts/nodepools/#specweight */
function weightOf(pool: Resource): Reading<number> {
  return pool.integer("spec.weight").or(0);
}

/** A GPU group between whose sizes the Cluster Autoscaler can choose. */
function addsNodes(group: Resource, stack: Stack): Truth {
  const hasRange = compare(sizeOf(group, "min"), sizeOf(group, "max"), (min, max) => min < max);
  return lazily(
    () => hasRange,
    () => isGpuGroup(group, stack),
    () => isAutoscaled(group, stack),
  );
}

/** Karpenter and EKS Auto Mode start the nodes of the pools with a class of their own. */
function isOfOtherController(one: Resource, other: Resource): Truth {
  const groupOf = (pool: Resource) => pool.text("spec.template.spec.nodeClassRef.group");
  return compare(groupOf(one), groupOf(other), (a, b) => a !== b);
}

/** Whether a pod can be for the nodes of both: it tolerates the taints of both, and they can have the labels that it selects. */
function forSamePods(one: Resource, other: Resource): Truth {
  return lazily(
    () => !isPool(other) || startsForPods(other),
    () => hasTaintsOf(one, other),
    () => hasTaintsOf(other, one),
    () => not(areApart(one, other)),
  );
}

const none = Reading.absent<readonly Reader[]>("tolerations");

/** Whether the first has each hard taint of the second. EKS adds a toleration for any value of a taint for GPUs. */
function hasTaintsOf(one: Resource, other: Resource): Truth {
  const isSame = (taint: Reader, its: Reader) =>
    all(
      taintRepels(taint, none),
      compare(taint.text("key"), its.text("key"), (key, itsKey) => key === itsKey),
      any(
        equals(taint.text("key"), "nvidia.com/gpu"),
        compare(taint.text("value").or(""), its.text("value").or(""), (value, itsValue) => value === itsValue),
      ),
    );
  const lacks = (its: Reader) => all(taintRepels(its, none), not(someOf(taintsOf(one), (taint) => isSame(taint, its))));
  return not(someOf(taintsOf(other), lacks));
}

/** A label of nodes with its possible values. */
interface Label {
  readonly key: Reading<string>;
  readonly values: readonly Reading<string>[];
  readonly isStated: Truth;
}

/** Whether a label has values that differ, so that pods can select the nodes of one of them. */
function areApart(one: Resource, other: Resource): Truth {
  const [labels, others] = [labelsOf(one), labelsOf(other)];
  const differ = (a: Label, b: Label) =>
    lazily(
      () => compare(a.key, b.key, (key, its) => key === its),
      () => all(a.isStated, b.isStated, not(intersect(a.values, b.values))),
    );
  const isOpen = openIn(
    ...[one, other].map((resource) => resource.entries(machinesOf(resource.type).labels ?? "labels")),
  );
  return any(
    isOpen,
    some(labels, (a) => some(others, (b) => differ(a, b))),
  );
}

function labelsOf(resource: Resource): Label[] {
  const { labels = "labels", requirements } = machinesOf(resource.type);
  const own = resource.entries(labels).value ?? [];
  const required = requirements === undefined ? [] : (resource.list(requirements).value ?? []);
  return [
    ...own.map(([key, value]) => ({ key: Reading.known(value.path, key, ""), values: [value.text()], isStated: true })),
    ...required.map((requirement) => {
      const isStated = equals(requirement.text("operator"), "In");
      return { key: requirement.text("key"), values: textsIn(requirement, "values"), isStated };
    }),
  ];
}

function intersect(ones: readonly Reading<string>[], others: readonly Reading<string>[]): Truth {
  return some(ones, (one) => some(others, (other) => compare(one, other, (a, b) => a === b)));
}

const markets = ["on-demand", "spot", "reserved"];

/** Whether two pools may start an instance of the same type, bought in the same way. */
function shareMachines(one: Resource, other: Resource): Truth {
  const [own, its] = [one, other].map((pool) => pool.list(machinesOf(pool.type).requirements ?? "")) as [Needs, Needs];
  return lazily(
    () => some(markets, (market) => all(allowsMarket(own, market), allowsMarket(its, market))),
    () => intersect(requiredTypes(own), requiredTypes(its)),
  );
}

type Needs = Reading<readonly Reader[]>;
