import type { Report } from "../../../triage/triage";
import { runCli } from "../../support/cli";
import type { ApiServer } from "./api-server";
import * as clusters from "./clusters";
import { deployment } from "./objects";

/** The operator with the labels of its chart. */
const operator = (() => {
  const raw = deployment("gpu-operator", { namespace: "gpu-operator" });
  return {
    ...raw,
    metadata: { ...(raw["metadata"] as object), labels: { "app.kubernetes.io/component": "gpu-operator" } },
  };
})();

/** The objects with the operator as the API server shows it. */
export function labelled(items: readonly Record<string, unknown>[]) {
  return items.map((item) => (item === clusters.operator.deployment ? operator : item));
}

/** Runs the command against an API server. */
export function triage(api: Pick<ApiServer, "kubeconfig">, ...args: string[]) {
  return runCli(["triage", "--kubeconfig", api.kubeconfig, ...args]);
}

/** The ids of the root causes in a JSON report. */
export function causes(out: string): string[] {
  const { conclusions } = JSON.parse(out) as Report;
  return conclusions.filter(({ level, because }) => level === "problem" && because === undefined).map(({ id }) => id);
}
