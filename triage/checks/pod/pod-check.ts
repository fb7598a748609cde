import { countOf } from "../../../components/core/text";
import { finding, podName, type Finding, type Found } from "../../conclusions";
import { groupBy, isGpuComponent, nodeNamed, subjectPod, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf, gpuResource } from "../../snapshot/nodes";
import type { Pod } from "../../snapshot/objects/resources";
import {
  failedContainers,
  gpuRequest,
  isNotRunning,
  isOwnedBy,
  isPending,
  isUnscheduled,
  requestsGpu,
  restartingContainers,
  selectsNode,
} from "../../snapshot/pods";
import { formatDuration, secondsBetween, startupSeconds } from "../../snapshot/time";
import { joinPresent, listNames } from "../../texts";
import { type CheckResult, evidenceOf, takeFirst } from "../finding-parts";
import { jobFindings } from "../job/failed-jobs";
import { containerFindings, neverReady } from "./containers";
import { podsNotCreated } from "./not-created";
import { pendingFindings } from "./pending";
import { schedulingOf } from "./scheduling";
import { notStarted, startFindings } from "./starting";
import { stopFindings } from "./stopped";

/** More groups of pods would not improve the conclusions. */
const maxGroups = 20;

/** Layer 1: why a pod does not run. */
export function checkPods(snapshot: ClusterSnapshot): CheckResult {
  const { subject } = snapshot;
  if (subject?.kind !== "pod") return checkAllPods(snapshot);
  const pod = subjectPod(snapshot);
  if (!pod) return { lines: [`${subject.namespace}/${subject.name} could not be read`], findings: [] };
  const findings = [
    ...runFindings(pod, snapshot, true),
    missingGpuLimit(pod, true),
    ...failedJobs([pod], snapshot),
  ].flat();
  return { lines: [lineOf(pod, snapshot)], findings };
}

/** Why a pod does not run. A pod that the user asks about, or that had time to start, always gets a conclusion. */
function runFindings(pod: Pod, snapshot: ClusterSnapshot, isAsked: boolean): Finding[] {
  const found = [
    ...pendingFindings(pod, snapshot),
    ...startFindings(pod, snapshot),
    ...containerFindings(pod, snapshot),
    ...stopFindings(pod, snapshot, isAsked),
  ];
  if (found.some(({ level }) => level === "problem")) return found;
  const waiting = neverReady(pod, snapshot);
  if (waiting) return [...found, waiting];
  const isOverdue = pod.status.phase === "Pending" && (secondsOld(pod, snapshot) ?? 0) > startupSeconds;
  const isDown = isNotRunning(pod) || failedContainers(pod).length + restartingContainers(pod).length > 0;
  return found.length === 0 && (isOverdue || (isAsked && isDown)) ? [notStarted(pod, snapshot)] : found;
}

function secondsOld({ metadata }: Pod, { now }: ClusterSnapshot): number | undefined {
  return secondsBetween(metadata.creationTimestamp, now);
}

/** Checks all pods; of a group of similar waiting pods only the first. */
function checkAllPods(snapshot: ClusterSnapshot): CheckResult {
  const pods = workloadPods(snapshot);
  const waiting = [...groupBy(pods.filter(isPending), groupKey).values()];
  const groups = takeFirst(waiting, maxGroups, "group", "of waiting pods");
  const count = pods.filter(isUnscheduled).length;
  const placed = pods.filter((pod) => !isPending(pod) && !isUnscheduled(pod));
  const [withGpu, withoutGpu] = [placed.filter(requestsGpu), placed.filter((pod) => !requestsGpu(pod))];
  const starting = withoutGpu.flatMap((pod) => startFindings(pod, snapshot));
  const withoutLimit = pods.flatMap((pod) => missingGpuLimit(pod, false));
  const others = [
    takeFirst(starting, maxGroups, "pod", "without a GPU that cannot start"),
    takeFirst(withoutLimit, maxGroups, "pod", "without a GPU limit"),
    takeFirst(snapshot.subject ? [] : podsNotCreated(snapshot), maxGroups, "controller", "whose pods are rejected"),
  ];
  const lines = [
    ...groups.items.map(([one, ...more]) => (one ? lineOf(one, snapshot, more.length) : "")),
    ...groups.leftOut.map((text) => `${text} not shown`),
    ...(count === 0 ? [] : [`${countOf(count, "pod")} with neither a node nor a status: not scheduled yet`]),
    gpuPodsLine(withGpu),
  ];
  const findings = [
    ...groups.items.flatMap(([one]) => (one ? pendingFindings(one, snapshot) : [])),
    ...withGpu.flatMap((pod) => runFindings(pod, snapshot, false)),
    ...others.flatMap(({ items }) => items),
    ...failedJobs(pods, snapshot),
  ];
  const leftOut = [groups, ...others].flatMap((one) => one.leftOut);
  return { lines: snapshot.wasRead("pods") ? lines : [], findings, leftOut };
}

/** The pods to check. The DaemonSet check covers the pods of the operator. */
function workloadPods(snapshot: ClusterSnapshot): readonly Pod[] {
  const { objects, subject, namespace } = snapshot;
  const node = subject?.kind === "node" ? nodeNamed(snapshot, subject.name) : undefined;
  return objects.pods.filter((pod) => {
    const own = pod.metadata.namespace;
    if (own === "kube-system" || isGpuComponent(pod, snapshot)) return false;
    if (namespace !== undefined && own !== namespace) return false;
    if (subject?.kind !== "node") return true;
    return pod.spec.nodeName === subject.name || (isPending(pod) && node !== undefined && selectsNode(pod.spec, node));
  });
}

function failedJobs(pods: readonly Pod[], snapshot: ClusterSnapshot): Finding[] {
  const { subject, namespace, objects } = snapshot;
  const owners = new Set(pods.flatMap(({ metadata }) => metadata.ownerReferences.map(({ name }) => name)));
  return objects.jobs
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .filter(({ metadata }) => subject === undefined || owners.has(metadata.name))
    .flatMap((job) => jobFindings(job, snapshot));
}

/** Groups waiting pods by owner; pods without an owner by spec and message. */
function groupKey(pod: Pod): string {
  const { namespace = "", ownerReferences } = pod.metadata;
  const [owner] = ownerReferences;
  const { message } = conditionOf(pod.status.conditions, "PodScheduled") ?? {};
  return JSON.stringify([namespace, owner ? [owner.kind, owner.name] : [pod.spec, message]]);
}

/** A pod that tolerates the taint of GPU nodes by name but requests no GPU: it gets none. */
function missingGpuLimit(pod: Pod, isAsked: boolean): Found {
  const toleratesGpuNodes = pod.spec.tolerations.some(({ key }) => key === gpuResource);
  const isDaemon = isOwnedBy(pod, "DaemonSet") || isOwnedBy(pod, "Node");
  if (!toleratesGpuNodes || isDaemon || pod.status.phase === "Succeeded" || requestsGpu(pod)) return [];
  if (pod.spec.resourceClaims !== undefined) return [];
  return finding("gpu-limit-missing", pod, {
    level: isAsked ? "problem" : "notice",
    evidence: [
      evidenceOf(pod, "spec.tolerations", gpuResource),
      evidenceOf(pod, `spec.containers[].resources.limits[${gpuResource}]`, "missing"),
    ],
  });
}

function lineOf(pod: Pod, snapshot: ClusterSnapshot, others = 0): string {
  const age = secondsOld(pod, snapshot);
  const request = [...gpuRequest(pod.spec)].map(([name, amount]) => `${amount} ${name}`).join(", ");
  return joinPresent(
    `${podName(pod)}${others > 0 ? ` and ${others} similar` : ""}: ${pod.status.phase || "phase not known"}`,
    pod.spec.nodeName === undefined ? "" : `on ${pod.spec.nodeName}`,
    age === undefined ? "" : `${formatDuration(age)} old`,
    `requests ${request === "" ? "no GPU" : request}`,
    schedulingText(pod, snapshot),
  );
}

function schedulingText(pod: Pod, snapshot: ClusterSnapshot): string {
  const { message, wasPlacedLater } = schedulingOf(pod, snapshot);
  if (!isPending(pod)) return wasPlacedLater ? "was rejected first and placed later" : "";
  if (!message) return "";
  const reasons = message.reasons.map(({ nodes, text }) => `${nodes ?? "all"} ${text}`);
  return `of ${message.nodes ?? "?"} nodes: ${listNames(reasons, 4)}`;
}

function gpuPodsLine(placed: readonly Pod[]): string {
  const running = placed.filter(({ status }) => status.phase === "Running").length;
  if (placed.length === 0) return "no pod has a GPU";
  return `${countOf(placed.length, "pod")} with GPUs placed, ${running} running`;
}
