/** What keeps a pod off a node, as the scheduler sees it. */
export type ReasonClass =
  /** The node has too little of a resource left, or none of it at all. */
  | "insufficient"
  | "taint"
  | "node-selector"
  | "volume"
  | "topology-spread"
  | "pod-affinity"
  | "cordoned"
  | "host-ports"
  | "too-many-pods"
  | "other";

/** One reason of a message, with the number of nodes it holds for. */
export interface Reason {
  /** Missing where the scheduler gave up before it looked at single nodes. */
  readonly nodes?: number;
  readonly class: ReasonClass;
  readonly text: string;
  /** Of "insufficient": e.g. `nvidia.com/gpu`. */
  readonly resource?: string;
  /** Of "taint": newer messages do not name it. */
  readonly taint?: { readonly key: string; readonly value: string };
}

/**
 * The texts of kube-scheduler's plugins, 1.20 to 1.36. What a newer one words otherwise becomes "other" and is shown as
 * it stands.
 *
 * @see https://github.com/kubernetes/kubernetes/tree/v1.35.0/pkg/scheduler/framework/plugins
 */
const patterns: readonly (readonly [ReasonClass, RegExp])[] = [
  ["insufficient", /^insufficient \S+/i],
  ["taint", /\bhad (untolerated )?taints?\b/i],
  ["node-selector", /match .*node (affinity|selector)|node\(s\) didn't satisfy .*NodeAffinity/i],
  ["volume", /persistentvolume|persistent volumes?|volume (zone|node affinity|count)|storage ?class/i],
  ["topology-spread", /topology spread constraints/i],
  ["pod-affinity", /(anti-)?affinity\/?(anti-affinity)? rules/i],
  ["cordoned", /were unschedulable/i],
  ["host-ports", /free (host )?ports/i],
  ["too-many-pods", /too many pods/i],
];

/** One reason, e.g. `2 Insufficient nvidia.com/gpu`. */
export function reasonOf(given: string): Reason {
  const counted = /^(\d+)\s+(.*)$/s.exec(given.trim());
  const text = (counted?.[2] ?? given).trim().replace(/[.,;]+$/, "");
  // Volumes come before node affinity: "didn't match PersistentVolume's node affinity" is about the volume.
  const volumes = /PersistentVolume's node affinity|volume node affinity/i.test(text);
  const found = volumes ? "volume" : (patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? "other");
  const resource = found === "insufficient" ? /^insufficient (\S+)/i.exec(text)?.[1] : undefined;
  const taint = found === "taint" ? /\{([^:{}]+)(?::\s*([^{}]*))?\}/.exec(text) : null;
  return {
    ...(counted && { nodes: Number(counted[1]) }),
    class: found,
    text,
    ...(resource !== undefined && { resource }),
    ...(taint && { taint: { key: (taint[1] ?? "").trim(), value: (taint[2] ?? "").trim() } }),
  };
}
