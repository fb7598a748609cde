import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { ago, clusterPolicy, daemonSet, deployment, gpuNode, hour, minute, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const plugin = "nvidia-device-plugin-daemonset";

describe("the device plugin runs and offers nothing", () => {
  const silent = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }) });

  test("looks ready, and is told apart from a missing one", () => {
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
    ["E1121 main.go:128] Received error: failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", "plugin-nvml-error"],
    ["Received error: NVML error: Unknown", "plugin-nvml-error"],
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

  test("only on new nodes: labels that came late", () => {
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

  test("a label that nobody set", () => {
    const labels = { "nvidia.com/gpu.deploy.device-plugin": "false" };
    const selecting = { nodeSelector: { "nvidia.com/gpu.deploy.device-plugin": "true" } };
    const items = changed({
      [plugin]: daemonSet(plugin, { desired: 1, spec: selecting }),
      "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null, labels }),
      [`${plugin}-b`]: null,
    });
    const report = reportOn(items);
    expect(ids(report).causes).toEqual(["gpu-label-missing"]);
    wording.add(conclusion(report, "gpu-label-missing"));
    expect(conclusion(report, "gpu-label-missing").evidence[0]?.value).toMatch(/^false, .* true$/);
  });

  test("a node that has just come does not count yet", () => {
    const items = [...clusters.healthy, gpuNode("ip-gpu-c", { gpus: null, age: minute })];
    expect(ids(reportOn(items)).causes).toEqual([]);
  });
});

describe("the operator", () => {
  const killed = [
    {
      name: "gpu-operator",
      ready: false,
      restartCount: 12,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { reason: "OOMKilled", exitCode: 137, finishedAt: ago(minute) } },
    },
  ];
  const down = {
    "gpu-operator": deployment("gpu-operator", { namespace: "gpu-operator", ready: 0 }),
    [plugin]: null,
    [`${plugin}-a`]: null,
    [`${plugin}-b`]: null,
    "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: "0" }),
    "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }),
  };

  test("0 of 1 ready: out of memory, and it makes nothing anew", () => {
    const its = pod("gpu-operator-1", {
      namespace: "gpu-operator",
      node: "ip-sys-1",
      owner: ["ReplicaSet", "gpu-operator-x"],
      labels: { app: "gpu-operator" },
      statuses: killed,
    });
    const report = reportOn([...changed(down), its]);
    expect(ids(report)).toEqual({
      causes: ["gpu-operator-not-ready"],
      consequences: ["gpu-allocatable-zero", "device-plugin-missing"],
      notices: [],
    });
    const found = conclusion(report, "gpu-operator-not-ready");
    wording.add(found);
    expect(found.what).toContain("(OOMKilled)");
    expect(found.next[1]?.why).toContain("operator.resources.limits.memory");
  });

  test("a policy without an operator", () => {
    const report = reportOn(changed({ "gpu-operator": null }));
    wording.add(conclusion(report, "gpu-operator-not-ready"));
    expect(ids(report).causes).toEqual(["gpu-operator-not-ready"]);
  });

  test("a policy that is not ready says which part", () => {
    const status = {
      state: "notReady",
      conditions: [
        {
          type: "Error",
          status: "True",
          reason: "OperandNotReady",
          message: "ClusterPolicy is not ready, states not ready: [state-dcgm-exporter]",
        },
      ],
    };
    const report = reportOn(changed({ "cluster-policy": clusterPolicy({}, status) }));
    wording.add(conclusion(report, "cluster-policy-not-ready"));
    expect(conclusion(report, "cluster-policy-not-ready").what).toContain("state-dcgm-exporter");
  });

  test("a second policy, which the operator ignores, switches nothing off", () => {
    const env = [{ name: "FAIL_ON_INIT_ERROR", value: "false" }];
    const raw = clusterPolicy({ devicePlugin: { enabled: false, env } }, { state: "ignored" });
    const second = { ...raw, metadata: { ...(raw["metadata"] as object), name: "second" } };
    const report = reportOn([second, ...clusters.healthy]);
    expect(ids(report)).toEqual({ causes: [], consequences: [], notices: [] });
    const lines = report.checks.find(({ layer }) => layer === "operator")?.lines ?? [];
    wording.add(lines.join("\n"));
    expect(lines.filter((line) => line.startsWith("ClusterPolicy second: ignored"))).toHaveLength(1);
    expect(ids(reportOn([second, ...changed({ "gpu-operator": null, "cluster-policy": null })])).causes).toEqual([]);
  });

  test("a cluster whose nodes offer GPUs without the operator is in order", () => {
    expect(ids(reportOn([...clusters.systemNodes, gpuNode("ip-gpu-a")]))).toEqual({
      causes: [],
      consequences: [],
      notices: [],
    });
  });

  test("what was not read is not missing", () => {
    const report = reportOn([...clusters.systemNodes, gpuNode("ip-gpu-a", { gpus: "0" })], {
      read: ["nodes", "pods", "events"],
    });
    expect(ids(report).causes).toEqual(["gpu-allocatable-zero"]);
  });

  test("a pod of its DaemonSets that keeps ending", () => {
    const statuses = [
      {
        name: "toolkit",
        ready: false,
        restartCount: 681,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { reason: "Error", exitCode: 1 } },
      },
    ];
    const toolkit = pod("nvidia-container-toolkit-daemonset-84xtt", {
      namespace: "gpu-operator",
      node: "ip-gpu-a",
      owner: ["DaemonSet", "nvidia-container-toolkit-daemonset"],
      statuses,
    });
    const report = reportOn([...clusters.healthy, toolkit]);
    expect(conclusion(report, "operator-pod-crash-loop").evidence[0]?.value).toContain("restartCount 681");
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
