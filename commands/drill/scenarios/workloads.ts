import { namespace, pod, podSpec, type Manifest, type GpuNode } from "../manifests";
import type { Scenario } from "../scenario";

/** A Deployment that uses all free GPUs of the target node, and that starts new pods before it stops old ones. */
function server(target: GpuNode): Manifest {
  const labels = { app: "server" };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "server" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels }, spec: podSpec(target, { gpus: target.freeGpus, onTarget: true }) },
    },
  };
}

/** A run of two pods with some GPUs of the target node each, which are created one after the other. */
function run(name: string, target: GpuNode, gpus: number): Manifest {
  const labels = { app: "server", run: name };
  return {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name } },
    spec: {
      ...{ serviceName: name, replicas: 2, minReadySeconds: 10, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: podSpec(target, { gpus, onTarget: true }) },
    },
  };
}

const newRevision = { spec: { template: { metadata: { annotations: { "example.com/revision": "2" } } } } };

/** The least number of GPUs for two runs. A fake node gets one more if it has one. */
const gpusOfRuns = 2;

/** Failures that several pods cause together. */
export const workloadScenarios: readonly Scenario[] = [
  {
    id: "holder",
    conclusion: "gpus-in-use",
    words: "taken or occupied by another pod, busy, no free gpu left",
    symptom: (name) => `Pod ${namespace}/${name} stays Pending, although its GPU node is healthy. Find out why.`,
    injection: ({ target }) => ({
      objects: [
        pod("notebook", target, { gpus: target.freeGpus, onTarget: true }),
        pod("server", target, { onTarget: true }),
      ],
    }),
    hints: ({ target }) => [
      `Read what the scheduler says: kubectl -n ${namespace} describe pod server`,
      `The node advertises its GPUs. Are they free? kubectl describe node ${target.name} | sed -n '/Non-terminated/,$p'`,
      "A pod counts with its requests, even if it does nothing. Which pod requests the GPUs?",
    ],
    sign: "the node would have enough GPUs, and other pods would request all of them",
    cause: ({ target }) =>
      `The idle pod notebook requests the last free GPUs of ${target.name}. Kubernetes does not see whether a pod uses its GPU.`,
    repair: () => [`kubectl -n ${namespace} delete pod notebook   # or add a GPU node`],
  },
  {
    id: "rollout",
    conclusion: "rollout-deadlock",
    words: "rolling update, old pod holds the gpu, maxSurge, needs a second gpu",
    symptom: (name) =>
      `A new revision of Deployment ${namespace}/server does not start: its pod ${name} stays Pending. Find out why.`,
    injection: ({ target }) => ({ objects: [server(target)], update: { deployment: "server", body: newRevision } }),
    hints: () => [
      `Compare both pods: kubectl -n ${namespace} get pods -o wide, and kubectl describe on the waiting pod`,
      "Which pod holds the GPU, and what has to happen before that pod stops?",
      `kubectl -n ${namespace} get deployment server -o jsonpath='{.spec.strategy}'`,
    ],
    sign: "an old pod of the same Deployment would hold the GPU, with maxUnavailable 0",
    cause: ({ target }) =>
      `The old pod holds the GPUs of ${target.name} until the new pod is ready, and the new pod waits for these GPUs: maxSurge is 1 and maxUnavailable 0.`,
    repair: () => [
      `kubectl -n ${namespace} patch deployment server --type=merge -p '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1}}}}'`,
    ],
  },
  {
    id: "gang",
    conclusion: "gang-deadlock",
    wrong: [
      "gpus-in-use",
      "insufficient-gpu",
      "rollout-deadlock",
      "topology-spread",
      "not-schedulable",
      "node-cordoned",
    ],
    words: "two runs or jobs wait for each other, partly scheduled, all or nothing",
    needs: {
      text: "a fake node, or a node with two free GPUs",
      accepts: ({ target: { freeGpus, isFake } }) => isFake || freeGpus >= gpusOfRuns,
    },
    symptom: (name) =>
      `The training runs train-a and train-b in ${namespace} make no progress, and pod ${name} stays Pending. Find out why.`,
    injection: ({ target }) => {
      const gpus = Math.max(target.freeGpus, gpusOfRuns);
      return {
        ...(gpus > target.freeGpus && { node: { addedGpus: gpus - target.freeGpus } }),
        objects: [run("train-a", target, Math.ceil(gpus / 2)), run("train-b", target, Math.floor(gpus / 2))],
        appears: "stuck",
      };
    },
    hints: () => [
      `Read what the scheduler says: kubectl -n ${namespace} describe pods -l app=server`,
      `Which pods hold the GPUs of the node, and which wait for one? kubectl -n ${namespace} get pods -o wide`,
      "Count for each run: how many of its pods have a GPU, and how many does it need to start?",
    ],
    sign: "several runs would each hold a part of their GPUs, and wait for the rest",
    cause: ({ target }) =>
      `Each run needs two pods. One pod of each run holds GPUs of ${target.name}, and its other pod waits for the GPUs that the other run holds. Kubernetes places pods one by one.`,
    repair: () => [
      `kubectl -n ${namespace} scale statefulset train-b --replicas=0   # and start it again after train-a`,
    ],
  },
];
