import { readConditions, readMeta } from "./common";
import { defined, type Cursor } from "./cursor";

export function readNode(node: Cursor) {
  const [spec, status] = [node.at("spec"), node.at("status")];
  return {
    kind: "Node" as const,
    metadata: readMeta(node.at("metadata")),
    spec: defined({
      providerID: spec.at("providerID").text(),
      unschedulable: spec.at("unschedulable").flag(),
      taints: spec.at("taints").each().map(readTaint),
    }),
    status: {
      capacity: status.at("capacity").texts(),
      allocatable: status.at("allocatable").texts(),
      conditions: readConditions(status.at("conditions")),
    },
  };
}
export type Node = ReturnType<typeof readNode>;

function readTaint(taint: Cursor) {
  return defined({
    key: taint.at("key").text() ?? "",
    value: taint.at("value").text(),
    effect: taint.at("effect").text() ?? "",
    timeAdded: taint.at("timeAdded").text(),
  });
}
export type Taint = ReturnType<typeof readTaint>;
