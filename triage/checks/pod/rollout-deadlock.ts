import { countOf, patchCommand } from "../../../components/core/text";
import type { Finding } from "../../conclusions";
import type { Steps } from "../../known-causes/known-cause";
import { deploymentOf, devicePluginName, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import type { Deployment } from "../../snapshot/objects/workloads";
import { kubectlName } from "../../snapshot/pods";
import { evidenceOf, podEvidence, scopeOfPod } from "../finding-parts";
import type { Candidate, Holder } from "./gpu-capacity";
import type { SchedulerMessage } from "./scheduler-message";

/** The update strategy of a Deployment, resolved for its number of replicas. */
export interface Rollout {
  readonly type: string;
  /** As written, e.g. `25%`. */
  readonly written: { readonly maxSurge: string; readonly maxUnavailable: string };
  /** Pods above `replicas` that may exist during a rollout. */
  readonly maxSurge: number;
  /** Pods below `replicas` that may be missing during a rollout. */
  readonly maxUnavailable: number;
}

const kubernetesDefault = "25%";

/**
 * Resolves the limits as the Deployment controller does: percentages of surge are rounded up, percentages of
 * unavailability down. If both are 0, one pod may be unavailable.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/controller/deployment/util/deployment_util.go ResolveFenceposts
 */
export function rolloutOf({ spec }: Deployment): Rollout {
  const { type = "RollingUpdate", rollingUpdate } = spec.strategy;
  const written = {
    maxSurge: String(rollingUpdate?.maxSurge ?? kubernetesDefault),
    maxUnavailable: String(rollingUpdate?.maxUnavailable ?? kubernetesDefault),
  };
  const maxSurge = resolve(written.maxSurge, spec.replicas, Math.ceil);
  const maxUnavailable = resolve(written.maxUnavailable, spec.replicas, Math.floor);
  return { type, written, maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

function resolve(limit: string, replicas: number, round: (value: number) => number): number {
  const percentage = /^(\d+(?:\.\d+)?)%$/.exec(limit);
  const value = percentage ? round((Number(percentage[1]) * replicas) / 100) : Number(limit);
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}

interface Deadlock {
  readonly pod: Pod;
  readonly deployment: Deployment;
  readonly rollout: Rollout;
  readonly holder: Holder;
  readonly node: Node;
}

/**
 * A rollout that blocks itself: the new pod waits for a GPU that an old pod of the same Deployment holds, and the old
 * pod stays until the new one is ready.
 */
export function rolloutDeadlock(
  pod: Pod,
  candidates: readonly Candidate[],
  message: SchedulerMessage,
  snapshot: ClusterSnapshot,
): Finding | undefined {
  const own = deploymentOf(pod, snapshot);
  if (!own) return undefined;
  const rollout = rolloutOf(own.deployment);
  if (rollout.type === "Recreate" || rollout.maxUnavailable > 0) return undefined;
  for (const { node, holders } of candidates) {
    const holder = holders.find((one) => {
      const other = deploymentOf(one.pod, snapshot);
      return other?.deployment === own.deployment && other.replicaSet !== own.replicaSet;
    });
    if (holder) return findingOf({ pod, deployment: own.deployment, rollout, holder, node }, message);
  }
  return undefined;
}

function findingOf(deadlock: Deadlock, { preemption, nodesWithoutVictims }: SchedulerMessage): Finding {
  const { pod, deployment, rollout, holder } = deadlock;
  const node = deadlock.node.metadata.name;
  const { maxSurge, maxUnavailable, written } = rollout;
  const { replicas } = deployment.spec;
  const old = holder.pod.metadata;
  const victims =
    nodesWithoutVictims > 0 ? `; the scheduler found no pod to evict on ${countOf(nodesWithoutVictims, "node")}` : "";
  return {
    id: "rollout-deadlock",
    ...scopeOfPod(pod, [deadlock.node]),
    atMost: preemption === "no-victims" ? undefined : "likely",
    what:
      `The rollout of Deployment ${deployment.metadata.name} is deadlocked. The new pod waits for the GPU that the old pod ` +
      `${old.name} holds on ${node}. With maxSurge ${maxSurge} and maxUnavailable ${maxUnavailable}, the old pod stays ` +
      "until the new pod is ready. Both have the same priority, so the scheduler evicts neither.",
    evidence: [
      evidenceOf(
        kubectlName("deployment", deployment.metadata),
        "spec.strategy.rollingUpdate",
        `maxSurge ${written.maxSurge}, maxUnavailable ${written.maxUnavailable}; for ${replicas} replicas: ${maxSurge} and ${maxUnavailable}`,
      ),
      podEvidence(
        holder.pod,
        "spec.containers[].resources.limits",
        `holds ${holder.amount} on ${node}`,
        old.creationTimestamp,
      ),
      podEvidence(
        pod,
        "priority of new and old pod",
        `${pod.spec.priority ?? 0} and ${holder.pod.spec.priority ?? 0}${victims}`,
      ),
    ],
    next: fixes(deployment),
  };
}

function fixes({ metadata: { name, namespace = "default" } }: Deployment): Steps {
  const patch = (strategy: object) => patchCommand(`deployment/${name} -n ${namespace}`, { spec: { strategy } });
  const rolling = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
  return [
    `Stop the old pod first. The service pauses while the new pod starts. Make the same change in the program or manifest =!> ${patch(rolling)}`,
    `Or replace all pods at once =!> ${patch({ type: "Recreate", rollingUpdate: null })}`,
    "Or find another node with the same GPU, and select nodes by product rather than by host name => kubectl get nodes -L nvidia.com/gpu.product,kubernetes.io/hostname",
    `Or share the GPU between pods by time slicing (gpuOperator.timeSlicing in a lab). Show what the nodes advertise now => kubectl get daemonset -A | grep ${devicePluginName}; kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'`,
    "Or give the new revision a higher PriorityClass than the old one, so that it evicts the old pod => kubectl get priorityclasses",
  ];
}
