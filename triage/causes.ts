import { scopeOfNodes } from "./checks/finding-parts";
import type { Conclusion, ConclusionId, Finding } from "./conclusions";
import { groupBy } from "./snapshot/cluster-snapshot";

/** A node advertises no GPUs, and pods that request one do not get it. */
const noGpus = ["gpu-allocatable-zero", "gpu-allocatable-missing", "gpu-not-allocated", "insufficient-gpu"] as const;
const noGpusFromPlugin = ["device-plugin-without-gpus", "gpu-allocatable-low", ...noGpus] as const;
/** No container starts on a node whose runtime does not respond. */
const noContainers = ["pod-sandbox", "container-start", "not-started"] as const;
const noRuntime = ["toolkit-cannot-signal", "container-runtime-not-ready", "node-not-ready", ...noContainers] as const;
/** What the device plugin reports, and what follows, if it cannot use the GPUs of its node. */
const noPlugin = [
  ...(["plugin-nvml-error", "plugin-finds-no-devices", "plugin-incompatible-strategy", "gpu-xid-error"] as const),
  ...(["operator-pod-crash-loop", "device-plugin-below-gpu-nodes", "fail-on-init-error-off"] as const),
  ...noGpusFromPlugin,
] as const;

/** Why a pod of the device plugin is not ready. */
const podCauses = ["pod-sandbox", "volume-mount", "image-pull", "container-start", "operator-pod-crash-loop"] as const;
/** Why the pods of a Job ended or did not start through no fault of their own. */
const jobCauses = ["gpu-not-allocated", "admission-rejected", "evicted", "node-lost", "image-pull"] as const;
/** How the state of a pod shows a fault that a message names. */
const podStates = [
  ...(["image-pull", "container-start", "crash-loop", "operator-pod-crash-loop", "pod-sandbox"] as const),
  ...(["volume-mount", "not-started", "gpu-not-allocated", "admission-rejected", "pod-failed", "job-failed"] as const),
] as const;
/** Faults that messages name: of the node of a pod, and of the pod itself. */
const nodeMessages = ["disk-full", "gpu-driver-missing", "nvidia-runtime-missing", "cdi-device-missing"] as const;
const podMessages = ["cuda-newer-than-driver", "kv-cache-too-small", "shared-gpu-request"] as const;
const gpuMessages = ["gpu-xid-error", "plugin-nvml-error", "dcgm-engine-missing"] as const;
/** Why the operator reports that an operand is not ready. */
const operandFaults = [
  ...nodeMessages,
  ...(["operator-validator-rejected", "dcgm-false-alarm", "dcgm-engine-missing", "gpu-xid-error"] as const),
  ...(["plugin-nvml-error", "plugin-incompatible-strategy", "operator-pod-crash-loop", "pod-sandbox"] as const),
  ...(["pod-security-violation", "device-plugin-below-gpu-nodes"] as const),
] as const;

/**
 * What a cause and its effect must have in common: the cause must cover every node, or every pod, of the effect.
 * Conclusions about the operator itself have neither nodes nor pods.
 */
type Share = "nodes" | "pods" | "operator";

interface Effects {
  readonly cause: ConclusionId;
  readonly share: Share;
  readonly effects: readonly ConclusionId[];
}

function on(share: Share) {
  return (cause: ConclusionId, effects: readonly ConclusionId[]): Effects => ({ cause, share, effects });
}
const [onNodes, onPods, onOperator] = [on("nodes"), on("pods"), on("operator")];

/** Which conclusions cause which others; the deepest cause comes first. Effects disappear with their cause. */
const causeTable: readonly Effects[] = [
  onNodes("device-plugin-disabled", ["device-plugin-missing", ...noGpus]),
  onNodes("gpu-operator-not-installed", ["device-plugin-missing", "gpu-label-missing", ...noGpus]),
  onNodes("gpu-operator-not-ready", ["device-plugin-missing", "gpu-label-missing", ...noGpus]),
  onOperator("gpu-operator-not-ready", ["cluster-policy-not-ready"]),
  onNodes("containerd-config-broken", ["containerd-hangs", ...noRuntime]),
  onNodes("containerd-socket-is-directory", ["containerd-hangs", "operator-pod-crash-loop", ...noRuntime]),
  onNodes("containerd-hangs", noRuntime),
  onNodes("container-runtime-not-ready", noContainers),
  onNodes("networking-not-ready", ["pod-sandbox"]),
  onNodes("node-not-ready", [
    ...(["device-plugin-below-gpu-nodes", "node-lost", "not-schedulable", "job-failed", "job-out-of-time"] as const),
    ...noContainers,
    ...noGpus,
  ]),
  onNodes("disk-full", ["evicted", "not-schedulable", ...noPlugin]),
  onNodes("gpu-driver-missing", ["nvidia-runtime-missing", "cdi-device-missing", ...noPlugin]),
  onNodes("nvidia-runtime-missing", ["cdi-device-missing", ...noPlugin]),
  onNodes("cdi-device-missing", noPlugin),
  ...nodeMessages.map((cause) => onPods(cause, podStates)),
  ...podMessages.map((cause) => onPods(cause, podStates)),
  onNodes("accelerated-hardware-not-ready", ["node-cordoned", ...noPlugin]),
  ...(["kernel-not-ready", "networking-not-ready", "storage-not-ready", "container-runtime-not-ready"] as const).map(
    (cause) => onNodes(cause, ["node-cordoned"]),
  ),
  onNodes("mig-config-failed", ["gpu-label-missing", "node-cordoned", ...noPlugin]),
  onNodes("two-device-plugins", ["gpu-not-allocated", "operator-pod-crash-loop"]),
  ...gpuMessages.map((cause) => onPods(cause, podStates)),
  ...(["dcgm-false-alarm", "dcgm-engine-missing"] as const).map((cause) => onNodes(cause, ["operator-pod-crash-loop"])),
  onNodes("gpu-xid-error", ["plugin-nvml-error", "plugin-finds-no-devices", ...noGpusFromPlugin]),
  onNodes("plugin-incompatible-strategy", ["plugin-finds-no-devices", "plugin-nvml-error", ...noGpusFromPlugin]),
  onNodes("plugin-nvml-error", ["plugin-finds-no-devices", ...noGpusFromPlugin]),
  onNodes("plugin-finds-no-devices", ["gpu-zero-on-new-nodes", ...noGpusFromPlugin]),
  onNodes("gpu-zero-on-new-nodes", noGpusFromPlugin),
  onNodes("pod-security-violation", ["device-plugin-below-gpu-nodes", ...noGpus]),
  // The operator itself keeps exiting.
  onNodes("operator-pod-crash-loop", ["device-plugin-missing"]),
  onNodes("device-plugin-missing", noGpus),
  onNodes("gpu-label-missing", ["device-plugin-below-gpu-nodes", ...noGpus]),
  ...podCauses.map((cause) => onPods(cause, ["device-plugin-below-gpu-nodes"])),
  onNodes("device-plugin-below-gpu-nodes", noGpus),
  onNodes("device-plugin-without-gpus", noGpus),
  ...operandFaults.map((cause) => onOperator(cause, ["cluster-policy-not-ready"])),
  onPods("job-failed", ["pod-failed"]),
  ...jobCauses.map((cause) => onPods(cause, ["job-failed", "job-out-of-time"])),
  ...(["scale-up-failed", "scale-up-refused"] as const).map((cause) =>
    onPods(cause, ["no-gpu-nodes", "gpus-in-use", "insufficient-gpu", "node-selector-mismatch", "untolerated-taint"]),
  ),
  onPods("no-gpu-nodes", ["insufficient-gpu", "node-selector-mismatch", "untolerated-taint", "job-out-of-time"]),
  onNodes("gpu-allocatable-zero", ["gpu-not-allocated", "insufficient-gpu"]),
  onNodes("gpu-allocatable-missing", ["gpu-not-allocated", "insufficient-gpu"]),
  onNodes("node-cordoned", ["insufficient-gpu", "not-schedulable"]),
  ...(["node-not-ready", "container-runtime-not-ready", "containerd-hangs"] as const).map((cause) =>
    onNodes(cause, ["terminating-pod-holds-gpu"]),
  ),
  onPods("rollout-deadlock", ["gpus-in-use", "insufficient-gpu"]),
  onPods("terminating-pod-holds-gpu", ["gpus-in-use", "insufficient-gpu", "rollout-deadlock"]),
  onPods("gpus-in-use", ["insufficient-gpu", "job-out-of-time"]),
  onPods("resource-not-offered", ["insufficient-gpu", "gpus-in-use"]),
  onPods("untolerated-taint", ["insufficient-gpu"]),
  onPods("node-selector-mismatch", ["insufficient-gpu"]),
];

/** Faults of a node that keep a pod from it; the deepest cause comes first. */
const nodeFaults: readonly ConclusionId[] = [
  ...(["device-plugin-disabled", "gpu-operator-not-ready", "node-not-ready", "disk-full"] as const),
  ...(["gpu-driver-missing", "nvidia-runtime-missing", "cdi-device-missing"] as const),
  ...(["accelerated-hardware-not-ready", "mig-config-failed", "kernel-not-ready"] as const),
  ...(["networking-not-ready", "storage-not-ready", "container-runtime-not-ready"] as const),
  ...(["gpu-xid-error", "plugin-incompatible-strategy", "plugin-nvml-error", "plugin-finds-no-devices"] as const),
  ...(["gpu-zero-on-new-nodes", "device-plugin-missing", "gpu-label-missing", "operator-pod-crash-loop"] as const),
  ...(["device-plugin-below-gpu-nodes", "device-plugin-without-gpus", "node-cordoned"] as const),
  ...(["gpu-allocatable-zero", "gpu-allocatable-missing", "gpu-allocatable-low"] as const),
];

/**
 * The findings that together cause a finding; none for a root cause. There can be several: a pod can wait for two nodes
 * that have different faults.
 */
export function causesOf(finding: Finding, all: readonly Finding[]): readonly Finding[] {
  const problems = all.filter(({ level }) => level === "problem");
  const causes = causeTable
    .filter(({ effects }) => effects.includes(finding.id))
    .flatMap(({ cause, share }) => problems.filter(({ id }) => id === cause).map((found) => ({ found, share })));
  const same = causes.find(({ found, share }) => share === "operator" || found.subject === finding.subject);
  if (same) return [same.found];
  return (
    coveringCauses(finding, causes, "pods") ??
    coveringCauses(finding, causes, "nodes") ??
    faultOf(finding.couldUse ?? [], problems)
  );
}

/** The deepest fault of one of these nodes. */
function faultOf(nodes: readonly string[], problems: readonly Finding[]): readonly Finding[] {
  const faults = problems.filter((problem) => problem.nodes.some((name) => nodes.includes(name)));
  return nodeFaults.flatMap((id) => faults.filter((fault) => fault.id === id)).slice(0, 1);
}

/** For each node or pod of the finding the first cause that covers it; undefined if one is not covered. */
function coveringCauses(
  finding: Finding,
  causes: readonly { readonly found: Finding; readonly share: Share }[],
  share: "nodes" | "pods",
): readonly Finding[] | undefined {
  const candidates = causes.filter((one) => one.share === share).map(({ found }) => found);
  const firsts = finding[share].map((name) => candidates.find((cause) => cause[share].includes(name)));
  const found = firsts.filter((cause) => cause !== undefined);
  return found.length === 0 || found.length < firsts.length ? undefined : [...new Set(found)];
}

export const maxEvidence = 5;
/** Found for each node and reported once for all nodes that are alike. */
const mergedAcrossNodes: readonly ConclusionId[] = [
  ...(["gpu-allocatable-zero", "gpu-allocatable-missing", "mig-config-failed"] as const),
  ...(["nvidia-runtime-missing", "cdi-device-missing", "gpu-driver-missing"] as const),
];

/** Merges conclusions about single nodes that say the same and have the same cause. */
export function mergeAlike(conclusions: readonly Conclusion[]): Conclusion[] {
  const alike = groupBy(conclusions, ({ id, subject, level, what, because = "" }) =>
    (mergedAcrossNodes.includes(id) ? [id, level, what, because] : [id, subject]).join("\n"),
  );
  return [...alike.values()].flatMap(([first, ...others]) => (first ? merge(first, others) : []));
}

function merge(first: Conclusion, others: readonly Conclusion[]): Conclusion {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const causes = new Map(all.flatMap(({ causes = [] }) => causes).map((one) => [`${one.id} ${one.subject}`, one]));
  return {
    ...first,
    ...scopeOfNodes(all.flatMap(({ nodes }) => nodes)),
    pods: all.flatMap(({ pods }) => pods),
    evidence: all.flatMap(({ evidence }) => evidence).slice(0, maxEvidence),
    ...(causes.size > 0 && { causes: [...causes.values()] }),
  };
}
