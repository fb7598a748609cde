import { countOf } from "../../../components/core/text";
import { finding, scopeOfPod, type Finding } from "../../conclusions";
import { deploymentOf } from "../../snapshot/cluster-snapshot";
import type { Deployment, Node } from "../../snapshot/objects/resources";
import { evidenceOf } from "../finding-parts";
import type { Candidate, Holder } from "./gpu-capacity";
import type { Rejection } from "./scheduling";

/** The update strategy of a Deployment, resolved for its number of replicas. */
interface Rollout {
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

interface Deadlock extends Rejection {
  readonly deployment: Deployment;
  readonly rollout: Rollout;
  readonly holder: Holder;
  readonly node: Node;
}

/**
 * A rollout that blocks itself: the new pod waits for a GPU that an old pod of the same Deployment holds, and the old
 * pod stays until the new one is ready.
 */
export function rolloutDeadlock(rejection: Rejection, candidates: readonly Candidate[]): Finding | undefined {
  const { pod, snapshot } = rejection;
  const own = deploymentOf(pod, snapshot);
  if (!own) return undefined;
  const { deployment } = own;
  const rollout = rolloutOf(deployment);
  if (rollout.type === "Recreate" || rollout.maxUnavailable > 0) return undefined;
  for (const { node, holders } of candidates) {
    const holder = holders.find((one) => {
      const other = deploymentOf(one.pod, snapshot);
      return other?.deployment === deployment && other.replicaSet !== own.replicaSet;
    });
    if (holder) return findingOf({ ...rejection, deployment, rollout, holder, node });
  }
  return undefined;
}

function findingOf({ pod, message, deployment, rollout, holder, node }: Deadlock): Finding {
  const { nodesWithoutVictims } = message;
  const { maxSurge, maxUnavailable, written } = rollout;
  const limits = `maxSurge ${written.maxSurge}, maxUnavailable ${written.maxUnavailable}`;
  const resolved = `for ${deployment.spec.replicas} replicas: ${maxSurge} and ${maxUnavailable}`;
  const held = `holds ${holder.amount} on ${node.metadata.name}`;
  const priorities = `${pod.spec.priority ?? 0} and ${holder.pod.spec.priority ?? 0}`;
  const victims =
    nodesWithoutVictims > 0 ? `; the scheduler found no pod to evict on ${countOf(nodesWithoutVictims, "node")}` : "";
  return finding("rollout-deadlock", scopeOfPod(pod, [node]), {
    atMost: nodesWithoutVictims > 0 ? undefined : "likely",
    evidence: [
      evidenceOf(deployment, "spec.strategy.rollingUpdate", `${limits}; ${resolved}`),
      evidenceOf(holder.pod, "spec.containers[].resources.limits", held, holder.pod.metadata.creationTimestamp),
      evidenceOf(pod, "priority of the new and the old pod", `${priorities}${victims}`),
    ],
    ...{ deployment: deployment.metadata, old: holder.pod.metadata.name },
    limits: `maxSurge ${maxSurge} and maxUnavailable ${maxUnavailable}`,
  });
}
