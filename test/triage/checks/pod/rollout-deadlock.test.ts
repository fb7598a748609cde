import { describe, expect, test } from "vitest";
import { rolloutOf } from "../../../../triage/checks/pod/rollout-deadlock";
import { groupByResource, resources } from "../../../../triage/snapshot/objects/resources";
import { ObjectReader } from "../../../../triage/snapshot/objects/object-reader";
import * as clusters from "../../support/clusters";
import { conclusion, ids, reportOn } from "../../support/clusters";
import { ago, deployment, hour, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

function resolved(replicas: number, strategy?: object) {
  const raw = deployment("d", { spec: { replicas, ...(strategy && { strategy }) } });
  const [read] = groupByResource([resources.deployments.read(ObjectReader.of(raw))]).deployments;
  if (!read) throw new Error("no Deployment");
  const { type, maxSurge, maxUnavailable } = rolloutOf(read);
  return [type, maxSurge, maxUnavailable];
}

const rolling = (maxSurge: unknown, maxUnavailable: unknown) => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable },
});

test.for([
  ["nothing written: 25 % and 25 %", 1, undefined, ["RollingUpdate", 1, 0]],
  ["25 % of 4", 4, rolling("25%", "25%"), ["RollingUpdate", 1, 1]],
  ["25 % of 3: surge up, unavailable down", 3, rolling("25%", "25%"), ["RollingUpdate", 1, 0]],
  ["numbers", 1, rolling(0, 1), ["RollingUpdate", 0, 1]],
  ["both 0 is no rollout: one may be missing", 1, rolling(0, "10%"), ["RollingUpdate", 0, 1]],
  ["numbers as texts", 2, rolling("1", "0"), ["RollingUpdate", 1, 0]],
  ["Recreate", 1, { type: "Recreate" }, ["Recreate", 1, 0]],
  ["nonsense", 1, rolling("many", "all"), ["RollingUpdate", 0, 1]],
] as const)("%s", ([, replicas, strategy, expected]) => expect(resolved(replicas, strategy)).toEqual(expected));

describe("a deadlocked rollout", () => {
  const report = reportOn(clusters.rollout);
  const found = conclusion(report, "rollout-deadlock");

  test("is the cause of the GPU shortage", () => {
    expect(ids(report)).toEqual({ causes: ["rollout-deadlock"], consequences: ["insufficient-gpu"], notices: [] });
    expect(found.confidence).toBe("certain");
  });

  test("names the Deployment, both resolved limits and the holder of the GPU", () => {
    expect(found.what).toContain("Deployment tracker");
    expect(found.what).toContain("tracker-aaa-1 holds on ip-gpu-a");
    wording.add(found);
    expect(found.evidence[0]?.value).toMatch(/^maxSurge 25%, maxUnavailable 25%; .* 1 and 0$/);
    expect(found.evidence[1]).toMatchObject({ value: "holds 1 on ip-gpu-a", at: ago(3 * hour) });
  });

  test("suggests every solution", () => {
    const text = JSON.stringify(found.next);
    for (const way of [
      '\\"maxSurge\\":0,\\"maxUnavailable\\":1',
      "Recreate",
      "gpu.product",
      "time slicing",
      "PriorityClass",
    ]) {
      expect(text).toContain(way);
    }
  });

  test("without the ReplicaSets, the template hash gives the Deployment", () => {
    const items = clusters.rollout
      .filter(({ kind }) => kind !== "ReplicaSet")
      .map((item) => {
        const metadata = item["metadata"] as { name: string };
        const hash = /^tracker-(\w+)-1$/.exec(metadata.name)?.[1];
        return item["kind"] === "Pod" && hash
          ? { ...item, metadata: { ...metadata, labels: { "pod-template-hash": hash } } }
          : item;
      });
    expect(ids(reportOn(items)).causes).toEqual(["rollout-deadlock"]);
  });

  test.for([
    ["maxUnavailable 1 ends the old pod", { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }],
    ["Recreate ends the old pod first", { type: "Recreate" }],
  ] as const)("no deadlock: %s", ([, strategy]) => {
    const items = clusters.rollout.map((item) =>
      (item["metadata"] as { name: string }).name === "tracker" ? { ...item, spec: { replicas: 1, strategy } } : item,
    );
    expect(ids(reportOn(items)).causes).toEqual(["gpus-in-use"]);
  });

  test("the pod of another Deployment is no deadlock: the conclusion names the holder of the GPU", () => {
    const items = clusters.rollout.filter((item) => (item["metadata"] as { name: string }).name !== "tracker-aaa-1");
    const other = pod("notebook", {
      node: "ip-gpu-a",
      gpus: 1,
      namespace: "team-b",
      owner: ["StatefulSet", "notebook"],
    });
    const inUse = reportOn([...items, other]);
    expect(ids(inUse)).toMatchObject({ causes: ["gpus-in-use"], consequences: ["insufficient-gpu"] });
    for (const one of inUse.conclusions) wording.add(one);
    expect(conclusion(inUse, "gpus-in-use").what).toContain("pod team-b/notebook (StatefulSet notebook)");
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
