import type { Problem } from "../../components/core/problems";
import { gpuOperatorChart, kubePrometheusStackChart, kubernetesVersion } from "../../components/core/versions";

const pins = { gpuOperatorChart: gpuOperatorChart.version, kubePrometheusStackChart: kubePrometheusStackChart.version };

/**
 * The wording of problems, one line each, for the one snapshot of a section. Pinned versions are replaced by their names,
 * so that a new pin changes no snapshot.
 */
export function wording(problems: readonly Problem[]): string {
  const lines = problems.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`).join("\n");
  return Object.entries({ ...pins, kubernetesVersion }).reduce(
    (text, [name, version]) => text.replaceAll(version, `<${name}>`),
    lines,
  );
}
