import {
  isPlainObject,
  join,
  keysOf,
  matching,
  noObject,
  oneOf,
  onlyKeys,
  trueOrFalse,
  wholeNumber,
} from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { kubernetesMinorProblems } from "../../core/kubernetes-minor";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { transformProblems } from "../../core/transform";
import { repositoryProblems } from "./chart-source";
import { exactChartVersion, isOlder, kubernetesFit } from "./compatibility";
import { operatorValuesProblems } from "./custom-values";
import { gpuHealthEngines } from "../health/gpu-health";
import { isTaint } from "../../nodes/scheduling/taints";
import { gpuOperatorDefaults, type GpuOperatorArgs, type GpuOperatorTransform } from "./gpu-operator-args";
import { sharingProblems } from "./gpu-sharing";

export { gpuOperatorDefaults };

/** The arguments after defaults, as configuration may really have filled them. */
type Given = Readonly<Record<string, unknown>>;

const gpuOperatorKeys = keysOf<GpuOperatorArgs>({
  kubernetesVersion: true,
  chartVersion: true,
  namespace: true,
  repository: true,
  devicePlugin: true,
  dcgmExporter: true,
  serviceMonitor: true,
  validatorWorkload: true,
  timeSlicing: true,
  mps: true,
  migCapable: true,
  migStrategy: true,
  taints: true,
  health: true,
  controllerNodeSelector: true,
  values: true,
  timeoutSeconds: true,
  cluster: true,
  transform: true,
});

export const gpuOperatorTransformKeys = keysOf<GpuOperatorTransform>({ namespace: true, release: true });

/** Everything that is wrong with the arguments of a GpuOperator. `at` leads the paths, e.g. `gpuOperator`. */
export function gpuOperatorProblems(args: GpuOperatorArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Given = withDefaults(args, gpuOperatorDefaults);
  return [
    ...onlyKeys(at, args, gpuOperatorKeys),
    ...versionProblems(given, at),
    ...placeProblems(given, at),
    ...partProblems(given, at),
    ...sharingProblems(given, at),
    ...timeoutProblems(given, at),
    ...valuesProblems(given, at),
    ...transformProblems(join(at, "transform"), args.transform, gpuOperatorTransformKeys),
  ];
}

function versionProblems({ chartVersion, kubernetesVersion, health }: Given, at: string): Problem[] {
  const path = join(at, "chartVersion");
  const exact = exactChartVersion(chartVersion, path);
  const minor = kubernetesMinorProblems(join(at, "kubernetesVersion"), kubernetesVersion);
  if (exact.length > 0 || typeof chartVersion !== "string") return [...exact, ...minor];
  const fit = minor.length > 0 ? minor : kubernetesFit(chartVersion, String(kubernetesVersion), path);
  if (fit.length > 0 || health !== "node-monitor" || !isOlder(chartVersion, "v26.3.0")) return fit;
  const why = `The exporter of chart ${chartVersion} has no host network, so it cannot reach the node monitor's DCGM engine.`;
  const engine = join(at, "health");
  return [{ code: "conflict", path: engine, got: health, why, fix: `set ${engine} to "operator" or "off"` }];
}

/** A namespace that is there already, which the component could not make. */
const reservedNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

function placeProblems({ namespace, repository, controllerNodeSelector }: Given, at: string): Problem[] {
  const path = join(at, "namespace");
  const fix = `set ${path} to a name of its own, e.g. "gpu-operator"`;
  const form = "a DNS label: 1 to 63 lower-case letters, digits and dashes, with a letter or digit at both ends";
  const label = matching(path, namespace, /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, form, fix);
  const why = "Every cluster has this namespace; the component makes its own and labels it privileged.";
  return [
    ...label,
    ...(reservedNamespaces.some((name) => name === namespace)
      ? [{ code: "not-allowed" as const, path, got: namespace, why, fix }]
      : []),
    ...repositoryProblems(repository, join(at, "repository")),
    ...selectorProblems(controllerNodeSelector, join(at, "controllerNodeSelector")),
  ];
}

function selectorProblems(got: unknown, path: string): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (isRecord(got) && Object.values(got).every((value) => typeof value === "string")) return [];
  const why = "It must hold node labels, each a text.";
  return [{ code: "wrong-type", path, got, why, fix: `set ${path} to labels such as { tier: "primary" }` }];
}

function partProblems(given: Given, at: string): Problem[] {
  const switches = ["devicePlugin", "dcgmExporter", "serviceMonitor", "validatorWorkload", "migCapable"];
  const problems = switches.flatMap((key) => trueOrFalse(join(at, key), given[key]));
  problems.push(
    ...oneOf(join(at, "health"), given["health"], gpuHealthEngines),
    ...taintProblems(given["taints"], join(at, "taints")),
  );
  if (given["serviceMonitor"] === true && given["dcgmExporter"] === false) {
    problems.push({
      code: "conflict",
      path: join(at, "serviceMonitor"),
      got: true,
      why: "It tells Prometheus to read the DCGM exporter, which is off.",
      fix: `set ${join(at, "dcgmExporter")} to true, or leave serviceMonitor out`,
    });
  }
  return problems;
}

/** The form of the taints; what a GPU node group must have is its own to say. */
function taintProblems(got: unknown, path: string): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (Array.isArray(got) && got.every(isTaint)) return [];
  const why = "It must list the taints of the GPU node groups as EKS spells them.";
  const fix = `set ${path} to a list such as [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }]`;
  return [{ code: "wrong-type", path, got, why, fix }];
}

function timeoutProblems({ timeoutSeconds: got }: Given, at: string): Problem[] {
  const path = join(at, "timeoutSeconds");
  if (typeof got !== "number" || !Number.isInteger(got) || got >= 600) {
    return wholeNumber(path, got, { min: 600, max: 7200, unit: "seconds" });
  }
  const why =
    "Pulling the images and starting the pods can take ten minutes, and an install that runs out of time stays half made.";
  return [{ code: "out-of-range", path, got, why, fix: `set ${path} to 600 or more; 900 is the default` }];
}

function valuesProblems({ values, chartVersion, health }: Given, at: string): Problem[] {
  if (values === undefined) return [];
  return operatorValuesProblems(values, {
    at: join(at, "values"),
    engine: gpuHealthEngines.find((engine) => engine === health),
    chartVersion: exactChartVersion(chartVersion).length === 0 ? String(chartVersion) : undefined,
  });
}
