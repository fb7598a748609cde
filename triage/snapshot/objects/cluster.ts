import { withoutUndefined } from "../../../components/core/reader/records";
import { kindOf, readConditions, readEnvironment, readMeta } from "./common";
import { type ObjectReader } from "./object-reader";
import { each, flag, listOf, map, name, nameOrEmpty, objectOf, optional, text, textOrEmpty } from "./shape";

const readTaint = objectOf({ key: textOrEmpty, effect: textOrEmpty, value: text, timeAdded: text });
export type Taint = ReturnType<typeof readTaint>;

export const readNode = kindOf("Node", {
  spec: objectOf({ providerID: text, unschedulable: flag, taints: listOf(readTaint) }),
  status: objectOf({
    ...each(map, "capacity", "allocatable"),
    conditions: readConditions,
    nodeInfo: objectOf({ osImage: text }),
  }),
});
export type Node = ReturnType<typeof readNode>;

const readEventFields = objectOf({
  metadata: readMeta,
  involvedObject: objectOf({ kind: textOrEmpty, uid: text, namespace: name, name: nameOrEmpty }),
  ...each(textOrEmpty, "reason", "message"),
  ...each(text, "type", "firstTimestamp"),
});

export function readEvent(event: ObjectReader) {
  const series = event.at("series");
  return withoutUndefined({
    kind: "Event" as const,
    ...readEventFields(event),
    count: series.at("count").number() ?? event.at("count").number(),
    // Events of the newer API have a time and a series in place of two timestamps.
    lastTimestamp:
      series.at("lastObservedTime").string() ?? event.at("lastTimestamp").string() ?? event.at("eventTime").string(),
  });
}
export type Event = ReturnType<typeof readEvent>;

export const readClaim = kindOf("PersistentVolumeClaim", {
  spec: objectOf({ storageClassName: text }),
  status: objectOf({ phase: textOrEmpty }),
});

/** Karpenter's request for a node. @see https://github.com/kubernetes-sigs/karpenter/blob/v1.12.0/pkg/apis/v1/nodeclaim.go */
export const readNodeClaim = kindOf("NodeClaim", {
  spec: objectOf({ resources: objectOf({ requests: map }) }),
  status: objectOf({ conditions: readConditions }),
});
export type NodeClaim = ReturnType<typeof readNodeClaim>;

/** Whether an operand of the GPU Operator is enabled. */
const toggle = optional(objectOf({ enabled: flag }));

/** A ClusterPolicy of the GPU Operator. @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/api/nvidia/v1 */
export const readClusterPolicy = kindOf("ClusterPolicy", {
  spec: objectOf({
    devicePlugin: objectOf({ enabled: flag, env: readEnvironment }),
    ...each(toggle, "driver", "toolkit", "dcgm", "dcgmExporter", "gfd", "migManager"),
  }),
  status: objectOf({ state: text, conditions: readConditions }),
});
export type ClusterPolicy = ReturnType<typeof readClusterPolicy>;
