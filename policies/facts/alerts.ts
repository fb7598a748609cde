import { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { openPaths, Undetermined, type Truth } from "../../components/core/reader/truth";
import type { Resource } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { chartReference, installers } from "./charts";
import { blocks } from "./lists";

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

/** What alerts ask, where recording rules may have given the number of GPUs another name. */
export interface Questions {
  readonly asksForZero: (rule: Reader) => Truth;
  readonly asksForAbsence: (rule: Reader) => Truth;
}

/** How often a recording rule may stand on another. */
const deepest = 5;

/** Reads expressions in the light of all recording rules of a stack. */
export function questions(rules: readonly Reader[]): Questions {
  const recording = rules.filter((rule) => rule.text("record").isAbsent !== true);
  const recorded = namesOf(recording);
  const open = new Undetermined(recording.flatMap((rule) => openNames(rule, recorded)));
  const asked = (rule: Reader, asks: typeof asksForZero): Truth =>
    rule.text("expr").is((expression) => {
      if (asks(expression, recorded)) return true;
      return open.paths.length > 0 && mayAsk(expression) && open;
    });
  return {
    asksForZero: (rule) => asked(rule, asksForZero),
    asksForAbsence: (rule) => asked(rule, asksForAbsence),
  };
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

/** The paths whose values would tell whether a recording rule names the GPUs, and how. */
function openNames(rule: Reader, recorded: Recorded): readonly string[] {
  const counts = rule.text("expr").is((expression) => countsGpus(expression, recorded));
  return counts === false ? [] : [...openPaths(counts), ...openPaths(rule.text("record").isAbsent)];
}

/** What a recording rule may have named the numbers of GPUs, by the names of the rules that are known. */
export type Recorded = ReadonlySet<string>;

/** Stands in an expression for whatever it calls the GPUs of nodes. */
const gpus = "nvidia_com_gpu";

/**
 * Whether an expression asks if the GPUs of nodes are absent. The kubelet keeps the name of a resource whose plugin is
 * gone and sets its number to 0, so the series stays, and `absent()` says nothing.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/nodestatus/setters.go
 */
export function asksForAbsence(expression: string, recorded: Recorded = new Set()): boolean {
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

/** Whether an expression finds nodes that offer no GPU although they have the resource. */
export function asksForZero(expression: string, recorded: Recorded = new Set()): boolean {
  const text = plain(expression, recorded);
  return isOfGpus(text) && comparesWithZero.test(text);
}

/** Whether an expression is of the GPUs that nodes offer, so that a recording rule gives their number a name. */
export function countsGpus(expression: string, recorded: Recorded = new Set()): boolean {
  return isOfGpus(plain(expression, recorded));
}

/** Whether an expression could be one that these functions look for, whatever names stand for the GPUs. */
export function mayAsk(expression: string): boolean {
  const text = plain(expression, new Set());
  return comparesWithZero.test(text) || /\babsent/.test(text);
}

const comparesWithZero = /((==|<=) ?(bool )?0|< ?(bool )?1)(?![\d.])/;

function isOfGpus(text: string): boolean {
  return text.includes("kube_node_status_allocatable") && text.includes(gpus);
}

/** What a matcher of the label `resource` must hold to match the GPUs: it is never run, for it may take for ever. */
const gpuPattern = /nvidia|gpu|^\.[*+]$/;

const strings = /(\bresource ?=~ ?)?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|#[^\n]*/g;

/** More than anybody writes; a search in it takes no time. */
const longest = 10_000;

/**
 * With single blanks, without comments, and without texts but those that name the GPUs. A name of a recording rule
 * becomes what it stands for.
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
