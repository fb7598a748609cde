import { eventEvidence, evidenceOf } from "../finding-parts";
import { nodesWithSpareCapacity } from "../pod/gpu-capacity";
import { finding, type Finding } from "../../conclusions";
import { causeIn, type Evidence } from "../../conclusions/entry";
import { launchCauses, poolReasonsIn } from "../../conclusions/scale-ups";
import type { UnderWay } from "../../conclusions/nodes";
import { isSubject, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf, isGpuResource } from "../../snapshot/nodes";
import type { Event, NodeClaim, Pod } from "../../snapshot/objects/resources";
import { podKey, groupScaleUpReasons, isPending, requestsGpu } from "../../snapshot/pods";
import { formatDuration, secondsBetween, startupSeconds, createdAt, isNew } from "../../snapshot/time";
import { joinPresent } from "../../texts";

/** An autoscaler tried to add a GPU node, or refuses to. Another scale-up would not help. */
export function scaleUpFindings(snapshot: ClusterSnapshot): Finding[] {
  const waiting = waitingGpuPods(snapshot).map((pod) => ({ pod, sign: signsOf(pod, snapshot).at(-1) }));
  const groups = waiting.length > 0 ? groupSigns(snapshot) : [];
  const failures = waiting
    .map(({ pod, sign }) => ({ pod, sign, signs: failuresOf(sign, groups, snapshot) }))
    .filter(({ signs }) => signs.length > 0);
  if (failures.length > 0) return [failedFinding(failures, snapshot)];
  const refused = waiting.flatMap(({ pod, sign }) =>
    sign?.state === "refused" && isLimit(sign, snapshot) ? [{ pod, sign }] : [],
  );
  return refused.length > 0 ? [refusedFinding(refused, snapshot)] : [];
}

/** A pod, its latest sign, and the failures that concern it. */
interface Failure {
  readonly pod: Pod;
  readonly sign: Sign | undefined;
  readonly signs: readonly Sign[];
}

function failuresOf(latest: Sign | undefined, groups: readonly Sign[], snapshot: ClusterSnapshot): readonly Sign[] {
  const isOwn = latest !== undefined && (latest.state === "failed" || isOverdue(latest, snapshot));
  return [...groups.filter((sign) => concerns(sign, latest)), ...(isOwn ? [latest] : [])];
}

/** Whether the failure of a group concerns a pod: not if another group starts a node for it, or a new attempt runs. */
function concerns({ group, evidence }: Sign, latest: Sign | undefined): boolean {
  if (latest?.state !== "started") return true;
  const isOther = group !== undefined && latest.group !== undefined && group !== latest.group;
  const isOver = (secondsBetween(evidence.at, Date.parse(latest.evidence.at ?? "")) ?? 0) >= startupSeconds;
  return !isOther && !isOver;
}

/** With GPU nodes in the cluster, a pod that fits none of them has a conclusion of its own. */
function isLimit({ text, isKarpenter }: Sign, { gpuNodes }: ClusterSnapshot): boolean {
  return gpuNodes.length === 0 || isKarpenter || /max|limit/i.test(text);
}

function failedFinding(failures: readonly Failure[], snapshot: ClusterSnapshot): Finding {
  const failed = [...new Set(failures.flatMap(({ signs }) => signs))];
  const latest = failures.flatMap(({ sign }) => sign ?? []);
  const pods = failures.map(({ pod }) => pod);
  const group = [...failed, ...latest].flatMap((sign) => sign.group ?? []).at(0);
  // Without a sign of a pod, the group may be one for other pods.
  const isOfPods = latest.some(({ state }) => state !== "refused") || failed.some(isGpuClaim);
  const cause = causeIn(launchCauses, ...failed.map(({ text }) => text));
  const since = failed.flatMap(({ evidence }) => secondsBetween(evidence.at, snapshot.now) ?? []);
  return finding("scale-up-failed", scopeOfWaiting(group, pods), {
    atMost: cause && isOfPods ? undefined : "likely",
    evidence: failed.slice(0, 4).map(({ evidence }) => evidence),
    couldUse: nodesForAll(pods, snapshot),
    age: since.length === 0 ? undefined : formatDuration(Math.max(...since)),
    ...{ cause, group, claims: failed.every((sign) => sign.isKarpenter) ? claimsOf(failed) : undefined },
  });
}

/** The NodeClaims of failed attempts, if they still exist. */
function claimsOf(failed: readonly Sign[]): readonly string[] {
  const names = failed.flatMap(({ evidence }) => /^nodeclaim\/(\S+)$/.exec(evidence.object)?.[1] ?? []);
  return failed.some(isGpuClaim) ? [...new Set(names)] : [];
}

function isGpuClaim({ evidence }: Sign): boolean {
  return evidence.field.startsWith("condition");
}

/** The nodes that would have room if they were healthy, for each of the pods. A sick node is why a new one is needed. */
function nodesForAll(pods: readonly Pod[], snapshot: ClusterSnapshot): readonly string[] {
  const names = pods.map((pod) => nodesWithSpareCapacity(pod, snapshot).map(({ metadata }) => metadata.name));
  return names.some((one) => one.length === 0) ? [] : [...new Set(names.flat())];
}

function refusedFinding(refused: readonly Pick<Failure, "pod" | "sign">[], snapshot: ClusterSnapshot): Finding {
  const signs = refused.flatMap(({ sign }) => sign ?? []);
  const pods = refused.map(({ pod }) => pod);
  const messages = signs.map(({ text }) => text);
  const isKarpenter = signs.some((sign) => sign.isKarpenter);
  const [reason, ...others] = isKarpenter ? poolReasonsIn(messages) : [];
  const scope = scopeOfWaiting(undefined, pods);
  const facts = { evidence: signs.slice(0, 3).map(({ evidence }) => evidence), couldUse: nodesForAll(pods, snapshot) };
  if (reason && others.length === 0) return finding(reason, scope, facts);
  return finding("scale-up-refused", scope, { ...facts, messages, isKarpenter });
}

function scopeOfWaiting(group: string | undefined, pods: readonly Pod[]) {
  return { subject: group === undefined ? "cluster" : `group ${group}`, nodes: [], pods: pods.map(podKey) };
}

/** The groups in which an autoscaler is starting a node for pods that wait, and for how long; undefined if in none. */
export function scaleUpUnderWay(snapshot: ClusterSnapshot): UnderWay | undefined {
  const started = waitingGpuPods(snapshot)
    .flatMap((pod) => signsOf(pod, snapshot).at(-1) ?? [])
    .filter((sign) => sign.state === "started" && !isOverdue(sign, snapshot));
  const age = secondsBetween(started[0]?.evidence.at, snapshot.now);
  const groups = [...new Set(started.flatMap(({ group }) => group ?? []))];
  return started.length === 0 ? undefined : { groups, age: age === undefined ? undefined : formatDuration(age) };
}

/**
 * What an autoscaler did for a pod: it started a node, could not start one, or has a reason not to try.
 *
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.0/cluster-autoscaler/clusterstate/clusterstate.go
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.0/cluster-autoscaler/core/scaleup/orchestrator/executor.go
 * @see https://github.com/kubernetes-sigs/karpenter/blob/v1.12.0/pkg/controllers/nodeclaim/lifecycle/events.go
 */
interface Sign {
  readonly state: "started" | "failed" | "refused";
  readonly text: string;
  readonly evidence: Evidence;
  /** The Auto Scaling group. */
  readonly group?: string | undefined;
  readonly isKarpenter: boolean;
}

/** Pods that wait for a GPU and that the user asks about. */
export function waitingGpuPods({ objects, subject, namespace }: ClusterSnapshot): readonly Pod[] {
  return objects.pods.filter(
    (pod) =>
      isPending(pod) &&
      (requestsGpu(pod) || pod.spec.resourceClaims !== undefined) &&
      (subject?.kind !== "pod" || isSubject(subject, pod)) &&
      (namespace === undefined || pod.metadata.namespace === namespace),
  );
}

/** What autoscalers did for a pod that waits for a GPU, the latest last; empty if none has tried. */
function signsOf(pod: Pod, snapshot: ClusterSnapshot): readonly Sign[] {
  return snapshot
    .eventsOf(pod.metadata)
    .flatMap((event) => podSign(event) ?? [])
    .filter((sign) => !hasNewerNode(sign, snapshot));
}

function podSign(event: Event): Sign | undefined {
  const { reason, message } = event;
  const evidence = eventEvidence(event);
  const sign = (state: Sign["state"], isKarpenter: boolean): Sign => ({ state, isKarpenter, text: message, evidence });
  if (reason === "TriggeredScaleUp") {
    return { ...sign("started", false), group: /\{(\S+) \d+->\d+/.exec(message)?.[1] };
  }
  if (reason === "NotTriggerScaleUp") {
    // The rest of the message is about other groups.
    const failure = /in backoff after failed scale-up/.exec(message)?.[0];
    return failure === undefined ? sign("refused", false) : { ...sign("failed", false), text: failure };
  }
  if (reason === "Nominated") return /nodeclaim\//.test(message) ? sign("started", true) : undefined;
  return isKarpenterRefusal(event) ? sign("refused", true) : undefined;
}

/** Karpenter uses the reason of the scheduler for its own events. */
export function isKarpenterRefusal({ reason, message }: Event): boolean {
  return reason === "FailedScheduling" && message.startsWith("Failed to schedule pod, ");
}

/** Whether an autoscaler has started a node for one of these pods, or tried to, or stated why it does not. */
export function hasAutoscaler(pods: readonly Pod[], snapshot: ClusterSnapshot): boolean {
  return pods.some((pod) => signsOf(pod, snapshot).length > 0) || groupSigns(snapshot).length > 0;
}

/** A node that joined after an event shows that scaling works again. */
function hasNewerNode({ evidence }: Sign, { gpuNodes }: ClusterSnapshot): boolean {
  const at = Date.parse(evidence.at ?? "");
  return gpuNodes.some((node) => createdAt(node) > at);
}

/** Failures of groups and NodeClaims. A group of which another pod knows that it has no GPUs does not count. */
function groupSigns(snapshot: ClusterSnapshot): readonly Sign[] {
  const { objects } = snapshot;
  const otherGroups = new Set(
    objects.pods
      .filter((pod) => isPending(pod) && !requestsGpu(pod))
      .flatMap((pod) => signsOf(pod, snapshot).flatMap(({ group }) => group ?? [])),
  );
  const events = objects.events
    .filter(({ reason }) => groupScaleUpReasons.includes(reason))
    .map((event): Sign => ({
      ...{ state: "failed", text: event.message, evidence: eventEvidence(event) },
      group: /\bgroup (\S+?):? /.exec(event.message)?.[1],
      isKarpenter: event.involvedObject.kind === "NodeClaim",
    }));
  return [...events, ...objects.nodeclaims.flatMap((claim) => claimSign(claim, snapshot) ?? [])].filter(
    (sign) => !hasNewerNode(sign, snapshot) && !(sign.group !== undefined && otherGroups.has(sign.group)),
  );
}

/** A NodeClaim for GPUs that Karpenter cannot launch, or whose instance has not become a node. */
function claimSign(claim: NodeClaim, { now }: ClusterSnapshot): Sign | undefined {
  const { metadata, spec, status } = claim;
  if (!Object.keys(spec.resources.requests).some(isGpuResource)) return undefined;
  const [launched, registered] = ["Launched", "Registered"].map((type) => conditionOf(status.conditions, type));
  const isLaunched = launched?.status === "True";
  const isLate = isLaunched && registered?.status !== "True" && !isNew(claim, now);
  const condition = isLate ? registered : isLaunched ? undefined : launched;
  if (!condition?.message) return undefined;
  const { type, reason, message, lastTransitionTime = metadata.creationTimestamp } = condition;
  const text = joinPresent(reason, message);
  const evidence = evidenceOf(claim, `condition ${type}`, text, lastTransitionTime);
  return { state: "failed", text: isLate ? `${text}: failed to register` : text, evidence, isKarpenter: true };
}

/** Whether an autoscaler has started a node so long ago that it should have joined. */
function isOverdue({ state, evidence }: Sign, { now }: ClusterSnapshot): boolean {
  return state === "started" && (secondsBetween(evidence.at, now) ?? 0) >= startupSeconds;
}
