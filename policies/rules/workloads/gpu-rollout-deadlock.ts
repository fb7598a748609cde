import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, not, openPaths, some, type Truth } from "../../../components/core/reader/truth";
import { count } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check, type Violation } from "../../engine/rule";
import {
  gpuGroups,
  gpusOfPod,
  groupTypes,
  orOpen,
  podsOn,
  sharesOf,
  sharingTypes,
  type Bound,
  type GpuGroup,
} from "../../facts/gpu-capacity";
import { holderTypes, othersThan, Room } from "../../facts/gpu-usage";
import { isFaultOf, labStacks } from "../../facts/lab-faults";
import { daemonSet, deployment, podTemplate, replicasOf } from "../../facts/pods";
import { mayRunOn } from "../../facts/scheduling";

const nodePool = "kubernetes:karpenter.sh/v1:NodePool";

/**
 * A rollout that only adds pods needs a free GPU, or it waits for ever. The GPUs are those of the stack's managed node
 * groups at their largest, less what other workloads for the same nodes hold; what Jobs hold they give back, so that is
 * advice. Where the stack has no group for the pods, or Karpenter makes nodes, nobody can tell how many there are.
 * Partitions (MIG) are not counted, and a patch of a workload says too little of it.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
 */
export const gpuRolloutDeadlock = stackRule({
  id: "gpu-rollout-deadlock",
  title: "A rollout of pods with GPUs finds a free GPU, or ends an old pod first.",
  severity: "high",
  incident: "a Deployment with one GPU surged onto a full node: the new pod stayed Pending and the rollout never ended",
  types: [...holderTypes, nodePool, ...groupTypes, ...sharingTypes],
  parameters: {
    timeSlicing: count(1, 1, "Pods that share a GPU in time where nothing in the stack says so."),
    labStacks,
  },
  *judge(stack, { timeSlicing, ...parameters }, surroundings) {
    if (isFaultOf("gpu-rollout", parameters.labStacks, surroundings) === true) return;
    const cluster = { groups: gpuGroups(stack), shares: sharesOf(stack, timeSlicing) };
    const grows = stack.ofType(nodePool).length > 0;
    for (const set of stack.ofType(deployment)) yield* ofDeployment(set, cluster, othersThan(set, stack), grows);
    for (const set of stack.ofType(daemonSet)) yield* ofDaemonSet(set, cluster);
  },
});

interface Cluster {
  readonly groups: readonly GpuGroup[];
  /** Pods for each GPU. */
  readonly shares: Bound;
}

function* ofDeployment(
  set: Resource,
  { groups, shares }: Cluster,
  others: readonly Resource[],
  grows: boolean,
): Iterable<Check> {
  const gpus = gpusOfPod(podTemplate(set));
  if (gpus.least === 0 && gpus.open.length === 0) return;
  const room = new Room(set, groups, shares, others);
  const wantsGpu = orOpen(true, [...gpus.open, ...openPaths(room.isPinned)]);
  const surges = all(wantsGpu, surgesOnly(set));
  const isSeen = all(surges, room.hasNodes, any(room.isPinned, !grows));
  if (isSeen !== false) {
    const isStuck = room.isShort(false);
    const waitsForJobs = all(not(isStuck), room.isShort(true));
    yield failIf(all(isSeen, isStuck), () => deadlock(set, `${room.described(false)}, so`), set);
    yield adviseIf(all(isSeen, waitsForJobs), () => deadlock(set, `${room.described(true)}, so`), set);
  }
  yield adviseIf(all(surges, not(room.hasNodes), !grows), () => deadlock(set, "If no GPU is free,"), set);
}

function* ofDaemonSet(set: Resource, { groups, shares }: Cluster): Iterable<Check> {
  const pod = podTemplate(set);
  const gpus = gpusOfPod(pod);
  const tooSmall = some(groups, (group) => {
    const perNode = podsOn(group, gpus.least, shares, true);
    return all(mayRunOn(pod, group), orOpen(perNode.least < 2, perNode.least < 2 ? perNode.open : gpus.open));
  });
  const { path } = set.at("spec.updateStrategy.rollingUpdate.maxSurge");
  yield failIf(
    all(orOpen(gpus.least > 0, gpus.open), surgesOnNodes(set), tooSmall),
    () => ({
      path,
      got: "more than 0",
      why: "The new pod of a node needs its GPUs while the old pod still holds them, so it stays Pending and the rollout never ends.",
      fix: `remove ${path}, and set maxUnavailable to 1`,
    }),
    set,
  );
}

function deadlock(set: Resource, reason: string): Violation {
  const { path } = set.at("spec.strategy");
  const { shown } = replicasOf(set);
  return {
    path,
    got: `a rollout that adds pods before it ends any, with replicas ${shown}`,
    why: `${reason} the pod that the rollout adds stays Pending, and the old pod that holds the GPU is never ended.`,
    fix: `set ${path}.type to Recreate, or ${path}.rollingUpdate to maxSurge 0 and maxUnavailable 1; where pods share a GPU in time and nothing in the stack says so, set "timeSlicing" in the policy configuration`,
  };
}

/** `maxSurge` or `maxUnavailable`: a number of pods, or a share of the replicas. */
interface Allowance {
  readonly number: number;
  readonly isPercent: boolean;
}

/**
 * Whether a rollout of a Deployment starts a pod before it ends one, and ends none before. By default it may do both by
 * a quarter of the replicas: more pods are rounded up, missing ones down, so up to 3 replicas it ends none.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
function surgesOnly(deployment: Resource): Truth {
  const surge = allowance(deployment.at("spec.strategy.rollingUpdate.maxSurge"), aQuarter);
  const missing = allowance(deployment.at("spec.strategy.rollingUpdate.maxUnavailable"), aQuarter);
  const isRolling = deployment.text("spec.strategy.type").or("RollingUpdate");
  const endsNone = missing.is((part) =>
    part.isPercent
      ? replicasOf(deployment).is((replicas) => Math.floor(share(part, replicas)) === 0)
      : part.number === 0,
  );
  return all(
    isRolling.is((type) => type === "RollingUpdate"),
    surge.is(({ number }) => number > 0),
    endsNone,
    not(replicasOf(deployment).is((replicas) => replicas < 1)),
  );
}

/** Whether a DaemonSet starts the new pod of a node before it ends the old one; by default it does not. */
function surgesOnNodes(daemonSet: Resource): Truth {
  const surge = allowance(daemonSet.at("spec.updateStrategy.rollingUpdate.maxSurge"), { number: 0, isPercent: false });
  const type = daemonSet.text("spec.updateStrategy.type").or("RollingUpdate");
  return all(
    type.is((word) => word === "RollingUpdate"),
    surge.is(({ number }) => number > 0),
  );
}

const aQuarter: Allowance = { number: 25, isPercent: true };

function share({ number }: Allowance, replicas: number): number {
  return (number * replicas) / 100;
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
