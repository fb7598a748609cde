import { expect, test } from "vitest";
import messages from "../../../cluster/messages-1.35.json";
import * as clusters from "../../support/clusters";
import { conclusion, ids, reportOn } from "../../support/clusters";
import { ago, hour, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

/** Two ranks of a run, which Kueue holds. */
const ranks = ["b-0", "b-1"].map((name) => gated(name, "kueue.x-k8s.io/admission"));

function gated(name: string, gate: string) {
  const made = pod(name, { gpus: 1, owner: ["StatefulSet", "b"] });
  return { ...made, spec: { ...(made["spec"] as object), schedulingGates: [{ name: gate }] } };
}

function workload(said: string) {
  const [reason, message] = said.split(/: (.*)/);
  return {
    ...{ apiVersion: "kueue.x-k8s.io/v1beta2", kind: "Workload" },
    metadata: {
      ...{ name: "statefulset-b-1", namespace: "gpu-lab", creationTimestamp: ago(hour) },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "b" }],
    },
    status: {
      conditions: [{ type: "QuotaReserved", status: "False", reason, message, lastTransitionTime: ago(hour) }],
    },
  };
}

test.each([
  ["notice", messages["kueue waits"]],
  ["problem", messages["kueue never fits"]],
])("a %s: what Kueue says about the run is the evidence", (level, said) => {
  const found = conclusion(reportOn([...clusters.healthy, ...ranks, workload(said)]), "waits-for-quota");
  expect(found.level).toBe(level);
  expect(found.evidence.map(({ value }) => value)).toEqual(["kueue.x-k8s.io/admission", said.replace(/^\w+: /, "")]);
  wording.add(found);
});

test("without the right to read Workloads, the gate is the evidence, and it is no deadlock", () => {
  const report = ids(reportOn([...clusters.healthy, ...ranks]));
  expect(report).toEqual({ causes: [], consequences: [], notices: ["waits-for-quota"] });
});

test("the gate of another controller is not Kueue's", () => {
  expect(ids(reportOn([...clusters.healthy, gated("p", "example.com/hold")])).causes).toEqual(["not-schedulable"]);
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
