import type { Evidence } from "../../finding";
import type { Condition } from "../../objects/common";
import type { Node } from "../../objects/node";
import { kubectlName } from "../pods";

export function conditionEvidence(
  { metadata }: Node,
  { type, status, reason, message, lastTransitionTime }: Condition,
): Evidence {
  return {
    object: kubectlName("node", metadata),
    field: `condition ${type}`,
    value: [status, reason, message].filter((part) => part !== undefined && part !== "").join(", "),
    ...(lastTransitionTime !== undefined && { at: lastTransitionTime }),
  };
}

/** `i-0123456789abcdef0` of `aws:///ap-northeast-2a/i-0123456789abcdef0`. */
export function instanceId({ spec }: Pick<Node, "spec">): string {
  return /i-[0-9a-f]{8,17}$/.exec(spec.providerID ?? "")?.[0] ?? "INSTANCE_ID";
}

export function session(node: Pick<Node, "spec">): string {
  return `aws ssm start-session --target ${instanceId(node)}`;
}
