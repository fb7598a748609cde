import type { ConclusionId, Evidence, Finding, Found } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf, gpuResource, isJoining } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Condition } from "../../snapshot/objects/common";
import { numberOf } from "../../snapshot/requests";
import { ageOf, formatDuration, secondsBetween } from "../../snapshot/time";
import { conditionEvidence, gpuAmounts, nodeEvidence, passJournal, scopeOfNode } from "../finding-parts";
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

const showInstance =
  "Check that the instance is running => aws ec2 describe-instance-status --include-all-instances --instance-ids {instance}";
const showKubelet =
  "Show what the kubelet reports => kubectl describe node {node} | sed -n '/Conditions/,/Addresses/p'";
const showXids = "Show the XID errors of the driver in the kernel log => {shell}sudo dmesg -T | grep -i xid";

function notReady(node: Node, snapshot: ClusterSnapshot): Found {
  const ready = conditionOf(node.status.conditions, "Ready");
  if (ready?.status === "True" || node.status.conditions.length === 0) return [];
  const joining = isJoining(node, snapshot.now);
  return {
    id: "node-not-ready",
    ...scopeOfNode(node),
    level: joining ? "notice" : "problem",
    atMost: ready && !joining ? undefined : "possible",
    what: joining
      ? `The node is ${ageOf(node, snapshot.now)} old and has not been Ready yet. Its kubelet and its network plugin are starting.`
      : notReadyText(ready, snapshot),
    evidence: [
      ready ? conditionEvidence(node, ready) : nodeEvidence(node, "condition Ready", "missing"),
      ...lastHeartbeat(node, ready),
    ],
    next: [ready?.status === "Unknown" ? showInstance : showKubelet, passJournal],
  };
}

/** The kubelet evicts pods, deletes images, and keeps new pods off the node. */
function diskPressure(node: Node, snapshot: ClusterSnapshot): Found {
  const condition = conditionOf(node.status.conditions, "DiskPressure");
  if (condition?.status !== "True") return [];
  const { name } = node.metadata;
  return knownCause("disk-full", { text: "", evidence: conditionEvidence(node, condition), node: name }, snapshot);
}

function notReadyText(ready: Condition | undefined, snapshot: ClusterSnapshot): string {
  const meaning = meaningOf(ready?.reason ?? "");
  const repair = repairText(readyRepairMinutes, ready, snapshot);
  return `The node is not Ready${meaning === undefined ? "" : `: ${meaning}`}. ${repair}`.trim();
}

/** The control plane sets the condition to Unknown some time after the kubelet has stopped reporting. */
function lastHeartbeat(node: Node, ready: Condition | undefined): Evidence[] {
  const time = ready?.lastHeartbeatTime;
  if (ready?.status !== "Unknown" || time === undefined) return [];
  return [nodeEvidence(node, "condition Ready.lastHeartbeatTime", time, time)];
}

function unhealthyPart(
  node: Node,
  condition: Condition,
  { id, part, repairMinutes }: HealthCondition,
  snapshot: ClusterSnapshot,
): Finding {
  const { reason = "", message } = condition;
  const meaning = meaningOf(reason) ?? message ?? "the agent gives no reason";
  const repair = repairText(repairMinutes, condition, snapshot);
  return {
    id,
    ...scopeOfNode(node),
    atMost: reason === "DCGMError" ? "likely" : undefined,
    what: `The ${part} of the node is unhealthy (${reason || "no reason"}): ${meaning}. ${repair}`.trim(),
    evidence: [conditionEvidence(node, condition), ...confirmation(node, id)],
    next: [
      "Show what the node monitoring agent found => kubectl -n kube-system logs -l app.kubernetes.io/name=eks-node-monitoring-agent --tail=200 --prefix | grep {node}",
      id === "accelerated-hardware-not-ready" ? showXids : undefined,
      "Keep new pods off the node. Node repair, if enabled, does this automatically =!> kubectl cordon {node}",
    ],
  };
}

/** What the kubelet shows of the same fault: fewer GPUs than the node has, or a node that is not Ready. */
function confirmation(node: Node, id: ConclusionId): Evidence[] {
  const { allocatable, capacity, conditions } = node.status;
  if (id === "accelerated-hardware-not-ready") {
    return numberOf(allocatable[gpuResource]) < numberOf(capacity[gpuResource]) ? [gpuAmounts(node)] : [];
  }
  const ready = conditionOf(conditions, "Ready");
  return ready && ready.status !== "True" ? [conditionEvidence(node, ready)] : [];
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
  return {
    id: "node-cordoned",
    ...scopeOfNode(node),
    level: gpuNodes.includes(node) ? "problem" : "notice",
    atMost: isUnhealthy ? "likely" : "possible",
    what: isUnhealthy
      ? "The node is cordoned and unhealthy: node repair or a user is taking it out of service. A replacement needs free capacity in the group's maxSize and in the vCPU quota."
      : "The node is cordoned and accepts no new pods. A user, a node group update or an autoscaler cordoned it.",
    evidence: [nodeEvidence(node, "spec.unschedulable", "true", taint?.timeAdded)],
    next: [
      "Show who cordoned the node and why => kubectl get events -A --field-selector involvedObject.kind=Node,involvedObject.name={node}",
      isUnhealthy ? undefined : "Allow new pods on the node again =!> kubectl uncordon {node}",
    ],
  };
}
