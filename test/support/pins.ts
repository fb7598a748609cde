import {
  amiReleases,
  clusterAutoscalerChart,
  gpuOperatorChart,
  kubePrometheusStackChart,
  kubernetesVersion,
  loadBalancerControllerChart,
  pinnedAddons,
} from "../../components/core/versions";

/** Pinned versions by name. One that contains another comes first. */
const pins: Readonly<Record<string, string>> = {
  amiRelease: amiReleases[kubernetesVersion] ?? "",
  gpuOperatorChart: gpuOperatorChart.version,
  loadBalancerControllerChart: loadBalancerControllerChart.version,
  clusterAutoscalerChart: clusterAutoscalerChart.version,
  kubePrometheusStackChart: kubePrometheusStackChart.version,
  clusterAutoscalerImage: clusterAutoscalerChart.imageTags[kubernetesVersion] ?? "",
  kubernetesVersion,
};

/** A text with `<name>` for each pinned version that messages contain, so that a new pin changes no snapshot. */
export function withPinNames(text: string): string {
  return Object.entries(pins).reduce((named, [name, version]) => named.replaceAll(version, `<${name}>`), text);
}

/** A text with the pinned version for each `<name>`, which may be that of an add-on. */
export function withPins(text: string): string {
  const all = { ...pins, ...pinnedAddons[kubernetesVersion] };
  return Object.entries(all).reduce((pinned, [name, version]) => pinned.replaceAll(`<${name}>`, version), text);
}
