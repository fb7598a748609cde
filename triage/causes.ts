import { scopeOfNodes, type Conclusion, type ConclusionId, type Finding } from "./conclusions";
import { weakest } from "./confidence";
import { causeRanks, knownCauseIds, knownCauses, knownLayer, rankOf } from "./conclusions/known-causes";
import { poolReasonIds } from "./conclusions/scale-ups";
import { groupBy } from "./snapshot/cluster-snapshot";
import { knownError } from "./snapshot/logs/known-errors";
import { listNames } from "./texts";

/** A node advertises no GPUs, pods that request one do not get it, and the operator's validator reports it. */
const noGpus = [
  ...(["gpu-allocatable-zero", "gpu-allocatable-missing", "gpu-not-allocated", "insufficient-gpu"] as const),
  "operator-validation-failed",
] as const;
const noGpusFromPlugin = ["device-plugin-without-gpus", "gpu-allocatable-low", ...noGpus] as const;
/** No container starts on a node whose runtime does not respond. */
const noContainers = ["pod-sandbox", "container-start", "not-started"] as const;
const noRuntime = ["toolkit-cannot-signal", "container-runtime-not-ready", "node-not-ready", ...noContainers] as const;
/** Messages about faults that stop the device plugin, the deepest cause first. */
const pluginFaults = knownCauseIds.filter((id) => knownCauses[id].stops !== undefined);
/** What a fault makes other components report. A fault of the GPU has no other cause, and a limit of the node breaks no driver. */
function reportsOf(cause: ConclusionId): readonly ConclusionId[] {
  const later = pluginFaults
    .slice(pluginFaults.findIndex((id) => id === cause) + 1)
    .filter((id) => id !== "gpu-xid-error");
  const isLimit = cause === "node-file-limits" || cause === "disk-full";
  return isLimit ? later.filter((id) => knownCauses[id].of !== "node") : later;
}
/** What follows if the device plugin cannot use the GPUs of its node. */
const withoutPlugin = [
  ...(["operator-pod-crash-loop", "device-plugin-below-gpu-nodes", "fail-on-init-error-off"] as const),
  ...(["gpu-zero-on-new-nodes", "gpu-label-missing"] as const),
  ...noGpusFromPlugin,
] as const;
/** What the device plugin reports, and what follows. */
const noPlugin = [...pluginFaults, ...withoutPlugin] as const;

/** Why a pod of the device plugin is not ready. */
const podCauses = [
  ...(["insufficient-resource", "untolerated-taint", "node-selector-mismatch", "not-schedulable"] as const),
  ...(["pod-sandbox", "volume-mount", "image-pull", "container-start", "operator-pod-crash-loop"] as const),
] as const;
/** Why the pods of a Job ended or did not start through no fault of their own. */
const jobCauses = ["gpu-not-allocated", "admission-rejected", "evicted", "node-lost", "image-pull"] as const;
/** How the state of a pod shows a fault that a message names. */
const podStates = [
  ...(["image-pull", "container-start", "crash-loop", "operator-pod-crash-loop", "pod-sandbox"] as const),
  ...(["volume-mount", "not-started", "gpu-not-allocated", "admission-rejected", "pod-failed", "job-failed"] as const),
  ...(["not-ready", "operator-validation-failed", "gpu-operator-not-ready"] as const),
] as const;
/** Why the pods of a DaemonSet do not exist. */
const notCreated = ["pod-security-violation", "quota-exceeded", "pods-not-created"] as const;
/** What the operator's components do on a node. */
const nodeStates = [
  ...(["mig-config-failed", "mig-config-pending", "operand-config-failed", "operand-config-pending"] as const),
  ...(["driver-upgrade-failed", "driver-upgrade-pending", "operand-paused", "host-plugin-without-gpus"] as const),
] as const;
/** Why the operator reports that an operand is not ready. */
const operandFaults = [
  ...knownCauseIds.filter(
    (id) => knownCauses[id].stops !== undefined || knownCauses[id].of === "node" || knownLayer(id) === "daemonset",
  ),
  ...(["operator-validator-rejected", "dcgm-false-alarm", "operator-pod-crash-loop", "pod-sandbox"] as const),
  ...(["device-plugin-below-gpu-nodes", "driver-image-missing", "operator-validation-failed"] as const),
  ...notCreated,
  ...nodeStates,
] as const;

/**
 * What a cause and its effect must have in common: the cause must cover every node, or every pod, of the effect.
 * Conclusions about the operator itself have neither nodes nor pods.
 */
type Share = "nodes" | "pods" | "operator";

/** Each of the causes has all of the effects. */
function on(share: Share) {
  return (causes: ConclusionId | readonly ConclusionId[], effects: readonly ConclusionId[]) =>
    [causes].flat().map((cause: ConclusionId) => ({ cause, share, effects }));
}
const [onNodes, onPods, onOperator] = [on("nodes"), on("pods"), on("operator")];

/** In the messages of one pod, a cause explains those of higher ranks. */
const ranks = causeRanks.map((rank) =>
  onPods(
    knownCauseIds.filter((id) => rankOf(id) === rank),
    knownCauseIds.filter((id) => rankOf(id) > rank),
  ),
);

/** Which conclusions cause which others; the deepest cause comes first. Effects disappear with their cause. */
const causeTable = [
  onNodes("device-plugin-disabled", ["device-plugin-missing", ...noGpus]),
  onNodes("gpu-operator-not-installed", ["device-plugin-missing", "gpu-label-missing", ...noGpus]),
  onNodes("gpu-operator-not-ready", ["device-plugin-missing", "gpu-label-missing", "gpu-zero-on-new-nodes", ...noGpus]),
  onOperator("gpu-operator-not-ready", ["cluster-policy-not-ready"]),
  onNodes("containerd-config-broken", ["containerd-hangs", ...noRuntime]),
  onNodes("containerd-socket-is-directory", ["containerd-hangs", "operator-pod-crash-loop", ...noRuntime]),
  onNodes("containerd-hangs", noRuntime),
  onNodes("container-runtime-not-ready", noContainers),
  onNodes("networking-not-ready", ["pod-sandbox", "api-not-reachable"]),
  onNodes("node-not-ready", [
    ...(["device-plugin-below-gpu-nodes", "node-lost", "not-schedulable", "job-failed", "job-out-of-time"] as const),
    ...noContainers,
    ...noGpus,
  ]),
  onNodes("disk-full", ["evicted", "not-schedulable"]),
  pluginFaults.flatMap((cause) => onNodes(cause, [...reportsOf(cause), ...withoutPlugin])),
  onNodes(
    ["driver-version-mismatch", "gpu-driver-missing", "gpu-xid-error"],
    ["cuda-driver-mismatch", "gpu-not-visible", "cuda-unknown-error"],
  ),
  onNodes(["fabric-manager-not-running", "operator-pod-crash-loop"], ["operator-validation-failed"]),
  ...ranks,
  onPods(knownCauseIds, podStates),
  onPods("probe-restarts-container", ["crash-loop", "operator-pod-crash-loop", "gpu-operator-not-ready"]),
  onPods(podCauses, ["gpu-operator-not-ready", "operator-validation-failed"]),
  onPods("operator-pod-crash-loop", ["device-plugin-below-gpu-nodes"]),
  onNodes("accelerated-hardware-not-ready", ["node-cordoned", ...noPlugin]),
  onNodes(
    ["kernel-not-ready", "networking-not-ready", "storage-not-ready", "container-runtime-not-ready"],
    ["node-cordoned"],
  ),
  onNodes(nodeStates, ["node-cordoned", ...noPlugin]),
  onNodes("driver-image-missing", noPlugin),
  onPods("driver-image-missing", podStates),
  onNodes("two-device-plugins", [
    ...([
      "gpu-memory-too-small",
      "gpu-memory-taken",
      "gpu-not-visible",
      "cuda-unknown-error",
      "operator-pod-crash-loop",
    ] as const),
    ...noGpusFromPlugin,
  ]),
  onNodes(["dcgm-false-alarm", "dcgm-engine-missing"], ["operator-pod-crash-loop"]),
  onNodes("gpu-zero-on-new-nodes", noGpusFromPlugin),
  onNodes(notCreated, [
    ...(["gpu-operator-not-ready", "device-plugin-missing"] as const),
    ...(["gpu-zero-on-new-nodes", "device-plugin-below-gpu-nodes"] as const),
    ...noGpus,
  ]),
  // The operator itself keeps exiting.
  onNodes("operator-pod-crash-loop", ["device-plugin-missing", "gpu-label-missing", "gpu-zero-on-new-nodes"]),
  onNodes("device-plugin-missing", noGpus),
  onNodes("gpu-label-missing", ["device-plugin-below-gpu-nodes", ...noGpus]),
  onPods(podCauses, ["device-plugin-below-gpu-nodes"]),
  onNodes("device-plugin-below-gpu-nodes", noGpus),
  onNodes("device-plugin-without-gpus", noGpus),
  onOperator(operandFaults, ["cluster-policy-not-ready"]),
  onPods("job-failed", ["pod-failed"]),
  onPods(jobCauses, ["job-failed", "job-out-of-time"]),
  // The nodes that an autoscaler may start are enough for one of the runs.
  onPods("gang-deadlock", [
    ...(["scale-up-refused", "nodepool-limit", "gpus-in-use", "insufficient-gpu", "job-out-of-time"] as const),
  ]),
  onPods(
    ["scale-up-failed", "scale-up-refused", ...poolReasonIds],
    [
      ...(["no-gpu-nodes", "gpus-in-use", "insufficient-gpu", "node-selector-mismatch", "untolerated-taint"] as const),
      ...(["insufficient-resource", "resource-not-offered", "resource-claim"] as const),
    ],
  ),
  onPods("no-gpu-nodes", ["insufficient-gpu", "node-selector-mismatch", "untolerated-taint", "job-out-of-time"]),
  onNodes("gpu-allocatable-zero", ["gpu-not-allocated", "insufficient-gpu"]),
  onNodes("gpu-allocatable-missing", ["gpu-not-allocated", "insufficient-gpu"]),
  onNodes("node-cordoned", ["insufficient-gpu", "not-schedulable"]),
  onNodes(["node-not-ready", "container-runtime-not-ready", "containerd-hangs"], ["terminating-pod-holds-gpu"]),
  onPods("rollout-deadlock", ["gpus-in-use", "insufficient-gpu"]),
  onPods("terminating-pod-holds-gpu", ["gpus-in-use", "insufficient-gpu", "rollout-deadlock"]),
  onPods("gpus-in-use", ["insufficient-gpu", "job-out-of-time"]),
  onPods("resource-not-offered", ["insufficient-gpu", "gpus-in-use"]),
  onPods("untolerated-taint", ["insufficient-gpu"]),
  onPods("node-selector-mismatch", ["insufficient-gpu"]),
].flat();

/** Faults of a node that keep a pod from it; the deepest cause comes first. */
const nodeFaults: readonly ConclusionId[] = [
  ...(["device-plugin-disabled", "gpu-operator-not-ready", "node-not-ready"] as const),
  ...(["accelerated-hardware-not-ready", "kernel-not-ready"] as const),
  ...nodeStates,
  ...(["networking-not-ready", "storage-not-ready", "container-runtime-not-ready"] as const),
  ...pluginFaults,
  ...(["gpu-zero-on-new-nodes", "device-plugin-missing", "gpu-label-missing", "operator-pod-crash-loop"] as const),
  ...(["device-plugin-below-gpu-nodes", "device-plugin-without-gpus", "node-cordoned"] as const),
  ...(["gpu-allocatable-zero", "gpu-allocatable-missing", "gpu-allocatable-low"] as const),
];

type CauseOrEffect = Omit<Finding, "atMost" | "next">;

/**
 * The findings that together cause a finding; none for a root cause. There can be several: a pod can wait for two nodes
 * that have different faults.
 */
export function causeFinder<F extends CauseOrEffect>(all: readonly F[]): (finding: F) => readonly F[] {
  const problems = all.filter(({ level }) => level !== "notice");
  const byId = groupBy(problems, ({ id }) => id);
  return (finding) => {
    const causes = causeTable
      .filter(({ cause, effects }) => byId.has(cause) && effects.includes(finding.id))
      .flatMap(({ cause, share }) => (byId.get(cause) ?? []).map((found) => ({ found, share })));
    const same = causes.find(({ found, share }) => share === "operator" || found.subject === finding.subject);
    if (same) return [same.found];
    return (
      coveringCauses(finding, causes, "pods") ??
      coveringCauses(finding, causes, "nodes") ??
      faultOf(finding.couldUse ?? [], problems)
    );
  };
}

/** The deepest fault of one of these nodes. */
function faultOf<F extends CauseOrEffect>(nodes: readonly string[], problems: readonly F[]): readonly F[] {
  if (nodes.length === 0) return [];
  const faults = problems.filter((problem) => problem.nodes.some((name) => nodes.includes(name)));
  return nodeFaults.flatMap((id) => faults.filter((fault) => fault.id === id)).slice(0, 1);
}

/** For each node or pod of the finding the first cause that covers it; undefined if one is not covered. */
function coveringCauses<F extends CauseOrEffect>(
  finding: F,
  causes: readonly { readonly found: F; readonly share: Share }[],
  share: "nodes" | "pods",
): readonly F[] | undefined {
  const candidates = causes.filter((one) => one.share === share).map(({ found }) => found);
  const isCovered = (name: string) => (cause: F) =>
    cause[share].includes(name) || (share === "pods" && cause.blocks?.includes(name) === true);
  const firsts = finding[share].map((name) => candidates.find(isCovered(name)));
  const found = firsts.filter((cause) => cause !== undefined);
  return found.length === 0 || found.length < firsts.length ? undefined : [...new Set(found)];
}

export const maxEvidence = 5;
/** Found for each node and reported once for all nodes that are alike. */
const mergedAcrossNodes: readonly ConclusionId[] = [
  ...(["gpu-allocatable-zero", "gpu-allocatable-missing"] as const),
  ...nodeStates,
  ...knownCauseIds.filter((id) => knownCauses[id].of === "node" && id !== "disk-full"),
];

/** Up to this many conclusions that differ only in names and numbers are listed one by one. */
const maxAlike = 3;

/** Merges conclusions that say the same and have the same cause. */
export function mergeAlike(conclusions: readonly Conclusion[]): Conclusion[] {
  const same = groupBy(conclusions, ({ id, subject, level, what, because = "" }) =>
    (mergedAcrossNodes.includes(id) ? [id, level, what, because] : [id, subject]).join("\n"),
  );
  const alike = groupBy([...same.values()].map(merge), (one) =>
    [one.id, one.level, one.because, one.confidence, withoutNames(one)].join("\n"),
  );
  return [...alike.values()].flatMap((group) => (group.length > maxAlike ? [merge(group)] : group));
}

/** Durations, numbers and the ids of containers, and whether a noun after a number is in the plural. */
const amounts = /\b(?:\d+[dhms]){1,2}\b|\b(?=[a-f]*\d)[\da-f]{8,}\b|\d+(?:\.\d+)*/g;
const plurals = /(?<=# (?:\w+ )?\w+)s\b/g;

/** The text of a conclusion, and of errors that only the reader can name, without what differs between alike objects. */
function withoutNames({ what, nodes, pods, subject, evidence }: Conclusion): string {
  const unknown = evidence.filter(({ field, value }) => field === "log" && knownError(value) === undefined);
  const names = [...nodes, ...pods, subject].flatMap((text) => text.split(/[ /]/));
  const longestFirst = names.filter(({ length }) => length > 2).sort((one, other) => other.length - one.length);
  const all = [what, ...unknown.map(({ value }) => value)].join("\n");
  const text = longestFirst.reduce((rest, name) => rest.replaceAll(name, "…"), all);
  return text.replace(amounts, "#").replace(plurals, "");
}

function merge(group: readonly Conclusion[]): Conclusion {
  const [first, ...others] = group;
  if (!first) throw new Error("no conclusion");
  if (others.length === 0) return first;
  const [nodes, pods] = (["nodes", "pods"] as const).map((key) => [...new Set(group.flatMap((one) => one[key]))]);
  const causes = new Map(group.flatMap((one) => one.causes ?? []).map((one) => [`${one.id} ${one.subject}`, one]));
  const [kind = ""] = first.subject.split(" ");
  const names = group.map(({ subject }) => subject.slice(kind.length + 1));
  const isAboutNodes = kind.startsWith("node") || kind === "the";
  return {
    ...first,
    confidence: weakest(...group.map(({ confidence }) => confidence)) ?? "certain",
    ...(isAboutNodes ? scopeOfNodes(nodes ?? []) : { nodes: nodes ?? [], subject: `${kind}s ${listNames(names)}` }),
    pods: pods ?? [],
    evidence: group.flatMap(({ evidence }) => evidence).slice(0, maxEvidence),
    ...(causes.size > 0 && { causes: [...causes.values()] }),
  };
}
