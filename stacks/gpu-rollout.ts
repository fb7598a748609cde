import { GpuDeployment } from "../components";
import { operatorForWaitingPods, type Lab } from "./run/lab";
import { deadlockChanges, rolloutArgs, rolloutRemedies } from "./run/rollout-remedies";

/** The rollout of a Deployment deadlocks on the only GPU that it may use. */
export const gpuRollout: Lab = {
  question: "Why does a new revision of a GPU Deployment stay Pending although the revision is correct?",
  hypothesis:
    "the rollout starts the new pod before it stops the old one, and the node has only one GPU: the new pod stays Pending, the old one keeps serving, and nothing is preempted",
  watch: [
    "kubectl rollout status deployment/inference -n gpu-rollout --timeout=60s",
    "kubectl get pods -n gpu-rollout -o wide",
    "kubectl get events -n gpu-rollout --field-selector reason=FailedScheduling",
  ],
  restore: "pulumi config rm remedy; pulumi config set fault off && pulumi up",
  local: { fake: deadlockChanges, mock: deadlockChanges },
  clusterName: "rollout",
  minutes: 30,
  gpuNodes: 1,
  environment: { gpuOperator: operatorForWaitingPods, monitoring: { enabled: true } },
  supportsSharedCluster: true,
  keys: ["node", "gpuProduct"],
  fault: { name: "Kubernetes' default rollout on one node", needs: ["node"], changes: deadlockChanges },
  remedies: rolloutRemedies,
  add(place) {
    const { namespace, taints, options, cluster } = place;
    const shared = { namespace, taints, cluster };
    const inference = new GpuDeployment("inference", { ...shared, ...rolloutArgs(place) }, options);
    return { inference: inference.commands };
  },
};
