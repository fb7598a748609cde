import { finding, type Finding } from "../../conclusions";
import { groupBy, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Meta, Pod } from "../../snapshot/objects/resources";
import { gpuRequest, holdsResources, isPending, podKey } from "../../snapshot/pods";
import { leastWaitSeconds, secondsBetween } from "../../snapshot/time";
import { listNames } from "../../texts";
import { evidenceOf } from "../finding-parts";
import { scaleUpUnderWay } from "../node/scale-up";
import { amountOf, candidateNodes, isGpuShortage, isPlacement, relevantReasons, type Candidate } from "./gpu-capacity";
import { schedulingOf, type Rejection } from "./scheduling";

/** A run whose pods may compute only together. */
interface Gang {
  readonly kind: string;
  readonly metadata: Pick<Meta, "namespace" | "name">;
  /** Its pods that hold GPUs. */
  readonly holders: readonly Pod[];
  /** Its pods that wait for GPUs, with the nodes that could give them if they were free. */
  readonly waiters: readonly { readonly pod: Pod; readonly amount: number; readonly nodes: readonly Candidate[] }[];
}

/** Pods of these owners work without each other. */
const independent = ["ReplicaSet", "ReplicationController", "DaemonSet", "Node"];

/** Controllers that own the owners of their pods, by the labels that they give the pods. */
const groupLabels = [
  ["JobSet", "jobset.sigs.k8s.io/jobset-name"],
  ["LeaderWorkerSet", "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"],
  ["PodGroup", "scheduling.x-k8s.io/pod-group"],
] as const;

/** The run that a pod belongs to: `Job team-a/train`. A Job without an index for each pod may have independent pods. */
function gangName({ metadata: { namespace = "default", labels, ownerReferences } }: Pod): string {
  for (const [kind, ...keys] of groupLabels) {
    if (keys.every((key) => key in labels)) return `${kind} ${namespace}/${keys.map((key) => labels[key]).join("-")}`;
  }
  const [owner] = ownerReferences;
  if (!owner || independent.includes(owner.kind)) return "";
  const isPlainJob = owner.kind === "Job" && !("batch.kubernetes.io/job-completion-index" in labels);
  return isPlainJob ? "" : `${owner.kind} ${namespace}/${owner.name}`;
}

/**
 * Several runs that each hold a part of their GPUs and wait for the rest, although together they hold enough for one of
 * them. Nothing shows that the pods of a run need each other, so this is never certain.
 */
export function gangDeadlock({ pod, evidence, snapshot }: Rejection, resource: string): Finding | undefined {
  if (gangName(pod) === "" || scaleUpUnderWay(snapshot)) return undefined;
  const gangs = partialGangs(resource, snapshot);
  const own = gangs.find(({ waiters }) => waiters.some((one) => one.pod === pod));
  if (!own) return undefined;
  const runs = gangs.filter((one) => one === own || (waitsFor(own, one) && waitsFor(one, own)));
  const isEnough = runs.some((run) =>
    wouldFit(
      run,
      runs.filter((one) => one !== run).flatMap(({ holders }) => holders),
    ),
  );
  if (runs.length < 2 || !isEnough) return undefined;
  const waiters = runs.flatMap((run) => run.waiters.map((one) => one.pod));
  const names = runs.map(nameOf);
  return finding("gang-deadlock", scopeOfRuns(names, runs, waiters), {
    evidence: [...runs.map((run) => heldEvidence(run, resource)), ...evidence],
    ...{ names, resource, run: own, holder: own.holders[0]?.metadata ?? pod.metadata },
  });
}

function scopeOfRuns(names: readonly string[], runs: readonly Gang[], waiters: readonly Pod[]) {
  const nodes = runs.flatMap(({ holders }) => holders.flatMap(({ spec }) => spec.nodeName ?? []));
  return { subject: `runs ${listNames(names)}`, nodes: [...new Set(nodes)], pods: waiters.map(podKey) };
}

const nameOf = ({ kind, metadata }: Gang) => `${kind} ${metadata.namespace}/${metadata.name}`;

/** The runs that hold some of their GPUs, and wait for all others for no other reason. */
function partialGangs(resource: string, snapshot: ClusterSnapshot): Gang[] {
  const pods = snapshot.objects.pods.filter(({ spec }) => gpuRequest(spec).has(resource));
  const groups = [...groupBy(pods, gangName)].filter(([name]) => name !== "");
  return groups
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, members]) => {
      const waiting = members.filter(isPending);
      const holders = members.filter((pod) => holdsResources(pod) && !isEnding(pod));
      if (holders.length === 0 || waiting.length === 0) return [];
      const waiters = waiting.flatMap((pod) => blockedPod(pod, resource, snapshot) ?? []);
      if (waiters.length < waiting.length) return [];
      const [kind = "", namespace = "", own = ""] = name.split(/[ /]/);
      return [{ kind, metadata: { namespace, name: own }, holders, waiters }];
    });
}

const isEnding = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;

/** A pod that waits only for GPUs, which are all in use. */
function blockedPod(pod: Pod, resource: string, snapshot: ClusterSnapshot): Gang["waiters"][number] | undefined {
  const { message } = schedulingOf(pod, snapshot);
  const reasons = message ? relevantReasons(pod, message, snapshot) : [];
  const isForGpus = reasons.some(isGpuShortage) && reasons.every((one) => isGpuShortage(one) || isPlacement(one));
  const isYoung = (secondsBetween(pod.metadata.creationTimestamp, snapshot.now) ?? Infinity) < leastWaitSeconds;
  const amount = gpuRequest(pod.spec).get(resource) ?? 0;
  const nodes = candidateNodes(pod, resource, snapshot).filter(({ allocatable = 0 }) => allocatable >= amount);
  const soonFree = ({ free, holders }: Candidate) => free + amountOf(holders.filter((one) => isEnding(one.pod)));
  const isFree = nodes.some((node) => soonFree(node) >= amount);
  return isForGpus && !isYoung && !isFree && nodes.length > 0 ? { pod, amount, nodes } : undefined;
}

/** Whether another run holds GPUs of a node that a pod of this run could use. */
function waitsFor({ waiters }: Gang, { holders }: Gang): boolean {
  const held = holders.map(({ spec }) => spec.nodeName);
  return waiters.some(({ nodes }) => nodes.some(({ node }) => held.includes(node.metadata.name)));
}

/** Whether all waiting pods of a run would get a node if other pods released their GPUs. */
function wouldFit({ waiters }: Gang, released: readonly Pod[]): boolean {
  const free = new Map<string, number>();
  return waiters
    .toSorted((one, other) => other.amount - one.amount)
    .every(({ amount, nodes }) =>
      nodes.some(({ node: { metadata }, free: now, holders }) => {
        const left = free.get(metadata.name) ?? now + amountOf(holders.filter(({ pod }) => released.includes(pod)));
        if (left < amount) return false;
        free.set(metadata.name, left - amount);
        return true;
      }),
    );
}

function heldEvidence({ kind, metadata, holders, waiters }: Gang, resource: string) {
  const held = holders.map(({ spec, metadata: own }) => `${own.name} on ${spec.nodeName}`);
  const sum = holders.reduce((all, { spec }) => all + (gpuRequest(spec).get(resource) ?? 0), 0);
  const wanted = waiters.reduce((all, { amount }) => all + amount, 0);
  const value = `holds ${sum} of ${resource} (${listNames(held)}), waits for ${wanted} (${listNames(waiters.map(({ pod }) => pod.metadata.name))})`;
  return evidenceOf({ kind, metadata }, "GPUs of its pods", value, waiters[0]?.pod.metadata.creationTimestamp);
}
