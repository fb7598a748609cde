import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { clusterPolicy, daemonSet, gpuNode, hour, minute } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const plugin = "nvidia-device-plugin-daemonset";

describe("the device plugin runs but its node advertises no GPUs", () => {
  const silent = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }) });

  test("differs from a missing plugin", () => {
    const report = reportOn(silent);
    expect(ids(report)).toMatchObject({
      causes: ["device-plugin-without-gpus"],
      consequences: ["gpu-allocatable-zero"],
    });
    wording.add(conclusion(report, "device-plugin-without-gpus"));
    expect(conclusion(report, "device-plugin-without-gpus").subject).toBe(`pod gpu-operator/${plugin}-b`);
  });

  test.for([
    ["I1121 main.go:416] No devices found. Waiting indefinitely.", "plugin-finds-no-devices"],
    ["E1121 factory.go:135] Incompatible strategy detected auto", "plugin-incompatible-strategy"],
    ["E1121 main.go:128] Received error: failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", "gpu-libraries-missing"],
    ["Received error: NVML error: Unknown", "gpu-devices-lost"],
  ] as const)("%s", ([line, id]) => {
    const report = reportOn(silent, { logs: [{ namespace: "gpu-operator", pod: `${plugin}-b`, lines: [line] }] });
    expect(ids(report)).toMatchObject({
      causes: [id],
      consequences: ["gpu-allocatable-zero", "device-plugin-without-gpus"],
    });
    wording.add(conclusion(report, id));
    expect(conclusion(report, id).evidence[0]).toMatchObject({ field: "log", value: line });
  });

  test("FAIL_ON_INIT_ERROR=false hides why, in the policy or in the DaemonSet", () => {
    const env = [{ name: "FAIL_ON_INIT_ERROR", value: "false" }];
    const byPolicy = changed({ "cluster-policy": clusterPolicy({ devicePlugin: { enabled: true, env } }) });
    expect(ids(reportOn(byPolicy)).causes).toEqual(["fail-on-init-error-off"]);
    wording.add(conclusion(reportOn(byPolicy), "fail-on-init-error-off"));
    const bySet = changed({ [plugin]: daemonSet(plugin, { spec: { containers: [{ name: "p", env }] } }) });
    expect(ids(reportOn(bySet)).causes).toEqual(["fail-on-init-error-off"]);
  });

  test("only new nodes advertise no GPUs", () => {
    const items = [
      ...changed({ [plugin]: daemonSet(plugin, { desired: 3 }) }),
      gpuNode("ip-gpu-c", { gpus: "0", age: 10 * minute }),
      pluginPod("ip-gpu-c"),
    ];
    const report = reportOn(items);
    expect(ids(report)).toMatchObject({ causes: ["gpu-zero-on-new-nodes"] });
    wording.add(conclusion(report, "gpu-zero-on-new-nodes"));
    expect(conclusion(report, "gpu-zero-on-new-nodes").evidence.map(({ value }) => value)).toEqual([
      "10m, 0",
      "31m, 1",
      "31m, 1",
    ]);
    const old = [...changed({}), gpuNode("ip-gpu-c", { gpus: "0", age: 10 * hour }), pluginPod("ip-gpu-c")];
    expect(reportOn(old).conclusions.map(({ id }) => id)).not.toContain("gpu-zero-on-new-nodes");
  });
});

describe("the device plugin is not on every GPU node", () => {
  test("a taint that it does not tolerate", () => {
    const taints = [{ key: "team", value: "a", effect: "NoSchedule" }];
    const items = changed({
      [plugin]: daemonSet(plugin, { desired: 1 }),
      "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null, taints }),
      [`${plugin}-b`]: null,
    });
    const report = reportOn(items);
    expect(ids(report)).toMatchObject({
      causes: ["device-plugin-below-gpu-nodes"],
      consequences: ["gpu-allocatable-missing"],
    });
    wording.add(conclusion(report, "device-plugin-below-gpu-nodes"));
    expect(JSON.stringify(conclusion(report, "device-plugin-below-gpu-nodes").evidence)).toContain(
      "taint team=a:NoSchedule is not tolerated",
    );
  });

  test("a missing label", () => {
    const labels = { "nvidia.com/gpu.deploy.device-plugin": "" };
    const selecting = { nodeSelector: { "nvidia.com/gpu.deploy.device-plugin": "true" } };
    const items = changed({
      [plugin]: daemonSet(plugin, { desired: 1, spec: selecting }),
      "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null, labels }),
      [`${plugin}-b`]: null,
    });
    const report = reportOn(items);
    expect(ids(report).causes).toEqual(["gpu-label-missing"]);
    wording.add(conclusion(report, "gpu-label-missing"));
    expect(conclusion(report, "gpu-label-missing").evidence[0]?.value).toMatch(/^, selected true$/);
  });

  test("a new node does not count yet", () => {
    const items = [...clusters.healthy, gpuNode("ip-gpu-c", { gpus: null, age: minute })];
    expect(ids(reportOn(items)).causes).toEqual([]);
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
