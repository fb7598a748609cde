import { all, any, equals, not, openPaths, some, type Reader, type Reading, type Truth } from "../../engine/values";
import { adviseIf, count, failAt, failIf, onEach, type Check, type Resource, type Violation } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { gpuGroups, gpusOfPod, groupTypes, podsOn, sharesOf, sharingTypes } from "../../facts/gpu-capacity";
import { GpuCapacity, type GpuCluster } from "../../facts/gpu-usage";
import { isInjected, labStacks } from "../../facts/lab-faults";
import { orOpen } from "../../facts/lists";
import { nodePools } from "../../facts/node-sources";
import { cloneSet, daemonSet, deployment, gpuUserTypes, podTemplate, replicasOf, rollout } from "../../facts/pods";
import { mayRunOn } from "../../facts/scheduling";

/**
 * A rollout that starts new pods before it stops old ones never ends without a free GPU. The rule counts the GPUs of
 * the stack's managed node groups at their maximum size, minus the GPUs of other workloads for the same nodes. Jobs
 * release their GPUs, so a conflict with them is advice. The number of GPUs is unknown if the stack has no node group
 * for the pods, or if Karpenter creates nodes. The rule does not count MIG partitions, and ignores patches.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
 */
export const gpuRolloutDeadlock = clusterRule({
  id: "gpu-rollout-deadlock",
  title: "A rollout of GPU pods has a free GPU, or stops an old pod first.",
  severity: "high",
  incident:
    "the rollout of a Deployment on the only GPU started a new pod first; it stayed Pending, and the rollout never ended",
  types: [...gpuUserTypes, ...nodePools, ...groupTypes, ...sharingTypes],
  parameters: {
    timeSlicing: count(1, 1, "Pods per GPU with time-slicing that is configured outside the stack."),
    labStacks,
  },
  *judge(stack, { timeSlicing, ...parameters }, surroundings) {
    if (isInjected("gpu-rollout", parameters.labStacks, surroundings) === true) return;
    const cluster = { groups: gpuGroups(stack), shares: sharesOf(stack, timeSlicing) };
    const addsNodes = stack.ofType(...nodePools).length > 0;
    const sets = stack.ofType(...Object.keys(strategies));
    const capacityFor = (set: Resource) => new GpuCapacity(set, cluster, stack);
    yield* onEach(sets, (set) => ofDeployment(set, capacityFor, addsNodes));
    yield* onEach(stack.ofType(daemonSet), (set) => ofDaemonSet(set, cluster));
  },
});

type CapacityFor = (set: Resource) => GpuCapacity;

function* ofDeployment(set: Resource, capacityFor: CapacityFor, addsNodes: boolean): Iterable<Check> {
  const gpus = gpusOfPod(podTemplate(set));
  if (gpus.least === 0 && gpus.open.length === 0) return;
  const capacity = capacityFor(set);
  const wantsGpu = orOpen(true, [...gpus.open, ...openPaths(capacity.isPinned)]);
  const surges = all(wantsGpu, surgesOnly(set));
  const isKnown = all(surges, capacity.hasNodes, any(capacity.isPinned, !addsNodes));
  if (isKnown !== false) {
    const isStuck = capacity.isExhausted(false);
    const waitsForJobs = all(not(isStuck), capacity.isExhausted(true));
    yield failIf(all(isKnown, isStuck), () => deadlock(set, `${capacity.describe(false)}, so`));
    yield adviseIf(all(isKnown, waitsForJobs), () => deadlock(set, `${capacity.describe(true)}, so`));
  }
  yield adviseIf(all(surges, not(capacity.hasNodes), !addsNodes), () => deadlock(set, "Without a free GPU"));
}

function* ofDaemonSet(set: Resource, { groups, shares }: GpuCluster): Iterable<Check> {
  const pod = podTemplate(set);
  const gpus = gpusOfPod(pod);
  const tooSmall = some(groups, (group) => {
    const perNode = podsOn(group, gpus.least, shares, true);
    return all(mayRunOn(pod, group), orOpen(perNode.least < 2, perNode.least < 2 ? perNode.open : gpus.open));
  });
  const surge = set.at("spec.updateStrategy.rollingUpdate.maxSurge");
  yield failAt(surge, all(orOpen(gpus.least > 0, gpus.open), surgesOnNodes(set), tooSmall), {
    got: "more than 0",
    why: "The new pod needs the GPUs of the node while the old pod still uses them. It stays Pending, and the rollout never ends.",
    fix: `remove ${surge.path}, and set maxUnavailable to 1`,
  });
}

function deadlock(set: Resource, reason: string): Violation {
  const { path } = set.at(strategyOf(set).path);
  const { shown } = replicasOf(set);
  const recreate = set.type === deployment ? `${path}.type to Recreate, or ` : "";
  return {
    path,
    got: `a rollout that starts new pods before it stops old ones, with replicas ${shown}`,
    why: `${reason} the new pod stays Pending, and the old pod keeps the GPU forever.`,
    fix: `set ${recreate}${set.at(strategyOf(set).steps).path} to maxSurge 0 and maxUnavailable 1; if time-slicing is configured outside the stack, set "timeSlicing" in the policy configuration`,
  };
}

/** `maxSurge` or `maxUnavailable`: a number of pods, or a percentage of the replicas. */
interface Allowance {
  readonly number: number;
  readonly isPercent: boolean;
}

const none: Allowance = { number: 0, isPercent: false };
const aQuarter: Allowance = { number: 25, isPercent: true };

/** How a type replaces its pods. */
interface Strategy {
  readonly path: string;
  /** The path of the allowances. */
  readonly steps: string;
  readonly surge: Allowance;
  readonly missing: Allowance;
  /** Whether a part of a pod that may be missing counts as one. */
  readonly roundsUp?: true;
}

/**
 * By default both maxSurge and maxUnavailable of a Deployment are a quarter of the replicas, rounded up and down: with up to 3
 * replicas it stops none first.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/
 * @see https://openkruise.io/docs/user-manuals/cloneset/#maxunavailable
 */
const strategies: Readonly<Record<string, Strategy>> = {
  [deployment]: { path: "spec.strategy", steps: "spec.strategy.rollingUpdate", surge: aQuarter, missing: aQuarter },
  [rollout]: { path: "spec.strategy", steps: "spec.strategy.canary", surge: aQuarter, missing: aQuarter },
  [cloneSet]: {
    ...{ path: "spec.updateStrategy", steps: "spec.updateStrategy", roundsUp: true },
    ...{ surge: none, missing: { number: 20, isPercent: true } },
  },
};

function strategyOf({ type }: Resource): Strategy {
  return strategies[type] as Strategy;
}

/** Whether a rollout starts a new pod before it stops an old one. */
function surgesOnly(set: Resource): Truth {
  const { path, steps, roundsUp = false, ...byDefault } = strategyOf(set);
  const surge = allowance(set.at(`${steps}.maxSurge`), byDefault.surge);
  const missing = allowance(set.at(`${steps}.maxUnavailable`), byDefault.missing);
  const type = set.text(`${path}.type`);
  const endsNone = missing.is((part) =>
    part.isPercent && !roundsUp
      ? replicasOf(set).is((replicas) => Math.floor((part.number * replicas) / 100) === 0)
      : part.number === 0,
  );
  // Argo Rollouts keeps all old pods until the traffic has moved.
  const isTwofold = any(
    ...["blueGreen", "canary.trafficRouting"].map((key) => not(set.entries(`spec.strategy.${key}`).isAbsent)),
  );
  const isRolling = set.type !== deployment || equals(type.or("RollingUpdate"), "RollingUpdate");
  const hasNone = replicasOf(set).is((replicas) => replicas < 1);
  return all(isRolling, any(isTwofold, all(isSome(surge), endsNone)), not(hasNone));
}

/** Whether a DaemonSet starts the new pod of a node before it stops the old one. By default it does not. */
function surgesOnNodes(set: Resource): Truth {
  const surge = allowance(set.at("spec.updateStrategy.rollingUpdate.maxSurge"), none);
  const type = set.text("spec.updateStrategy.type").or("RollingUpdate");
  return all(equals(type, "RollingUpdate"), isSome(surge));
}

function isSome(part: Reading<Allowance>): Truth {
  return part.is(({ number }) => number > 0);
}

function allowance(given: Reader, fallback: Allowance): Reading<Allowance> {
  const show = ({ number, isPercent }: Allowance) => `${number}${isPercent ? "%" : ""}`;
  const whole = given.integer().map((number): Allowance => ({ number, isPercent: false }), show);
  const percent = given.text().map((text): Allowance | undefined => {
    const digits = /^(\d{1,9})%$/.exec(text)?.[1];
    return digits === undefined ? undefined : { number: Number(digits), isPercent: true };
  }, show);
  return (percent.is(() => true) === true ? percent : whole).or(fallback, show(fallback));
}
