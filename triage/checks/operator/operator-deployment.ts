import { finding, type Finding } from "../../conclusions";
import type { Evidence } from "../../evidence";
import { nodesWithoutPlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import type { Deployment } from "../../snapshot/objects/workloads";
import { allStatuses, isOwnedBy } from "../../snapshot/pods";
import { scopeOf } from "../../scope";
import { objectEvidence, podEvidence } from "../finding-parts";
import { containerFindings } from "../pod/containers";

/** The Deployment of the GPU Operator is missing or not ready, or its pods keep exiting. */
export function operatorNotReady(snapshot: ClusterSnapshot): Finding[] {
  const { operator, policies, wasRead } = snapshot;
  if (!wasRead("deployments")) return [];
  if (!operator) return policies.length > 0 ? [notReadyFinding(snapshot, [])] : [];
  const { replicas } = operator.spec;
  const { readyReplicas } = operator.status;
  const pods = operatorPods(operator, snapshot);
  if (replicas > 0 && readyReplicas >= replicas) {
    const nodes = nodesWithoutPlugin(snapshot).map(({ metadata }) => metadata.name);
    const loops = pods.flatMap((pod) => containerFindings(pod, snapshot, "operator-pod-crash-loop"));
    return loops.map((loop) => ({ ...loop, nodes }));
  }
  return [notReadyFinding(snapshot, pods.flatMap(exitsOf))];
}

function operatorPods(operator: Deployment, { objects, operatorNamespace }: ClusterSnapshot): readonly Pod[] {
  return objects.pods.filter(
    (pod) =>
      pod.metadata.namespace === operatorNamespace &&
      isOwnedBy(pod, "ReplicaSet") &&
      (pod.metadata.labels["app"] === "gpu-operator" || pod.metadata.name.startsWith(`${operator.metadata.name}-`)),
  );
}

/** Why a container ended or waits. */
interface Exit {
  readonly reason: string;
  readonly evidence: Evidence;
}

function exitsOf(pod: Pod): Exit[] {
  return allStatuses(pod).flatMap(({ state, lastState, restartCount }) => {
    const reason = lastState.terminated?.reason ?? state.terminated?.reason ?? state.waiting?.reason;
    if (reason === undefined) return [];
    const value = `${state.waiting?.reason ?? "waiting"}, last ended ${reason}, ${restartCount} restarts`;
    return [{ reason, evidence: podEvidence(pod, "status.containerStatuses", value) }];
  });
}

function notReadyFinding(snapshot: ClusterSnapshot, exits: readonly Exit[]): Finding {
  const { operator, operatorNamespace: namespace, policies } = snapshot;
  const replicas = operator && { ready: operator.status.readyReplicas, wanted: operator.spec.replicas };
  const counts = replicas ? `${replicas.ready}, ${replicas.wanted}` : "missing";
  const metadata = { namespace, name: operator?.metadata.name ?? "gpu-operator" };
  // The plugin works without the operator on nodes where it runs.
  const scope = scopeOf(`deployment ${namespace}/gpu-operator`, nodesWithoutPlugin(snapshot));
  return finding("gpu-operator-not-ready", scope, {
    evidence: [
      objectEvidence("deployment", { metadata }, "status.readyReplicas, spec.replicas", counts),
      ...exits.slice(0, 3).map(({ evidence }) => evidence),
    ],
    ...{ replicas, reasons: [...new Set(exits.map(({ reason }) => reason))] },
    policy: policies[0]?.metadata.name,
  });
}
