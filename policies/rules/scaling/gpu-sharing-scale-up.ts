import { all, equals, not, some, Undetermined, type Truth } from "../../engine/values";
import { failAt, onEach, type Check, type Stack } from "../../engine/rule";
import { autoscalerTypes, isAutoscaled, nodeTemplate, tagValues } from "../../facts/cluster-autoscaler";
import { clusterRule } from "../../facts/each-cluster";
import { gpuGroups, groupTypes, sharesOf, sharingTypes, type Bound, type GpuGroup } from "../../facts/gpu-capacity";
import { startsForPods } from "../../facts/karpenter";
import { orOpen } from "../../facts/lists";
import { sizeOf } from "../../facts/node-counts";
import { machinesOf, nodePools } from "../../facts/node-sources";
import { quantity } from "../../facts/pods";

/**
 * The rule reports time-slicing or MPS of the device plugin in a cluster in which GPU nodes start for pods. The Cluster
 * Autoscaler reads the GPUs of a group without nodes from its instance type, unless a tag of the group states them. For
 * a group that has a node, it reads them from the node.
 * @see https://github.com/kubernetes-sigs/karpenter/issues/729
 * @see https://github.com/kubernetes/autoscaler/issues/8129
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/cloudprovider/aws/aws_manager.go
 */
export const gpuSharingScaleUp = clusterRule({
  id: "gpu-sharing-scale-up",
  title: "The autoscaler of the GPU nodes knows how many pods share a GPU.",
  severity: "medium",
  incident: "for ten notebooks that could share one GPU by time-slicing, ten GPU nodes started",
  types: [...nodePools, ...groupTypes, ...autoscalerTypes, ...sharingTypes],
  *judge(stack) {
    const isShared = areShared(sharesOf(stack, 1));
    yield* onEach(stack.ofType(...nodePools), (pool) => {
      const requirements = pool.list(machinesOf(pool.type).requirements ?? "");
      const check = failAt(requirements, all(startsForPods(pool), isShared), {
        why: "Karpenter counts the GPUs of an instance type, not the replicas of the device plugin: it starts a node for each waiting pod, although the pods would fit on one GPU.",
        fix: "run pods that share a GPU on a node group of a fixed size, or remove the replicas",
      });
      return [check];
    });
    if (isShared === false) return;
    for (const group of gpuGroups(stack)) yield* onEach([group.group], () => [ofGroup(group, stack, isShared)]);
  },
});

const tag = `${nodeTemplate}/resources/nvidia.com/gpu`;

/** Only the tag of a group without nodes matters. A tag with the GPUs of the machine states no replicas. */
function ofGroup({ group, isGpu, gpus }: GpuGroup, stack: Stack, isShared: Truth): Check {
  const min = sizeOf(group, "min");
  const mayGrow = sizeOf(group, "max").is((nodes) => nodes > 0);
  const isStated = some(tagValues(stack, group, tag), ({ value, isMeant }) =>
    all(
      isMeant,
      quantity(value).is((amount) => orOpen(amount > gpus.least, gpus.open)),
    ),
  );
  const isMisled = all(isShared, isGpu, equals(min, 0), mayGrow, isAutoscaled(group, stack), not(isStated));
  return failAt(min, isMisled, {
    why: "The Cluster Autoscaler counts the GPUs of the instance type while the group has no node, not the replicas of the device plugin: it starts a node for each waiting pod, although the pods would fit on one GPU.",
    fix: `set the tag ${tag} of its Auto Scaling group to the GPUs of a node times the replicas, with an aws.autoscaling.Tag; or remove the replicas`,
  });
}

function areShared({ least, open }: Bound): Truth {
  if (least > 1) return true;
  return open.length > 0 && new Undetermined(open);
}
