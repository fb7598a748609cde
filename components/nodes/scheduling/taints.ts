import { onlyKeys } from "../../core/checks";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { labelValue, listOf, qualifiedName } from "../checks";

/** A taint effect the way EKS spells it. */
export type TaintEffect = "NO_SCHEDULE" | "NO_EXECUTE" | "PREFER_NO_SCHEDULE";

/** Keeps pods without a matching toleration off the nodes of a group. */
export interface Taint {
  /** A qualified name such as `nvidia.com/gpu`. */
  readonly key: string;
  /** At most 63 characters. @default no value - a toleration with the operator Exists needs none */
  readonly value?: string;
  readonly effect: TaintEffect;
}

/** The taint of every GPU node: pods that ask for no GPU stay away. The GPU Operator's DaemonSets tolerate it. */
export const gpuTaint: Taint = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };

const kubernetesEffects = {
  NO_SCHEDULE: "NoSchedule",
  NO_EXECUTE: "NoExecute",
  PREFER_NO_SCHEDULE: "PreferNoSchedule",
} as const;

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html */
const mostTaints = 50;

/** `NoSchedule` for `NO_SCHEDULE`: Kubernetes' own spelling, as tolerations take it. */
export function kubernetesEffect(effect: TaintEffect): (typeof kubernetesEffects)[TaintEffect] {
  return kubernetesEffects[effect];
}

/** `true:NoSchedule`: what the Cluster Autoscaler reads from the tag of a taint. */
export function autoscalerTaint(taint: Taint): string {
  return `${taint.value ?? ""}:${kubernetesEffect(taint.effect)}`;
}

/** `more` behind `fixed`, without those that repeat a fixed one, and without what is no taint at all. */
export function mergeTaints(fixed: readonly Taint[], more: readonly Taint[]): Taint[] {
  const same = (a: Taint, b: Taint) => a.key === b.key && a.effect === b.effect && (a.value ?? "") === (b.value ?? "");
  const repeats = (taint: Taint) => fixed.some((own) => same(own, taint));
  return [...fixed, ...more.filter((taint) => isRecord(taint) && !repeats(taint))];
}

/** Problems of a list of taints that a group adds to its `fixed` ones. */
export function taintProblems(got: unknown, path: string, fixed: readonly Taint[]): Problem[] {
  const example = '[{ key: "team", value: "research", effect: "NO_SCHEDULE" }]';
  const list = listOf(got, path, example);
  if (!list.ok) return list.problems;
  const each = list.items.flatMap((item, index) => problemsOfTaint(item, `${path}[${index}]`));
  const all = mergeTaints(fixed, list.items as readonly Taint[]);
  const tooMany: Problem[] = all.length <= mostTaints ? [] : [crowd(path, list.items, fixed)];
  return [...each, ...tooMany, ...clashes(list.items, path, fixed)];
}

function crowd(path: string, items: readonly unknown[], fixed: readonly Taint[]): Problem {
  const why = `EKS takes ${mostTaints} taints a group, and ${fixed.length} is there already.`;
  return { code: "out-of-range", path, got: items.length, why, fix: `keep ${mostTaints - fixed.length} or fewer` };
}

function problemsOfTaint(got: unknown, path: string): Problem[] {
  if (!isRecord(got)) {
    const fix = `write ${path} as an object such as { key: "team", value: "research", effect: "NO_SCHEDULE" }`;
    return [{ code: "wrong-type", path, got, why: "It must be an object with key, value and effect.", fix }];
  }
  return [
    ...onlyKeys(path, got, ["key", "value", "effect"]),
    ...qualifiedName(got["key"], `${path}.key`),
    ...(got["value"] === undefined ? [] : labelValue(got["value"], `${path}.value`)),
    ...effectProblems(got["effect"], `${path}.effect`),
  ];
}

/** Whether a value has the form of a taint: a key, and an effect as EKS spells it. */
export function isTaint(value: unknown): value is Taint {
  return isRecord(value) && typeof value["key"] === "string" && isEffect(value["effect"]);
}

function isEffect(value: unknown): value is TaintEffect {
  return typeof value === "string" && Object.hasOwn(kubernetesEffects, value);
}

function effectProblems(got: unknown, path: string): Problem[] {
  if (isEffect(got)) return [];
  const effects = Object.keys(kubernetesEffects);
  const meant = Object.entries(kubernetesEffects).find(([, spelling]) => spelling === got)?.[0];
  const choices = effects.map((effect) => `"${effect}"`).join(", ");
  return meant
    ? [{ code: "not-allowed", path, got, why: "This is Kubernetes' spelling, not EKS's.", fix: `write "${meant}"` }]
    : [{ code: "not-allowed", path, got, why: `It must be one of ${choices}.`, fix: `set ${path} to one of them` }];
}

/** Kubernetes tells the taints of a node apart by key and effect. Repeating one of the group's own changes nothing. */
function clashes(items: readonly unknown[], path: string, fixed: readonly Taint[]): Problem[] {
  const seen = new Map<string, string>();
  return items.flatMap((got, index): Problem[] => {
    if (!isRecord(got) || typeof got["key"] !== "string" || typeof got["effect"] !== "string") return [];
    const pair = `${got["key"]}:${got["effect"]}`;
    const own = fixed.find((taint) => `${taint.key}:${taint.effect}` === pair);
    if (own && own.value === got["value"]) return [];
    const first = own ? `the group's own (value "${own.value}")` : seen.get(pair);
    seen.set(pair, `${path}[${index}]`);
    if (first === undefined) return [];
    const why = `A node has one taint of each key and effect, and ${first} has this key and effect already.`;
    return [{ code: "conflict", path: `${path}[${index}]`, got, why, fix: `remove ${path}[${index}]` }];
  });
}
