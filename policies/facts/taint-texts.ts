import { kubernetesEffect } from "../../components/core/kubernetes";
import type { Reader } from "../engine/values";
import type { Resource } from "../engine/resource";
import { machinesOf } from "./node-sources";

// Any text of a program may be a secret. Of a taint, messages show only what is certainly none.

const words = [
  "accelerator|ai|app|batch|compute|dedicated|env|environment|exists|false|gpu|group|inference|llm|ml|node|only|owner",
  "pool|present|production|project|purpose|research|reserved|role|serving|sku|spot|team|tenant|training|true|type|workload",
].join("|");

const ofWords = new RegExp(`^((${words})([-_.](?=.)|$))+$`);
const withDomain = /^[a-z0-9-]+(\.[a-z0-9-]+)+\/[\w.-]+$/;

/** The key of a taint, if it has a domain, or is of words that taints have; else the path of the taint. */
export function shownKey(taint: Reader): string {
  const key = taint.text("key").value ?? "";
  return withDomain.test(key) || ofWords.test(key) ? key : taint.path;
}

/** A taint that repels pods as kubectl shows it, such as `dedicated=training:NoSchedule`. */
export function shownTaint(taint: Reader): string {
  const value = taint.text("value").value ?? "";
  const equals = value === "" ? "" : `=${ofWords.test(value) ? value : "<value>"}`;
  return `${shownKey(taint)}${equals}:${shownEffect(taint)}`;
}

/** A toleration of a taint that repels pods. */
export function shownToleration(taint: Reader): string {
  const key = shownKey(taint);
  return tolerationOf(key === taint.path ? `<the key of ${key}>` : key, shownEffect(taint));
}

export function tolerationOf(key: string, effect: string): string {
  return `{ key: "${key}", operator: "Exists", effect: "${effect}" }`;
}

function shownEffect(taint: Reader): string {
  return kubernetesEffect(taint.text("effect").value ?? "NoSchedule");
}

/** Taints of a node group or NodePool, such as `nvidia.com/gpu and taints[1] of the node group train`. */
export function describeTaints(group: Resource, taints: readonly Reader[], show: (taint: Reader) => string): string {
  const kind = machinesOf(group.type).kind === "pool" ? "NodePool" : "node group";
  return `${taints.map(show).join(" and ")} of the ${kind} ${group.name}`;
}
