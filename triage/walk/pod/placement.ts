import type { Reason } from "../../classify/scheduler";
import type { Evidence, Finding } from "../../finding";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { asksForGpu, isOfLifeCycle, kubectlName, selects, taintText, untoleratedOwn } from "../pods";
import type { Scene } from "../scene";
import { some } from "../seen";

/** Reasons that lie between the pod's own words and the nodes' labels and taints. */

/** The nodes that a pod is meant for: those with GPUs if it asks for one. */
function meant(pod: Pod, scene: Scene): readonly Node[] {
  return asksForGpu(pod) ? scene.gpuNodes : scene.dump.objects.nodes;
}

/**
 * A taint matters where it keeps the pod off every node that it could otherwise use. That GPU nodes keep other pods
 * away is what their taint is for, and that system nodes are tainted means nothing to a GPU pod. Nor is it the pod's
 * fault that Kubernetes taints nodes that are unwell.
 */
export function untoleratedTaint(pod: Pod, reason: Reason, evidence: readonly Evidence[], scene: Scene): Finding[] {
  const nodes = meant(pod, scene).filter((node) => selects(pod.spec, node));
  const own = (node: Node) => untoleratedOwn(pod.spec.tolerations, node.spec.taints);
  const kept = nodes.filter((node) => own(node).length > 0);
  if (nodes.length > 0 && kept.length < nodes.length) return [];
  const taints = new Set(kept.flatMap(own).map(taintText));
  const named = reason.taint && !isOfLifeCycle(reason.taint.key) ? [`${reason.taint.key}=${reason.taint.value}`] : [];
  if (nodes.length === 0 && (scene.sees("nodes") || named.length === 0)) return [];
  const texts = taints.size > 0 ? [...taints] : named;
  // The node that asks for the fewest tolerations.
  const [nearest] = kept.map(own).toSorted((one, other) => one.length - other.length);
  const wanted = nearest ?? (reason.taint ? [reason.taint] : []);
  return [
    {
      id: "untolerated-taint",
      ...aboutPod(pod, kept),
      level: "problem",
      sure: taints.size > 0 ? "certain" : "likely",
      what: `The pod does not tolerate the taint ${some(texts)}, which keeps it off every node that it could use.`,
      evidence: [
        ...evidence,
        ...kept.slice(0, 3).map((node) => ({
          object: kubectlName("node", node.metadata),
          field: "spec.taints",
          value: own(node).map(taintText).join(", "),
        })),
      ],
      next: [
        {
          why: `Add to the pod's spec: tolerations: [${wanted.map(tolerationText).join(", ")}]. What it has now`,
          command: `kubectl get ${kubectlName("pod", pod.metadata)} -o jsonpath='{.spec.tolerations}'`,
        },
      ],
    },
  ];
}

/** Without an effect it tolerates each. */
function tolerationText({ key, effect }: { readonly key: string; readonly effect?: string }): string {
  return `{key: ${key}, operator: Exists${effect === undefined || effect === "" ? "" : `, effect: ${effect}`}}`;
}

/** A selector matters where no node that the pod is meant for fits it. */
export function selectorMismatch(pod: Pod, evidence: readonly Evidence[], scene: Scene): Finding[] {
  const nodes = meant(pod, scene);
  if (nodes.some((node) => selects(pod.spec, node))) return [];
  const wanted = Object.entries(pod.spec.nodeSelector).map(([key, value]) => `${key}=${value}`);
  const affinity = pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  const terms = affinity.flatMap(({ matchExpressions }) => matchExpressions);
  const texts = [
    ...wanted,
    ...terms.map(({ key, operator, values }) => `${key} ${operator} ${values.join("|")}`.trim()),
  ];
  const keys = [...Object.keys(pod.spec.nodeSelector), ...terms.map(({ key }) => key)];
  const labels = keys.filter((key) => /^[\w./-]+$/.test(key));
  return [
    {
      id: "node-selector-mismatch",
      ...aboutPod(pod),
      level: "problem",
      sure: scene.sees("nodes") && texts.length > 0 ? "certain" : "possible",
      what: `No ${asksForGpu(pod) ? "GPU node" : "node"} has the labels that the pod selects by${texts.length > 0 ? `: ${some(texts)}` : ""}.`,
      evidence: [
        ...evidence,
        ...(texts.length > 0
          ? [
              {
                object: kubectlName("pod", pod.metadata),
                field: "spec.nodeSelector and required node affinity",
                value: texts.join(", "),
              },
            ]
          : []),
      ],
      next: [
        {
          why: "What the nodes have of these labels",
          command: `kubectl get nodes -L ${labels.length > 0 ? [...new Set(labels)].join(",") : "nvidia.com/gpu.product"}`,
        },
      ],
    },
  ];
}
