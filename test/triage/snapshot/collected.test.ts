import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dump as toYaml } from "js-yaml";
import { describe, expect, test } from "vitest";
import { collectedFiles } from "../../../commands/triage/triage";
import { readCollected, readDump } from "../../../triage/snapshot/read-dump";
import { triage, type Report } from "../../../triage/triage";
import { changed, ids, pluginPod } from "../support/clusters";
import { daemonSet, deployment, event, gpuNode, hour, pod } from "../support/objects";

const crashed = [
  {
    ...{ name: "main", ready: false, restartCount: 6, state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode: 1, reason: "Error" } },
  },
];
const shm = "RuntimeError: DataLoader worker is killed by signal: Bus error. Please raise your shared memory limit.";
const vllm = pod("vllm-0", { node: "ip-gpu-b", gpus: 1, age: hour, statuses: crashed });
const items = [...changed({ trainer: null }), vllm];
const list = (kind: string) => ({
  ...{ kind: `${kind}List`, apiVersion: "v1", metadata: {} },
  // The API leaves the kind of the items of a list out.
  items: items
    .filter((one) => one["kind"] === kind)
    .map((one) => Object.fromEntries(Object.entries(one).filter(([key]) => key !== "kind"))),
});
const section = (container: string, log: string) =>
  `==== START logs for container ${container} of pod gpu-lab/vllm-0 ====\n${log}\n==== END logs for container ${container} of pod gpu-lab/vllm-0 ====`;
const logs = `${section("istio-proxy", "info ready")}\n${section("main", `INFO start\n${shm}`)}`;
const kinds = ["Node", "Event", "DaemonSet", "Deployment", "ReplicaSet", "Pod"];

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "collected-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function reportOf(path: string): Promise<Report> {
  return triage(readCollected((await collectedFiles(path)) ?? []));
}

describe("kubectl", () => {
  const all = { kind: "List", items };
  test.for([
    ["get -o yaml", toYaml(all)],
    ["get of one object -o yaml", items.map((one) => toYaml(one)).join("---\n")],
    ["get -o json, one list after the other", kinds.map((kind) => JSON.stringify(list(kind), null, 4)).join("\n")],
    ["get -o yaml of a list of one kind", kinds.map((kind) => toYaml(list(kind))).join("---\n")],
  ] as const)("%s", ([, text]) => {
    const report = triage(readDump(text, "f"));
    expect(ids(report).causes).toEqual(["crash-loop"]);
    expect(readDump(text, "f").objects.nodes).toHaveLength(4);
  });

  test("cluster-info dump prints documents with logs between them", () => {
    const objects = kinds.map((kind) => JSON.stringify(list(kind), null, 4));
    const text = [...objects, logs].join("\n");
    expect(ids(triage(readDump(text, "f")))).toMatchObject({
      causes: ["shared-memory-too-small"],
      consequences: ["crash-loop"],
    });
    expect(readDump(text, "f").logs).toEqual([
      { namespace: "gpu-lab", pod: "vllm-0", container: "main", lines: [shm] },
    ]);
    const unknown = [...objects, section("main", "one\ntwo\n\nreactor 7 vanished\nbye")].join("\n");
    expect(readDump(unknown, "f").logs[0]?.lines).toEqual(["two", "reactor 7 vanished", "bye"]);
  });

  test("cluster-info dump --output-directory", async () => {
    const folder = folderOf({
      "nodes.json": JSON.stringify(list("Node")),
      "gpu-lab/pods.json": JSON.stringify(list("Pod")),
      "gpu-lab/events.json": JSON.stringify({ kind: "EventList", items: [] }),
      "gpu-lab/replication-controllers.json": JSON.stringify({ kind: "ReplicationControllerList", items: [] }),
      "gpu-lab/vllm-0/logs.txt": logs,
    });
    expect(ids(await reportOf(folder)).causes).toContain("shared-memory-too-small");
  });

  test("text that is neither is refused with its path", () => {
    expect(() => readDump("hello: : world\n- x", "f")).toThrow(/Must be JSON or YAML/);
    expect(() => readDump('{"kind": "Li', "f")).toThrow(/Must be JSON or YAML/);
  });
});

/** What `kubectl describe nodes` prints about the fields that triage reads, and some others. */
const description = `Name:               ip-gpu-b
Roles:              <none>
Labels:             kubernetes.io/arch=amd64
                    nvidia.com/gpu.present=true
Annotations:        volumes.kubernetes.io/controller-managed-attach-detach: true
CreationTimestamp:  Sun, 22 Nov 2026 09:00:00 +0000
Taints:             nvidia.com/gpu=true:NoSchedule
                    node.kubernetes.io/unschedulable:NoSchedule
Unschedulable:      true
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message
  ----             ------  -----------------                 ------------------                ------                       -------
  MemoryPressure   False   Sun, 22 Nov 2026 10:00:00 +0000   Sun, 22 Nov 2026 09:00:00 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  Ready            True    Sun, 22 Nov 2026 10:00:00 +0000   Sun, 22 Nov 2026 09:01:00 +0000   KubeletReady                 kubelet is posting ready status
Capacity:
  cpu:                4
  nvidia.com/gpu:     1
Allocatable:
  cpu:                3920m
  nvidia.com/gpu:     0
System Info:
  OS Image:                   Amazon Linux 2023
ProviderID:                   aws:///ap-northeast-2a/i-0123456789abcdef0
Non-terminated Pods:          (1 in total)
  Namespace                   Name    CPU Requests
Events:              <none>


Name:               ip-gpu-c
Taints:             <none>
Unschedulable:      false
`;

test("the description of nodes has what the API gives", async () => {
  const { objects } = readCollected((await collectedFiles(folderOf({ "gpu_nodes.descr": description }))) ?? []);
  expect(objects.nodes.map(({ metadata, spec }) => [metadata.name, spec.unschedulable])).toEqual([
    ["ip-gpu-b", true],
    ["ip-gpu-c", undefined],
  ]);
  const [first] = objects.nodes;
  expect(first?.metadata.creationTimestamp).toBe("2026-11-22T09:00:00.000Z");
  expect(first?.metadata.labels["nvidia.com/gpu.present"]).toBe("true");
  expect(first?.spec.providerID).toBe("aws:///ap-northeast-2a/i-0123456789abcdef0");
  expect(first?.spec.taints).toEqual([
    { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" },
    { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
  ]);
  expect(first?.status).toMatchObject({
    ...{ capacity: { "nvidia.com/gpu": "1" }, allocatable: { "nvidia.com/gpu": "0" } },
    nodeInfo: { osImage: "Amazon Linux 2023" },
  });
  expect(first?.status.conditions.find(({ type }) => type === "Ready")).toEqual({
    ...{ type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
    ...{ lastHeartbeatTime: "2026-11-22T10:00:00.000Z", lastTransitionTime: "2026-11-22T09:01:00.000Z" },
  });
});

/** The files that hack/must-gather.sh writes. */
/** Of kubectl 1.10, with a node that stopped reporting; another node follows. */
const oldDescription = `Name:               10.193.86.6
Roles:              worker
Labels:             kubernetes.io/hostname=10.193.86.6
                    nvidia.com/gpu.present=true
Taints:             nvidia.com/gpu=v100:NoSchedule
                    node.kubernetes.io/unreachable:NoExecute
Conditions:
  Type     Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
  ----     ------    -----------------                 ------------------                ------              -------
  Ready    Unknown   Mon, 01 Jan 0001 00:00:00 +0000   Thu, 17 Feb 2022 17:13:52 -0500   NodeStatusUnknown   Kubelet stopped posting node status.
Capacity:
 nvidia.com/gpu:     8
Allocatable:
 nvidia.com/gpu:     8
System Info:
 OS Image:                   Ubuntu 16.04.4 LTS
ExternalID:                  gpunode1
Events:              <none>


Name:               b
Roles:              <none>
Labels:             <none>
`;

test("the description of nodes by an old kubectl is read as it is, and lists what it lacks once", () => {
  const { objects, unread } = readDump(oldDescription, "nodes.txt");
  const [one] = objects.nodes;
  expect(objects.nodes.map(({ metadata }) => metadata.name)).toEqual(["10.193.86.6", "b"]);
  expect(one?.spec.taints.map(({ key }) => key)).toEqual(["nvidia.com/gpu", "node.kubernetes.io/unreachable"]);
  expect(one?.status).toMatchObject({
    allocatable: { "nvidia.com/gpu": "8" },
    nodeInfo: { osImage: "Ubuntu 16.04.4 LTS" },
  });
  expect(one?.status.conditions).toEqual([
    {
      ...{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" },
      ...{ message: "Kubelet stopped posting node status.", lastTransitionTime: "2022-02-17T22:13:52.000Z" },
    },
  ]);
  expect(new Set(unread.map(({ what }) => what)).size).toBe(unread.length);
});

describe("must-gather of the GPU Operator, as a directory and as an archive", () => {
  const plugin = "nvidia-device-plugin-daemonset";
  const operatorPod = pod("gpu-operator-6d8b9c7f5-abcde", {
    ...{ namespace: "operators", node: "ip-sys-1", owner: ["ReplicaSet", "gpu-operator-6d8b9c7f5"] as const },
    labels: { app: "gpu-operator" },
  });
  const own = { namespace: "operators" };
  const pods = [operatorPod, pluginPod("ip-gpu-b", { ...own, statuses: crashed })];
  const line = "E0101 main.go:275] failed to create FS watcher: too many open files";
  const folder = folderOf({
    "cluster_policy.yaml": toYaml({
      kind: "ClusterPolicy",
      metadata: { name: "p" },
      spec: {},
      status: { state: "notReady" },
    }),
    "gpu_operator_pod.yaml": toYaml(operatorPod),
    "gpu_operator_pod.log": "2026-11-22T09:00:00Z INFO reconciling",
    "gpu_operand_pods.yaml": toYaml({ kind: "List", items: pods }),
    "gpu_operand_ds.yaml": toYaml({ kind: "List", items: [daemonSet(plugin, { ...own, ready: 0, desired: 1 })] }),
    "gpu_operand_pods.status": "NAME READY",
    "gpu_nodes.descr": description.replace(/Unschedulable: +true/, "Unschedulable: false"),
    [`gpu_operand_pod_${plugin}-b.log`]: `[pod/${plugin}-b/main] 2026-11-22T09:58:20Z I0101 starting`,
    [`gpu_operand_pod_${plugin}-b.previous.log`]: `[pod/${plugin}-b/main] 2026-11-22T09:58:20Z ${line}`,
    "must-gather.log": "Get the operator namespaces",
  });

  test.for(["directory", "archive"])("%s", async (form) => {
    const archive = `${folder}.tar.gz`;
    execFileSync("tar", ["-czf", archive, "-C", dirname(folder), folder.slice(dirname(folder).length + 1)]);
    const report = await reportOf(form === "archive" ? archive : folder);
    expect(ids(report).causes).toEqual(["node-file-limits"]);
    expect(ids(report).consequences).toContain("operator-pod-crash-loop");
    const found = report.conclusions.find(({ id }) => id === "node-file-limits");
    expect(found).toMatchObject({ nodes: ["ip-gpu-b"], pods: [`operators/${plugin}-b`], confidence: "certain" });
  });
});

/** The files that eks-log-collector.sh writes. */
describe("EKS's log collector", () => {
  const files = {
    "containerd/containerd-log.txt":
      "Nov 22 10:00:00 ip containerd[1]: containerd: failed to load TOML from /etc/containerd/config.toml: parse error",
    "kernel/dmesg.human.current": "[Sun Nov 22] NVRM: Xid (PCI:0000:00:1e): 79, pid=1, GPU has fallen off the bus.",
    "kubelet/kubelet.log":
      "kubelet: failed to create fsnotify watcher: too many open files\nkubelet: E1 unrelated error",
    "var_log/messages": "ip nvidia-container-cli: initialization error: nvml error: driver not loaded",
    "system/instance-id.txt": "i-0123456789abcdef0",
  };

  test("its logs give conclusions about the node of the journal", async () => {
    const report = await reportOf(folderOf(files));
    expect(ids(report).causes).toEqual(
      expect.arrayContaining(["containerd-config-broken", "gpu-xid-error", "gpu-driver-missing", "node-file-limits"]),
    );
    for (const { subject, confidence, id } of report.conclusions) {
      expect(subject).toBe("the node of the journal");
      if (id !== "containerd-config-broken") expect(confidence).not.toBe("certain");
    }
  });

  const quiet = {
    "containerd/containerd-log.txt": 'Nov 22 ip containerd[1]: level=info msg="PullImage, timeout 5m"',
    "kernel/dmesg.human.current": "[Sun Nov 22 09:00:00 2026] Linux version 6.12",
    "kubelet/kubelet.log":
      "Nov 22 ip kubelet[1]: I1122 prober.go:1] Probe failed\nNov 22 ip kubelet[1]: W1122 x.go:1] error",
  };

  test("of a node without errors, the report says what was read", async () => {
    const report = await reportOf(folderOf({ ...quiet, "system/instance-id.txt": "i-0123456789abcdef0" }));
    expect(report.conclusions).toEqual([]);
    const { lines = [] } = report.checks.find(({ layer }) => layer === "inside") ?? {};
    for (const path of Object.keys(quiet)) expect(lines[0]).toContain(path);
    expect(lines[1]).toBe("0 known errors in the journal");
  });

  test.for([
    ["kubelet/kubelet.log", 'Nov 22 ip kubelet[1]: E1122 pod_workers.go:1] "Error syncing pod, skipping"'],
    ["kubelet/kubelet.log", "Nov 22 ip kubelet[1]: F1122 server.go:1] unknown flag: --container-runtime"],
    ["containerd/containerd-log.txt", 'Nov 22 ip containerd[1]: level=error msg="failed to reserve container name"'],
    ["kernel/dmesg.human.current", "[Sun Nov 22 09:00:00 2026] nvme nvme1: I/O 23 QID 2 timeout, completion polled"],
    ["var_log/messages", "Nov 22 ip kernel: INFO: task python3:99 blocked for more than 122 seconds."],
  ] as const)("an unknown error of %s is evidence, not a fault: %s", async ([path, line]) => {
    const report = await reportOf(folderOf({ ...quiet, [path]: `start\n${line}\nbye` }));
    expect(ids(report)).toEqual({ causes: [], consequences: [], notices: ["node-log-errors"] });
    expect(report.conclusions[0]).toMatchObject({ confidence: "possible", evidence: [{ field: "log", value: line }] });
  });

  test("with objects of the cluster, they belong to the node that is not Ready", async () => {
    const down = { type: "Ready", status: "False", reason: "KubeletNotReady" };
    const nodes = { kind: "List", items: [gpuNode("ip-gpu-b", { conditions: [down] }), gpuNode("ip-gpu-a")] };
    const report = await reportOf(folderOf({ ...files, "nodes.json": JSON.stringify(nodes) }));
    expect(report.conclusions.find(({ id }) => id === "gpu-xid-error")?.nodes).toEqual(["ip-gpu-b"]);
  });
});

test("objects of a deployment are read from any form", () => {
  const text = toYaml({ kind: "List", items: [deployment("gpu-operator"), event(["Pod", "p"], "Failed", "x")] });
  expect(readDump(text, "f").read).toEqual(["events", "deployments"]);
});
