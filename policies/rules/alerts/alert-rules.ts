import { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource } from "../../engine/resource";
import { openPaths } from "../../../components/core/reader/truth";
import { yamlDocuments } from "../../engine/yaml";
import { blocks } from "../workloads/each";
import { chartReference, installers } from "../operator/chart-reference";

export const prometheusRule = "kubernetes:monitoring.coreos.com/v1:PrometheusRule";
export const configMap = "kubernetes:core/v1:ConfigMap";

/** What may carry alert rules. */
export const carriers: readonly string[] = [prometheusRule, configMap, ...installers];

/** The alert rules that a resource carries. */
export interface AlertRules {
  readonly rules: readonly Reader[];
  /** Paths where more may stand. */
  readonly open: readonly string[];
}

/** More than any cluster has; only YAML whose aliases multiply comes this far. */
const most = 10_000;

export function alertRules(carrier: Resource): AlertRules {
  const rules: Reader[] = [];
  const open: string[] = [];
  const walk = <T>(items: Reading<readonly T[]>, visit: (item: T) => void): void => {
    open.push(...openPaths(items.is(() => false)));
    for (const item of items.value ?? []) if (rules.length < most) visit(item);
  };
  const ofGroups = (holder: Reader) =>
    walk(blocks(holder.list("groups")), (group) => walk(blocks(group.list("rules")), (rule) => void rules.push(rule)));

  if (carrier.type === prometheusRule) ofGroups(carrier.at("spec"));
  else if (carrier.type === configMap) ofConfigMap(carrier, walk, ofGroups, open);
  else ofChart(carrier, walk, ofGroups, open);
  return { rules, open };
}

type Walk = <T>(items: Reading<readonly T[]>, visit: (item: T) => void) => void;

function ofConfigMap(carrier: Resource, walk: Walk, ofGroups: (holder: Reader) => void, open: string[]): void {
  walk(carrier.entries("data"), ([key, value]) => {
    const text = value.text();
    if (/\.(ya?ml|rules)$/.test(key)) open.push(...openPaths(text.isAbsent));
    for (const document of documents(text.value ?? "", value.path)) ofGroups(document);
  });
}

/** The charts `kube-prometheus-stack` and `prometheus` take rules as values. */
function ofChart(carrier: Resource, walk: Walk, ofGroups: (holder: Reader) => void, open: string[]): void {
  const isPrometheus = carrier.text("chart").is((chart) => /prometheus/.test(chartReference(chart).name));
  open.push(...openPaths(isPrometheus));
  if (isPrometheus !== true) return;
  walk(blocks(carrier.list("values.additionalPrometheusRules")), ofGroups);
  for (const path of ["values.additionalPrometheusRulesMap", "values.serverFiles"]) {
    walk(carrier.entries(path), ([, holder]) => ofGroups(holder));
  }
}

/** Few ConfigMaps hold rules: most texts need no parser. */
function documents(text: string, path: string): Reader[] {
  const mayHoldRules = text.includes("groups") && text.includes("expr");
  const said = mayHoldRules ? yamlDocuments(text) : undefined;
  return (said ?? []).map((document) => new Reader(document, path));
}
