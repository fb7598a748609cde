import { labelValue, qualifiedName } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { s, type Schema } from "../../core/schema";

/** A taint effect, in EKS's spelling. */
export type TaintEffect = "NO_SCHEDULE" | "NO_EXECUTE" | "PREFER_NO_SCHEDULE";

/** Keeps pods without a matching toleration off the nodes of a group. */
export interface Taint {
  /** A qualified name such as `nvidia.com/gpu`. */
  readonly key: string;
  /** At most 63 characters. @default no value - a toleration with the operator Exists needs none */
  readonly value?: string;
  /** What happens to pods without the toleration: NO_SCHEDULE, PREFER_NO_SCHEDULE, or NO_EXECUTE, which also evicts. */
  readonly effect: TaintEffect;
}

/** The taint of every GPU node, which repels pods without a GPU. The GPU Operator's DaemonSets tolerate it. */
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

/** `more` after `fixed`, without those that repeat a fixed one. */
export function mergeTaints(fixed: readonly Taint[], more: readonly Taint[]): Taint[] {
  const same = (a: Taint, b: Taint) => a.key === b.key && a.effect === b.effect && (a.value ?? "") === (b.value ?? "");
  const repeats = (taint: Taint) => fixed.some((own) => same(own, taint));
  return [...fixed, ...more.filter((taint) => !repeats(taint))];
}

/** Taints that a user adds to a group's own ones. */
export function taintList() {
  const example = '[{ key: "team", value: "research", effect: "NO_SCHEDULE" }]';
  return s.list(taint, example);
}

const taint: Schema<Taint> = s.section({
  key: qualifiedName(),
  value: s.optional(labelValue()),
  effect: s.oneOf(
    ["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"],
    Object.fromEntries(Object.entries(kubernetesEffects).map(([eks, kubernetes]) => [kubernetes, eks])),
  ),
});

/** Conflicts of valid taints that a user adds to the `fixed` taints of a group. */
export function taintConflicts(taints: readonly Taint[], path: string, fixed: readonly Taint[]): Problem[] {
  const tooMany = mergeTaints(fixed, taints).length > mostTaints;
  const why = `EKS accepts ${mostTaints} taints per group, and the group sets ${fixed.length} itself.`;
  const fix = `keep ${mostTaints - fixed.length} or fewer`;
  return [
    ...(tooMany ? [{ code: "out-of-range", path, got: taints.length, why, fix } as const] : []),
    ...clashes(taints, path, fixed),
  ];
}

/** A node has one taint for each key and effect. A repeated taint of the group changes nothing. */
function clashes(taints: readonly Taint[], path: string, fixed: readonly Taint[]): Problem[] {
  const seen = new Map<string, string>();
  return taints.flatMap((got, index): Problem[] => {
    const pair = `${got.key}:${got.effect}`;
    const own = fixed.find((taint) => `${taint.key}:${taint.effect}` === pair);
    if (own && own.value === got.value) return [];
    const first = own ? `the group's own (value "${own.value}")` : seen.get(pair);
    seen.set(pair, `${path}[${index}]`);
    if (first === undefined) return [];
    const why = `A node has one taint for each key and effect, and ${first} already has this key and effect.`;
    return [{ code: "conflict", path: `${path}[${index}]`, got, why, fix: `remove ${path}[${index}]` }];
  });
}
