import { countOf } from "../../../components/core/text";
import { finding, type Found } from "../../conclusions";
import { devicePluginName, subjectPod, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { advertisesGpus, conditionOf, gpuAdvertisement, gpuNodeEvidence, gpuResource } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { requestsGpu } from "../../snapshot/pods";
import { formatDuration, isNew, secondsBetween } from "../../snapshot/time";
import { type CheckResult, evidenceOf } from "../finding-parts";
import { allocatableFindings, noGpuNodes } from "./allocatable";
import { conditionFindings } from "./conditions";
import { operatorStates } from "./operator-states";
import { scaleUpFindings } from "./scale-up";

const maxLines = 8;

/** Layer 2: whether the nodes are healthy and advertise their GPUs. */
export function checkNodes(snapshot: ClusterSnapshot): CheckResult {
  if (!snapshot.wasRead("nodes")) return { lines: [], findings: [] };
  const nodes = nodesInScope(snapshot);
  const gpuNodes = snapshot.gpuNodes.filter((node) => nodes.includes(node));
  const shown = snapshot.subject?.kind === "node" ? nodes : gpuNodes;
  const lines = [
    `${countOf(snapshot.objects.nodes.length, "node")}, ${snapshot.gpuNodes.length} with GPUs`,
    ...shown.slice(0, maxLines).map((node) => lineOf(node, snapshot)),
    ...(shown.length > maxLines ? [`${shown.length - maxLines} more GPU nodes not shown`] : []),
  ];
  const findings = [
    ...(needsGpuNodes(snapshot) ? [...scaleUpFindings(snapshot), noGpuNodes(snapshot)].flat() : []),
    ...allocatableFindings(gpuNodes, snapshot),
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
