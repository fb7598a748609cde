import type { Evidence, Finding } from "../../conclusions";
import { nodesWithoutPlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import type { Deployment } from "../../snapshot/objects/workloads";
import { allStatuses, isOwnedBy } from "../../snapshot/pods";
import { evidenceOf, podEvidence, scopeOf } from "../finding-parts";
import { containerFindings } from "../pod/containers";

/** The Deployment of the GPU Operator is missing or not ready, or its pods keep exiting. */
export function operatorNotReady(snapshot: ClusterSnapshot): Finding[] {
  const { operator, policies, wasRead } = snapshot;
  if (!wasRead("deployments")) return [];
  if (!operator) {
    const [policy] = policies;
    if (!policy) return [];
    const how = `ClusterPolicy ${policy.metadata.name} exists, but the Deployment of the operator does not`;
    return [notReadyFinding(snapshot, how, [], false)];
  }
  const { replicas } = operator.spec;
  const { readyReplicas } = operator.status;
  const pods = operatorPods(operator, snapshot);
  if (replicas > 0 && readyReplicas >= replicas) {
    const nodes = nodesWithoutPlugin(snapshot).map(({ metadata }) => metadata.name);
    const loops = pods.flatMap((pod) => containerFindings(pod, snapshot, "operator-pod-crash-loop"));
    return loops.map((loop) => ({ ...loop, nodes }));
  }
  const exits = pods.flatMap(exitsOf);
  const reasons = [...new Set(exits.map(({ reason }) => reason))].join(", ");
  const why = replicas === 0 ? "scaled to 0" : reasons === "" ? "unknown reason" : reasons;
  const how = `${readyReplicas} of ${replicas} replicas are ready (${why})`;
  const evidence = exits.slice(0, 3).map((exit) => exit.evidence);
  return [notReadyFinding(snapshot, how, evidence, replicas > 0 && reasons.includes("OOMKilled"))];
}

function operatorPods(operator: Deployment, { objects, operatorNamespace }: ClusterSnapshot): readonly Pod[] {
  return objects.pods.filter(
    (pod) =>
      pod.metadata.namespace === operatorNamespace &&
      isOwnedBy(pod, "ReplicaSet") &&
      (pod.metadata.labels["app"] === "gpu-operator" || pod.metadata.name.startsWith(`${operator.metadata.name}-`)),
  );
}

/** Why the containers of a pod ended or wait. */
function exitsOf(pod: Pod): { readonly reason: string; readonly evidence: Evidence }[] {
  return allStatuses(pod).flatMap(({ state, lastState, restartCount }) => {
    const reason = lastState.terminated?.reason ?? state.terminated?.reason ?? state.waiting?.reason;
    if (reason === undefined) return [];
    const value = `${state.waiting?.reason ?? "waiting"}, last ended ${reason}, ${restartCount} restarts`;
    return [{ reason, evidence: podEvidence(pod, "status.containerStatuses", value) }];
  });
}

function notReadyFinding(
  snapshot: ClusterSnapshot,
  how: string,
  evidence: readonly Evidence[],
  isOutOfMemory: boolean,
): Finding {
  const { operator, operatorNamespace: namespace } = snapshot;
  const replicas = operator ? `${operator.status.readyReplicas}, ${operator.spec.replicas}` : "missing";
  return {
    id: "gpu-operator-not-ready",
    // The plugin works without the operator on nodes where it runs.
    ...scopeOf(`deployment ${namespace}/gpu-operator`, nodesWithoutPlugin(snapshot)),
    what: `The GPU Operator does not run: ${how}. Existing DaemonSets keep running, but missing ones are not created until the operator runs.`,
    evidence: [
      evidenceOf(
        `-n ${namespace} deployment/${operator?.metadata.name ?? "gpu-operator"}`,
        "status.readyReplicas, spec.replicas",
        replicas,
      ),
      ...evidence,
    ],
    next: isOutOfMemory
      ? [
          "Show the memory limit, and increase operator.resources.limits.memory in the values of the chart => kubectl -n {operator} get deployment gpu-operator -o jsonpath='{.spec.template.spec.containers[0].resources}'",
        ]
      : [
          "Show the log of the previous run => kubectl -n {operator} logs deployment/gpu-operator --previous --tail=60",
          "Show why the operator does not start => kubectl -n {operator} describe pods -l app=gpu-operator | tail -30",
        ],
  };
}
