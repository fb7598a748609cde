import { openPaths, Reader, Undetermined, type Reading, type Truth } from "../engine/values";
import type { Resource } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { chartsOf, installers } from "./charts";
import { chartReference, type InstalledChart } from "./installed-chart";
import { blocks, openIn } from "./lists";

const prometheusRule = "kubernetes:monitoring.coreos.com/v1:PrometheusRule";
const configMap = "kubernetes:core/v1:ConfigMap";

/** The types that may contain alert rules. */
export const alertRuleTypes: readonly string[] = [prometheusRule, configMap, ...installers];

/** More rules than any cluster has. Only YAML with nested aliases reaches this number. */
const most = 10_000;

/** The alert rules in a resource, and unknown paths that may contain more. */
export function alertRules(carrier: Resource) {
  const rules: Reader[] = [];
  const open: string[] = [];
  const walk = <T>(items: Reading<readonly T[]>, visit: (item: T) => void): void => {
    open.push(...openPaths(openIn(items)));
    for (const item of items.value ?? []) if (rules.length < most) visit(item);
  };
  const ofGroups = (holder: Reader) =>
    walk(blocks(holder.list("groups")), (group) => walk(blocks(group.list("rules")), (rule) => void rules.push(rule)));
  const ofFile = ([key, value]: readonly [string, Reader]) => {
    const text = value.text();
    if (/\.(ya?ml|rules)$/.test(key)) open.push(...openPaths(text.isAbsent));
    // Few ConfigMaps contain rules, so most texts are not parsed.
    const mayContainRules = text.is((content) => content.includes("groups") && content.includes("expr"));
    const documents = mayContainRules === true ? yamlDocuments(text.value ?? "") : undefined;
    for (const document of documents ?? []) ofGroups(new Reader(document, value.path));
  };
  // The charts `kube-prometheus-stack` and `prometheus` have rules in their values.
  const ofChart = ({ reference, values }: InstalledChart) => {
    const isPrometheus = reference.is((chart) => /prometheus/.test(chartReference(chart).name));
    open.push(...openPaths(isPrometheus));
    if (isPrometheus !== true) return;
    walk(blocks(values.list("additionalPrometheusRules")), ofGroups);
    for (const path of ["additionalPrometheusRulesMap", "serverFiles"]) {
      walk(values.entries(path), ([, holder]) => ofGroups(holder));
    }
  };
  if (carrier.type === prometheusRule) ofGroups(carrier.at("spec"));
  else if (carrier.type === configMap) walk(carrier.entries("data"), ofFile);
  else chartsOf(carrier).forEach(ofChart);
  return { rules, open };
}

/** The depth of recording rules that use other recording rules. */
const deepest = 5;

/** Matches alerts on GPUs, also through the recording rules of a stack that rename the number of GPUs. */
export function gpuAlertMatcher(rules: readonly Reader[]) {
  const recording = rules.filter((rule) => rule.text("record").isAbsent !== true);
  const recorded = namesOf(recording);
  const open = new Undetermined(recording.flatMap((rule) => openNames(rule, recorded)));
  const matches = (condition: typeof checksForZero) => (rule: Reader) =>
    rule.text("expr").is((expression): Truth => {
      if (condition(expression, recorded)) return true;
      return open.paths.length > 0 && mayMatch(expression) && open;
    });
  return { checksForZero: matches(checksForZero), checksForAbsence: matches(checksForAbsence) };
}

function namesOf(recording: readonly Reader[]): Recorded {
  const names = new Set<string>();
  for (let pass = 0; pass < deepest; pass++) {
    const before = names.size;
    for (const rule of recording) {
      const name = rule.text("record").value;
      if (name !== undefined && rule.text("expr").is((expression) => countsGpus(expression, names)) === true)
        names.add(name);
    }
    if (names.size === before) break;
  }
  return names;
}

/** Unknown paths that decide whether a recording rule renames the number of GPUs. */
function openNames(rule: Reader, recorded: Recorded): readonly string[] {
  const counts = rule.text("expr").is((expression) => countsGpus(expression, recorded));
  return counts === false ? [] : [...openPaths(counts), ...openPaths(rule.text("record").isAbsent)];
}

/** Names of recording rules for the number of GPUs. */
type Recorded = ReadonlySet<string>;

/** The placeholder for the GPUs of nodes in an expression. */
const gpus = "nvidia_com_gpu";

/**
 * Whether an expression checks that the GPUs of nodes are absent. The kubelet keeps a resource without a plugin and
 * sets its number to 0, so the series stays and `absent()` does not match.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/nodestatus/setters.go
 */
export function checksForAbsence(expression: string, recorded: Recorded = new Set()): boolean {
  const opened: boolean[] = [];
  let absences = 0;
  for (const [token] of plain(expression, recorded).matchAll(/\babsent(_over_time)? ?\(|\(|\)|nvidia_com_gpu/g)) {
    if (token === gpus) {
      if (absences > 0) return true;
    } else if (token === ")") {
      if (opened.pop() === true) absences--;
    } else {
      opened.push(token !== "(");
      if (token !== "(") absences++;
    }
  }
  return false;
}

/** Whether an expression finds nodes that have the resource but advertise 0 GPUs. */
export function checksForZero(expression: string, recorded: Recorded = new Set()): boolean {
  const text = plain(expression, recorded);
  return isOfGpus(text) && comparesWithZero.test(text);
}

/** Whether an expression is about the GPUs of nodes, so that a recording rule with it renames their number. */
export function countsGpus(expression: string, recorded: Recorded = new Set()): boolean {
  return isOfGpus(plain(expression, recorded));
}

/** Whether an expression could match, whatever the recording rules are. */
export function mayMatch(expression: string): boolean {
  const text = plain(expression, new Set());
  return comparesWithZero.test(text) || /\babsent/.test(text);
}

const comparesWithZero = /((==|<=) ?(bool )?0|< ?(bool )?1)(?![\d.])/;

function isOfGpus(text: string): boolean {
  return text.includes("kube_node_status_allocatable") && text.includes(gpus);
}

/** The pattern in a matcher of the label `resource` that matches GPUs. It is never executed, because it may not end. */
const gpuPattern = /nvidia|gpu|^\.[*+]$/;

const strings = /(\bresource ?=~ ?)?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|#[^\n]*/g;

/** Longer than real expressions, and short enough for a fast search. */
const longest = 10_000;

/**
 * Normalizes an expression: single spaces, no comments, and only strings that match the GPUs. Replaces the names of
 * recording rules.
 */
function plain(expression: string, recorded: Recorded): string {
  const withoutTexts = expression
    .replace(/\s+/g, (blanks) => (blanks.includes("\n") ? "\n" : " "))
    .slice(0, longest)
    .replace(strings, (_, pattern: string | undefined, text: string | undefined = "") => {
      const names = pattern === undefined ? text.includes(gpus) : gpuPattern.test(text.slice(1, -1));
      return names ? gpus : "";
    })
    .replace(/\n/g, " ");
  if (recorded.size === 0) return withoutTexts;
  return withoutTexts.replace(/[A-Za-z_:][\w:]*/g, (name) =>
    recorded.has(name) ? `kube_node_status_allocatable{${gpus}}` : name,
  );
}
