import { finding, type Found } from "../../conclusions";
import { isLifecycleTaint, taintText } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { requestsGpu, selectsNode, untoleratedPermanent } from "../../snapshot/pods";
import { scopeOfPod } from "../../scope";
import { nodeEvidence, podEvidence } from "../finding-parts";
import { targetNodes } from "./gpu-capacity";
import type { Reason } from "./scheduler-message";
import type { Rejection } from "./scheduling";

/**
 * A taint counts only if it repels the pod from every node that the pod could use. GPU nodes are tainted to repel other
 * pods, and the taints of system nodes do not affect GPU pods. Taints that reflect the state of a node do not count.
 */
export function untoleratedTaint({ pod, evidence, snapshot }: Rejection, reason: Reason): Found {
  const nodes = targetNodes(pod, snapshot).filter((node) => selectsNode(pod.spec, node));
  const taintsOf = (node: Node) => untoleratedPermanent(pod.spec.tolerations, node.spec.taints);
  const tainted = nodes.filter((node) => taintsOf(node).length > 0);
  if (nodes.length > 0 && tainted.length < nodes.length) return [];
  const named =
    reason.taint && !isLifecycleTaint(reason.taint.key) ? [`${reason.taint.key}=${reason.taint.value}`] : [];
  if (nodes.length === 0 && (snapshot.wasRead("nodes") || named.length === 0)) return [];
  const onNodes = [...new Set(tainted.flatMap(taintsOf).map(taintText))];
  // The node that needs the fewest tolerations.
  const [fewest] = tainted.map(taintsOf).toSorted((one, other) => one.length - other.length);
  const wanted = fewest ?? (reason.taint ? [reason.taint] : []);
  return finding("untolerated-taint", scopeOfPod(pod, tainted), {
    atMost: onNodes.length > 0 ? undefined : "likely",
    evidence: [
      ...evidence,
      ...tainted.slice(0, 3).map((node) => nodeEvidence(node, "spec.taints", taintsOf(node).map(taintText).join(", "))),
    ],
    taints: onNodes.length > 0 ? onNodes : named,
    tolerations: wanted.map(tolerationText),
  });
}

/** A toleration without an effect tolerates every effect. */
function tolerationText({ key, effect }: { readonly key: string; readonly effect?: string }): string {
  return `{key: ${key}, operator: Exists${effect === undefined || effect === "" ? "" : `, effect: ${effect}`}}`;
}

/** A selector counts only if none of the target nodes matches it. */
export function selectorMismatch({ pod, evidence, snapshot }: Rejection): Found {
  if (targetNodes(pod, snapshot).some((node) => selectsNode(pod.spec, node))) return [];
  const { texts, keys } = selectorOf(pod);
  const field = "spec.nodeSelector and required node affinity";
  return finding("node-selector-mismatch", pod, {
    atMost: snapshot.wasRead("nodes") && texts.length > 0 ? undefined : "possible",
    evidence: [...evidence, texts.length > 0 ? podEvidence(pod, field, texts.join(", ")) : undefined],
    isForGpu: requestsGpu(pod),
    selector: texts,
    labels: [...new Set(keys.filter((key) => /^[\w./-]+$/.test(key)))],
  });
}

/** The node selector and the required node affinity of a pod, as texts, and their label keys. */
function selectorOf({ spec }: Pod): { texts: readonly string[]; keys: readonly string[] } {
  const affinity = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  const terms = affinity.flatMap(({ matchExpressions }) => matchExpressions);
  return {
    texts: [
      ...Object.entries(spec.nodeSelector).map(([key, value]) => `${key}=${value}`),
      ...terms.map(({ key, operator = "", values }) => `${key} ${operator} ${values.join("|")}`.trim()),
    ],
    keys: [...Object.keys(spec.nodeSelector), ...terms.map(({ key }) => key)],
  };
}
