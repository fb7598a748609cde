import type { Node } from "../../objects/node";
import { isYoung } from "../age";
import { conditionOf } from "../scene";

/** A kubelet that registers sets `Ready` to False within seconds. */
const registrationSeconds = 60;

/** Whether a new node has not been Ready yet. One that was and is no more does not join: it broke. */
export function isJoining(node: Node, now: number): boolean {
  const ready = conditionOf(node.status.conditions, "Ready");
  if (ready?.status === "True" || !isYoung(node, now)) return false;
  const born = Date.parse(node.metadata.creationTimestamp ?? "");
  const since = Date.parse(ready?.lastTransitionTime ?? "") - born;
  return !(since > registrationSeconds * 1000) || ready?.reason === "NodeStatusNeverUpdated";
}
