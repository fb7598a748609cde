import { Reader } from "./reader/reader";
import type { Reading } from "./reader/reading";
import { ownValue } from "./reader/records";
import { all, any, not, some, type Truth } from "./reader/truth";

/** The effects that repel a pod: as EKS and Cluster API spell them, with Kubernetes' spelling. */
const repellingEffects: Readonly<Record<string, string>> = {
  ...{ NO_SCHEDULE: "NoSchedule", NO_EXECUTE: "NoExecute" },
  ...{ "no-schedule": "NoSchedule", "no-execute": "NoExecute" },
};

/** An effect of a taint in Kubernetes' spelling. Soft effects stay as they are. */
export function kubernetesEffect(effect: string): string {
  return ownValue(repellingEffects, effect) ?? effect;
}

/** Whether taints repel a pod with these tolerations: one hard taint that it does not tolerate is enough. */
export function repels(taints: Reading<readonly Reader[]>, tolerations: Reading<readonly Reader[]>): Truth {
  return taints.is((items) => some(items, (taint) => taintRepels(taint, tolerations)));
}

/** Whether one taint repels a pod with these tolerations. */
export function taintRepels(taint: Reader, tolerations: Reading<readonly Reader[]>): Truth {
  const isHard = taint.text("effect").is((effect) => {
    return Object.entries(repellingEffects).some((spellings) => spellings.includes(effect));
  });
  return all(isHard, not(tolerates(tolerations, taint)));
}

/** Whether one of the tolerations tolerates a taint, by Kubernetes' rules. */
function tolerates(tolerations: Reading<readonly Reader[]>, taint: Reader): Truth {
  return tolerations.is((items) => some(items, (item) => matches(item, taint)));
}

/** The hard taints of a node that plain tolerations do not tolerate. An unknown value tolerates nothing. */
export function untolerated<T extends object>(tolerations: readonly object[], taints: readonly T[]): T[] {
  const read = new Reader(tolerations).list();
  return taints.filter((taint) => taintRepels(new Reader(taint), read) !== false);
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
function matches(toleration: Reader, taint: Reader): Truth {
  const sameKey = matchesKey(toleration, (own) => taint.text("key").is((other) => own === other));
  const exists = isForAnyValue(toleration);
  const value = taint.text("value").or("");
  const sameValue = toleration
    .text("value")
    .or("")
    .is((own) => value.is((other) => own === other));
  const effect = toleration.text("effect").or("");
  const anyEffect = effect.is((own) => own === "");
  const sameEffect = effect.is((own) => taint.text("effect").is((other) => own === kubernetesEffect(other)));
  return all(sameKey, any(exists, sameValue), any(anyEffect, sameEffect));
}

/** Whether one of the tolerations may tolerate a taint whose value is not known: any value counts. */
export function toleratesKey(tolerations: Reading<readonly Reader[]>, key: string, effect: string): Truth {
  return tolerations.is((items) =>
    some(items, (item) =>
      all(
        matchesKey(item, (own) => own === key),
        item
          .text("effect")
          .or("")
          .is((own) => own === "" || own === effect),
      ),
    ),
  );
}

/** A toleration without a key matches every key, if its operator is Exists. */
function matchesKey(toleration: Reader, isKey: (key: string) => Truth): Truth {
  const key = toleration.text("key").or("");
  const anyKey = all(
    key.is((own) => own === ""),
    isForAnyValue(toleration),
  );
  return any(anyKey, key.is(isKey));
}

function isForAnyValue(toleration: Reader): Truth {
  return toleration.text("operator").is((word) => word === "Exists");
}

/** A requirement of a label selector or of node affinity. */
interface LabelRequirement {
  readonly key: string;
  readonly operator?: string | undefined;
  readonly values: readonly string[];
}

/**
 * Whether labels meet a requirement. A requirement with an unknown operator counts as met.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators
 */
export function meetsRequirement(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = ownValue(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    case undefined:
    default:
      return true;
  }
}

/** Whether labels have every label of a selector such as `nodeSelector`. */
export function hasLabels(
  labels: Readonly<Record<string, string>>,
  selector: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/**
 * Labels of a namespace whose pods Pod Security Admission rejects elsewhere: they run privileged or read the node.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
export const privilegedNamespace: Readonly<Record<string, string>> = Object.fromEntries(
  ["enforce", "audit", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "privileged"]),
);
