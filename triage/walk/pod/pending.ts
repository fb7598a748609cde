import type { Reason, ReasonClass, SchedulerMessage } from "../../classify/scheduler";
import type { Evidence, Finding } from "../../finding";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { comingFor, meantFor, nodesWithRoom } from "../gpu-use";
import { isPending, kubectlName } from "../pods";
import type { Scene } from "../scene";
import { some } from "../seen";
import { gpuShortage, joinText, waitLevel } from "./gpu-shortage";
import { notSchedulable, silence } from "./not-schedulable";
import { selectorMismatch, untoleratedTaint } from "./placement";
import { isShortage, reasonsThatMatter } from "./resource-fit";
import { schedulingOf } from "./scheduling";

/** What nodes themselves show: a node that could take the pod has none of it. */
const ofPlacement: readonly ReasonClass[] = ["taint", "node-selector", "cordoned"];

/** A pod that the scheduler has refused, and why. */
interface Refusal {
  readonly pod: Pod;
  readonly message: SchedulerMessage;
  readonly evidence: readonly Evidence[];
  readonly scene: Scene;
}

/** Why a pod has no node. */
export function pendingFindings(pod: Pod, scene: Scene): readonly Finding[] {
  if (!isPending(pod)) return [];
  const { message, evidence } = schedulingOf(pod, scene);
  if (!message) return [silence(pod, evidence)];
  const refusal: Refusal = { pod, message, evidence, scene };
  const reasons = reasonsThatMatter(pod, message, scene);
  const others = reasons.filter((one) => !isShortage(one) && !ofPlacement.includes(one.class));
  const roomy = reasons.some(isShortage) && others.length > 0 ? nodesWithRoom(pod, scene) : [];
  const found =
    roomy.length > 0
      ? besideShortage(refusal, others, roomy)
      : reasons.flatMap((reason) => reasonFindings(refusal, reason));
  // Of a pod with one of several taints the message has one reason each.
  const single = [...new Map(found.map((finding) => [finding.id, finding])).values()];
  return single.length > 0 ? single : [asSaid(refusal)];
}

/**
 * Nodes without GPUs lack them in nearly every message. Where a node has room, it is one of the other reasons that keeps
 * the pod off it, and the shortage is about the rest.
 */
function besideShortage(refusal: Refusal, reasons: readonly Reason[], roomy: readonly Node[]): readonly Finding[] {
  const told = reasons.map((reason) => ({ reason, findings: reasonFindings(refusal, reason) }));
  const known = told.flatMap(({ findings }) => findings);
  const rest = told.filter(({ findings }) => findings.length === 0).map(({ reason }) => reason);
  if (rest.length === 0) return known;
  const why = `${textOf(rest)}. GPUs are free on ${some(roomy.map(({ metadata }) => metadata.name))}`;
  const other = notSchedulable(refusal.pod, aboutPod(refusal.pod, roomy), why, refusal.evidence);
  return [...known, { ...other, sure: "likely" }];
}

function reasonFindings({ pod, message, evidence, scene }: Refusal, reason: Reason): readonly Finding[] {
  switch (reason.class) {
    case "insufficient":
      return isShortage(reason)
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
}

/** All reasons as they stand, where none of them has a conclusion of its own. */
function asSaid({ pod, message: { reasons }, evidence, scene }: Refusal): Finding {
  const coming = comingFor(pod, scene);
  const said = reasons.length > 0 ? textOf(reasons) : "the cluster has no node";
  const why = coming.length > 0 ? `${said}. ${joinText(coming, scene)}` : said;
  const finding = notSchedulable(pod, aboutPod(pod, meantFor(pod, scene)), why, evidence);
  return { ...finding, level: waitLevel(pod, coming, scene) };
}

function textOf(reasons: readonly Reason[]): string {
  return reasons.map(({ nodes, text }) => `${nodes ?? ""} ${text}`.trim()).join("; ");
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
