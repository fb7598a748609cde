import type { core } from "@pulumi/kubernetes/types/input";

/** The node of that name alone, still by way of the scheduler: as a DaemonSet puts its pods on their nodes. */
export function onNode(nodeName: string): core.v1.NodeAffinity {
  const field = { key: "metadata.name", operator: "In", values: [nodeName] };
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [field] }] } };
}
