import { installProblems } from "../../cluster/controllers/controller-release";
import { isPlainObject, join, keysOf, noObject, onlyKeys, trueOrFalse, wholeNumber } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { transformProblems } from "../../core/transform";
import { kubePrometheusStackChart as chart } from "../../core/versions";
import { qualifiedName } from "../../nodes/checks";
import { dnsLabelProblems } from "../../workloads/shared/names";
import { objectLabelsProblems } from "../object-labels";
import { monitoringDefaults, type MonitoringArgs, type MonitoringTransform } from "./monitoring-args";
import { monitoringValuesProblems } from "./monitoring-custom-values";

type Given = Readonly<Record<string, unknown>>;

const monitoringKeys = keysOf<MonitoringArgs>({
  chartVersion: true,
  namespace: true,
  repository: true,
  nodeSelector: true,
  grafana: true,
  alertmanager: true,
  retentionHours: true,
  retentionGiB: true,
  nodeLabels: true,
  values: true,
  timeoutSeconds: true,
  cluster: true,
  transform: true,
});

export const monitoringTransformKeys = keysOf<MonitoringTransform>({ namespace: true, release: true });

/** Everything that is wrong with the arguments of a Monitoring. `at` leads the paths. */
export function monitoringProblems(args: MonitoringArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Given = withDefaults(args, monitoringDefaults);
  return [
    ...onlyKeys(at, args, monitoringKeys),
    ...chartProblems(given, at),
    ...namespaceProblems(join(at, "namespace"), given["namespace"]),
    ...objectLabelsProblems(join(at, "nodeSelector"), given["nodeSelector"], '{ tier: "primary" }'),
    ...trueOrFalse(join(at, "grafana"), given["grafana"]),
    ...trueOrFalse(join(at, "alertmanager"), given["alertmanager"]),
    ...wholeNumber(join(at, "retentionHours"), given["retentionHours"], { min: 3, max: 360, unit: "hours" }),
    ...wholeNumber(join(at, "retentionGiB"), given["retentionGiB"], { min: 1, max: 20, unit: "GiB" }),
    ...nodeLabelProblems(join(at, "nodeLabels"), given["nodeLabels"]),
    ...(given["values"] === undefined ? [] : monitoringValuesProblems(given["values"], join(at, "values"))),
    ...transformProblems(join(at, "transform"), args.transform, monitoringTransformKeys),
  ];
}

function chartProblems({ chartVersion, repository, timeoutSeconds }: Given, at: string): Problem[] {
  const install = { chartVersion, repository, timeoutSeconds } as Parameters<typeof installProblems>[0];
  const problems = installProblems(install, chart, at);
  const [series = ""] = chart.version.split(".");
  const path = join(at, "chartVersion");
  const isOther = typeof chartVersion === "string" && !chartVersion.replace(/^v/, "").startsWith(`${series}.`);
  if (problems.length > 0 || !isOther) return problems;
  const why = `The values that this library writes are those of the ${series} series; another may name them otherwise, and Helm would say nothing.`;
  const fix = `set ${path} to "${chart.version}" or a later one of its series, or use transform.release`;
  return [{ code: "version", path, got: chartVersion, why, fix }];
}

/** A namespace that is there already, which the component could not make. */
const reservedNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

function namespaceProblems(path: string, got: unknown): Problem[] {
  if (!reservedNamespaces.some((name) => name === got)) return dnsLabelProblems(path, got);
  const why = "Every cluster has this namespace; the component makes its own and labels it privileged.";
  return [{ code: "not-allowed", path, got, why, fix: `set ${path} to a name of its own, e.g. "monitoring"` }];
}

function nodeLabelProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!Array.isArray(got)) {
    const fix = `set ${path} to a list such as ["example.com/team"]`;
    return [{ code: "wrong-type", path, got, why: "It must list names of node labels.", fix }];
  }
  // A comma or a bracket would end the list of kube-state-metrics; a star would export every label of every node.
  return got.flatMap((label, i) => qualifiedName(label, `${path}[${i}]`));
}
