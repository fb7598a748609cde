import { readConditions, readEnvironment, readMeta } from "./common";
import { withoutUndefined } from "../../../components/core/reader/records";
import { type ObjectReader } from "./object-reader";

export function readNode(node: ObjectReader) {
  const [spec, status] = [node.at("spec"), node.at("status")];
  return {
    kind: "Node" as const,
    metadata: readMeta(node.at("metadata")),
    spec: withoutUndefined({
      providerID: spec.at("providerID").string(),
      unschedulable: spec.at("unschedulable").boolean(),
      taints: spec.each("taints", readTaint),
    }),
    status: {
      capacity: status.at("capacity").stringMap(),
      allocatable: status.at("allocatable").stringMap(),
      conditions: readConditions(status.at("conditions")),
      nodeInfo: status.at("nodeInfo").texts("osImage"),
    },
  };
}
export type Node = ReturnType<typeof readNode>;

function readTaint(taint: ObjectReader) {
  return { key: "", effect: "", ...taint.texts("key", "value", "effect", "timeAdded") };
}
export type Taint = ReturnType<typeof readTaint>;

export function readEvent(event: ObjectReader) {
  const [about, series] = [event.at("involvedObject"), event.at("series")];
  return withoutUndefined({
    kind: "Event" as const,
    metadata: readMeta(event.at("metadata")),
    involvedObject: withoutUndefined({
      ...{ kind: "", ...about.texts("kind", "uid") },
      namespace: about.at("namespace").name(),
      name: about.at("name").name() ?? "",
    }),
    ...{ reason: "", message: "", ...event.texts("type", "reason", "message", "firstTimestamp") },
    count: series.at("count").number() ?? event.at("count").number(),
    // Events of the newer API have a time and a series in place of two timestamps.
    lastTimestamp:
      series.at("lastObservedTime").string() ?? event.at("lastTimestamp").string() ?? event.at("eventTime").string(),
  });
}
export type Event = ReturnType<typeof readEvent>;

export function readClaim(claim: ObjectReader) {
  return {
    kind: "PersistentVolumeClaim" as const,
    metadata: readMeta(claim.at("metadata")),
    spec: claim.at("spec").texts("storageClassName"),
    status: { phase: "", ...claim.at("status").texts("phase") },
  };
}

/** Karpenter's request for a node. @see https://github.com/kubernetes-sigs/karpenter/blob/v1.12.0/pkg/apis/v1/nodeclaim.go */
export function readNodeClaim(claim: ObjectReader) {
  return {
    kind: "NodeClaim" as const,
    metadata: readMeta(claim.at("metadata")),
    spec: { resources: { requests: claim.at("spec").at("resources").at("requests").stringMap() } },
    status: { conditions: readConditions(claim.at("status").at("conditions")) },
  };
}
export type NodeClaim = ReturnType<typeof readNodeClaim>;

/** Operands of the GPU Operator whose toggle affects GPUs. */
const operands = ["devicePlugin", "driver", "toolkit", "dcgm", "dcgmExporter", "gfd", "migManager"] as const;

/** A ClusterPolicy of the GPU Operator. @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/api/nvidia/v1 */
export function readClusterPolicy(policy: ObjectReader) {
  const [spec, status] = [policy.at("spec"), policy.at("status")];
  const toggles = operands.flatMap((operand) => {
    const enabled = spec.at(operand).at("enabled").boolean();
    return enabled === undefined ? [] : [[operand, { enabled }] as const];
  });
  const plugin = spec.at("devicePlugin");
  return {
    kind: "ClusterPolicy" as const,
    metadata: readMeta(policy.at("metadata")),
    spec: {
      ...(Object.fromEntries(toggles) as Readonly<Partial<Record<(typeof operands)[number], { enabled: boolean }>>>),
      devicePlugin: withoutUndefined({
        enabled: plugin.at("enabled").boolean(),
        env: readEnvironment(plugin.at("env")),
      }),
    },
    status: { ...status.texts("state"), conditions: readConditions(status.at("conditions")) },
  };
}
export type ClusterPolicy = ReturnType<typeof readClusterPolicy>;
