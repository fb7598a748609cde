import { GpuDeployment } from "../components";
import type { Lab } from "./run/lab";
import { deadlockChanges, rolloutArgs, rolloutRemedies } from "./run/rollout-remedies";

/** The rollout of a Deployment deadlocks on the only GPU that it may use. */
export const gpuRollout: Lab = {
  question: "Why does a new revision of a GPU Deployment stay Pending, with nothing wrong with it?",
  hypothesis:
    "one more pod and none fewer needs a second GPU on a node that has one: the new pod stays Pending, the old one keeps serving, and nothing is preempted",
  watch: [
    "kubectl rollout status deployment/inference -n gpu-rollout --timeout=60s",
    "kubectl get pods -n gpu-rollout -o wide",
    "kubectl get events -n gpu-rollout --field-selector reason=FailedScheduling",
  ],
  restore: "pulumi config rm remedy; pulumi config set fault off && pulumi up",
  minutes: 30,
  gpuNodes: 1,
  environment: { gpuOperator: { enabled: true }, monitoring: { enabled: true } },
  supportsSharedCluster: true,
  keys: ["node", "gpuProduct"],
  fault: { name: "Kubernetes' default rollout on one node", needs: ["node"], changes: deadlockChanges },
  remedies: rolloutRemedies,
  add(place) {
    const { namespace, taints, options, cluster } = place;
    const shared = { namespace, taints, ...(cluster && { cluster }) };
    const inference = new GpuDeployment("inference", { ...shared, ...rolloutArgs(place) }, options);
    return { inference: inference.commands };
  },
};
