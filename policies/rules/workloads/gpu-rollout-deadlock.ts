import { all, any, not, openPaths, some } from "../../engine/values";
import { adviseIf, count, failAt, failIf, on, type Check, type Violation } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { gpuGroups, gpusOfPod, groupTypes, podsOn, sharesOf, sharingTypes } from "../../facts/gpu-capacity";
import { GpuCapacity, type GpuCluster } from "../../facts/gpu-usage";
import { isInjected, labStacks } from "../../facts/lab-faults";
import { orOpen } from "../../facts/lists";
import { nodePools } from "../../facts/node-sources";
import { daemonSet } from "../../facts/pods";
import { mayRunOn } from "../../facts/scheduling";
import { workloadsIn, workloadTypes, type Workload } from "../../facts/workloads";

/**
 * The rule compares the pods of a rollout with the GPUs of the stack's managed node groups at their maximum size, minus
 * the GPUs of other workloads for the same nodes. Jobs release their GPUs, so a conflict with them is advice. The
 * number of GPUs is unknown if the stack has no node group for the pods, or if Karpenter creates nodes. The rule does
 * not count MIG partitions, and ignores patches.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
 */
export const gpuRolloutDeadlock = clusterRule({
  id: "gpu-rollout-deadlock",
  title: "A rollout of GPU pods has a free GPU, or stops an old pod first.",
  severity: "high",
  incident:
    "the rollout of a Deployment on the only GPU started a new pod first; it stayed Pending, and the rollout never ended",
  types: [...workloadTypes, ...nodePools, ...groupTypes, ...sharingTypes],
  parameters: {
    timeSlicing: count(1, 1, "Pods per GPU with time-slicing that is configured outside the stack."),
    labStacks,
  },
  *judge(stack, { timeSlicing, ...parameters }, surroundings) {
    if (isInjected("gpu-rollout", parameters.labStacks, surroundings) === true) return;
    const cluster = { groups: gpuGroups(stack), shares: sharesOf(stack, timeSlicing) };
    const addsNodes = stack.ofType(...nodePools).length > 0;
    const sets = stack.ofType(...workloadTypes).flatMap(workloadsIn);
    for (const set of sets) {
      const isOnNodes = set.resource.type === daemonSet;
      const capacity = () => new GpuCapacity(set, cluster, sets);
      yield* on(set.resource, isOnNodes ? ofDaemonSet(set, cluster) : ofReplicas(set, capacity, addsNodes));
    }
  },
});

function* ofReplicas(set: Workload, capacityFor: () => GpuCapacity, addsNodes: boolean): Iterable<Check> {
  if (set.surgesOnly === false) return;
  const gpus = gpusOfPod(set.pod);
  if (gpus.least === 0 && gpus.open.length === 0) return;
  const capacity = capacityFor();
  const wantsGpu = orOpen(true, [...gpus.open, ...openPaths(capacity.isPinned)]);
  const surges = all(wantsGpu, set.surgesOnly);
  const isKnown = all(surges, capacity.hasNodes, any(capacity.isPinned, !addsNodes));
  if (isKnown !== false) {
    const isStuck = capacity.isExhausted(false);
    const waitsForJobs = all(not(isStuck), capacity.isExhausted(true));
    yield failIf(all(isKnown, isStuck), () => deadlock(set, `${capacity.describe(false)}, so`));
    yield adviseIf(all(isKnown, waitsForJobs), () => deadlock(set, `${capacity.describe(true)}, so`));
  }
  yield adviseIf(all(surges, not(capacity.hasNodes), !addsNodes), () => deadlock(set, "Without a free GPU"));
}

function* ofDaemonSet(set: Workload, { groups, shares }: GpuCluster): Iterable<Check> {
  const { pod, resource } = set;
  const gpus = gpusOfPod(pod);
  const tooSmall = some(groups, (group) => {
    const perNode = podsOn(group, gpus.least, shares, true);
    return all(mayRunOn(pod, group), orOpen(perNode.least < 2, perNode.least < 2 ? perNode.open : gpus.open));
  });
  const surge = resource.at("spec.updateStrategy.rollingUpdate.maxSurge");
  yield failAt(surge, all(orOpen(gpus.least > 0, gpus.open), set.surgesOnly, tooSmall), {
    got: "more than 0",
    why: "The new pod needs the GPUs of the node while the old pod still uses them. It stays Pending, and the rollout never ends.",
    fix: `remove ${surge.path}, and set maxUnavailable to 1`,
  });
}

function deadlock(set: Workload, reason: string): Violation {
  const { path, fix, isStated } = set.strategy;
  const meaning = isStated ? "" : "nothing, which means ";
  return {
    path,
    got: `${meaning}a rollout that starts new pods before it stops old ones, with replicas ${set.replicas.shown}`,
    why: `${reason} the new pod stays Pending, and the old pod keeps the GPU forever.`,
    fix: `${fix}; if time-slicing is configured outside the stack, set "timeSlicing" in the policy configuration`,
  };
}
