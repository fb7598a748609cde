import type { Reason } from "../../classify/scheduler";
import type { About, Evidence, Finding } from "../../finding";
import type { Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { meantFor } from "../gpu-use";
import { asksForGpu, isPending, kubectlName } from "../pods";
import { isGpuResource, type Scene } from "../scene";
import { gpuShortage } from "./gpu-shortage";
import { selectorMismatch, untoleratedTaint } from "./placement";
import { schedulingOf, type Scheduling } from "./scheduling";

/** Why a pod has no node. */
export function pendingFindings(pod: Pod, scene: Scene): readonly Finding[] {
  if (!isPending(pod)) return [];
  const scheduling = schedulingOf(pod, scene);
  const { message, evidence } = scheduling;
  if (!message) return [silence(pod, scheduling)];
  const found = message.reasons.flatMap((reason): readonly Finding[] => {
    switch (reason.class) {
      case "insufficient":
        return isGpuResource(reason.resource ?? "")
          ? gpuShortage(pod, reason.resource ?? "", message, evidence, scene)
          : [tooLittle(pod, reason, evidence)];
      case "taint":
        return untoleratedTaint(pod, reason, evidence, scene);
      case "node-selector":
        return selectorMismatch(pod, evidence, scene);
      case "volume":
        return [unboundClaim(pod, reason, evidence, scene)];
      case "topology-spread":
        return [topologySpread(pod, evidence)];
      case "pod-affinity":
      case "cordoned":
      case "host-ports":
      case "too-many-pods":
      case "other":
        return [];
    }
  });
  // Of a pod with one of several taints the message has one reason each.
  const single = [...new Map(found.map((finding) => [finding.id, finding])).values()];
  if (single.length > 0) return single;
  const texts = message.reasons.map(({ nodes, text }) => `${nodes ?? ""} ${text}`.trim());
  const about = aboutPod(pod, meantFor(pod, scene));
  return [notSchedulable(pod, about, texts.length > 0 ? texts.join("; ") : "the cluster has no node", evidence)];
}

function tooLittle(pod: Pod, { resource = "", nodes }: Reason, evidence: readonly Evidence[]): Finding {
  return {
    id: "insufficient-resource",
    ...aboutPod(pod),
    level: "problem",
    sure: "certain",
    what: `${nodes ?? "No"} node${nodes === 1 ? " has" : "s have"} too little ${resource} left for what the pod requests.`,
    evidence,
    next: [
      {
        why: "Compare what the pod requests with what the nodes have left",
        command: `kubectl describe nodes | grep -A 8 'Allocated resources'; kubectl get ${kubectlName("pod", pod.metadata)} -o jsonpath='{.spec.containers[*].resources}'`,
      },
    ],
  };
}

function unboundClaim(pod: Pod, reason: Reason, evidence: readonly Evidence[], scene: Scene): Finding {
  const namespace = pod.metadata.namespace ?? "default";
  const names = pod.spec.volumes.flatMap((one) =>
    "persistentVolumeClaim" in one ? one.persistentVolumeClaim.claimName : [],
  );
  const claims = names.map((name) => {
    const found = scene.dump.objects.persistentvolumeclaims.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    const missing = scene.sees("persistentvolumeclaims") ? "does not exist" : "not read";
    const value = found ? `${found.status.phase}, StorageClass ${found.spec.storageClassName ?? "none"}` : missing;
    return {
      object: `-n ${namespace} pvc/${name}`,
      field: "status.phase",
      value,
      bound: found?.status.phase === "Bound",
    };
  });
  const open = claims
    .filter(({ bound }) => !bound)
    .map(({ object, field, value }): Evidence => ({ object, field, value }));
  return {
    id: "unbound-volume-claim",
    ...aboutPod(pod),
    level: "problem",
    sure: "certain",
    what: `The pod waits for a volume: ${reason.text}.`,
    evidence: [...evidence, ...open],
    next: [
      {
        why: "The claim's own events say what its StorageClass lacks; on EKS often the EBS CSI driver",
        command: `kubectl -n ${namespace} describe pvc ${names.join(" ")}`.trim(),
      },
      {
        why: "Whether there is a default StorageClass and a driver for it",
        command: "kubectl get storageclass,csidriver",
      },
    ],
  };
}

function topologySpread(pod: Pod, evidence: readonly Evidence[]): Finding {
  return {
    id: "topology-spread",
    ...aboutPod(pod),
    level: "problem",
    sure: "certain",
    what: "The pod's topology spread constraints leave no node: another one would put too many of its kind in one place.",
    evidence,
    next: [
      {
        why: "Read the constraints, then add a node where they want one, or let them yield (whenUnsatisfiable: ScheduleAnyway)",
        command: `kubectl get ${kubectlName("pod", pod.metadata)} -o jsonpath='{.spec.topologySpreadConstraints}'`,
      },
    ],
  };
}

function notSchedulable(pod: Pod, about: About, why: string, evidence: readonly Evidence[]): Finding {
  return {
    id: "not-schedulable",
    ...about,
    level: "problem",
    sure: "certain",
    what: `The scheduler finds no node for the pod: ${why}.`,
    evidence,
    next: [{ why: "All of the scheduler's reasons", command: `kubectl describe ${kubectlName("pod", pod.metadata)}` }],
  };
}

/** A pending pod of which nothing is said: gated, or of a scheduler that does not run, or its events are gone. */
function silence(pod: Pod, { evidence }: Scheduling): Finding {
  const gates = pod.spec.schedulingGates.map(({ name }) => name);
  const what =
    gates.length > 0
      ? `The pod is held back by the scheduling gate ${gates.join(", ")}: whoever set it must take it away.`
      : "The pod is Pending and the scheduler has said nothing of it that could be read.";
  const value = gates.length > 0 ? gates.join(", ") : (evidence[0]?.value ?? "no event FailedScheduling");
  return {
    id: "not-schedulable",
    ...aboutPod(pod),
    level: "problem",
    sure: gates.length > 0 ? "certain" : "possible",
    what,
    evidence: [
      {
        object: kubectlName("pod", pod.metadata),
        field: gates.length > 0 ? "spec.schedulingGates" : "status.phase Pending",
        value,
        ...(pod.metadata.creationTimestamp && { at: pod.metadata.creationTimestamp }),
      },
    ],
    next: [
      {
        why: asksForGpu(pod) ? "Its events, and whether a scheduler of that name runs" : "Its events",
        command: `kubectl describe ${kubectlName("pod", pod.metadata)}`,
      },
    ],
  };
}
