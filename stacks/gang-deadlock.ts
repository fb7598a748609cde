import { operatorForWaitingPods, type Lab } from "./run/lab";
import { makeTrainingRun } from "./run/training-run";

const namespace = "gang-deadlock";

/** What the fault changes: the order in which a StatefulSet creates its pods cannot be changed in place. */
const changes = ["replace StatefulSet train-a", "replace StatefulSet train-b"];

/** Two training runs that need two GPUs each hold one GPU each, and wait for each other. */
export const gangDeadlock: Lab = {
  question: "Why does no training run make progress although all GPUs are in use and no pod has failed?",
  hypothesis:
    "each run needs two GPUs and has got one of the two; Kubernetes places pods one by one and knows no run, so both wait for a GPU that the other holds, and neither gives it back",
  watch: [
    `kubectl get pods -n ${namespace} -o wide`,
    `kubectl logs -n ${namespace} -l app.kubernetes.io/name=training-run --tail=2 --prefix --ignore-errors`,
    `kubectl get events -n ${namespace} --field-selector reason=FailedScheduling`,
  ],
  restore: "pulumi config set fault off && pulumi up",
  local: { fake: changes, mock: changes },
  clusterName: "gang",
  minutes: 30,
  gpuNodes: 2,
  environment: { gpuOperator: operatorForWaitingPods, monitoring: { enabled: true } },
  supportsSharedCluster: true,
  fault: { name: "two runs that start their ranks one by one", changes },
  add(place) {
    const { isFaulty } = place;
    // The second rank of both runs is created after the first ranks of both have their GPUs.
    const order = isFaulty ? { preparesSeconds: 30 } : {};
    makeTrainingRun("train-a", { isStarted: true, ...order }, place);
    makeTrainingRun("train-b", { isStarted: isFaulty, ...order }, place);
    return { pods: `kubectl get pods -n ${namespace} -o wide` };
  },
};
