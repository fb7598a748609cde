import { finding, type Finding, type Found } from "../../conclusions";
import type { Evidence } from "../../evidence";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf, gpuResource, isJoining } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Condition } from "../../snapshot/objects/common";
import { numberOf } from "../../snapshot/requests";
import { ageOf, formatDuration, secondsBetween } from "../../snapshot/time";
import { conditionEvidence, evidenceOf, gpuAmounts } from "../finding-parts";
import { knownCause } from "../runtime/known-causes";
import { agentConditions, meaningOf, readyRepairMinutes, type HealthCondition } from "./condition-reasons";
import { dcgmFalseAlarm } from "./dcgm";

/** What the conditions of a node show. */
export function conditionFindings(node: Node, snapshot: ClusterSnapshot): Finding[] {
  const unhealthy = agentConditions.flatMap((health) => {
    const condition = conditionOf(node.status.conditions, health.type);
    if (condition?.status !== "False") return [];
    return [dcgmFalseAlarm(node, condition, snapshot) ?? unhealthyPart(node, condition, health, snapshot)];
  });
  return [
    notReady(node, snapshot),
    diskPressure(node, snapshot),
    ...unhealthy,
    cordoned(node, unhealthy.length > 0, snapshot),
  ].flat();
}

function notReady(node: Node, snapshot: ClusterSnapshot): Found {
  const ready = conditionOf(node.status.conditions, "Ready");
  if (ready?.status === "True" || node.status.conditions.length === 0) return [];
  const isStarting = isJoining(node, snapshot.now);
  return finding("node-not-ready", node, {
    level: isStarting ? "notice" : "problem",
    atMost: ready && !isStarting ? undefined : "possible",
    evidence: [
      ready ? conditionEvidence(node, ready) : evidenceOf(node, "condition Ready", "missing"),
      lastHeartbeat(node, ready),
    ],
    joiningFor: isStarting ? ageOf(node, snapshot.now) : undefined,
    reasonText: meaningOf(ready?.reason ?? ""),
    repair: repairText(readyRepairMinutes, ready, snapshot),
    isSilent: ready?.status === "Unknown",
  });
}

/** The kubelet evicts pods, deletes images, and keeps new pods off the node. */
function diskPressure(node: Node, snapshot: ClusterSnapshot): Found {
  const condition = conditionOf(node.status.conditions, "DiskPressure");
  if (condition?.status !== "True") return [];
  const { name } = node.metadata;
  return knownCause("disk-full", { text: "", evidence: conditionEvidence(node, condition), node: name }, snapshot);
}

/** The control plane sets the condition to Unknown some time after the kubelet has stopped reporting. */
function lastHeartbeat(node: Node, ready: Condition | undefined): Evidence | undefined {
  const time = ready?.lastHeartbeatTime;
  if (ready?.status !== "Unknown" || time === undefined) return undefined;
  return evidenceOf(node, "condition Ready.lastHeartbeatTime", time, time);
}

function unhealthyPart(
  node: Node,
  condition: Condition,
  { id, repairMinutes }: HealthCondition,
  snapshot: ClusterSnapshot,
): Finding {
  const { reason, message } = condition;
  return finding(id, node, {
    atMost: reason === "DCGMError" ? "likely" : undefined,
    evidence: [conditionEvidence(node, condition), confirmation(node, id)],
    reason,
    reasonText: meaningOf(reason ?? "") ?? message ?? "the agent gives no reason",
    repair: repairText(repairMinutes, condition, snapshot),
  });
}

/** What the kubelet shows of the same fault: fewer GPUs than the node has, or a node that is not Ready. */
function confirmation(node: Node, id: HealthCondition["id"]): Evidence | undefined {
  const { allocatable, capacity, conditions } = node.status;
  if (id === "accelerated-hardware-not-ready") {
    return numberOf(allocatable[gpuResource]) < numberOf(capacity[gpuResource]) ? gpuAmounts(node) : undefined;
  }
  const ready = conditionOf(conditions, "Ready");
  return ready && ready.status !== "True" ? conditionEvidence(node, ready) : undefined;
}

/** When EKS repairs the node. The Kubernetes API does not show whether node repair is enabled. */
function repairText(minutes: number, condition: Condition | undefined, { now }: ClusterSnapshot): string {
  const since = secondsBetween(condition?.lastTransitionTime, now);
  if (since === undefined) return "";
  const left = minutes * 60 - since;
  const due = left > 0 ? `, in ${formatDuration(left)}.` : `. The repair was due ${formatDuration(-left)} ago.`;
  return `If node repair is enabled, EKS repairs the node after ${minutes} minutes${due}`;
}

function cordoned(node: Node, isUnhealthy: boolean, { gpuNodes }: ClusterSnapshot): Found {
  if (node.spec.unschedulable !== true) return [];
  const taint = node.spec.taints.find(({ key }) => key === "node.kubernetes.io/unschedulable");
  return finding("node-cordoned", node, {
    level: gpuNodes.includes(node) ? "problem" : "notice",
    atMost: isUnhealthy ? "likely" : "possible",
    evidence: [evidenceOf(node, "spec.unschedulable", "true", taint?.timeAdded)],
    isUnhealthy,
  });
}
