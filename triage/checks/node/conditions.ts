import { untolerated } from "../../../components/core/kubernetes";
import { conditionEvidence, evidenceOf, gpuAmounts } from "../finding-parts";
import { agentConditions, meaningOf, readyRepairMinutes } from "./condition-reasons";
import { knownCause } from "../runtime/known-causes";
import { finding, type Finding, type Found } from "../../conclusions";
import { alarms } from "../../conclusions/node-health";
import type { Evidence } from "../../conclusions/entry";
import { podsOfDaemonSets, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import {
  conditionOf,
  gpuResource,
  isJoining,
  advertisesAllGpus,
  instanceTypeOf,
  taintText,
} from "../../snapshot/nodes";
import type { Condition, DaemonSet, Node, Pod } from "../../snapshot/objects/resources";
import { isPodReady } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { ageOf, formatDuration, secondsBetween } from "../../snapshot/time";

type HealthCondition = (typeof agentConditions)[number];

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

const server = "dcgm-server";

/** Health checks of DCGM for hardware that only some instance types have. */
const needsNvlinkDomain = /^DCGMHealthCode122$/;

/**
 * `DCGMError` means that the agent found no DCGM engine on the node. If the add-on's DaemonSet `dcgm-server` does not run
 * on the node, this is a false alarm: the GPU may be healthy, but node repair would replace the node. If it runs, the
 * agent lost it once: the agent sets the condition back only when its pod starts.
 *
 * @see https://github.com/aws/containers-roadmap/issues/2555 https://github.com/aws/eks-node-monitoring-agent/issues/266
 * @see https://github.com/aws/eks-node-monitoring-agent/pull/63
 */
function dcgmFalseAlarm(node: Node, condition: Condition, snapshot: ClusterSnapshot): Finding | undefined {
  if (needsNvlinkDomain.test(condition.reason ?? "") && !instanceTypeOf(node).includes("-gb")) {
    return falseAlarm(node, condition, alarms.noNvlinkDomain);
  }
  return condition.reason === "DCGMError" ? engineAlarm(node, condition, snapshot) : undefined;
}

function engineAlarm(node: Node, condition: Condition, snapshot: ClusterSnapshot): Finding | undefined {
  const { objects, wasRead, podsOn } = snapshot;
  if (!wasRead("daemonsets") || !wasRead("pods")) return undefined;
  const set = objects.daemonsets.find(({ metadata }) => metadata.name === server);
  const pods = podsOn(node.metadata.name);
  const pod = pods.find(({ metadata }) => metadata.ownerReferences.some((owner) => owner.name === server));
  const counts = daemonSetEvidence(set, snapshot);
  if (pod ? isPodReady(pod) : set && coversAllNodes(set, snapshot)) {
    const ready = pod ? evidenceOf(pod, "status.phase, ready", "Running, true") : counts;
    return falseAlarm(node, condition, alarms.latched, ready);
  }
  const { why, isCertain, taints } = absenceOf(node, set, pod);
  return finding("dcgm-false-alarm", node, {
    atMost: isCertain ? undefined : "likely",
    evidence: [
      conditionEvidence(node, condition),
      counts,
      taints === "" ? undefined : evidenceOf(node, "spec.taints", taints),
    ],
    ...{ why, isAbsent: true, canTolerate: set !== undefined && !isArm(node) },
  });
}

function daemonSetEvidence(set: DaemonSet | undefined, { gpuNodes }: ClusterSnapshot): Evidence {
  if (!set) return evidenceOf(`-n kube-system daemonset/${server}`, "metadata.name", "missing");
  const { status } = set;
  const counts = `${status.numberReady} of ${status.desiredNumberScheduled}, with ${gpuNodes.length} GPU nodes`;
  return evidenceOf(set, "status.numberReady, desiredNumberScheduled", counts);
}

/** Whether a DaemonSet without any pod in the data reports a ready one for each GPU node. */
function coversAllNodes(set: DaemonSet, snapshot: ClusterSnapshot): boolean {
  const { numberReady: ready, desiredNumberScheduled: desired } = set.status;
  const hasPods = podsOfDaemonSets([set], snapshot).length > 0;
  return !hasPods && ready === desired && ready >= snapshot.gpuNodes.length;
}

/** A condition that says nothing about the GPU, although the engine runs. */
function falseAlarm(node: Node, condition: Condition, why: string, more?: Evidence): Finding {
  return finding("dcgm-false-alarm", node, {
    atMost: advertisesAllGpus(node) ? "likely" : "possible",
    evidence: [conditionEvidence(node, condition), more],
    ...{ why, isAbsent: false, canTolerate: false },
  });
}

/** Why dcgm-server does not run on a node, and the taints of the node that it does not tolerate. */
function absenceOf(node: Node, set: DaemonSet | undefined, pod: Pod | undefined) {
  if (!set) return { why: alarms.noDaemonSet, isCertain: true, taints: "" };
  const taints = untolerated(set.spec.template.spec.tolerations, node.spec.taints).map(taintText).join(", ");
  const ofNode = isArm(node) ? alarms.isArm : taints === "" ? alarms.noPod : alarms.repelled(taints);
  const why = pod ? alarms.notReady(pod.metadata.name) : ofNode;
  return { why, isCertain: ofNode !== alarms.noPod, taints };
}

function isArm({ metadata }: Node): boolean {
  return metadata.labels["kubernetes.io/arch"] === "arm64";
}
