import type { Evidence } from "../../finding";
import type { Condition } from "../../objects/common";
import type { Node } from "../../objects/node";
import { kubectlName } from "../pods";
import type { Scene } from "../scene";
import { stated } from "../seen";

export function conditionEvidence(
  { metadata }: Node,
  { type, status, reason, message, lastTransitionTime }: Condition,
): Evidence {
  return {
    object: kubectlName("node", metadata),
    field: `condition ${type}`,
    value: stated(status, reason, message),
    ...(lastTransitionTime !== undefined && { at: lastTransitionTime }),
  };
}

/** `i-0123456789abcdef0` of `aws:///ap-northeast-2a/i-0123456789abcdef0`. */
export function instanceId(node: Node | undefined): string {
  return /i-[0-9a-f]{8,17}$/.exec(node?.spec.providerID ?? "")?.[0] ?? "INSTANCE_ID";
}

/** `nvidia-smi` in the pod of the node that has the GPU's devices; without a node in any of these pods. */
export function askDriver({ operatorNamespace }: Scene, node?: string, question = "nvidia-smi -L"): string {
  const kubectl = `kubectl -n ${operatorNamespace}`;
  const pod =
    node === undefined
      ? "ds/nvidia-dcgm-exporter"
      : `"$(${kubectl} get pods -l app=nvidia-dcgm-exporter --field-selector spec.nodeName=${node} -o name)"`;
  return `${kubectl} exec ${pod} -- ${question}`;
}

export function session(node: Node | undefined): string {
  return `aws ssm start-session --target ${instanceId(node)}`;
}
