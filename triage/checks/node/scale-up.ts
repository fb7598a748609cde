import { finding, type Finding } from "../../conclusions";
import { causeIn } from "../../conclusions/entry";
import { launchCauses } from "../../conclusions/launch-causes";
import type { UnderWay } from "../../conclusions/nodes";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import { podKey } from "../../snapshot/pods";
import { formatDuration, secondsBetween, startupSeconds } from "../../snapshot/time";
import { nodesWithSpareCapacity } from "../pod/gpu-capacity";
import { groupSigns, isOverdue, signsOf, waitingGpuPods, type Sign } from "./scale-up-signs";

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

function refusedFinding(
  refused: readonly { readonly pod: Pod; readonly sign: Sign }[],
  snapshot: ClusterSnapshot,
): Finding {
  const signs = refused.map(({ sign }) => sign);
  const pods = refused.map(({ pod }) => pod);
  return finding("scale-up-refused", scopeOfWaiting(undefined, pods), {
    evidence: signs.slice(0, 3).map(({ evidence }) => evidence),
    couldUse: nodesForAll(pods, snapshot),
    messages: signs.map(({ text }) => text),
    isKarpenter: signs.some(({ isKarpenter }) => isKarpenter),
  });
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
