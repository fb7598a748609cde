import { describe, expect, test } from "vitest";
import type { Report } from "../../../../triage/triage";
import * as clusters from "../../support/clusters";
import { conclusion, ids, reportOn } from "../../support/clusters";
import { ago, conditions, gpuNode, minute, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const directory = "containerd: failed to get listener for main endpoint: is a directory";
const unwell = clusters.healthy.map((item) =>
  (item["metadata"] as { name: string }).name === "ip-gpu-b"
    ? gpuNode("ip-gpu-b", {
        conditions: conditions({
          Ready: {
            ...{ status: "False", reason: "KubeletNotReady", lastTransitionTime: ago(3 * minute) },
            message: "[container runtime is down, PLEG is not healthy: pleg was last seen active 3m12s ago]",
          },
        }),
      })
    : item,
);

function commands(report: Report): string[] {
  return report.conclusions.flatMap(({ next }) => next.map(({ command }) => command));
}

describe("case A: a directory in place of the socket", () => {
  const report = reportOn(unwell, { journal: [directory] });
  const found = conclusion(report, "containerd-socket-is-directory");

  test("explains the node that is not Ready", () => {
    expect(ids(report)).toMatchObject({ causes: ["containerd-socket-is-directory"], consequences: ["node-not-ready"] });
    expect(found.subject).toBe("node ip-gpu-b");
  });

  test("suggests replacing the node first, with its name and instance", () => {
    expect(found.next[0]?.command).toBe(
      "kubectl cordon ip-gpu-b && kubectl drain ip-gpu-b --ignore-daemonsets --delete-emptydir-data --timeout=120s",
    );
    expect(found.next[1]?.command).toContain(
      "terminate-instance-in-auto-scaling-group --instance-id i-0123456789abcdef0",
    );
  });

  test("the repair of the node deletes only an empty directory", () => {
    const repair = found.next.at(-1);
    expect(repair).toMatchObject({ changes: true });
    wording.add(found);
    expect(repair?.command).toContain("&& sudo rmdir /run/containerd/containerd.sock &&");
  });

  test("evidence names pods that mount the socket without a type", () => {
    const volumes = [{ name: "s", hostPath: { path: "/run/containerd/containerd.sock", type: "" } }];
    const suspect = pod("agent-1", { node: "ip-gpu-b", spec: { volumes } });
    const typed = pod("agent-2", {
      node: "ip-gpu-b",
      spec: { volumes: [{ name: "s", hostPath: { path: "/run/containerd/containerd.sock", type: "Socket" } }] },
    });
    const more = reportOn([...unwell, suspect, typed], { journal: [directory] });
    expect(conclusion(more, "containerd-socket-is-directory").evidence.at(-1)).toMatchObject({
      object: "-n gpu-lab pod/agent-1",
      value: "/run/containerd/containerd.sock, type none",
    });
    wording.add(conclusion(more, "socket-mount-untyped"));
    expect(more.conclusions.filter(({ id }) => id === "socket-mount-untyped")).toHaveLength(1);
  });
});

test("case B: restart the daemon alone", () => {
  const report = reportOn(unwell, { journal: ["ttrpc: closed: timeout"] });
  expect(ids(report).causes).toEqual(["containerd-hangs"]);
  wording.add(conclusion(report, "containerd-hangs"));
  expect(conclusion(report, "containerd-hangs").next[0]?.command).toContain("systemctl restart containerd");
});

test("case C: nodeadm writes the configuration again", () => {
  const report = reportOn(unwell, {
    journal: ["containerd: failed to load TOML: /etc/containerd/config.toml: (1, 1): x"],
  });
  expect(ids(report).causes).toEqual(["containerd-config-broken"]);
  wording.add(conclusion(report, "containerd-config-broken"));
  expect(conclusion(report, "containerd-config-broken").next.at(-1)?.command).toContain("nodeadm init");
});

test("a toolkit that cannot signal is a symptom of what else the journal shows", () => {
  const toolkit = "Error signaling containerd: dial unix /run/containerd/containerd.sock: connect: connection refused";
  expect(ids(reportOn(unwell, { journal: [toolkit] })).causes).toEqual(["node-not-ready", "toolkit-cannot-signal"]);
  wording.add(conclusion(reportOn(unwell, { journal: [toolkit] }), "toolkit-cannot-signal"));
  const both = ids(reportOn(unwell, { journal: [toolkit, directory] }));
  expect(both.causes).toEqual(["containerd-socket-is-directory"]);
  expect(both.consequences).toContain("toolkit-cannot-signal");
});

test.for([
  ["invalid character", "possible", "containerd-config-broken"],
  ["containerd: failed to load TOML: x", "likely", "containerd-config-broken"],
  ["timeout", "possible", "containerd-hangs"],
  ["ttrpc: closed: timeout", "likely", "containerd-hangs"],
] as const)("confidence: %s is %s", ([line, confidence, id]) => {
  expect(conclusion(reportOn([], { journal: [line] }), id).confidence).toBe(confidence);
});

describe("one line of a journal alone is never certain", () => {
  const lines = [
    directory,
    "failed to get listener for main ttrpc endpoint: listen unix: is a directory",
    "containerd: failed to load TOML: x",
    "containerd: (12, 4): no value can start with s",
    "ttrpc: closed: timeout",
    "Found left-over process 4821 (containerd-shim) in control group",
    "Error signaling containerd: unable to dial",
    "Failed to initialize NVML: Unknown Error",
    "NVRM: Xid (PCI:0000:00:1e): 79, GPU has fallen off the bus",
  ];
  const highest = (items: Parameters<typeof reportOn>[0], line: string) =>
    reportOn(items, { journal: [line], subject: { kind: "node", name: "ip-gpu-b" } })
      .conclusions.filter(({ evidence }) => evidence.some(({ field }) => field.startsWith("log")))
      .map(({ confidence }) => confidence);

  test.for(lines)("%s", (line) => {
    const confidences = highest(clusters.healthy, line);
    expect(confidences).not.toHaveLength(0);
    expect(confidences).not.toContain("certain");
  });

  const fatal = [directory, "containerd: failed to load TOML: x"];
  test.for(fatal)("certain if the kubelet says that the runtime is down: %s", (line) => {
    expect(highest(unwell, line)).toEqual(["certain"]);
  });

  const others = {
    "not reporting": {
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    },
    "without its network plugin": {
      ...{ status: "False", reason: "KubeletNotReady" },
      message: "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady",
    },
  };
  test.for(Object.entries(others))("likely on a node that is %s", ([, Ready]) => {
    const items = clusters.changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { conditions: conditions({ Ready }) }) });
    for (const line of fatal) expect(highest(items, line)).toEqual(["likely"]);
  });
});

describe("the journal of an unnamed node", () => {
  const xid = "NVRM: Xid (PCI:0000:00:1e): 79, GPU has fallen off the bus";
  const missing = (name: string) => ({ [name]: gpuNode(name, { gpus: null }) });
  const found = (items: Parameters<typeof reportOn>[0]) => {
    const { nodes, confidence } = conclusion(reportOn(items, { journal: [xid] }), "gpu-xid-error");
    return { nodes, confidence };
  };

  test("is that of the only node that lacks GPUs, which proves nothing", () => {
    expect(found(clusters.changed(missing("ip-gpu-b")))).toEqual({ nodes: ["ip-gpu-b"], confidence: "likely" });
  });

  test.for([
    ["no node lacks GPUs", clusters.healthy],
    ["two nodes do", clusters.changed({ ...missing("ip-gpu-a"), ...missing("ip-gpu-b") })],
  ] as const)("belongs to no node if %s", ([, items]) => {
    expect(found([...items]).nodes).toEqual([]);
  });
});

test("evidence for case A names only pods of the journal's node", () => {
  const volumes = [{ name: "s", hostPath: { path: "/run/containerd/containerd.sock", type: "" } }];
  const mount = (name: string, node: string) => pod(name, { node, spec: { volumes } });
  const report = reportOn([...unwell, mount("here", "ip-gpu-b"), mount("there", "ip-gpu-a")], { journal: [directory] });
  const { evidence } = conclusion(report, "containerd-socket-is-directory");
  expect(evidence.slice(1).map(({ object }) => object)).toEqual(["node/ip-gpu-b", "-n gpu-lab pod/here"]);
});

test("nvidia-smi runs in the operator's namespace, on the node in question", () => {
  const moved = (item: Record<string, unknown>) => {
    const metadata = item["metadata"] as { namespace?: string };
    return metadata.namespace === "gpu-operator" ? { ...item, metadata: { ...metadata, namespace: "gpu" } } : item;
  };
  const plugin = "nvidia-device-plugin-daemonset-b";
  const lines = ["No devices found. Waiting indefinitely.", "NVML error: Unknown"];
  const items = clusters.changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }) }).map(moved);
  const journal = ["Failed to initialize NVML: Unknown Error"];
  const report = reportOn(items, { logs: [{ namespace: "gpu", pod: plugin, lines }], journal });
  const asked = commands(report).filter((command) => command.includes("nvidia-smi"));
  const exporter =
    'kubectl -n gpu exec "$(kubectl -n gpu get pods -l app=nvidia-dcgm-exporter --field-selector spec.nodeName=ip-gpu-b -o name)"';
  expect(new Set(asked)).toEqual(new Set([`${exporter} -- nvidia-smi -L`, `${exporter} -- nvidia-smi`]));
  expect(commands(report).join("\n")).not.toContain("gpu-operator");
});

test("nvidia-smi in a chroot proves nothing", () => {
  const report = reportOn(clusters.healthy, { journal: ["Failed to initialize NVML: Unknown Error"] });
  expect(ids(report)).toEqual({ causes: [], consequences: [], notices: ["nvml-in-chroot"] });
  const found = conclusion(report, "nvml-in-chroot");
  wording.add(found);
  expect(found.next[0]?.command).toContain("ds/nvidia-dcgm-exporter -- nvidia-smi");
});

test("no suggested command deletes files, resets the configuration or kills processes by name", () => {
  const shim = "Found left-over process 1 (containerd-shim) in control group";
  const journal = [
    directory,
    shim,
    "ttrpc timeout",
    "containerd: failed to load TOML: x",
    "Failed to initialize NVML: Unknown Error",
  ];
  const all = [
    ...commands(reportOn(unwell, { journal })),
    ...commands(reportOn(unwell, { journal: [...journal].reverse() })),
  ];
  wording.add(conclusion(reportOn(unwell, { journal }), "containerd-left-over-shims"));
  expect(all.length).toBeGreaterThan(8);
  for (const command of all) expect(command).not.toMatch(/\brm\b|pkill|killall|kill -9|config default|sed -i/);
});

test("without a node, the commands contain placeholders", () => {
  const report = reportOn([], { journal: [directory] });
  expect(conclusion(report, "containerd-socket-is-directory")).toMatchObject({ subject: "the node of the journal" });
  expect(commands(report).join("\n")).toContain("kubectl drain NODE");
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
