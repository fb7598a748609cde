import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { conclusion, ids, reportOn } from "../../support/clusters";
import { gpuNode, minute } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

describe("no GPU node", () => {
  test("a notice between sessions", () => {
    wording.add(conclusion(reportOn(clusters.atRest), "no-gpu-nodes"));
    expect(ids(reportOn(clusters.atRest))).toEqual({ causes: [], consequences: [], notices: ["no-gpu-nodes"] });
  });

  test("a waiting pod makes it a cause, with the command that starts a session", () => {
    const report = reportOn([...clusters.atRest, clusters.waiting, clusters.refusal]);
    expect(ids(report)).toMatchObject({ causes: ["no-gpu-nodes"], consequences: ["insufficient-gpu"] });
    wording.add(conclusion(report, "no-gpu-nodes"));
    expect(conclusion(report, "no-gpu-nodes").next[0]?.command).toBe("npx eks-gpu-lab gpu up");
  });
});

describe("allocatable 0 differs from a missing resource", () => {
  test("0 means that a plugin was registered and stopped", () => {
    const found = conclusion(reportOn(clusters.pluginOff), "gpu-allocatable-zero");
    wording.add(found);
    expect(found.evidence[0]?.value).toBe('"0", "0"');
  });

  test("a capacity above 0 means that the plugin stopped recently", () => {
    const items = clusters.pluginOff.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-a"
        ? gpuNode("ip-gpu-a", { gpus: "0", capacity: "1" })
        : item,
    );
    expect(conclusion(reportOn(items), "gpu-allocatable-zero").what).toContain("less than 5 minutes ago");
  });

  test("a missing resource means that no plugin has registered", () => {
    const report = reportOn([...clusters.systemNodes, gpuNode("ip-gpu-a", { gpus: null })]);
    expect(ids(report)).toEqual({
      causes: ["gpu-operator-not-installed"],
      consequences: ["gpu-allocatable-missing", "device-plugin-missing"],
      notices: [],
    });
    for (const found of report.conclusions) wording.add(found);
  });

  test("with MIG, another GPU resource is advertised: no fault", () => {
    const raw = gpuNode("ip-gpu-a", { gpus: "0" });
    const status = raw["status"] as { allocatable: Record<string, string> };
    const mig = { ...raw, status: { ...status, allocatable: { ...status.allocatable, "nvidia.com/mig-1g.5gb": "7" } } };
    const items = clusters.healthy.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-a" ? mig : item,
    );
    expect(ids(reportOn(items)).causes).toEqual([]);
  });

  test("a new node is a notice", () => {
    const report = reportOn([...clusters.healthy, gpuNode("ip-gpu-c", { gpus: null, age: 2 * minute })]);
    expect(ids(report)).toMatchObject({ causes: [], notices: ["gpu-allocatable-missing"] });
  });

  test("fewer GPUs than the node has: the others are unhealthy", () => {
    const report = reportOn([
      ...clusters.systemNodes,
      gpuNode("ip-gpu-a", { type: "g5.12xlarge", gpus: "3", capacity: "4" }),
    ]);
    wording.add(conclusion(report, "gpu-allocatable-low"));
    expect(ids(report).causes).toEqual(["gpu-allocatable-low"]);
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
