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
      taints: spec.at("taints").items().map(readTaint),
    }),
    status: {
      capacity: status.at("capacity").stringMap(),
      allocatable: status.at("allocatable").stringMap(),
      conditions: readConditions(status.at("conditions")),
      nodeInfo: withoutUndefined({ osImage: status.at("nodeInfo").at("osImage").string() }),
    },
  };
}
export type Node = ReturnType<typeof readNode>;

function readTaint(taint: ObjectReader) {
  return withoutUndefined({
    key: taint.at("key").string() ?? "",
    value: taint.at("value").string(),
    effect: taint.at("effect").string() ?? "",
    timeAdded: taint.at("timeAdded").string(),
  });
}
export type Taint = ReturnType<typeof readTaint>;

export function readEvent(event: ObjectReader) {
  const [about, series] = [event.at("involvedObject"), event.at("series")];
  return withoutUndefined({
    kind: "Event" as const,
    metadata: readMeta(event.at("metadata")),
    involvedObject: withoutUndefined({
      kind: about.at("kind").string() ?? "",
      namespace: about.at("namespace").name(),
      name: about.at("name").name() ?? "",
      uid: about.at("uid").string(),
    }),
    type: event.at("type").string(),
    reason: event.at("reason").string() ?? "",
    message: event.at("message").string() ?? "",
    count: series.at("count").number() ?? event.at("count").number(),
    firstTimestamp: event.at("firstTimestamp").string(),
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
    spec: withoutUndefined({ storageClassName: claim.at("spec").at("storageClassName").string() }),
    status: { phase: claim.at("status").at("phase").string() ?? "" },
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
    status: withoutUndefined({
      state: status.at("state").string(),
      conditions: readConditions(status.at("conditions")),
    }),
  };
}
export type ClusterPolicy = ReturnType<typeof readClusterPolicy>;
