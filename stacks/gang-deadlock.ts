import { GangQueue } from "../components";
import { systemLabels } from "../components/nodes/system-node-group-schema";
import { operatorForWaitingPods, type Lab, type LabPlace } from "./run/lab";
import { makeTrainingRun, ranks } from "./run/training-run";

const namespace = "gang-deadlock";

/** What the fault changes: the order in which a StatefulSet creates its pods cannot be changed in place. */
const changes = ["replace StatefulSet train-a", "replace StatefulSet train-b"];

/** What the remedy creates. */
const queueObjects = [
  ...["create Namespace gang-namespace", "create Release gang", "create ResourceFlavor gang-flavor"],
  ...["create ClusterQueue gang-queue", "create LocalQueue gang-1"],
];

/** A queue for the GPUs of one run. */
function makeQueue({ namespace, taints, options, cluster, localGpus }: LabPlace): GangQueue {
  const settings = { gpuQuota: ranks, namespaces: [namespace], taints };
  const controllerNodeSelector = localGpus === undefined ? systemLabels : {};
  return new GangQueue("gang", { ...settings, controllerNodeSelector, ...(cluster && { cluster }) }, options);
}

/** Two training runs that need two GPUs each hold one GPU each, and wait for each other. */
export const gangDeadlock: Lab = {
  question: "Why does no training run make progress although all GPUs are in use and no pod has failed?",
  hypothesis:
    "each run needs two GPUs and has one of the two; Kubernetes places pods one by one and does not know runs, so each waits for a GPU that the other holds, and neither releases its own",
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
  remedies: {
    kueue: {
      does: "start a run only when Kueue has a GPU for each of its ranks",
      changes: [...queueObjects, ...changes],
      refusedByFakeGpus: "Kueue runs in a container, and fake nodes do not run containers.",
    },
  },
  add(place) {
    const { isFaulty } = place;
    // The second rank of both runs is created after the first ranks of both have their GPUs.
    const order = isFaulty ? { preparesSeconds: 30 } : {};
    const queue = place.remedy === "kueue" ? makeQueue(place) : undefined;
    makeTrainingRun("train-a", { isStarted: true, ...order, queue }, place);
    makeTrainingRun("train-b", { isStarted: isFaulty, ...order, queue }, place);
    return { pods: `kubectl get pods -n ${namespace} -o wide` };
  },
};
