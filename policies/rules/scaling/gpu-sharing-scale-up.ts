import { all, Undetermined, type Truth } from "../../engine/values";
import { failAt, onEach } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { sharesOf, sharingTypes, type Bound } from "../../facts/gpu-capacity";
import { requiresGpu } from "../../facts/karpenter";
import { machinesOf, nodePools } from "../../facts/node-sources";

/**
 * The rule reports time-slicing or MPS of the device plugin in a cluster whose GPU nodes start for pods.
 * @see https://github.com/kubernetes-sigs/karpenter/issues/729
 */
export const gpuSharingScaleUp = clusterRule({
  id: "gpu-sharing-scale-up",
  title: "GPUs that pods share are not those of a NodePool.",
  severity: "medium",
  incident: "ten notebooks that share one GPU by time slicing started ten GPU nodes",
  types: [...nodePools, ...sharingTypes],
  *judge(stack) {
    const isShared = areShared(sharesOf(stack, 1));
    yield* onEach(stack.ofType(...nodePools), (pool) => {
      const requirements = pool.list(machinesOf(pool.type).requirements ?? "");
      const check = failAt(requirements, all(requiresGpu(requirements), isShared), {
        why: "Karpenter counts the GPUs of an instance type, not the replicas of the device plugin: it starts a node for each waiting pod, although the pods would fit on one GPU.",
        fix: "run pods that share a GPU on a node group of a fixed size, or remove the replicas",
      });
      return [check];
    });
  },
});

function areShared({ least, open }: Bound): Truth {
  if (least > 1) return true;
  return open.length > 0 && new Undetermined(open);
}
