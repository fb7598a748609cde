import { scopeOfNodes } from "./checks/finding-parts";
import type { Conclusion, ConclusionId, Finding } from "./conclusions";
import { groupBy } from "./snapshot/cluster-snapshot";

/** A node advertises no GPUs, and pods that request one do not get it. */
const noGpus = ["gpu-allocatable-zero", "gpu-allocatable-missing", "gpu-not-allocated", "insufficient-gpu"] as const;
const noGpusFromPlugin = ["device-plugin-without-gpus", ...noGpus] as const;
/** No container starts on a node whose runtime does not respond. */
const noContainers = ["pod-sandbox", "container-start", "not-started"] as const;
const noRuntime = ["toolkit-cannot-signal", "container-runtime-not-ready", "node-not-ready", ...noContainers] as const;

/** Why a pod of the device plugin is not ready. */
const podCauses = ["pod-sandbox", "volume-mount", "image-pull", "container-start", "operator-pod-crash-loop"] as const;
/** Why the pods of a Job ended or did not start through no fault of their own. */
const jobCauses = ["gpu-not-allocated", "admission-rejected", "evicted", "node-lost", "image-pull"] as const;

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
  onNodes("plugin-incompatible-strategy", ["plugin-finds-no-devices", "plugin-nvml-error", ...noGpusFromPlugin]),
  onNodes("plugin-nvml-error", ["plugin-finds-no-devices", ...noGpusFromPlugin]),
  onNodes("plugin-finds-no-devices", ["gpu-zero-on-new-nodes", ...noGpusFromPlugin]),
  onNodes("gpu-zero-on-new-nodes", noGpusFromPlugin),
  onNodes("device-plugin-missing", noGpus),
  onNodes("gpu-label-missing", ["device-plugin-below-gpu-nodes", ...noGpus]),
  onNodes("device-plugin-below-gpu-nodes", noGpus),
  onNodes("device-plugin-without-gpus", noGpus),
  ...podCauses.map((cause) => onPods(cause, ["device-plugin-below-gpu-nodes"])),
  ...jobCauses.map((cause) => onPods(cause, ["job-failed", "job-out-of-time"])),
  onPods("job-failed", ["pod-failed"]),
  onPods("no-gpu-nodes", ["insufficient-gpu", "node-selector-mismatch", "untolerated-taint"]),
  onNodes("gpu-allocatable-zero", ["gpu-not-allocated", "insufficient-gpu"]),
  onNodes("gpu-allocatable-missing", ["gpu-not-allocated", "insufficient-gpu"]),
  onNodes("accelerated-hardware-not-ready", ["gpu-allocatable-low", "gpu-not-allocated", "node-cordoned"]),
  onNodes("node-cordoned", ["insufficient-gpu", "not-schedulable"]),
  onPods("rollout-deadlock", ["gpus-in-use", "insufficient-gpu"]),
  onPods("gpus-in-use", ["insufficient-gpu"]),
  onPods("untolerated-taint", ["insufficient-gpu"]),
  onPods("node-selector-mismatch", ["insufficient-gpu"]),
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
  return coveringCauses(finding, causes, "pods") ?? coveringCauses(finding, causes, "nodes") ?? [];
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

const maxEvidence = 5;
/** Found for each node and reported once for all nodes that are alike. */
const mergedAcrossNodes: readonly ConclusionId[] = ["gpu-allocatable-zero", "gpu-allocatable-missing"];

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
    evidence: all.flatMap(({ evidence }) => evidence).slice(0, maxEvidence),
    ...(causes.size > 0 && { causes: [...causes.values()] }),
  };
}
