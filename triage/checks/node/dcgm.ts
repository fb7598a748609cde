import { untolerated } from "../../../components/core/kubernetes";
import { finding, type Finding } from "../../conclusions";
import { alarms } from "../../conclusions/node-health";
import type { Evidence } from "../../evidence";
import { podsOfDaemonSets, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { advertisesAllGpus, instanceTypeOf, taintText } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Condition } from "../../snapshot/objects/common";
import type { Pod } from "../../snapshot/objects/pod";
import type { DaemonSet } from "../../snapshot/objects/workloads";
import { isPodReady } from "../../snapshot/pods";
import { conditionEvidence, evidenceOf } from "../finding-parts";

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
export function dcgmFalseAlarm(node: Node, condition: Condition, snapshot: ClusterSnapshot): Finding | undefined {
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
  const ready = pod ? readyPod(pod) : set && coversAllNodes(set, snapshot) ? counts : undefined;
  if (ready) return falseAlarm(node, condition, alarms.latched, ready);
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

function readyPod(pod: Pod): Evidence | undefined {
  return isPodReady(pod) ? evidenceOf(pod, "status.phase, ready", "Running, true") : undefined;
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
