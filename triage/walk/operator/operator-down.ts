import type { Finding } from "../../finding";
import { aboutCluster } from "../about";
import { allStatuses, kubectlName } from "../pods";
import { containerFindings } from "../pod/containers";
import type { Scene } from "../scene";
import { nodesWithoutPlugin } from "./plugin-daemonsets";

/** The operator is what makes, and makes anew, everything else. */
export function operatorDown(scene: Scene): Finding[] {
  const { operator, operatorNamespace } = scene;
  if (!scene.sees("deployments")) return [];
  if (!operator) {
    const [policy] = scene.policies;
    if (!policy) return [];
    return [
      down(`ClusterPolicy ${policy.metadata.name} is there and the operator's Deployment is not`, "missing", scene, []),
    ];
  }
  const { readyReplicas } = operator.status;
  const pods = scene.dump.objects.pods.filter(
    ({ metadata }) =>
      metadata.namespace === operatorNamespace &&
      (metadata.labels["app"] === "gpu-operator" || metadata.name.startsWith(`${operator.metadata.name}-`)) &&
      metadata.ownerReferences.some(({ kind }) => kind === "ReplicaSet"),
  );
  if (operator.spec.replicas > 0 && readyReplicas >= operator.spec.replicas) {
    return pods.flatMap((pod) => containerFindings(pod, scene, "operator-pod-crash-loop"));
  }
  const ends = pods.flatMap((pod) =>
    allStatuses(pod).flatMap(({ state, lastState, restartCount }) => {
      const reason = lastState.terminated?.reason ?? state.terminated?.reason ?? state.waiting?.reason;
      return reason === undefined ? [] : [{ pod, reason, restartCount, waiting: state.waiting?.reason }];
    }),
  );
  const reasons = [...new Set(ends.map(({ reason }) => reason))];
  const because =
    operator.spec.replicas === 0 ? "it is scaled to 0" : reasons.length > 0 ? reasons.join(", ") : "reason not known";
  const evidence = ends.slice(0, 3).map(({ pod, reason, restartCount, waiting }) => ({
    object: kubectlName("pod", pod.metadata),
    field: "status.containerStatuses",
    value: `${waiting ?? "waiting"}, last ended ${reason}, ${restartCount} restarts`,
  }));
  return [
    down(
      `its Deployment has ${readyReplicas} of ${operator.spec.replicas} ready (${because})`,
      because,
      scene,
      evidence,
    ),
  ];
}

function down(how: string, because: string, scene: Scene, evidence: Finding["evidence"]): Finding {
  const namespace = scene.operatorNamespace;
  return {
    id: "gpu-operator-not-ready",
    // What the plugin does on a node goes on without the operator.
    ...aboutCluster(`deployment ${namespace}/gpu-operator`, nodesWithoutPlugin(scene)),
    level: "problem",
    sure: "certain",
    what: `The GPU Operator does not run: ${how}. Nothing that is missing comes back until it does; what runs already goes on.`,
    evidence: [
      {
        object: `-n ${namespace} deployment/${scene.operator?.metadata.name ?? "gpu-operator"}`,
        field: "status.readyReplicas, spec.replicas",
        value: scene.operator ? `${scene.operator.status.readyReplicas}, ${scene.operator.spec.replicas}` : "missing",
      },
      ...evidence,
    ],
    next: [
      { why: "Its last words", command: `kubectl -n ${namespace} logs deployment/gpu-operator --previous --tail=60` },
      because.includes("OOMKilled")
        ? {
            why: "It needs more memory than its limit: raise operator.resources.limits.memory in the chart's values; now it is",
            command: `kubectl -n ${namespace} get deployment gpu-operator -o jsonpath='{.spec.template.spec.containers[0].resources}'`,
          }
        : {
            why: "Why it does not start",
            command: `kubectl -n ${namespace} describe pods -l app=gpu-operator | tail -30`,
          },
    ],
  };
}
