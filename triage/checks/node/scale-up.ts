import { listOf, type Finding } from "../../conclusions";
import type { StepList } from "../../known-causes/known-cause";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import { podKey } from "../../snapshot/pods";
import { formatDuration, secondsBetween, startupSeconds } from "../../snapshot/time";
import { listNames } from "../finding-parts";
import { nodesWithSpareCapacity } from "../pod/gpu-capacity";
import { launchCauses, type LaunchCause } from "./launch-causes";
import { groupSigns, isOverdue, signsOf, waitingGpuPods, type Sign } from "./scale-up-signs";

const showLimits =
  "Show the size and the limit of each group => aws autoscaling describe-auto-scaling-groups --query 'AutoScalingGroups[].[AutoScalingGroupName,DesiredCapacity,MaxSize]' --output table";
const showNodePools = "Show the limits and the requirements of the NodePools => kubectl describe nodepools";

/** Why an autoscaler does not try. */
const refusals: readonly LaunchCause[] = [
  ...launchCauses,
  {
    id: "no-fit",
    pattern: /nodepool/i,
    what: "No NodePool of Karpenter fits the pod: its instance types, zones, capacity types and taints leave none that is offered. See the end of the message.",
  },
  {
    id: "no-fit",
    pattern: /didn't match|Insufficient|untolerated|tolerate/i,
    what: "No node group that the autoscaler knows would fit the pod. A group that is scaled to zero needs tags for its GPUs, labels and taints.",
  },
];

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
  const cause = launchCauses.find(({ pattern }) => failed.some(({ text }) => pattern.test(text)));
  const isKarpenter = failed.every((sign) => sign.isKarpenter);
  const since = failed.flatMap(({ evidence }) => secondsBetween(evidence.at, snapshot.now) ?? []);
  const age = since.length === 0 ? "" : ` ${formatDuration(Math.max(...since))} ago`;
  return {
    id: "scale-up-failed",
    ...scopeOfWaiting(group, pods),
    atMost: cause && isOfPods ? undefined : "likely",
    what: `An autoscaler tried to add a GPU node${age}, and none joined. ${cause?.what ?? "The Kubernetes API does not show why; AWS does."} Do not scale up again: that starts the same attempt.`,
    evidence: failed.slice(0, 4).map(({ evidence }) => evidence),
    next: [...(isKarpenter ? karpenterSteps(failed) : groupSteps(group)), ...listOf(cause?.next ?? [])],
    couldUse: nodesForAll(pods, snapshot),
  };
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
  const cause = refusals.find(({ pattern }) => signs.some(({ text }) => pattern.test(text)));
  return {
    id: "scale-up-refused",
    ...scopeOfWaiting(undefined, pods),
    what: `The autoscaler adds no GPU node and states why. ${cause?.what ?? "See the evidence."}`,
    evidence: signs.slice(0, 3).map(({ evidence }) => evidence),
    next: [signs.some(({ isKarpenter }) => isKarpenter) ? showNodePools : showLimits],
    couldUse: nodesForAll(pods, snapshot),
  };
}

function scopeOfWaiting(group: string | undefined, pods: readonly Pod[]) {
  return { subject: group === undefined ? "cluster" : `group ${group}`, nodes: [], pods: pods.map(podKey) };
}

/** `gpu` of `eks-gpu-0ec52f6e-1b7d-2b21-bf0d-0123456789ab`, the name that EKS gives the Auto Scaling group. */
const managedGroup = /^eks-(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Shows why a group starts no instance. */
export function groupSteps(group: string | undefined): StepList {
  const ofGroup = group === undefined ? "" : ` --auto-scaling-group-name ${group}`;
  const nodeGroup = managedGroup.exec(group ?? "")?.[1];
  return [
    `Show why the group starts no instance: no capacity, a quota, or a permission => aws autoscaling describe-scaling-activities${ofGroup} --max-items 5 --query 'Activities[].[StartTime,StatusCode,StatusMessage]' --output table`,
    nodeGroup === undefined
      ? undefined
      : `Show the health of the node group => aws eks describe-nodegroup --cluster-name {cluster} --nodegroup-name ${nodeGroup} --query nodegroup.health`,
  ];
}

function karpenterSteps(failed: readonly Sign[]): StepList {
  const claims = failed.flatMap(({ evidence }) => /^nodeclaim\/(\S+)$/.exec(evidence.object)?.[1] ?? []);
  const existing = failed.some(isGpuClaim);
  return [
    `Show why Karpenter's NodeClaims do not become nodes => ${
      existing && claims.length > 0
        ? `kubectl describe nodeclaims ${[...new Set(claims)].slice(0, 3).join(" ")}`
        : "kubectl get events -A --field-selector involvedObject.kind=NodeClaim --sort-by=.lastTimestamp"
    }`,
    showNodePools,
  ];
}

/** What an autoscaler is doing now for pods without any GPU node: `by eks-gpu-1, started 2m ago`; undefined if nothing. */
export function scaleUpUnderWay(
  snapshot: ClusterSnapshot,
): { readonly text: string; readonly group?: string } | undefined {
  const started = waitingGpuPods(snapshot)
    .flatMap((pod) => signsOf(pod, snapshot).at(-1) ?? [])
    .filter((sign) => sign.state === "started" && !isOverdue(sign, snapshot));
  const [first] = started;
  if (!first) return undefined;
  const age = secondsBetween(first.evidence.at, snapshot.now);
  const groups = [...new Set(started.flatMap(({ group }) => group ?? []))];
  const by = groups.length === 0 ? "" : ` in ${listNames(groups)}`;
  const text = `An autoscaler started a node${by}${age === undefined ? "" : ` ${formatDuration(age)} ago`}`;
  return { text, ...(groups[0] !== undefined && { group: groups[0] }) };
}
