import type { Reader } from "../../core/reader";
import type { Reading } from "../../core/reading";
import { all, any, not, some, type Truth } from "../../core/unknown";

/** The taints that keep a pod off a node, as EKS spells them, with the names that Kubernetes has for them. */
const barring: Readonly<Record<string, string>> = { NO_SCHEDULE: "NoSchedule", NO_EXECUTE: "NoExecute" };

/** Whether the taints of a node group keep pods with these tolerations off its nodes. */
export function shutsOut(group: Reader, tolerations: Reading<readonly Reader[]>): Truth {
  const isBarred = (taint: Reader) =>
    all(
      taint.text("effect").is((effect) => Object.hasOwn(barring, effect)),
      not(tolerates(tolerations, taint)),
    );
  return group.list("taints").is((taints) => some(taints, isBarred));
}

/** Whether a list of tolerations lets a pod onto nodes with a taint, as Kubernetes decides. */
export function tolerates(tolerations: Reading<readonly Reader[]>, taint: Reader): Truth {
  return tolerations.is((items) => some(items, (item) => matches(item, taint)));
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
function matches(toleration: Reader, taint: Reader): Truth {
  const exists = toleration.text("operator").is((word) => word === "Exists");
  const key = toleration.text("key").or("");
  const sameKey = key.is((own) => taint.text("key").is((other) => own === other));
  const anyKey = all(
    key.is((own) => own === ""),
    exists,
  );
  const value = taint.text("value").or("");
  const sameValue = toleration
    .text("value")
    .or("")
    .is((own) => value.is((other) => own === other));
  const effect = toleration.text("effect").or("");
  const anyEffect = effect.is((own) => own === "");
  const sameEffect = effect.is((own) => taint.text("effect").is((other) => own === (barring[other] ?? other)));
  return all(any(anyKey, sameKey), any(exists, sameValue), any(anyEffect, sameEffect));
}
