import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { conclusion, ids, reportOn } from "../../support/clusters";
import { ago, conditions, gpuNode, hour, minute, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

test("a node that stopped reporting: since its last heartbeat", () => {
  const silent = conditions({
    Ready: {
      ...{ status: "Unknown", reason: "NodeStatusUnknown" },
      ...{ lastTransitionTime: ago(hour), lastHeartbeatTime: ago(hour + 50) },
    },
  });
  const found = conclusion(
    reportOn(clusters.changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { conditions: silent }) })),
    "node-not-ready",
  );
  expect(found.evidence[1]).toEqual({
    ...{ object: "node/ip-gpu-b", field: "condition Ready.lastHeartbeatTime" },
    ...{ value: ago(hour + 50), at: ago(hour + 50) },
  });
});

describe("node conditions", () => {
  test("a double-bit error: reason, age, time of the repair, and the cordoned node", () => {
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
    ["NeuronDMAError", "Neuron device", false],
    ["NeuronHBMUncorrectableError", "Neuron device", false],
    ["NvidiaNVLinkError", "GPU", true],
  ] as const)("%s is about the %s", ([reason, part, hasXids]) => {
    const unwell = conditions({ AcceleratedHardwareReady: { status: "False", reason, message: "x" } });
    const items = clusters.changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { conditions: unwell }) });
    const { what, next } = conclusion(reportOn(items), "accelerated-hardware-not-ready");
    expect(what).toContain(`The ${part} of the node is unhealthy`);
    expect(next.some(({ command }) => command.includes("xid"))).toBe(hasXids);
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

  test("on arm64, suggests the engine of the operator", () => {
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

  test("DCGMError while dcgm-server is ready: the agent does not take its condition back", () => {
    const server = (fields: Parameters<typeof pod>[1] = {}) =>
      pod("dcgm-server-x", {
        ...{ namespace: "kube-system", node: "ip-gpu-a", owner: ["DaemonSet", "dcgm-server"] as const },
        ...fields,
      });
    const report = reportOn([...clusters.dcgmAlarm, server()]);
    expect(ids(report).causes).toEqual(["dcgm-false-alarm"]);
    const found = conclusion(report, "dcgm-false-alarm");
    expect(found.confidence).toBe("likely");
    expect(found.next.map(({ command }) => command).join("\n")).toContain(
      "delete pod -l app.kubernetes.io/name=eks-node-m",
    );
    wording.add(found);
    // The GPUs themselves are gone: the condition may be right.
    const silent = clusters.dcgmAlarm.map((item) =>
      item["kind"] === "Node" && JSON.stringify(item).includes("DCGMError")
        ? { ...item, status: { ...(item["status"] as object), allocatable: {}, capacity: {} } }
        : item,
    );
    expect(conclusion(reportOn([...silent, server()]), "dcgm-false-alarm").confidence).toBe("possible");
  });

  test("a DaemonSet that reports a ready pod for each GPU node counts, although the data has no pods of it", () => {
    const status = (ready: number) => ({ desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: ready });
    const found = (ready: number) =>
      conclusion(
        reportOn(
          clusters.dcgmAlarm.map((item) =>
            (item["metadata"] as { name: string }).name === "dcgm-server" ? { ...item, status: status(ready) } : item,
          ),
        ),
        "dcgm-false-alarm",
      );
    expect(found(1)).toMatchObject({ confidence: "likely", evidence: [{}, { value: "1 of 1, with 1 GPU nodes" }] });
    expect(found(1).what).toContain("dcgm-server is ready on the node now");
    expect(found(0).what).toContain("dcgm-server does not run on the node");
  });

  test.for([
    ["DCGMHealthCode122", "g5.xlarge", "dcgm-false-alarm"],
    ["DCGMHealthCode122", "p6e-gb200.36xlarge", "accelerated-hardware-not-ready"],
    ["DCGMHealthCode89", "g5.xlarge", "accelerated-hardware-not-ready"],
    ["NvidiaXID79Error", "g5.xlarge", "accelerated-hardware-not-ready"],
  ] as const)("%s on %s: %s", ([reason, type, id]) => {
    const unwell = conditions({ AcceleratedHardwareReady: { status: "False", reason } });
    const items = clusters.changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { type, conditions: unwell }) });
    expect(ids(reportOn(items)).causes).toEqual([id]);
  });

  test("finds Ready by its type: it is not the last condition", () => {
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

  test("a healthy node that is cordoned", () => {
    const items = clusters.healthy.map((item) =>
      (item["metadata"] as { name: string }).name === "ip-gpu-b" ? gpuNode("ip-gpu-b", { unschedulable: true }) : item,
    );
    wording.add(conclusion(reportOn(items), "node-cordoned"));
    expect(conclusion(reportOn(items), "node-cordoned").next.at(-1)?.command).toBe("kubectl uncordon ip-gpu-b");
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
