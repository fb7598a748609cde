import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { ago, clusterPolicy, daemonSet, deployment, gpuNode, minute, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const plugin = "nvidia-device-plugin-daemonset";

describe("the ClusterPolicy disables the device plugin", () => {
  const report = reportOn(clusters.pluginOff);

  test("one cause with its consequences", () => {
    expect(ids(report)).toEqual({
      causes: ["device-plugin-disabled"],
      consequences: ["insufficient-gpu", "gpu-allocatable-zero", "device-plugin-missing"],
      notices: [],
    });
  });

  test("shows that the state of the policy is ready", () => {
    expect(conclusion(report, "device-plugin-disabled").evidence).toEqual([
      { object: "clusterpolicy/cluster-policy", field: "spec.devicePlugin.enabled", value: "false" },
      { object: "clusterpolicy/cluster-policy", field: "status.state", value: "ready" },
    ]);
    for (const { layer, lines } of report.checks) wording.add([layer, ...lines].join("\n"));
    wording.add(conclusion(report, "device-plugin-disabled"));
  });

  test("the fix is the opposite patch, marked as a change", () => {
    expect(conclusion(report, "device-plugin-disabled").next.at(-1)).toMatchObject({
      command: `kubectl patch clusterpolicy/cluster-policy --field-manager=pulumi-kubernetes --type=merge -p '{"spec":{"devicePlugin":{"enabled":true}}}'`,
      changes: true,
    });
  });

  test("the evidence of the pod is its event, with its age", () => {
    const [seen] = conclusion(report, "insufficient-gpu").evidence;
    expect(seen).toMatchObject({ object: "-n gpu-lab pod/gpu-probe", field: "event FailedScheduling", at: ago(30) });
    expect(seen?.value).toMatch(/^0\/4 nodes are available.* \(3 times\)$/);
  });

  test("first stops the pods that still hold a GPU", () => {
    const more = reportOn([...clusters.pluginOff, pod("trainer", { node: "ip-gpu-a", gpus: 1 })]);
    wording.add(conclusion(more, "device-plugin-disabled"));
    expect(conclusion(more, "device-plugin-disabled").next[0]?.why).toContain("gpu-lab/trainer");
  });

  test("the log of the operator is evidence if it was read", () => {
    const line = '{"msg":"ClusterPolicy step completed","state:":"state-device-plugin","status":"disabled"}';
    const logs = [{ namespace: "gpu-operator", pod: "gpu-operator-1", lines: [line] }];
    expect(conclusion(reportOn(clusters.pluginOff, { logs }), "device-plugin-disabled").evidence.at(-1)?.value).toBe(
      line,
    );
  });

  test("asking about the pod gives the same cause", () => {
    const subject = { kind: "pod", name: "gpu-probe", namespace: "gpu-lab" };
    expect(ids(reportOn(clusters.pluginOff, { subject })).causes).toEqual(["device-plugin-disabled"]);
  });

  test("after the repair, only the age of the DaemonSet shows it", () => {
    const young = daemonSet("nvidia-device-plugin-daemonset", { age: 235 });
    const items = clusters.healthy.map((item) => (item === clusters.operator.plugin ? young : item));
    const healed = reportOn(items);
    expect(ids(healed)).toEqual({ causes: [], consequences: [], notices: ["device-plugin-recreated"] });
    expect(conclusion(healed, "device-plugin-recreated").what).toMatch(/3m55s old.* 3h49m/);
    wording.add(conclusion(healed, "device-plugin-recreated"));
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

  test("no ready replica: out of memory, and missing DaemonSets are not created", () => {
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
    expect(found.next[0]?.why).toContain("operator.resources.limits.memory");
  });

  test("a policy without an operator", () => {
    const report = reportOn(changed({ "gpu-operator": null }));
    wording.add(conclusion(report, "gpu-operator-not-ready"));
    expect(ids(report).causes).toEqual(["gpu-operator-not-ready"]);
  });

  test("a policy that is not ready names the operand", () => {
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

  test("a second policy that the operator ignores disables nothing", () => {
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

  test("a cluster whose nodes advertise GPUs without the operator is healthy", () => {
    expect(ids(reportOn([...clusters.systemNodes, gpuNode("ip-gpu-a")]))).toEqual({
      causes: [],
      consequences: [],
      notices: [],
    });
  });

  test("a resource that was not read is not missing", () => {
    const report = reportOn([...clusters.systemNodes, gpuNode("ip-gpu-a", { gpus: "0" })], {
      read: ["nodes", "pods", "events"],
    });
    expect(ids(report).causes).toEqual(["gpu-allocatable-zero"]);
  });

  test("a pod of a DaemonSet that keeps exiting", () => {
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
