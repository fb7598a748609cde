import { untolerated } from "../../../components/core/kubernetes";
import { finding, nodeNames, podName, scopeOfPod, type Finding } from "../../conclusions";
import { shortages } from "../../conclusions/waiting-pods";
import type { Level } from "../../conclusions/entry";
import { expectsDevicePlugin, isSubject, ownerText, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { gpuAdvertisement, isGpuResource } from "../../snapshot/nodes";
import type { Node, Pod } from "../../snapshot/objects/resources";
import { gpuRequest } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { ageOf, isNew, secondsBetween } from "../../snapshot/time";
import { listNames } from "../../texts";
import { allocatableEvidence, evidenceOf } from "../finding-parts";
import { hasAutoscaler } from "../node/scale-up";
import { gangDeadlock } from "./gang-deadlock";
import {
  amountOf,
  candidateNodes,
  eligibleNodes,
  joiningNodes,
  nodesWithSpareCapacity,
  type Candidate,
  type Holder,
} from "./gpu-capacity";
import { rolloutDeadlock } from "./rollout-deadlock";
import type { Rejection } from "./scheduling";

/** A request for GPUs that no node can fulfil. */
interface Shortage extends Rejection {
  readonly resource: string;
  readonly amount: number;
  readonly candidates: readonly Candidate[];
}

/** Why a pod gets no GPU: none is advertised, no node has enough of them, or all are allocated. */
export function gpuShortage(rejection: Rejection, resource: string): readonly Finding[] {
  const { pod, snapshot } = rejection;
  const amount = gpuRequest(pod.spec).get(resource) ?? 1;
  const candidates = candidateNodes(pod, resource, snapshot);
  const shortage: Shortage = { ...rejection, resource, amount, candidates };
  const joining = candidates.some(({ free }) => free >= amount) ? [] : joiningNodes(pod, snapshot);
  const lack = insufficientGpu(shortage, joining);
  const fitting = candidates.filter(({ allocatable = 0 }) => allocatable >= amount);
  const isFull = fitting.length > 0 && snapshot.wasRead("pods") && fitting.every(({ free }) => free < amount);
  if (!isFull || joining.length > 0) return [lack];
  const terminating = heldByTerminating(shortage, fitting);
  if (terminating) return [lack, terminating];
  const deadlock = rolloutDeadlock(rejection, fitting) ?? gangDeadlock(rejection, resource);
  return [lack, deadlock ?? gpusInUse(shortage, fitting)];
}

function insufficientGpu(shortage: Shortage, joining: readonly Node[]): Finding {
  const { pod, resource, amount, candidates, evidence, snapshot } = shortage;
  const nodes = joining.length > 0 ? eligibleNodes(pod, snapshot) : nodesPastStartup(pod, snapshot);
  const none = evidenceOf(
    "nodes",
    "GPU nodes that accept the pod now",
    `none of ${snapshot.objects.nodes.length} nodes`,
  );
  return finding("insufficient-gpu", scopeOfPod(pod, nodes), {
    couldUse: nodeNames(nodesToPartition(shortage)),
    level: waitLevel(pod, joining, snapshot),
    // The scheduler's message can be older than a GPU that has become free.
    atMost: candidates.some(({ free }) => free >= amount) ? "likely" : undefined,
    evidence: [
      ...evidence,
      candidates.length === 0 && snapshot.wasRead("nodes") ? none : undefined,
      ...candidates.slice(0, 3).map(({ node }) => allocatableEvidence(node, resource)),
    ],
    ...{ resource, amount },
    why: joining.length > 0 ? `${joiningText(joining, snapshot)}.` : shortageText(shortage),
  });
}

/** A pod that waits for a joining node has no fault, but a user who asks about the pod wants to know. */
export function waitLevel(pod: Pod, joining: readonly Node[], { subject }: ClusterSnapshot): Level {
  return joining.length > 0 && !isSubject(subject, pod) ? "notice" : "problem";
}

export function joiningText(joining: readonly Node[], { now }: ClusterSnapshot): string {
  return shortages.joining(joining.map((node) => `${node.metadata.name} (${ageOf(node, now)} old)`));
}

function shortageText({ pod, resource, amount, candidates, snapshot }: Shortage): string {
  if (!snapshot.wasRead("nodes")) return shortages.unread;
  if (snapshot.gpuNodes.length === 0) return shortages.noGpuNode;
  if (candidates.length === 0) return shortages.closed(closedNodes(pod, snapshot));
  const largest = Math.max(0, ...candidates.map(({ allocatable = 0 }) => allocatable));
  if (largest === 0) return shortages.notAdvertised(otherResources(resource, candidates));
  if (largest < amount) return shortages.tooSmall(largest);
  return candidates.some(({ free }) => free >= amount) ? shortages.freeNow : shortages.allocated;
}

/** The nodes that match the pod and accept no pods now, each with the reason. */
function closedNodes(pod: Pod, snapshot: ClusterSnapshot): string[] {
  return eligibleNodes(pod, snapshot).map(({ metadata, spec }) => {
    const taints = untolerated(pod.spec.tolerations, spec.taints).map(({ key }) => key);
    const why = spec.unschedulable === true ? "cordoned" : taints.length > 0 ? listNames(taints) : "not Ready";
    return `${metadata.name} (${why})`;
  });
}

/** Partitions and renamed shares are separate resources. A pod that requests whole GPUs gets none of them. */
function otherResources(resource: string, candidates: readonly Candidate[]): string[] {
  const amounts = candidates.flatMap(({ node }) => Object.entries(node.status.allocatable));
  const others = amounts.filter(([name, amount]) => isGpuResource(name) && name !== resource && numberOf(amount) > 0);
  return [...new Set(others.map(([name]) => name))];
}

/** The nodes that are to be partitioned, for a pod that requests a partition which no node advertises. */
function nodesToPartition({ pod, resource, candidates, snapshot }: Shortage): readonly Node[] {
  const isOffered = candidates.some(({ allocatable = 0 }) => allocatable > 0);
  if (!resource.startsWith("nvidia.com/mig-") || isOffered) return [];
  return eligibleNodes(pod, snapshot).filter(({ metadata }) => "nvidia.com/mig.config" in metadata.labels);
}

/**
 * The eligible nodes that could have advertised a GPU by now. A new node still may, if it gets a device plugin; one that
 * advertises 0 had its plugin.
 */
function nodesPastStartup(pod: Pod, snapshot: ClusterSnapshot): readonly Node[] {
  const mayStart = (node: Node) => isNew(node, snapshot.now) && gpuAdvertisement(node) !== "zero";
  return eligibleNodes(pod, snapshot).filter((node) => !mayStart(node) || !expectsDevicePlugin(snapshot));
}

/** Seconds after its deadline that a pod still counts as being stopped. */
const maxStopSeconds = 60;

/** A pod that is being deleted holds its GPU until the kubelet has stopped its containers. */
function heldByTerminating(shortage: Shortage, candidates: readonly Candidate[]): Finding | undefined {
  const { pod, resource, amount, snapshot } = shortage;
  const late = ({ pod: { metadata } }: Holder) =>
    (secondsBetween(metadata.deletionTimestamp, snapshot.now) ?? 0) > maxStopSeconds;
  const stuck = candidates.filter(({ free, holders }) => free + amountOf(holders.filter(late)) >= amount);
  const holders = stuck.flatMap(({ node, holders }) => holders.filter(late).map((holder) => ({ ...holder, node })));
  const [first] = holders;
  if (!first) return undefined;
  const nodes = stuck.map(({ node }) => node);
  return finding("terminating-pod-holds-gpu", scopeOfPod(pod, nodes), {
    evidence: holders.slice(0, 4).map(({ pod: holder, amount: held, node }) => {
      const { deletionTimestamp = "" } = holder.metadata;
      const value = `${deletionTimestamp}, holds ${held} of ${resource} on ${node.metadata.name}`;
      return evidenceOf(holder, "metadata.deletionTimestamp", value, deletionTimestamp);
    }),
    holder: first.pod.metadata,
  });
}

function gpusInUse({ pod, resource, amount, snapshot }: Shortage, candidates: readonly Candidate[]): Finding {
  const holders = candidates.flatMap(({ node, holders }) => holders.map((holder) => ({ ...holder, node })));
  const nodes = candidates.map(({ node }) => node);
  return finding("gpus-in-use", scopeOfPod(pod, nodes), {
    evidence: holders.slice(0, 8).map(({ pod: holder, amount: held, node }) => {
      const value = `holds ${held} of ${resource} on ${node.metadata.name}`;
      return evidenceOf(holder, "spec.containers[].resources.limits", value, holder.metadata.creationTimestamp);
    }),
    couldUse: nodeNames(nodesWithSpareCapacity(pod, snapshot)),
    resource,
    amount: candidates.every(({ free }) => free === 0) ? undefined : amount,
    holders: holders.map((one) => `${podName(one.pod)} (${ownerText(one.pod, snapshot)})`),
    hasAutoscaler: hasAutoscaler([pod], snapshot),
  });
}
