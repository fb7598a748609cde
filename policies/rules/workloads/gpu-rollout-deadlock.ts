import { count } from "../../core/parameters";
import type { Resource, Stack } from "../../core/resource";
import { adviseIf, failIf, stackRule, type Check, type Fault } from "../../core/rule";
import { all, any, openPaths, some, Undetermined, type Truth } from "../../core/unknown";
import { gpuOperator } from "../operator/operator-values";
import { someOf } from "./each";
import {
  bound,
  gpuGroups,
  gpusOfPod,
  groupTypes,
  hostname,
  mayRunOn,
  sum,
  type Bound,
  type GpuGroup,
} from "./gpu-capacity";
import { daemonSet, deployment, podTemplate, statefulSet } from "./pod-template";
import { replicasOf, surgesOnly, surgesOnNodes } from "./rollout";

const nodePool = "kubernetes:karpenter.sh/v1:NodePool";

/**
 * A rollout that only adds pods needs a free GPU, or it waits for ever. The GPUs are those of the stack's managed node
 * groups at their largest, less what other Deployments and StatefulSets for the same nodes hold. Where the stack has
 * no group for the pods, or Karpenter makes nodes, nobody can tell how many there are. Partitions (MIG) are not counted.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
 */
export const gpuRolloutDeadlock = stackRule({
  id: "gpu-rollout-deadlock",
  title: "A rollout of pods with GPUs finds a free GPU, or ends an old pod first.",
  severity: "high",
  incident: "a Deployment with one GPU surged onto a full node: the new pod stayed Pending and the rollout never ended",
  types: [deployment, daemonSet, statefulSet, gpuOperator, nodePool, ...groupTypes],
  parameters: {
    timeSlicing: count(1, 1, "Pods that share a GPU in time where no GpuOperator component of the stack says so."),
  },
  *judge(stack, { timeSlicing }) {
    const cluster = { groups: gpuGroups(stack), shares: sharesOf(stack, timeSlicing) };
    const grows = stack.ofType(nodePool).length > 0;
    const holders = stack.ofType(deployment, statefulSet);
    for (const set of stack.ofType(deployment)) yield* ofDeployment(set, cluster, holders, grows);
    for (const set of stack.ofType(daemonSet)) yield* ofDaemonSet(set, cluster);
  },
});

interface Cluster {
  readonly groups: readonly GpuGroup[];
  /** Pods for each GPU. */
  readonly shares: Bound;
}

function sharesOf(stack: Stack, configured: number): Bound {
  const paths = ["timeSlicing.replicas", "mps.replicas"];
  const stated = stack.ofType(gpuOperator).flatMap((one) => paths.map((path) => bound(one.integer(path))));
  const least = stated.reduce((most, one) => Math.max(most, one.least), configured);
  return { least, open: sum(stated).open };
}

function* ofDeployment(
  set: Resource,
  { groups, shares }: Cluster,
  holders: readonly Resource[],
  grows: boolean,
): Iterable<Check> {
  const pod = podTemplate(set);
  const gpus = gpusOfPod(pod);
  if (gpus.least === 0 && gpus.open.length === 0) return;
  const own = groups.filter((group) => mayRunOn(pod, group) !== false);
  const pinned = someOf(pod.spec.entries("nodeSelector"), ([key]) => key === hostname);
  const open = [...gpus.open, ...openPaths(pinned), ...own.flatMap((group) => openPaths(mayRunOn(pod, group)))];
  const each = own.map((group) => podsOn(group, gpus.least, shares, pinned === true));
  const fits = pinned === true ? largest(each) : sum(each);
  const others = pinned === true ? sum([]) : heldByOthers(set, holders, groups, own);
  const stuck = replicasOf(set).is((replicas) => {
    const room = fits.least - Math.floor(others.least / Math.max(1, gpus.least));
    if (room < replicas + 1) return orOpen(true, [...open, ...fits.open]);
    return orOpen(false, [...open, ...others.open]);
  });
  const wantsGpu = orOpen(gpus.least > 0, gpus.open);
  const surges = all(wantsGpu, surgesOnly(set));
  const isSeen = all(own.length > 0, any(pinned, !grows));
  const held = others.least > 0 ? `, less ${others.least} GPU that other workloads hold` : "";
  const why = `Its GPU nodes have room for at most ${fits.least} of these pods${held}, so`;
  yield failIf(all(surges, isSeen, stuck), () => deadlock(set, why), set);
  yield adviseIf(all(surges, own.length === 0, !grows), () => deadlock(set, "If no GPU is free,"), set);
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

/** Pods of a number of GPUs that fit on a group at its largest, or on one node of it. */
function podsOn({ nodes, gpus }: GpuGroup, gpusOfPod: number, shares: Bound, onOneNode: boolean): Bound {
  const perNode = Math.floor((gpus.least * shares.least) / Math.max(1, gpusOfPod));
  const count = onOneNode ? { least: 1, open: [] } : bound(nodes);
  const isWrong = !onOneNode && nodes.is(() => true) === false ? [nodes.path] : [];
  return { least: perNode * count.least, open: [...gpus.open, ...shares.open, ...count.open, ...isWrong] };
}

function largest(bounds: readonly Bound[]): Bound {
  return { least: bounds.reduce((most, { least }) => Math.max(most, least), 0), open: sum(bounds).open };
}

/** The GPUs that other workloads hold of those that these pods could use: workloads that can run nowhere else. */
function heldByOthers(
  set: Resource,
  holders: readonly Resource[],
  groups: readonly GpuGroup[],
  own: readonly GpuGroup[],
): Bound {
  const held = holders.map((other): Bound => {
    const pod = podTemplate(other);
    const gpus = gpusOfPod(pod);
    const replicas = bound(replicasOf(other));
    if (other === set || (gpus.least === 0 && gpus.open.length === 0)) return sum([]);
    const theirs = groups.map((group) => ({ group, may: mayRunOn(pod, group) })).filter(({ may }) => may !== false);
    if (theirs.length === 0 || theirs.some(({ group }) => !own.includes(group))) return sum([]);
    const open = [...gpus.open, ...replicas.open, ...theirs.flatMap(({ may }) => openPaths(may))];
    return open.length > 0 ? { least: 0, open } : { least: gpus.least * replicas.least, open };
  });
  return sum(held);
}

/** An answer that holds unless something is open. */
function orOpen(answer: boolean, open: readonly string[]): Truth {
  return open.length === 0 ? answer : new Undetermined([...new Set(open)]);
}

function deadlock(set: Resource, reason: string): Fault {
  const { path } = set.at("spec.strategy");
  const { shown } = replicasOf(set);
  return {
    path,
    got: `a rollout that adds pods before it ends any, with replicas ${shown}`,
    why: `${reason} the pod that the rollout adds stays Pending, and the old pod that holds the GPU is never ended.`,
    fix: `set ${path}.type to Recreate, or ${path}.rollingUpdate to maxSurge 0 and maxUnavailable 1`,
  };
}
