import { GpuDeployment, type GpuDeploymentArgs } from "../components";
import type { Lab, LabPlace } from "./run/lab";

/** What the fault changes in the Deployment. */
const deadlockPaths = [
  "spec.strategy.rollingUpdate.maxSurge",
  "spec.strategy.rollingUpdate.maxUnavailable",
  "spec.template.metadata.annotations.eks-gpu-lab/revision",
  "spec.template.spec.containers[0].env[1].value",
  "spec.template.spec.nodeSelector",
];

/** A Deployment rolls over on the only GPU that it may use. */
export const gpuRollout: Lab = {
  question: "Why does a new revision of a GPU Deployment wait for ever, with nothing wrong with it?",
  hypothesis:
    "one pod more and none fewer needs a second GPU on a node that has one: the new pod stays Pending, the old one serves on, and nothing is preempted",
  watch: [
    "kubectl rollout status deployment/inference -n gpu-rollout --timeout=60s",
    "kubectl get pods -n gpu-rollout -o wide",
    "kubectl get events -n gpu-rollout --field-selector reason=FailedScheduling",
  ],
  restore: "pulumi config rm remedy; pulumi config set fault off && pulumi up",
  minutes: 30,
  gpuNodes: 1,
  environment: { gpuOperator: { enabled: true }, monitoring: { enabled: true } },
  mayBorrow: true,
  keys: ["node", "gpuProduct"],
  fault: {
    name: "Kubernetes' default rollout on one node",
    needs: ["node"],
    changes: [`update Deployment inference: ${deadlockPaths.join(", ")}`],
  },
  remedies: {
    "in-place": {
      does: "end the old pod first: maxSurge 0, maxUnavailable 1",
      changes: [
        "update Deployment inference: spec.strategy.rollingUpdate.maxSurge, spec.strategy.rollingUpdate.maxUnavailable",
      ],
    },
    recreate: {
      does: "end all old pods, then start the new ones",
      changes: ["update Deployment inference: spec.strategy.rollingUpdate, spec.strategy.type"],
    },
    affinity: {
      does: "any node with the same model of GPU will do; needs a second one with a free GPU",
      changes: ["update Deployment inference: spec.template.spec.affinity, spec.template.spec.nodeSelector"],
      needs: ["gpuProduct"],
      gpuNodes: 2,
    },
    priority: {
      does: "the new revision may end the old one: a PriorityClass",
      changes: [
        "create PriorityClass inference-priority",
        "update Deployment inference: spec.template.spec.priorityClassName",
      ],
    },
  },
  add(place) {
    const { namespace, taints, options, cluster } = place;
    const shared = { namespace, taints, ...(cluster && { cluster }) };
    const inference = new GpuDeployment("inference", { ...shared, ...rollout(place) }, options);
    return { inference: inference.commands };
  },
};

/** The second revision deadlocks, unless a remedy is chosen. */
function rollout({ isFaulty, node, remedy, gpuProduct }: LabPlace): GpuDeploymentArgs {
  if (!isFaulty) return { revision: "1" };
  const deadlock: GpuDeploymentArgs = {
    revision: "2",
    rollout: "surge",
    allowDeadlock: true,
    ...(node !== undefined && { pinnedTo: node }),
  };
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
