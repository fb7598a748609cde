import type { GpuDeploymentArgs } from "../../components";
import type { LabPlace, Remedy } from "./lab";

const strategy = "spec.strategy.rollingUpdate";
const changes = (...paths: readonly string[]) => [`update Deployment inference: ${paths.join(", ")}`];

/** What the fault of gpu-rollout changes: Kubernetes' default strategy, pinned to one node. */
export const deadlockChanges = changes(
  `${strategy}.maxSurge`,
  `${strategy}.maxUnavailable`,
  "spec.template.metadata.annotations.eks-gpu-lab/revision",
  "spec.template.spec.containers[0].env[1].value",
  "spec.template.spec.nodeSelector",
);

/** The remedies of gpu-rollout. */
export const rolloutRemedies = {
  "in-place": {
    does: "stop the old pod first: maxSurge 0, maxUnavailable 1",
    changes: changes(`${strategy}.maxSurge`, `${strategy}.maxUnavailable`),
  },
  recreate: {
    does: "stop all old pods, then start the new ones",
    changes: changes(strategy, "spec.strategy.type"),
  },
  affinity: {
    does: "allow any node with the same GPU model; needs a second node with a free GPU",
    changes: changes("spec.template.spec.affinity", "spec.template.spec.nodeSelector"),
    needs: ["gpuProduct"],
    gpuNodes: 2,
    refusedByAutoMode: "Nodes of EKS Auto Mode have no label nvidia.com/gpu.product.",
  },
  priority: {
    does: "evict the old pod: a PriorityClass for the new revision",
    changes: ["create PriorityClass inference-priority", ...changes("spec.template.spec.priorityClassName")],
  },
} as const satisfies Readonly<Record<string, Remedy>>;

/** The Deployment of gpu-rollout: with the fault on, its second revision deadlocks unless a remedy is chosen. */
export function rolloutArgs({ isFaulty, node, remedy, gpuProduct }: LabPlace): GpuDeploymentArgs {
  if (!isFaulty) return { revision: "1" };
  const pinnedTo = node === undefined ? {} : { pinnedTo: node };
  const deadlock: GpuDeploymentArgs = { revision: "2", rollout: "surge", allowDeadlock: true, ...pinnedTo };
  switch (remedy) {
    case "in-place":
    case "recreate":
      return { ...deadlock, rollout: remedy, allowDeadlock: false };
    case "affinity":
      return { revision: "2", rollout: "surge", ...(gpuProduct !== undefined && { gpuProducts: [gpuProduct] }) };
    case "priority":
      return { ...deadlock, priority: { value: 1000 } };
    case undefined:
    default:
      return deadlock;
  }
}
