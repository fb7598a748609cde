import { countOf } from "../../../components/core/text";
import { evidenceOf, type CheckResult } from "../finding-parts";
import { allocatableFindings, noGpuNodes } from "./allocatable";
import { conditionFindings } from "./conditions";
import { scaleUpFindings } from "./scale-up";
import { finding, type Found } from "../../conclusions";
import { devicePluginName, subjectPod, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import {
  advertisesGpus,
  conditionOf,
  gpuAdvertisement,
  gpuNodeEvidence,
  gpuResource,
  advertisesAllGpus,
} from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/resources";
import { requestsGpu, gpuRequest, holdsResources, isPending, podKey } from "../../snapshot/pods";
import { formatDuration, isNew, secondsBetween } from "../../snapshot/time";
import { listNames } from "../../texts";

const maxLines = 8;

/** Layer 2: whether the nodes are healthy and advertise their GPUs. */
export function checkNodes(snapshot: ClusterSnapshot): CheckResult {
  if (!snapshot.wasRead("nodes")) return { lines: [], findings: [] };
  const nodes = nodesInScope(snapshot);
  const gpuNodes = snapshot.gpuNodes.filter((node) => nodes.includes(node));
  const advertising = gpuNodes.filter((node) => !snapshot.draNodes.includes(node));
  const shown = snapshot.subject?.kind === "node" ? nodes : gpuNodes;
  const lines = [
    `${countOf(snapshot.objects.nodes.length, "node")}, ${snapshot.gpuNodes.length} with GPUs`,
    ...shown.slice(0, maxLines).map((node) => lineOf(node, snapshot)),
    ...(shown.length > maxLines ? [`${shown.length - maxLines} more GPU nodes not shown`] : []),
  ];
  const findings = [
    ...(needsGpuNodes(snapshot) ? [...scaleUpFindings(snapshot), noGpuNodes(snapshot)].flat() : []),
    ...allocatableFindings(advertising, snapshot),
    ...gpuNodes.flatMap((node) => [operatorStates(node, snapshot), missingLabels(node, snapshot)].flat()),
    ...nodes.flatMap((node) => conditionFindings(node, snapshot)),
  ];
  return { lines, findings };
}

/** The node in question, the node of the pod in question, the GPU nodes that this pod waits for, or all nodes. */
function nodesInScope(snapshot: ClusterSnapshot): readonly Node[] {
  const { subject, objects, gpuNodes } = snapshot;
  if (subject === undefined) return objects.nodes;
  const pod = subjectPod(snapshot);
  const name = subject.kind === "node" ? subject.name : pod?.spec.nodeName;
  const own = objects.nodes.filter(({ metadata }) => metadata.name === name);
  if (subject.kind === "node" || own.length > 0) return own;
  return pod === undefined || requestsGpu(pod) ? gpuNodes : [];
}

function needsGpuNodes(snapshot: ClusterSnapshot): boolean {
  if (snapshot.subject?.kind === "node") return false;
  const pod = subjectPod(snapshot);
  return pod === undefined || requestsGpu(pod);
}

const readyTexts: Readonly<Partial<Record<string, string>>> = {
  True: "Ready",
  False: "not Ready",
  Unknown: "not reporting",
};

function lineOf(node: Node, { now }: ClusterSnapshot): string {
  const { metadata, status, spec } = node;
  const ready = readyTexts[conditionOf(status.conditions, "Ready")?.status ?? ""];
  const age = secondsBetween(metadata.creationTimestamp, now);
  const evidence = gpuNodeEvidence(node);
  return [
    metadata.name,
    ready ?? "Ready not known",
    ...(spec.unschedulable === true ? ["cordoned"] : []),
    ...(age === undefined ? [] : [`${formatDuration(age)} old`]),
    ...(evidence === undefined ? ["no GPU"] : [advertisedText(node), `GPU node by ${evidence}`]),
  ].join(", ");
}

function advertisedText(node: Node): string {
  const amounts = Object.entries(node.status.allocatable)
    .filter(([name, amount]) => name.startsWith("nvidia.com/") && amount !== "0")
    .map(([name, amount]) => `${amount} ${name}`);
  const none = { some: "", zero: `0 ${gpuResource}`, missing: `no ${gpuResource}` }[gpuAdvertisement(node)];
  return `advertises ${[none, ...amounts].filter((text) => text !== "").join(", ")}`;
}

/** A GPU node without the labels that the device plugin's DaemonSet selects. */
function missingLabels(node: Node, snapshot: ClusterSnapshot): Found {
  const { devicePlugins, now, pluginNodes } = snapshot;
  const [plugin] = devicePlugins;
  if (!pluginNodes.includes(node)) return [];
  if (plugin?.metadata.name !== devicePluginName || advertisesGpus(node) || isNew(node, now)) return [];
  const { labels } = node.metadata;
  const missing = Object.entries(plugin.spec.template.spec.nodeSelector).filter(
    ([key, value]) => labels[key] !== value,
  );
  if (missing.length === 0) return [];
  return finding("gpu-label-missing", node, {
    evidence: [
      ...missing.map(([key, value]) =>
        evidenceOf(node, `metadata.labels[${key}]`, `${labels[key] ?? "missing"}, selected ${value}`),
      ),
      evidenceOf(node, "metadata.labels[nvidia.com/gpu.present]", labels["nvidia.com/gpu.present"] ?? "missing"),
    ],
    sign: gpuNodeEvidence(node),
  });
}

/**
 * A component of the GPU Operator that works through states, which it writes to a label of the node.
 *
 * @see https://github.com/NVIDIA/mig-parted/blob/v0.12.1/deployments/container/reconfigure-mig.sh
 * @see https://github.com/NVIDIA/k8s-operator-libs/blob/v0.1.0/pkg/upgrade/consts.go
 * @see https://github.com/NVIDIA/vgpu-device-manager/blob/v0.3.0/cmd/nvidia-k8s-vgpu-dm/main.go
 */
type StateMachine = readonly [
  label: string,
  /** The label with what the component is to apply. */
  wanted: string,
  done: RegExp,
  /** The conclusion, before `-failed` or `-pending`. */
  id: "mig-config" | "operand-config" | "driver-upgrade",
  app: string,
];

const machines: readonly StateMachine[] = [
  ["nvidia.com/mig.config.state", "nvidia.com/mig.config", /^success$/, "mig-config", "nvidia-mig-manager"],
  [
    ...(["nvidia.com/vgpu.config.state", "nvidia.com/vgpu.config", /^success$/] as const),
    ...(["operand-config", "nvidia-vgpu-device-manager"] as const),
  ],
  [
    ...(["nvidia.com/cc.mode.state", "nvidia.com/cc.mode", /^(?:on|off|devtools|success)$/] as const),
    ...(["operand-config", "nvidia-cc-manager"] as const),
  ],
  [
    ...(["nvidia.com/gpu-driver-upgrade-state", "nvidia.com/gpu-driver-upgrade-enabled"] as const),
    ...([/^(?:upgrade-done)?$/, "driver-upgrade", "nvidia-driver-daemonset"] as const),
  ],
];

/** What the operator's components do on a node, and what pauses the device plugin there. */
function operatorStates(node: Node, snapshot: ClusterSnapshot): Found {
  const found = machines.flatMap((machine) => stateFinding(node, machine, snapshot));
  return found.length > 0 ? found : paused(node);
}

function stateFinding(node: Node, [label, wanted, done, id, app]: StateMachine, snapshot: ClusterSnapshot): Found {
  const { name, labels } = node.metadata;
  const state = labels[label];
  if (state === undefined || done.test(state)) return [];
  const isFailed = state.endsWith("failed");
  const isAwaited =
    /\bmig\b/.test(label) &&
    snapshot.objects.pods.some((one) => isPending(one) && /\/mig-/.test([...gpuRequest(one.spec).keys()].join()));
  const isHarmless = !isFailed && !isAwaited && advertisesAllGpus(node) && node.spec.unschedulable !== true;
  const pods = snapshot.podsOn(name).filter((pod) => holdsResources(pod) && requestsGpu(pod));
  return finding(`${id}-${isFailed ? "failed" : "pending"}`, node, {
    level: isHarmless ? "notice" : "problem",
    atMost: isFailed || !advertisesAllGpus(node) ? undefined : "likely",
    evidence: [
      ...[label, wanted].flatMap((key) => (labels[key] === undefined ? [] : [labelEvidence(node, key)])),
      pods.length > 0 ? evidenceOf(node, "pods with GPUs", listNames(pods.map(podKey))) : undefined,
    ],
    ...{ app, state },
  });
}

function labelEvidence(node: Node, key: string) {
  return evidenceOf(node, `metadata.labels[${key}]`, node.metadata.labels[key] ?? "missing");
}

/** Labels that keep the operator's DaemonSets off a node. The operator sets them to true, its components to paused-for-. */
const deployLabel =
  /^nvidia\.com\/gpu\.deploy\.(?:operands|device-plugin|driver|container-toolkit|operator-validator)$/;

function paused(node: Node): Found {
  const { labels } = node.metadata;
  const keys = Object.keys(labels).filter(
    (key) => deployLabel.test(key) && /^(?:false|paused-)/.test(labels[key] ?? ""),
  );
  const isForVms = /^vm-/.test(labels["nvidia.com/gpu.workload.config"] ?? "");
  const shown = [...keys, ...(isForVms ? ["nvidia.com/gpu.workload.config"] : [])];
  const [first] = shown;
  if (first === undefined || advertisesAllGpus(node)) return [];
  return finding("operand-paused", node, {
    evidence: shown.slice(0, 4).map((key) => labelEvidence(node, key)),
    change: keys.length === 0 ? `${first}-` : `${keys.map((key) => `${key}=true`).join(" ")} --overwrite`,
  });
}
