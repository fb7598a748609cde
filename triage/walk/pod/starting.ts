import type { Evidence, Finding, NextStep } from "../../finding";
import type { Event } from "../../objects/event";
import type { Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { session } from "../node/node-facts";
import { allStatuses, badEnds, endsToRepeat, kubectlName } from "../pods";
import { conditionOf, nodeNamed, type Scene } from "../scene";
import { some, stated } from "../seen";
import { endText } from "./containers";

/** Events of a pod that has a node, and no container yet. */
export const startReasons = ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"] as const;

/** What the kubelet fails at before a pod's containers start. The newest failure counts: older ones it got past. */
export function startFindings(pod: Pod, scene: Scene): Finding[] {
  const ready = conditionOf(pod.status.conditions, "PodReadyToStartContainers")?.status === "True";
  if (pod.status.phase !== "Pending" || pod.spec.nodeName === undefined || ready) return [];
  const failure = scene
    .eventsOf("Pod", pod.metadata)
    .filter(({ reason }) => startReasons.some((one) => one === reason))
    .at(-1);
  if (!failure) return [];
  return [failure.reason === "FailedCreatePodSandBox" ? sandbox(pod, failure, scene) : volume(pod, failure)];
}

interface Meaning {
  readonly what: string;
  readonly next: (pod: Pod, scene: Scene) => NextStep;
}

const sandboxMeanings: readonly (readonly [RegExp, Meaning])[] = [
  [
    /no runtime for|runtime handler/i,
    {
      what: "containerd knows no runtime of the name that the pod's RuntimeClass asks for. The EKS NVIDIA image configures nvidia; on other images the operator's toolkit does.",
      next: () => ({
        why: "Which image the nodes run",
        command: "kubectl get nodes -o custom-columns='NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage'",
      }),
    },
  ],
  [
    /containerd\.sock|connection refused|deadline exceeded|ttrpc/i,
    {
      what: "the container runtime of the node does not answer.",
      next: (pod, scene) => ({
        why: "Read its journal on the node, and let triage look at it with --log",
        command: `${session(nodeNamed(scene, pod.spec.nodeName))}   # then: sudo journalctl -u containerd --no-pager -n 300`,
      }),
    },
  ],
  [
    /network|assign an IP|cni/i,
    {
      what: "the network plugin gave it no address: it does not run on the node, or the subnet has none left.",
      next: ({ spec }) => ({
        why: "Whether the VPC CNI runs there",
        command: `kubectl -n kube-system get pods -l k8s-app=aws-node -o wide --field-selector spec.nodeName=${spec.nodeName ?? ""}`,
      }),
    },
  ],
];

function sandbox(pod: Pod, failure: Event, scene: Scene): Finding {
  const meaning = sandboxMeanings.find(([pattern]) => pattern.test(failure.message))?.[1];
  return {
    id: "pod-sandbox",
    ...aboutPod(pod),
    level: "problem",
    sure: sureOf(failure),
    what: `The pod has a node, and the kubelet cannot make its sandbox there: ${meaning?.what ?? "the runtime or the network plugin refuses."}`,
    evidence: [eventEvidence(pod, failure)],
    next: [...(meaning ? [meaning.next(pod, scene)] : []), describe(pod)],
  };
}

function volume(pod: Pod, failure: Event): Finding {
  const typed = /hostPath type check failed/i.test(failure.message);
  return {
    id: "volume-mount",
    ...aboutPod(pod),
    level: "problem",
    sure: sureOf(failure),
    what: typed
      ? "The pod has a node, and what stands there at the path of its hostPath is not of the type it asks for. Nothing was made in its place: that is what the type is for."
      : "The pod has a node, and one of its volumes cannot be attached or mounted there.",
    evidence: [eventEvidence(pod, failure)],
    next: [describe(pod)],
  };
}

/** A pod of which nothing that was read says why it does not run. */
export function notStarted(pod: Pod, scene: Scene): Finding {
  const { nodeName } = pod.spec;
  const { phase, reason, message } = pod.status;
  const waits = [...new Set(allStatuses(pod).flatMap(({ state }) => state.waiting?.reason ?? []))];
  const ends = badEnds(pod).map(({ name, state }) => `${name} ended ${endText(state.terminated)}`);
  const unread = scene.sees("events") ? "" : " Its events could not be read.";
  return {
    id: "not-started",
    ...aboutPod(pod),
    level: "problem",
    sure: "possible",
    what: `${stateText(pod)}, and nothing that was read says why.${unread}`,
    evidence: [
      {
        object: kubectlName("pod", pod.metadata),
        field: "status.phase",
        value: stated(phase === "" ? "none" : phase, ...waits, ...ends, reason, message),
        ...(pod.metadata.creationTimestamp !== undefined && { at: pod.metadata.creationTimestamp }),
      },
    ],
    next: [
      describe(pod),
      ...(nodeName === undefined
        ? []
        : [{ why: "How its node stands", command: `npx eks-gpu-lab triage node ${nodeName}` }]),
    ],
  };
}

function stateText(pod: Pod): string {
  const { phase, initContainerStatuses } = pod.status;
  const { nodeName } = pod.spec;
  const busy = initContainerStatuses.filter(({ state }) => state.running).map(({ name }) => name);
  if (pod.metadata.deletionTimestamp !== undefined) return "The pod is being deleted and is still there";
  const [end] = [...badEnds(pod), ...endsToRepeat(pod)];
  if (phase === "Running" && end) return `Container ${end.name} of the pod has ended ${endText(end.state.terminated)}`;
  if (phase !== "Pending" || nodeName === undefined) return `The pod's phase is ${phase === "" ? "not known" : phase}`;
  if (busy.length > 0) return `The pod is on ${nodeName}, its init container ${some(busy)} has not ended`;
  return `The pod is on ${nodeName}, its containers have not started (a large image takes minutes)`;
}

export function eventEvidence(pod: Pod, { reason, message, count = 1, lastTimestamp }: Event): Evidence {
  return {
    object: kubectlName("pod", pod.metadata),
    field: `event ${reason}`,
    value: `${message}${count > 1 ? ` (${count} times)` : ""}`,
    ...(lastTimestamp !== undefined && { at: lastTimestamp }),
  };
}

function sureOf({ count = 1 }: Event): Finding["sure"] {
  return count > 1 ? "certain" : "likely";
}

export function describe(pod: Pod): NextStep {
  return { why: "Its events", command: `kubectl describe ${kubectlName("pod", pod.metadata)}` };
}
