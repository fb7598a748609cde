import { describe, expect, test } from "vitest";
import * as clusters from "./support/clusters";
import { conclusion, ids, reportOn } from "./support/clusters";
import { ago, conditions, daemonSet, gpuNode, hour, minute, pod } from "./support/objects";
import { Wording } from "./support/wording";

const wording = new Wording();

test("a healthy cluster: nothing found", () => {
  expect(ids(reportOn(clusters.healthy))).toEqual({ causes: [], consequences: [], notices: [] });
});

describe("no GPU node", () => {
  test("at rest it is meant so: worth knowing, and no fault", () => {
    wording.add(conclusion(reportOn(clusters.atRest), "no-gpu-nodes"));
    expect(ids(reportOn(clusters.atRest))).toEqual({ causes: [], consequences: [], notices: ["no-gpu-nodes"] });
  });

  test("a pod that waits makes it the cause, with the command that starts a session", () => {
    const report = reportOn([...clusters.atRest, clusters.waiting, clusters.refusal]);
    expect(ids(report)).toMatchObject({ causes: ["no-gpu-nodes"], consequences: ["insufficient-gpu"] });
    wording.add(conclusion(report, "no-gpu-nodes"));
    expect(conclusion(report, "no-gpu-nodes").next[0]?.command).toBe("$(pulumi stack output scaleUp)");
  });
});

describe("the device plugin switched off in the ClusterPolicy", () => {
  const report = reportOn(clusters.pluginOff);

  test("one cause, and what follows from it", () => {
    expect(ids(report)).toEqual({
      causes: ["device-plugin-disabled"],
      consequences: ["insufficient-gpu", "gpu-allocatable-zero", "device-plugin-missing"],
      notices: [],
    });
  });

  test("the pitfall: the policy's state ready is shown and proves nothing", () => {
    expect(conclusion(report, "device-plugin-disabled").evidence).toEqual([
      { object: "clusterpolicy/cluster-policy", field: "spec.devicePlugin.enabled", value: "false" },
      { object: "clusterpolicy/cluster-policy", field: "status.state", value: "ready" },
    ]);
    for (const { layer, lines } of report.checks) wording.add([layer, ...lines].join("\n"));
    wording.add(conclusion(report, "device-plugin-disabled"));
  });

  test("the fix is the opposite patch, said to change something", () => {
    expect(conclusion(report, "device-plugin-disabled").next.at(-1)).toMatchObject({
      command: `kubectl patch clusterpolicy cluster-policy --type=merge -p '{"spec":{"devicePlugin":{"enabled":true}}}'`,
      changes: true,
    });
  });

  test("the event and its age are the evidence of the pod", () => {
    const [seen] = conclusion(report, "insufficient-gpu").evidence;
    expect(seen).toMatchObject({ object: "-n gpu-lab pod/gpu-probe", field: "event FailedScheduling", at: ago(30) });
    expect(seen?.value).toMatch(/^0\/4 nodes are available.* \(3 times\)$/);
  });

  test("pods that kept their GPU are to be ended first", () => {
    const more = reportOn([...clusters.pluginOff, pod("trainer", { node: "ip-gpu-a", gpus: 1 })]);
    wording.add(conclusion(more, "device-plugin-disabled"));
    expect(conclusion(more, "device-plugin-disabled").next[0]?.why).toContain("gpu-lab/trainer");
  });

  test("the operator's own log is evidence where it was read", () => {
    const line = '{"msg":"ClusterPolicy step completed","state:":"state-device-plugin","status":"disabled"}';
    const logs = [{ namespace: "gpu-operator", pod: "gpu-operator-1", lines: [line] }];
    expect(conclusion(reportOn(clusters.pluginOff, { logs }), "device-plugin-disabled").evidence.at(-1)?.value).toBe(
      line,
    );
  });

  test("a pod asked about gives the same cause", () => {
    const subject = { kind: "pod", name: "gpu-probe", namespace: "gpu-lab" };
    expect(ids(reportOn(clusters.pluginOff, { subject })).causes).toEqual(["device-plugin-disabled"]);
  });

  test("after the repair: the DaemonSet's age alone tells of it", () => {
    const young = daemonSet("nvidia-device-plugin-daemonset", { age: 235 });
    const items = clusters.healthy.map((item) => (item === clusters.operator.plugin ? young : item));
    const healed = reportOn(items);
    expect(ids(healed)).toEqual({ causes: [], consequences: [], notices: ["device-plugin-recreated"] });
    expect(conclusion(healed, "device-plugin-recreated").what).toMatch(/3m55s old.* 3h49m/);
    wording.add(conclusion(healed, "device-plugin-recreated"));
  });
});

describe("allocatable 0 is not a missing key", () => {
  test("0: a plugin was there and stopped", () => {
    const found = conclusion(reportOn(clusters.pluginOff), "gpu-allocatable-zero");
    wording.add(found);
    expect(found.evidence[0]?.value).toBe('"0", "0"');
  });

  test("a capacity above 0 means it is not long ago", () => {
    const items = clusters.pluginOff.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-a"
        ? gpuNode("ip-gpu-a", { gpus: "0", capacity: "1" })
        : item,
    );
    expect(conclusion(reportOn(items), "gpu-allocatable-zero").what).toContain("less than 5 minutes ago");
  });

  test("no key: none ever registered", () => {
    const report = reportOn([...clusters.systemNodes, gpuNode("ip-gpu-a", { gpus: null })]);
    expect(ids(report)).toEqual({
      causes: ["gpu-operator-not-installed"],
      consequences: ["gpu-allocatable-missing", "device-plugin-missing"],
      notices: [],
    });
    for (const found of report.conclusions) wording.add(found);
  });

  test("with MIG the plain resource is 0 and another is offered: no fault", () => {
    const raw = gpuNode("ip-gpu-a", { gpus: "0" });
    const status = raw["status"] as { allocatable: Record<string, string> };
    const mig = { ...raw, status: { ...status, allocatable: { ...status.allocatable, "nvidia.com/mig-1g.5gb": "7" } } };
    const items = clusters.healthy.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-a" ? mig : item,
    );
    expect(ids(reportOn(items)).causes).toEqual([]);
  });

  test("a node that has just come is only worth knowing", () => {
    const report = reportOn([...clusters.healthy, gpuNode("ip-gpu-c", { gpus: null, age: 2 * minute })]);
    expect(ids(report)).toMatchObject({ causes: [], notices: ["gpu-allocatable-missing"] });
  });

  test("fewer than it has: the others are unhealthy", () => {
    const report = reportOn([
      ...clusters.systemNodes,
      gpuNode("ip-gpu-a", { type: "g5.12xlarge", gpus: "3", capacity: "4" }),
    ]);
    wording.add(conclusion(report, "gpu-allocatable-low"));
    expect(ids(report).causes).toEqual(["gpu-allocatable-low"]);
  });
});

describe("a rollout that waits for itself", () => {
  const report = reportOn(clusters.rollout);
  const found = conclusion(report, "rollout-deadlock");

  test("is the cause; that no GPU is free follows from it", () => {
    expect(ids(report)).toEqual({ causes: ["rollout-deadlock"], consequences: ["insufficient-gpu"], notices: [] });
    expect(found.confidence).toBe("certain");
  });

  test("names the Deployment, both limits as they come to, and who holds the GPU", () => {
    expect(found.what).toContain("Deployment tracker");
    expect(found.what).toContain("tracker-aaa-1 holds on ip-gpu-a");
    wording.add(found);
    expect(found.evidence[0]?.value).toMatch(/^maxSurge 25%, maxUnavailable 25%; .* 1 and 0$/);
    expect(found.evidence[1]).toMatchObject({ value: "holds 1 on ip-gpu-a", at: ago(3 * hour) });
  });

  test("offers every way out", () => {
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

  test("without the ReplicaSets, the hash in the pod's label tells the Deployment", () => {
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
    [
      "maxUnavailable 1 lets the old pod go",
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    ],
    ["Recreate ends the old pod first", { type: "Recreate" }],
  ] as const)("no deadlock: %s", ([, strategy]) => {
    const items = clusters.rollout.map((item) =>
      (item["metadata"] as { name: string }).name === "tracker" ? { ...item, spec: { replicas: 1, strategy } } : item,
    );
    expect(ids(reportOn(items)).causes).toEqual(["gpus-in-use"]);
  });

  test("another Deployment's pod is no deadlock: the GPU is in use, and by whom is said", () => {
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

describe("node conditions", () => {
  test("a double-bit error: the reason, its age, when repair is due, and that the node is cordoned", () => {
    const report = reportOn(clusters.brokenGpu);
    expect(ids(report)).toEqual({
      causes: ["accelerated-hardware-not-ready"],
      consequences: ["node-cordoned"],
      notices: [],
    });
    const found = conclusion(report, "accelerated-hardware-not-ready");
    for (const one of report.conclusions) wording.add(one);
    expect(found.what).toMatch(/NvidiaDoubleBitError.*10 minutes.*in 6m\./);
    expect(found.evidence[0]).toMatchObject({ field: "condition AcceleratedHardwareReady", at: ago(4 * minute) });
  });

  test.for([
    ["NvidiaXID79Error", "XID 79: the GPU has fallen off the bus"],
    ["NvidiaXID999Error", "XID 999: "],
    ["NvidiaDeviceCountMismatch", "number of GPUs"],
    ["SomethingNew", "text of the agent"],
  ])("reason %s", ([reason, meaning]) => {
    const unwell = conditions({ AcceleratedHardwareReady: { status: "False", reason, message: "text of the agent" } });
    const items = clusters.healthy.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-b" ? gpuNode("ip-gpu-b", { conditions: unwell }) : item,
    );
    expect(conclusion(reportOn(items), "accelerated-hardware-not-ready").what).toContain(meaning);
  });

  test("DCGMError without dcgm-server on the node is a false alarm", () => {
    const report = reportOn(clusters.dcgmAlarm);
    expect(ids(report)).toEqual({ causes: ["dcgm-false-alarm"], consequences: [], notices: [] });
    const found = conclusion(report, "dcgm-false-alarm");
    expect(found).toMatchObject({ confidence: "certain" });
    wording.add(found);
    expect(found.what).toContain("nvidia.com/gpu=true:NoSchedule");
    expect(JSON.stringify(found.next)).toContain("dcgmAgent");
  });

  test("on arm64 it cannot run: another way out", () => {
    const items = clusters.dcgmAlarm.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-a"
        ? {
            ...item,
            metadata: {
              ...(item["metadata"] as object),
              labels: { "kubernetes.io/arch": "arm64", "node.kubernetes.io/instance-type": "g5g.xlarge" },
            },
          }
        : item,
    );
    expect(conclusion(reportOn(items), "dcgm-false-alarm").next[1]?.command).toContain("gpuHealth.engine operator");
  });

  test("DCGMError with a running dcgm-server is believed", () => {
    const items = [
      ...clusters.dcgmAlarm,
      pod("dcgm-server-x", { namespace: "kube-system", node: "ip-gpu-a", owner: ["DaemonSet", "dcgm-server"] }),
    ];
    expect(ids(reportOn(items)).causes).toEqual(["accelerated-hardware-not-ready"]);
  });

  test("the pitfall: the last condition is not Ready, Ready is found by its type", () => {
    const silent = conditions({
      Ready: { status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: ago(hour) },
    });
    expect(silent.at(-1)?.["type"]).toBe("AcceleratedHardwareReady");
    const items = clusters.healthy.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-b" ? gpuNode("ip-gpu-b", { conditions: silent }) : item,
    );
    const report = reportOn(items);
    expect(ids(report).causes).toEqual(["node-not-ready"]);
    expect(conclusion(report, "node-not-ready").what).toMatch(/due 30m ago/);
    wording.add(conclusion(report, "node-not-ready"));
    const line = report.checks.find(({ layer }) => layer === "node")?.lines.find((one) => one.startsWith("ip-gpu-b"));
    wording.add(line ?? "");
  });

  test.for([
    ["ContainerRuntimeReady", "container-runtime-not-ready"],
    ["KernelReady", "kernel-not-ready"],
    ["NetworkingReady", "networking-not-ready"],
    ["StorageReady", "storage-not-ready"],
  ] as const)("%s", ([type, id]) => {
    const unwell = conditions({ [type]: { status: "False", reason: "X", lastTransitionTime: ago(minute) } });
    const report = reportOn([...clusters.healthy, gpuNode("ip-gpu-c", { conditions: unwell })]);
    wording.add(conclusion(report, id).what);
    expect(conclusion(report, id).what).toContain("30 minutes");
  });

  test("cordoned and well: somebody's doing", () => {
    const items = clusters.healthy.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-b" ? gpuNode("ip-gpu-b", { unschedulable: true }) : item,
    );
    wording.add(conclusion(reportOn(items), "node-cordoned"));
    expect(conclusion(reportOn(items), "node-cordoned").next.at(-1)?.command).toBe("kubectl uncordon ip-gpu-b");
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
