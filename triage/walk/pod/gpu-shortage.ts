import type { SchedulerMessage } from "../../classify/scheduler";
import type { Evidence, Finding } from "../../finding";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import { aboutPod, podName } from "../about";
import { candidatesFor, meantFor, type Candidate } from "../gpu-use";
import { isYoung } from "../node/advertised";
import { ownerText } from "../owners";
import { gpuRequest, kubectlName } from "../pods";
import type { Scene } from "../scene";
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
  const largest = Math.max(0, ...candidates.map(({ offered = 0 }) => offered));
  const shortage: Finding = {
    id: "insufficient-gpu",
    ...aboutPod(pod, settled(pod, scene)),
    level: "problem",
    sure: "certain",
    what: `No node has ${asked} of ${resource} to give. ${outlook(asked, largest, candidates, scene)}`,
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
  if (!full) return [shortage];
  const deadlock = rolloutDeadlock(pod, fitting, message, scene);
  return deadlock ? [shortage, deadlock] : [shortage, inUse(pod, resource, fitting, scene)];
}

function outlook(asked: number, largest: number, candidates: readonly Candidate[], scene: Scene): string {
  if (!scene.sees("nodes")) return "The nodes could not be read.";
  if (scene.gpuNodes.length === 0) return "The cluster has no GPU node.";
  if (candidates.length === 0) return "Its selector, tolerations or cordons keep it off every GPU node.";
  if (largest === 0) return "The GPU nodes it may use offer none.";
  if (largest < asked)
    return `The largest node it may use offers ${largest}, and one pod cannot use GPUs of several nodes.`;
  if (candidates.some(({ free }) => free >= asked))
    return "There is room now: the scheduler will retry within minutes.";
  return "All that are offered to it are in use.";
}

/** The nodes that could have given it a GPU by now; what a new one offers is still to come. */
function settled(pod: Pod, scene: Scene): readonly Node[] {
  return meantFor(pod, scene).filter((node) => !isYoung(node, scene.now));
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
