import { finding, type Finding, type Found } from "../../conclusions";
import {
  isGpuComponent,
  isOperatorPod,
  nodeNamed,
  otherOperatorDaemonSets,
  podsOfDaemonSets,
  type ClusterSnapshot,
} from "../../snapshot/cluster-snapshot";
import { isNodeReady } from "../../snapshot/nodes";
import type { DaemonSet, Node, Pod } from "../../snapshot/objects/resources";
import { isPodReady, podKey, requestsGpu, selectsNode } from "../../snapshot/pods";
import { formatDuration, isNew, secondsBetween } from "../../snapshot/time";
import { joinPresent, listNames } from "../../texts";
import { type CheckResult, evidenceOf, takeFirst, unreadyEvidence } from "../finding-parts";
import { containerFindings } from "../pod/containers";
import { pendingFindings } from "../pod/pending";
import { startFindings } from "../pod/starting";
import {
  failOnInitErrorOff,
  pluginBelowGpuNodes,
  pluginMissing,
  pluginRecreated,
  pluginWithoutGpus,
  twoPlugins,
} from "./device-plugin";

const maxPods = 10;

/** Layer 3: the device plugin, which registers GPUs with the kubelets, and the operator's other DaemonSets. */
export function checkDaemonSets(snapshot: ClusterSnapshot): CheckResult {
  if (!snapshot.wasRead("daemonsets")) return { lines: [], findings: [] };
  const { items: pods, leftOut } = takeFirst(operatorPodFindings(snapshot), maxPods, "pod", "of the operator");
  const findings = [
    pluginMissing(snapshot),
    pluginBelowGpuNodes(snapshot),
    ...pluginWithoutGpus(snapshot),
    failOnInitErrorOff(snapshot),
    twoPlugins(snapshot),
    ...pluginRecreated(snapshot),
    ...driverImageFaults(componentPods(snapshot), snapshot),
    ...pods,
    ...notReadyDaemonSets(snapshot, new Set(pods.flatMap((finding) => finding.pods))),
  ].flat();
  return { lines: linesOf(snapshot), findings, leftOut };
}

function linesOf(snapshot: ClusterSnapshot): string[] {
  const others = otherOperatorDaemonSets(snapshot).map(({ metadata }) => metadata.name);
  const plugins = snapshot.devicePlugins.map(({ metadata, status }) => {
    const age = secondsBetween(metadata.creationTimestamp, snapshot.now);
    const ready = `${status.numberReady} of ${status.desiredNumberScheduled} ready`;
    return `${metadata.namespace ?? ""}/${metadata.name}: ${ready}${age === undefined ? "" : `, ${formatDuration(age)} old`}`;
  });
  return [
    ...(plugins.length > 0 ? plugins : ["no DaemonSet of the NVIDIA device plugin"]),
    ...(others.length > 0 ? [`other DaemonSets in ${snapshot.operatorNamespace}: ${listNames(others, 4)}`] : []),
  ];
}

/** The pods of the GPU stack in any namespace. The operator check covers the operator's own Deployment. */
function componentPods(snapshot: ClusterSnapshot): readonly Pod[] {
  return snapshot.objects.pods.filter((pod) => isGpuComponent(pod, snapshot) && !isOperatorPod(pod));
}

/** A pod of the toolkit or the driver also keeps those waiting whose init containers test it. */
function operatorPodFindings(snapshot: ClusterSnapshot): Finding[] {
  const components = componentPods(snapshot);
  return components.flatMap((pod) => {
    const isFirst = /^nvidia-(?:container-toolkit|driver)-daemonset-/.test(pod.metadata.name);
    const waiting = components.filter((one) => isFirst && one.spec.nodeName === pod.spec.nodeName && !isPodReady(one));
    return componentFindings(pod, snapshot).map((found) => ({ ...found, blocks: waiting.map(podKey) }));
  });
}

/** The pods that test the other components of their node. */
const validatorName = /^nvidia-(?:operator|cuda|device-plugin)-validator-/;

/** Why a pod of the GPU stack does not run. */
export function componentFindings(pod: Pod, snapshot: ClusterSnapshot): Finding[] {
  return [
    ...(isNew(pod, snapshot.now) || requestsGpu(pod) ? [] : pendingFindings(pod, snapshot)),
    ...startFindings(pod, snapshot),
    ...containerFindings(
      pod,
      snapshot,
      validatorName.test(pod.metadata.name) ? "operator-validation-failed" : "operator-pod-crash-loop",
    ),
  ];
}

/**
 * The operator's DaemonSets other than the device plugin. One that is not ready breaks nothing at once, but can be why
 * the next one does not start.
 *
 * @param covered pods that have a finding of their own
 */
function notReadyDaemonSets(snapshot: ClusterSnapshot, covered: ReadonlySet<string>): Finding[] {
  if (!snapshot.operator) return [];
  return otherOperatorDaemonSets(snapshot)
    .filter((set) => !isNew(set, snapshot.now))
    .flatMap((set) => {
      const notReady = podsOfDaemonSets([set], snapshot).filter((pod) => !isPodReady(pod));
      const unexplained = notReady.filter(
        (pod) => !isNewOrDown(nodeNamed(snapshot, pod.spec.nodeName), snapshot) && !covered.has(podKey(pod)),
      );
      const starting = snapshot.objects.nodes.filter((node) => isNewOrDown(node, snapshot));
      const explained = snapshot.wasRead("pods")
        ? notReady.length - unexplained.length
        : starting.filter((node) => selectsNode(set.spec.template.spec, node)).length;
      const { desiredNumberScheduled: desired, numberReady: ready } = set.status;
      return desired - ready > explained ? [notReadyDaemonSet(set, unexplained)] : [];
    });
}

/** The state of the node explains why a pod is not ready. */
function isNewOrDown(node: Node | undefined, { now }: ClusterSnapshot): boolean {
  return node !== undefined && (isNew(node, now) || !isNodeReady(node));
}

function notReadyDaemonSet(set: DaemonSet, pods: readonly Pod[]): Finding {
  const { name, namespace = "" } = set.metadata;
  const { desiredNumberScheduled: desired, numberReady: ready } = set.status;
  const nodes = pods.flatMap(({ spec }) => spec.nodeName ?? []);
  const scope = { subject: `daemonset ${namespace}/${name}`, nodes, pods: pods.map(podKey) };
  return finding("operator-daemonset-not-ready", scope, {
    evidence: [
      evidenceOf(set, "status.numberReady, desiredNumberScheduled", `${ready}, ${desired}`),
      ...pods.slice(0, 3).map(unreadyEvidence),
    ],
    ...{ ready, desired, set: name, setNamespace: namespace },
  });
}

const driverImage = /\/(?:driver|nvidia-driver|vgpu-manager)(?::|@|$)/;
/** Systems for which NVIDIA publishes no driver container. On EKS, their GPU images have a driver. */
const withDriver = /\b(?:amzn\d*|al20\d\d|amazon ?linux|bottlerocket)/i;

/**
 * The operator's driver container on an operating system that it does not support, or a version that does not exist.
 *
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/platform-support.html
 */
function driverImageFaults(pods: readonly Pod[], snapshot: ClusterSnapshot): Finding[] {
  return pods
    .filter((pod) => !isPodReady(pod))
    .flatMap((pod) => pod.spec.containers.map((one) => ({ pod, image: one.image ?? "" })))
    .filter(({ image }) => driverImage.test(image))
    .flatMap(({ pod, image }) => driverImageFault(pod, image, snapshot));
}

function driverImageFault(pod: Pod, image: string, snapshot: ClusterSnapshot): Found {
  const waits = pod.status.containerStatuses.flatMap(({ state }) => state.waiting ?? []);
  const waiting = waits.map(({ reason, message }) => joinPresent(reason, message)).join("; ");
  const node = nodeNamed(snapshot, pod.spec.nodeName);
  const osImage = node?.status.nodeInfo.osImage ?? "";
  const isGone = /(?:Image|Pull).*(?:not found|manifest unknown)/i.test(waiting);
  const hasDriver = withDriver.test(`${image} ${osImage}`);
  const isFault = isGone || (hasDriver && !isNew(pod, snapshot.now));
  if (!isFault) return [];
  return finding("driver-image-missing", pod, {
    atMost: hasDriver && isGone ? undefined : "likely",
    evidence: [
      evidenceOf(pod, "spec.containers[].image", image),
      evidenceOf(pod, "state.waiting", waiting),
      node && osImage !== "" ? evidenceOf(node, "status.nodeInfo.osImage", osImage) : undefined,
    ],
    hasDriver,
    policy: snapshot.policies[0]?.metadata.name,
  });
}
