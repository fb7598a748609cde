import type { Evidence, Finding } from "../../conclusions";
import type { Doubt, Step } from "../../known-causes/known-cause";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Event } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { allStatuses, failedContainers, restartingContainers, startReasons } from "../../snapshot/pods";
import { resourceClaim } from "./resource-claim";
import {
  conditionEvidenceOf,
  describePod,
  endText,
  eventEvidence,
  passJournal,
  podEvidence,
  scopeOfPod,
  joinPresent,
  listNames,
} from "../finding-parts";

/** The latest failure of the kubelet before the containers of a pod start. Earlier failures have been resolved. */
export function startFindings(pod: Pod, snapshot: ClusterSnapshot): Finding[] {
  const isReady = conditionOf(pod.status.conditions, "PodReadyToStartContainers")?.status === "True";
  if (pod.status.phase !== "Pending" || pod.spec.nodeName === undefined || isReady) return [];
  const failure = snapshot
    .eventsOf("Pod", pod.metadata)
    .filter(({ reason }) => startReasons.includes(reason))
    .at(-1);
  if (!failure) return [];
  if (failure.reason === "FailedCreatePodSandBox") return [sandbox(pod, failure)];
  if (failure.reason !== "FailedPrepareDynamicResources") return [volume(pod, failure)];
  return [{ ...resourceClaim(pod, failure.message, failureEvidence(pod, failure)), atMost: doubtOf(failure) }];
}

/** The event, and the condition of the pod that shows the same. */
function failureEvidence({ metadata, status }: Pod, failure: Event): Evidence[] {
  const waiting = conditionOf(status.conditions, "PodReadyToStartContainers");
  return [eventEvidence(failure), ...(waiting ? [conditionEvidenceOf("pod", metadata, waiting)] : [])];
}

interface SandboxCause {
  readonly pattern: RegExp;
  readonly what: string;
  readonly next: Step;
}

const sandboxCauses: readonly SandboxCause[] = [
  {
    pattern: /no runtime for|runtime handler/i,
    what: "containerd has no runtime with the name in the pod's RuntimeClass. The EKS NVIDIA AMI configures the runtime nvidia; on other AMIs the toolkit of the GPU Operator does.",
    next: "Show the OS image of the nodes => kubectl get nodes -o custom-columns='NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage'",
  },
  {
    pattern: /containerd\.sock|connection refused|deadline exceeded|ttrpc/i,
    what: "the container runtime of the node does not respond.",
    next: passJournal,
  },
  {
    pattern: /network|assign an IP|cni/i,
    what: "the network plugin assigned no address. The plugin does not run on the node, or the subnet has no free address.",
    next: "Check that the VPC CNI runs on the node => kubectl -n kube-system get pods -l k8s-app=aws-node -o wide --field-selector spec.nodeName={node}",
  },
];

function sandbox(pod: Pod, failure: Event): Finding {
  const cause = sandboxCauses.find(({ pattern }) => pattern.test(failure.message));
  return {
    id: "pod-sandbox",
    ...scopeOfPod(pod),
    atMost: doubtOf(failure),
    what: `The kubelet cannot create the sandbox of the pod: ${cause?.what ?? "the runtime or the network plugin returned an error."}`,
    evidence: failureEvidence(pod, failure),
    next: [cause?.next, describePod],
  };
}

function volume(pod: Pod, failure: Event): Finding {
  const isWrongType = /hostPath type check failed/i.test(failure.message);
  return {
    id: "volume-mount",
    ...scopeOfPod(pod),
    atMost: doubtOf(failure),
    what: isWrongType
      ? "The file at a hostPath of the pod is not of the type that the pod requires. The kubelet did not create anything at the path: the type prevents that."
      : "A volume of the pod cannot be attached or mounted on the node.",
    evidence: failureEvidence(pod, failure),
    next: [describePod],
  };
}

/** A pod that does not run and for which no other conclusion applies. */
export function notStarted(pod: Pod, { wasRead }: ClusterSnapshot): Finding {
  const { nodeName } = pod.spec;
  const { phase, reason, message } = pod.status;
  const waiting = [...new Set(allStatuses(pod).flatMap(({ state }) => state.waiting?.reason ?? []))];
  const ends = failedContainers(pod).map(({ name, state }) => `${name} ended ${endText(state.terminated)}`);
  const value = joinPresent(phase === "" ? "none" : phase, ...waiting, ...ends, reason, message);
  return {
    id: "not-started",
    ...scopeOfPod(pod),
    atMost: "possible",
    what: `${stateText(pod)}. The data that was read gives no reason.${wasRead("events") ? "" : " The events of the pod could not be read."}`,
    evidence: [podEvidence(pod, "status.phase", value, pod.metadata.creationTimestamp)],
    next: [
      describePod,
      nodeName === undefined ? undefined : "Check the node of the pod => npx eks-gpu-lab triage node {node}",
    ],
  };
}

function stateText(pod: Pod): string {
  const { phase, initContainerStatuses } = pod.status;
  const { nodeName } = pod.spec;
  if (pod.metadata.deletionTimestamp !== undefined) return "The pod is being deleted but still exists";
  const [end] = [...failedContainers(pod), ...restartingContainers(pod)];
  if (phase === "Running" && end) return `Container ${end.name} has ended ${endText(end.state.terminated)}`;
  if (phase !== "Pending" || nodeName === undefined)
    return phase === "" ? "The phase of the pod is not known" : `The phase of the pod is ${phase}`;
  const running = initContainerStatuses.filter(({ state }) => state.running).map(({ name }) => name);
  return running.length > 0
    ? `The pod is on ${nodeName} and its init container ${listNames(running)} has not ended`
    : `The pod is on ${nodeName} and its containers have not started. Pulling a large image takes minutes`;
}

/** A failure that happened once may be over. */
function doubtOf({ count = 1 }: Event): Doubt {
  return count > 1 ? undefined : "likely";
}
