/**
 * Labels of nodes that the alerts and the dashboard join on. kube-state-metrics exports only the labels on its
 * allowlist: `nvidia.com/gpu.present` becomes `label_nvidia_com_gpu_present` of `kube_node_labels`.
 * @see https://github.com/kubernetes/kube-state-metrics/blob/v2.20.0/docs/developer/cli-arguments.md
 */
const joinedNodeLabels: readonly string[] = ["nvidia.com/gpu.present", "nvidia.com/gpu"];

/** Exported too, because they help to identify a node. */
const helpfulNodeLabels: readonly string[] = [
  "nvidia.com/gpu.product",
  "tier",
  "node.kubernetes.io/instance-type",
  "eks.amazonaws.com/nodegroup",
  "topology.kubernetes.io/zone",
];

/** One entry of `metricLabelsAllowlist`, with further labels. */
export function nodeLabelAllowlist(more: readonly string[]): string {
  return `nodes=[${[...new Set([...joinedNodeLabels, ...helpfulNodeLabels, ...more])].join(",")}]`;
}

/** Labels that alerts join on and that an allowlist does not export. `nodes=[*]` exports all. */
export function labelsLeftOut(allowlist: readonly unknown[]): string[] {
  const exported = allowlist.flatMap((entry) => {
    const [, labels = ""] = /^\s*nodes=\[([^\]]*)\]\s*$/.exec(typeof entry === "string" ? entry : "") ?? [];
    return labels.split(",").map((label) => label.trim());
  });
  return exported.includes("*") ? [] : joinedNodeLabels.filter((label) => !exported.includes(label));
}
