import type { Call } from "../../components/core/kubernetes-api/api";
import { valueAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Subject } from "../../triage/snapshot/dump";
import { collections, namespace } from "../manifests";
import type { Appearance } from "../scenario";
import { list, nameOf } from "./requests";

/** The object that shows the symptom of a scenario; undefined while it does not show. */
export async function symptomOf(call: Call, appears: Appearance, node: string): Promise<Subject | undefined> {
  if (appears === "node") return { kind: "node", name: node };
  const pods = await list(call, `${collections.Pod}?labelSelector=app%3Dserver`);
  const found = pods.find(shows[appears]);
  return found === undefined ? undefined : { kind: "pod", name: nameOf(found), namespace };
}

const shows: Readonly<Record<"unschedulable" | "gated" | "running", (pod: unknown) => boolean>> = {
  unschedulable: (pod) => conditionOf(pod, "PodScheduled")?.["reason"] === "Unschedulable",
  gated: (pod) => conditionOf(pod, "PodScheduled")?.["reason"] === "SchedulingGated",
  running: (pod) => valueAt(pod, "status.phase") === "Running",
};

function conditionOf(object: unknown, type: string): Readonly<Record<string, unknown>> | undefined {
  const conditions = valueAt(object, "status.conditions");
  return Array.isArray(conditions) ? conditions.filter(isRecord).find((one) => one["type"] === type) : undefined;
}
