import { describe, expect, test } from "vitest";
import { resourceNames } from "../../../../triage/snapshot/objects/resources";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { ago, conditions, daemonSet, gpuNode, hour, minute, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

describe("a DaemonSet of the operator that is not ready on every node", () => {
  const set = "nvidia-dcgm-exporter";
  const waiting = { name: "main", ready: false, restartCount: 0, state: { waiting: { reason: "PodInitializing" } } };
  const exporter = (node: string) =>
    pod(`${set}-${node.slice(-1)}`, {
      namespace: "gpu-operator",
      node,
      phase: "Pending",
      owner: ["DaemonSet", set],
      age: hour,
      statuses: [waiting],
    });
  const half = (fields = {}) => changed({ [set]: daemonSet(set, { ready: 1, ...fields }) });

  test("is a notice with the pod that is not ready", () => {
    const report = reportOn([...half(), exporter("ip-gpu-b")]);
    expect(ids(report)).toEqual({ causes: [], consequences: [], notices: ["operator-daemonset-not-ready"] });
    const found = conclusion(report, "operator-daemonset-not-ready");
    expect(found).toMatchObject({ subject: `daemonset gpu-operator/${set}`, nodes: ["ip-gpu-b"] });
    wording.add(found);
    expect(found.evidence.map(({ value }) => value)).toEqual(["1, 2", "Pending, main (PodInitializing)"]);
  });

  test("its pods were not read: the status decides", () => {
    expect(ids(reportOn(half())).notices).toEqual(["operator-daemonset-not-ready"]);
  });

  test("pods could not be read: a new node or a node that is down explains it", () => {
    const items = (age: number) =>
      changed({ [set]: daemonSet(set, { ready: 1 }), "ip-gpu-b": gpuNode("ip-gpu-b", { age }) });
    const read = resourceNames.filter((name) => name !== "pods");
    expect(ids(reportOn(items(9 * minute), { read })).notices).not.toContain("operator-daemonset-not-ready");
    expect(ids(reportOn(items(hour), { read })).notices).toContain("operator-daemonset-not-ready");
  });

  test.for([
    ["the DaemonSet is new", half({ age: 9 * minute }), exporter("ip-gpu-b")],
    ["its node is new", [...half(), gpuNode("ip-gpu-c", { age: 9 * minute })], exporter("ip-gpu-c")],
    ["the pod is reported by itself", half(), { ...exporter("ip-gpu-b"), ...{ status: backOff() } }],
  ] as const)("not if %s", ([, items, its]) => {
    expect(ids(reportOn([...items, its])).notices).not.toContain("operator-daemonset-not-ready");
  });

  test("not if its node is down", () => {
    const silent = conditions({ Ready: { status: "Unknown", lastTransitionTime: ago(hour) } });
    const items = changed({
      [set]: daemonSet(set, { ready: 1 }),
      "ip-gpu-b": gpuNode("ip-gpu-b", { conditions: silent }),
      "nvidia-device-plugin-daemonset-b": pluginPod("ip-gpu-b"),
    });
    expect(ids(reportOn([...items, exporter("ip-gpu-b")]))).toMatchObject({ causes: ["node-not-ready"], notices: [] });
  });

  test("without the operator, other DaemonSets do not belong to it", () => {
    const items = changed({ "gpu-operator": null, "cluster-policy": null, [set]: daemonSet(set, { ready: 1 }) });
    expect(ids(reportOn(items)).notices).toEqual([]);
  });

  function backOff() {
    return {
      phase: "Running",
      conditions: [],
      containerStatuses: [{ ...waiting, restartCount: 9, state: { waiting: { reason: "CrashLoopBackOff" } } }],
    };
  }
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
