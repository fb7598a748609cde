import type { Finding, FindingId } from "./finding";

/** A GPU resource is not offered, and pods that ask for one go without. */
const noGpus = ["gpu-allocatable-zero", "gpu-allocatable-missing", "gpu-not-allocated", "insufficient-gpu"] as const;
/** The device plugin is there, and its node offers nothing. */
const noGpusFromPlugin = ["device-plugin-without-gpus", ...noGpus] as const;
/** Nothing starts on a node whose runtime does not answer. */
const noContainers = ["pod-sandbox", "container-start", "not-started"] as const;
const noRuntime = ["toolkit-cannot-signal", "container-runtime-not-ready", "node-not-ready", ...noContainers] as const;

/** Why a pod of the device plugin is not ready. */
const podTroubles = [
  "pod-sandbox",
  "volume-mount",
  "image-pull",
  "container-start",
  "operator-pod-crash-loop",
] as const;
/** Why the pods of a Job ended, or did not begin, through no fault of theirs. */
const stops = ["gpu-not-allocated", "admission-rejected", "evicted", "node-lost", "image-pull"] as const;

/**
 * What a cause and its effect have in common: the cause must hold for every node, or every pod, that the effect is
 * about. What is about the operator itself has neither.
 */
type Share = "nodes" | "pods" | "operator";

interface Consequences {
  readonly cause: FindingId;
  readonly share: Share;
  readonly effects: readonly FindingId[];
}

function on(share: Share) {
  return (cause: FindingId, effects: readonly FindingId[]): Consequences => ({ cause, share, effects });
}
const [onNodes, onPods, onOperator] = [on("nodes"), on("pods"), on("operator")];

/** Which conclusions another one accounts for, the deepest cause first. They are consequences, and go away with it. */
const consequences: readonly Consequences[] = [
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
  ...podTroubles.map((trouble) => onPods(trouble, ["device-plugin-below-gpu-nodes"])),
  ...stops.map((stop) => onPods(stop, ["job-failed", "job-out-of-time"])),
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
 * The conclusions that together account for this one; none where it stands by itself. A pod can wait for two nodes of
 * which each has a trouble of its own.
 */
export function explanationOf(finding: Finding, all: readonly Finding[]): readonly Finding[] {
  const problems = all.filter(({ level }) => level === "problem");
  const causes = consequences
    .filter(({ effects }) => effects.includes(finding.id))
    .flatMap(({ cause, share }) => problems.filter(({ id }) => id === cause).map((found) => ({ found, share })));
  const same = causes.find(({ found, share }) => share === "operator" || found.subject === finding.subject);
  if (same) return [same.found];
  return covering(finding, causes, "pods") ?? covering(finding, causes, "nodes") ?? [];
}

/** For each node or pod of the finding the first cause that holds for it; undefined where one has none. */
function covering(
  finding: Finding,
  causes: readonly { readonly found: Finding; readonly share: Share }[],
  share: "nodes" | "pods",
): readonly Finding[] | undefined {
  const fitting = causes.filter((one) => one.share === share).map(({ found }) => found);
  const firsts = finding[share].map((name) => fitting.find((cause) => cause[share].includes(name)));
  const found = firsts.filter((cause) => cause !== undefined);
  return found.length === 0 || found.length < firsts.length ? undefined : [...new Set(found)];
}
