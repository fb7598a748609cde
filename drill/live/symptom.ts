import type { Call } from "../../components/core/kubernetes-api/api";
import { valueAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Subject } from "../../triage/snapshot/dump";
import { collections, namespace } from "../manifests";
import type { Appearance } from "../scenario";
import { find, list, nameOf } from "./requests";

/** The object that shows the symptom. Triage has no command for a Job, and checks the namespace. */
export type Symptom = Subject | { readonly kind: "job"; readonly name: string };

const job = "training";

/** The symptom of a scenario; undefined while it does not show. */
export async function symptomOf(call: Call, appears: Appearance, node: string): Promise<Symptom | undefined> {
  if (appears === "node") return { kind: "node", name: node };
  if (appears === "job-failed") return (await hasFailed(call)) ? { kind: "job", name: job } : undefined;
  const pods = await list(call, `${collections.Pod}?labelSelector=app%3Dserver`);
  const found = pods.find(shows[appears]);
  return found === undefined ? undefined : { kind: "pod", name: nameOf(found), namespace };
}

const shows: Readonly<Record<"unschedulable" | "gated" | "running", (pod: unknown) => boolean>> = {
  unschedulable: (pod) => conditionOf(pod, "PodScheduled")?.["reason"] === "Unschedulable",
  gated: (pod) => conditionOf(pod, "PodScheduled")?.["reason"] === "SchedulingGated",
  running: (pod) => valueAt(pod, "status.phase") === "Running",
};

async function hasFailed(call: Call): Promise<boolean> {
  const failed = conditionOf(await find(call, `${collections.Job}/${job}`), "Failed");
  if (failed?.["status"] !== "True") return false;
  return (await list(call, `${collections.Pod}?labelSelector=app%3D${job}`)).length === 0;
}

function conditionOf(object: unknown, type: string): Readonly<Record<string, unknown>> | undefined {
  const conditions = valueAt(object, "status.conditions");
  return Array.isArray(conditions) ? conditions.filter(isRecord).find((one) => one["type"] === type) : undefined;
}
