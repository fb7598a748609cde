import type { Node } from "../../objects/node";
import { aboutNode } from "../about";
import { duration, isYoung, secondsBetween } from "../age";
import { asksForGpu } from "../pods";
import { askedPod, conditionOf, devicePluginName, gpuResource, whyGpuNode, type Scene } from "../scene";
import { counted, type Seen } from "../seen";
import { advertisedFindings, noGpuNodes, offerOf } from "./advertised";
import { conditionFindings } from "./conditions";
import type { Finding } from "../../finding";

const mostLines = 8;

/** Second station: are the nodes well, and do they offer their GPUs? */
export function nodeStation(scene: Scene): Seen {
  if (!scene.sees("nodes")) return { lines: [], findings: [] };
  const nodes = inScope(scene);
  const gpuNodes = scene.gpuNodes.filter((node) => nodes.includes(node));
  const shown = scene.dump.subject?.kind === "node" ? nodes : gpuNodes;
  const all = scene.dump.objects.nodes;
  const lines = [
    `${counted(all.length, "node")}, ${scene.gpuNodes.length} with GPUs`,
    ...shown.slice(0, mostLines).map((node) => lineOf(node, scene)),
    ...(shown.length > mostLines ? [`${shown.length - mostLines} more GPU nodes not shown`] : []),
  ];
  const findings = [
    ...(wantsGpu(scene) ? noGpuNodes(scene) : []),
    ...advertisedFindings(gpuNodes, scene),
    ...labelFindings(gpuNodes, scene),
    ...nodes.flatMap((node) => conditionFindings(node, scene)),
  ];
  return { lines, findings };
}

/** A node asked about, the node of a pod asked about, the GPU nodes that a pod waits for, or all. */
function inScope(scene: Scene): readonly Node[] {
  const { subject, objects } = scene.dump;
  if (subject?.kind === "node") return objects.nodes.filter(({ metadata }) => metadata.name === subject.name);
  if (subject === undefined) return objects.nodes;
  const pod = askedPod(scene);
  const own = objects.nodes.filter(({ metadata }) => metadata.name === pod?.spec.nodeName);
  return own.length > 0 ? own : pod === undefined || asksForGpu(pod) ? scene.gpuNodes : [];
}

function wantsGpu(scene: Scene): boolean {
  if (scene.dump.subject?.kind === "node") return false;
  const pod = askedPod(scene);
  return pod === undefined || asksForGpu(pod);
}

function lineOf(node: Node, scene: Scene): string {
  const { metadata, status, spec } = node;
  const why = whyGpuNode(node);
  const ready = conditionOf(status.conditions, "Ready")?.status;
  const words = { True: "Ready", False: "not Ready", Unknown: "silent" } as const;
  const age = secondsBetween(metadata.creationTimestamp, scene.now);
  const offered = { offers: "offers", zero: "offers 0", missing: "offers none, the key is missing" }[offerOf(node)];
  const amounts = Object.entries(status.allocatable)
    .filter(([name, amount]) => name.startsWith("nvidia.com/") && amount !== "0")
    .map(([name, amount]) => `${amount} ${name}`);
  return [
    metadata.name,
    words[ready as keyof typeof words] ?? "Ready not known",
    ...(spec.unschedulable === true ? ["cordoned"] : []),
    ...(age === undefined ? [] : [`${duration(age)} old`]),
    why === undefined ? "no GPU" : `${offered} ${amounts.join(", ")}`.trim(),
    ...(why === undefined ? [] : [`known by its ${why}`]),
  ].join(", ");
}

/** A GPU node that the device plugin's DaemonSet does not select: nobody has labelled it. */
function labelFindings(gpuNodes: readonly Node[], scene: Scene): Finding[] {
  const [plugin] = scene.devicePlugins;
  if (plugin?.metadata.name !== devicePluginName) return [];
  const selector = Object.entries(plugin.spec.template.spec.nodeSelector);
  return gpuNodes.flatMap((node): Finding[] => {
    const { name, labels } = node.metadata;
    const lacking = selector.filter(([key, value]) => labels[key] !== value);
    if (lacking.length === 0 || offerOf(node) === "offers" || isYoung(node, scene.now)) return [];
    return [
      {
        id: "gpu-label-missing",
        ...aboutNode(node),
        level: "problem",
        sure: "certain",
        what: `The node has a GPU (${whyGpuNode(node)}), and not the label by which the device plugin's DaemonSet chooses nodes. The operator sets it where node feature discovery has found NVIDIA's PCI id.`,
        evidence: [
          ...lacking.map(([key, value]) => ({
            object: `node/${name}`,
            field: `metadata.labels[${key}]`,
            value: `${labels[key] ?? "missing"}, wanted ${value}`,
          })),
          {
            object: `node/${name}`,
            field: "metadata.labels[nvidia.com/gpu.present]",
            value: labels["nvidia.com/gpu.present"] ?? "missing",
          },
        ],
        next: [
          {
            why: "Whether node feature discovery runs there, and tolerates the node's taints",
            command: `kubectl -n ${scene.operatorNamespace} get pods -o wide --field-selector spec.nodeName=${name}`,
          },
          { why: `What it has found`, command: `kubectl get node ${name} -o yaml | grep -E 'pci-10de|${gpuResource}'` },
        ],
      },
    ];
  });
}
