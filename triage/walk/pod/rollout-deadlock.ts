import { rolloutOf, type Rollout } from "../../classify/rollout";
import type { SchedulerMessage } from "../../classify/scheduler";
import type { Finding, NextStep } from "../../finding";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import type { Deployment } from "../../objects/workloads";
import { aboutPod } from "../about";
import type { Candidate, Holder } from "../gpu-use";
import { deploymentOf } from "../owners";
import { kubectlName } from "../pods";
import { devicePluginName, type Scene } from "../scene";
import { counted } from "../seen";

interface Deadlock {
  readonly pod: Pod;
  readonly deployment: Deployment;
  readonly rollout: Rollout;
  readonly holder: Holder;
  readonly node: Node;
}

/**
 * A rollout that waits for itself: the new pod waits for a GPU that an old pod of the same Deployment holds, and the
 * old one may not go before the new one is ready.
 */
export function rolloutDeadlock(
  pod: Pod,
  candidates: readonly Candidate[],
  message: SchedulerMessage,
  scene: Scene,
): Finding | undefined {
  const own = deploymentOf(pod, scene);
  if (!own) return undefined;
  const rollout = rolloutOf(own.deployment);
  if (rollout.type === "Recreate" || rollout.maxUnavailable > 0) return undefined;
  for (const { node, holders } of candidates) {
    const holder = holders.find((one) => {
      const other = deploymentOf(one.pod, scene);
      return other?.deployment === own.deployment && other.replicaSet !== own.replicaSet;
    });
    if (holder) {
      return findingOf({ pod, deployment: own.deployment, rollout, holder, node }, message);
    }
  }
  return undefined;
}

function findingOf(deadlock: Deadlock, message: SchedulerMessage): Finding {
  const { pod, deployment, rollout, holder } = deadlock;
  const node = deadlock.node.metadata.name;
  const name = deployment.metadata.name;
  const { maxSurge, maxUnavailable, written } = rollout;
  const object = kubectlName("deployment", deployment.metadata);
  const old = holder.pod.metadata.name;
  const none = message.nodesWithoutVictims;
  const victims = none > 0 ? `; the scheduler found nobody to evict on ${counted(none, "node")}` : "";
  return {
    id: "rollout-deadlock",
    ...aboutPod(pod, [deadlock.node]),
    level: "problem",
    sure: message.preemption === "no-victims" ? "certain" : "likely",
    what:
      `The rollout of Deployment ${name} waits for itself: the new pod waits for the GPU that the old pod ${old} holds on ` +
      `${node}, and with maxSurge ${maxSurge} and maxUnavailable ${maxUnavailable} the old pod stays until the new one is ready. ` +
      "Both have the same priority, so none is evicted.",
    evidence: [
      {
        object,
        field: "spec.strategy.rollingUpdate",
        value: `maxSurge ${written.maxSurge}, maxUnavailable ${written.maxUnavailable}; of ${deployment.spec.replicas} replicas that is ${maxSurge} and ${maxUnavailable}`,
      },
      {
        object: kubectlName("pod", holder.pod.metadata),
        field: "spec.containers[].resources.limits",
        value: `holds ${holder.amount} on ${node}`,
        ...(holder.pod.metadata.creationTimestamp && { at: holder.pod.metadata.creationTimestamp }),
      },
      {
        object: kubectlName("pod", pod.metadata),
        field: "priority of new and old pod",
        value: `${pod.spec.priority ?? 0} and ${holder.pod.spec.priority ?? 0}${victims}`,
      },
    ],
    next: fixes(deadlock),
  };
}

function fixes({ deployment }: Deadlock): NextStep[] {
  const { name, namespace = "default" } = deployment.metadata;
  const patch = (strategy: object) =>
    `kubectl -n ${namespace} patch deployment ${name} --type=merge -p '${JSON.stringify({ spec: { strategy } })}'`;
  const rolling = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
  return [
    {
      why: "Let the old pod go first; the service pauses while the new pod starts. Write it into the program or manifest, too",
      command: patch(rolling),
      changes: true,
    },
    {
      why: "Or replace all pods at once",
      command: patch({ type: "Recreate", rollingUpdate: null }),
      changes: true,
    },
    {
      why: "Or see whether another node has the same GPU: then select by product, not by host name",
      command: "kubectl get nodes -L nvidia.com/gpu.product,kubernetes.io/hostname",
    },
    {
      why: "Or let pods share the GPU in turn (time slicing, gpuOperator.timeSlicing in a lab); what is offered now",
      command: `kubectl get daemonset -A | grep ${devicePluginName}; kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'`,
    },
    {
      why: "Or give the new revision a PriorityClass above the old one's, so that it evicts the old pod",
      command: "kubectl get priorityclasses",
    },
  ];
}
