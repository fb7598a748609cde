import type { SchedulerMessage } from "../../classify/scheduler";
import type { Evidence, Finding } from "../../finding";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import { aboutPod, podName } from "../about";
import { candidatesFor, comingFor, meantFor, type Candidate } from "../gpu-use";
import { duration, isYoung, secondsBetween } from "../age";
import { ownerText } from "../owners";
import { pluginComes } from "../operator/plugin-daemonsets";
import { gpuRequest, kubectlName, untolerated } from "../pods";
import { numberOf } from "../requests";
import { isAsked, isGpuResource, type Scene } from "../scene";
import { counted, some } from "../seen";
import { rolloutDeadlock } from "./rollout-deadlock";

/** Why a pod gets no GPU: none is offered, none is large enough, or all are taken, and by whom. */
export function gpuShortage(
  pod: Pod,
  resource: string,
  message: SchedulerMessage,
  evidence: readonly Evidence[],
  scene: Scene,
): readonly Finding[] {
  const asked = gpuRequest(pod.spec).get(resource) ?? 1;
  const candidates = candidatesFor(pod, resource, scene);
  const coming = candidates.some(({ free }) => free >= asked) ? [] : comingFor(pod, scene);
  const shortage: Finding = {
    id: "insufficient-gpu",
    ...aboutPod(pod, coming.length > 0 ? meantFor(pod, scene) : settled(pod, scene)),
    level: waitLevel(pod, coming, scene),
    sure: "certain",
    what: `No node has ${asked} of ${resource} to give. ${coming.length > 0 ? `${joinText(coming, scene)}.` : outlook({ pod, resource, asked, candidates }, scene)}`,
    evidence: [...evidence, ...offers(candidates, resource)],
    next: [
      {
        why: "What each node offers and has; nothing means no plugin ever registered, 0 that it stopped",
        command: `kubectl get nodes -o custom-columns='NAME:.metadata.name,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type,OFFERS:.status.allocatable.${escaped(resource)},HAS:.status.capacity.${escaped(resource)}'`,
      },
    ],
  };
  const fitting = candidates.filter(({ offered = 0 }) => offered >= asked);
  const full = fitting.length > 0 && scene.sees("pods") && fitting.every(({ free }) => free < asked);
  if (!full || coming.length > 0) return [shortage];
  const deadlock = rolloutDeadlock(pod, fitting, message, scene);
  return deadlock ? [shortage, deadlock] : [shortage, inUse(pod, resource, fitting, scene)];
}

/** A pod that waits for a node which is on its way is no fault; who asks about it is told all the same. */
export function waitLevel(pod: Pod, coming: readonly Node[], { dump }: Scene): Finding["level"] {
  return coming.length > 0 && !isAsked(dump.subject, pod) ? "notice" : "problem";
}

/** What to tell of nodes that are on their way. */
export function joinText(coming: readonly Node[], { now }: Scene): string {
  const ages = coming.map(
    ({ metadata }) => `${metadata.name} (${duration(secondsBetween(metadata.creationTimestamp, now) ?? 0)} old)`,
  );
  return `On the way for it: ${some(ages)}. New nodes take minutes until they are Ready and offer what they have`;
}

interface Wish {
  readonly pod: Pod;
  readonly resource: string;
  readonly asked: number;
  readonly candidates: readonly Candidate[];
}

function outlook({ pod, resource, asked, candidates }: Wish, scene: Scene): string {
  if (!scene.sees("nodes")) return "The nodes could not be read.";
  if (scene.gpuNodes.length === 0) return "The cluster has no GPU node.";
  if (candidates.length === 0) return closedText(pod, scene);
  const largest = Math.max(0, ...candidates.map(({ offered = 0 }) => offered));
  if (largest === 0) return `The GPU nodes it may use offer none.${otherOffers(resource, candidates)}`;
  if (largest < asked)
    return `The largest node it may use offers ${largest}, and one pod cannot use GPUs of several nodes.`;
  if (candidates.some(({ free }) => free >= asked))
    return "There is room now: the scheduler will retry within minutes.";
  return "All that are offered to it are in use.";
}

/** Why no GPU node takes the pod, whatever the node has to give. */
function closedText(pod: Pod, scene: Scene): string {
  const closed = meantFor(pod, scene).map(({ metadata, spec }) => {
    const taints = untolerated(pod.spec.tolerations, spec.taints).map(({ key }) => key);
    return `${metadata.name} (${spec.unschedulable === true ? "cordoned" : some(taints)})`;
  });
  return closed.length > 0
    ? `The GPU nodes that it fits take no pods now: ${some(closed)}.`
    : "Its selector or tolerations keep it off every GPU node.";
}

/** Partitions and renamed shares are resources of their own: who asks for whole GPUs gets none of them. */
function otherOffers(resource: string, candidates: readonly Candidate[]): string {
  const offered = candidates.flatMap(({ node }) => Object.entries(node.status.allocatable));
  const others = offered.filter(([name, amount]) => isGpuResource(name) && name !== resource && numberOf(amount) > 0);
  const names = [...new Set(others.map(([name]) => name))];
  return names.length === 0 ? "" : ` They offer ${some(names)}: let the pod ask for that instead.`;
}

/** The nodes that could have given it a GPU by now; what a new one offers is still to come, if anybody makes it offer. */
function settled(pod: Pod, scene: Scene): readonly Node[] {
  return meantFor(pod, scene).filter((node) => !isYoung(node, scene.now) || !pluginComes(scene));
}

function offers(candidates: readonly Candidate[], resource: string): Evidence[] {
  return candidates.slice(0, 3).map(({ node, offered }) => ({
    object: kubectlName("node", node.metadata),
    field: `status.allocatable[${resource}]`,
    value: offered === undefined ? "missing" : `"${offered}"`,
  }));
}

function inUse(pod: Pod, resource: string, candidates: readonly Candidate[], scene: Scene): Finding {
  const holders = candidates.flatMap(({ node, holders }) => holders.map((holder) => ({ ...holder, node })));
  const names = holders.map((one) => `${podName(one.pod)} (${ownerText(one.pod, scene)})`);
  return {
    id: "gpus-in-use",
    ...aboutPod(
      pod,
      candidates.map(({ node }) => node),
    ),
    level: "problem",
    sure: "certain",
    what: `Every ${resource} that the pod could use is taken: ${counted(candidates.length, "node")}, held by ${some(names)}.`,
    evidence: holders.slice(0, 8).map((holder) => ({
      object: kubectlName("pod", holder.pod.metadata),
      field: "spec.containers[].resources.limits",
      value: `holds ${holder.amount} of ${resource} on ${holder.node.metadata.name}`,
      ...(holder.pod.metadata.creationTimestamp && { at: holder.pod.metadata.creationTimestamp }),
    })),
    next: [
      {
        why: "Who uses the node",
        command: `kubectl describe node ${candidates[0]?.node.metadata.name ?? ""} | sed -n '/Non-terminated/,/Allocated/p'`,
      },
      {
        why: "In a lab: one more GPU node, which costs money",
        command: "$(pulumi stack output scaleUp)",
        changes: true,
      },
    ],
  };
}

function escaped(resource: string): string {
  return resource.replace(/\./g, "\\.");
}
