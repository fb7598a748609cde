import {
  amiReleases,
  clusterAutoscalerChart,
  gpuOperatorChart,
  kubernetesVersion,
  loadBalancerControllerChart,
  pinnedAddons,
} from "../../../components/core/versions";

/** Pinned versions by name. */
const pins: Readonly<Record<string, string>> = {
  kubernetesVersion,
  amiRelease: amiReleases[kubernetesVersion] ?? "",
  gpuOperatorChart: gpuOperatorChart.version,
  loadBalancerControllerChart: loadBalancerControllerChart.version,
  clusterAutoscalerChart: clusterAutoscalerChart.version,
  ...pinnedAddons[kubernetesVersion],
};

/** A text with the pinned version for each `<name>`. */
export function withPins(text: string): string {
  return Object.entries(pins).reduce((pinned, [name, version]) => pinned.replaceAll(`<${name}>`, version), text);
}
