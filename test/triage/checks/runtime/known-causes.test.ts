import { describe, expect, test } from "vitest";
import { knownError, recognizedLines } from "../../../../triage/snapshot/logs/known-errors";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { clusterPolicy, conditions, event, gpuNode, hour, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const plugin = "nvidia-device-plugin-daemonset";
const free = changed({ trainer: null });

/** Messages as the components print them; the paths and digests are shortened. */
const messages = {
  noSpace:
    'Failed to pull image "vllm/vllm-openai:v0.11.0": failed to pull and unpack image "docker.io/vllm/vllm-openai:v0.11.0": failed to extract layer sha256:ba31: write /var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/604/fs/usr/lib/libLLVM.so.20.1: no space left on device',
  noRuntime:
    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "nvidia" is configured',
  cdi: "failed to create containerd task: failed to create shim task: OCI runtime create failed: could not apply required modification to OCI specification: error modifying OCI spec: failed to inject CDI devices: unresolvable CDI devices management.nvidia.com/gpu=all",
  cdiFiles:
    'failed to create containerd task: failed to create shim task: OCI runtime create failed: could not apply required modification to OCI specification: error modifying OCI spec: failed to inject CDI devices: failed to inject devices: failed to stat CDI host device "/dev/nvidia-modeset": no such file or directory',
  noDriver:
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error running prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy' nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory",
  oldDriver:
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error running prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy' nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container",
  shares:
    "Allocate failed due to rpc error: code = Unknown desc = request for 'nvidia.com/gpu: 2' too large: maximum request size for shared resources is 1, which is unexpected",
  kvCache:
    "ValueError: To serve at least one request with the models's max seq len (196608), (11.62 GiB KV cache is needed, which is larger than the available KV cache memory (9.38 GiB). Based on the available memory, the estimated maximum model length is 158560.",
  xid: "2020/08/10 19:09:42 XidCriticalError: Xid=79 on Device=GPU-7540a9b3-eeb9-1214-1526-f93c9ea826a8, the device will go unhealthy.",
  engine:
    'time="2022-09-29T12:09:14Z" level=fatal msg="Error connecting to nv-hostengine: Host engine connection invalid/disconnected"',
};

const backOff = (reason: string, message: string) => [
  { name: "main", ready: false, restartCount: 4, state: { waiting: { reason, message } } },
];
/** In a crash loop, with what the last run left behind. */
const crashed = (terminated: Record<string, unknown>) => [
  {
    ...{ name: "main", ready: false, restartCount: 4, state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode: 1, reason: "Error", ...terminated } },
  },
];
const unstarted = (statuses: Record<string, unknown>[]) =>
  pod("p", { gpus: 1, node: "ip-gpu-a", phase: "Pending", statuses, age: hour });

describe("a message of the pod shows the cause of its state", () => {
  test.for([
    ["disk-full", "image-pull", unstarted(backOff("ImagePullBackOff", messages.noSpace)), "df -h"],
    [
      "cdi-device-missing",
      "container-start",
      unstarted(backOff("RunContainerError", messages.cdi)),
      "nvidia-ctk cdi list",
    ],
    [
      "cdi-device-missing",
      "crash-loop",
      unstarted(crashed({ reason: "StartError", message: messages.cdi })),
      "nvidia-ctk cdi list",
    ],
    [
      "cdi-spec-faulty",
      "crash-loop",
      unstarted(crashed({ reason: "StartError", message: messages.cdiFiles })),
      "nvidia-ctk cdi list",
    ],
    [
      "gpu-driver-missing",
      "crash-loop",
      unstarted(crashed({ reason: "StartError", message: messages.noDriver })),
      "kubectl get nodes",
    ],
    [
      "cuda-newer-than-driver",
      "crash-loop",
      unstarted(crashed({ reason: "StartError", message: messages.oldDriver })),
      "nvidia-smi",
    ],
    [
      "cuda-newer-than-driver",
      "container-start",
      unstarted(backOff("RunContainerError", messages.oldDriver)),
      "nvidia-smi",
    ],
    [
      "kv-cache-too-small",
      "crash-loop",
      unstarted(crashed({ message: `token: x\n${messages.kvCache}\nTraceback` })),
      "kubectl logs -n gpu-lab pod/p ",
    ],
  ] as const)("%s: %s", ([cause, state, item, command]) => {
    const report = reportOn([...free, item]);
    expect(ids(report)).toEqual({ causes: [cause], consequences: [state], notices: [] });
    const found = conclusion(report, cause);
    expect(found.next[0]?.command).toContain(command);
    expect(found.pods).toEqual(["gpu-lab/p"]);
    wording.add(found);
  });

  test("the runtime handler: one cause for all pods of the node", () => {
    const pods = ["a", "b"].map((name) => pod(name, { gpus: 1, node: "ip-gpu-a", phase: "Pending", statuses: [] }));
    const events = ["a", "b"].map((name) => event(["Pod", name], "FailedCreatePodSandBox", messages.noRuntime));
    const report = reportOn([...free, ...pods, ...events]);
    expect(ids(report)).toEqual({ causes: ["nvidia-runtime-missing"], consequences: ["pod-sandbox"], notices: [] });
    const found = conclusion(report, "nvidia-runtime-missing");
    expect(found).toMatchObject({ subject: "node ip-gpu-a", pods: ["gpu-lab/a", "gpu-lab/b"], confidence: "likely" });
    wording.add(found);
  });

  test("time slicing refuses more than one share", () => {
    const raw = pod("p", { gpus: 2, node: "ip-gpu-a", phase: "Failed", statuses: [] });
    const status = { ...(raw["status"] as object), reason: "UnexpectedAdmissionError", message: messages.shares };
    const report = reportOn([...free, { ...raw, status }]);
    expect(ids(report)).toEqual({ causes: ["shared-gpu-request"], consequences: ["gpu-not-allocated"], notices: [] });
    expect(conclusion(report, "shared-gpu-request").next[0]?.command).toMatch(/^kubectl get -n gpu-lab pod\/p /);
    wording.add(conclusion(report, "shared-gpu-request"));
  });

  test("an image that cannot be pulled for another reason stays what it is", () => {
    const message = 'Back-off pulling image "nvcr.io/nvidia/cuda:99": ErrImagePull: not found';
    expect(ids(reportOn([...free, unstarted(backOff("ImagePullBackOff", message))])).causes).toEqual(["image-pull"]);
  });

  test("a full disk is certain while the kubelet reports DiskPressure, and explains evicted pods", () => {
    const pressure = conditions({
      MemoryPressure: { type: "DiskPressure", status: "True", reason: "KubeletHasDiskPressure" },
    });
    const raw = pod("evicted", { gpus: 1, node: "ip-gpu-a", phase: "Failed", statuses: [] });
    const message =
      "The node was low on resource: ephemeral-storage. Threshold quantity: 8583472Ki, available: 4180Ki.";
    const evicted = { ...raw, status: { ...(raw["status"] as object), reason: "Evicted", message } };
    const items = changed({ trainer: null, "ip-gpu-a": gpuNode("ip-gpu-a", { conditions: pressure }) });
    const report = reportOn([...items, evicted]);
    expect(ids(report)).toEqual({ causes: ["disk-full"], consequences: ["evicted"], notices: [] });
    expect(conclusion(report, "disk-full")).toMatchObject({ confidence: "certain", nodes: ["ip-gpu-a"] });
    wording.add(conclusion(report, "disk-full"));
    expect(ids(reportOn([...free, evicted])).causes).toEqual(["evicted"]);
    const pull = unstarted(backOff("ErrImagePull", messages.noSpace));
    expect(conclusion(reportOn([...items, pull]), "disk-full").confidence).toBe("certain");
    expect(conclusion(reportOn([...free, pull]), "disk-full").confidence).toBe("likely");
  });
});

describe("a log shows the cause", () => {
  const exporter = pod("nvidia-dcgm-exporter-b", {
    ...{ namespace: "gpu-operator", node: "ip-gpu-b", owner: ["DaemonSet", "nvidia-dcgm-exporter"] as const },
    statuses: crashed({}),
  });
  const logOf = (name: string, line: string, namespace = "gpu-operator") => ({
    logs: [{ namespace, pod: name, lines: recognizedLines(`secret\n${line}\n`) }],
  });

  test("a missing DCGM engine, before the crash loop of the exporter and the state of the policy", () => {
    const status = { state: "notReady", conditions: [{ type: "Error", status: "True", reason: "OperandNotReady" }] };
    const items = [...changed({ "cluster-policy": clusterPolicy({}, status) }), exporter];
    const report = reportOn(items, logOf("nvidia-dcgm-exporter-b", messages.engine));
    expect(ids(report)).toEqual({
      causes: ["dcgm-engine-missing"],
      consequences: ["operator-pod-crash-loop", "cluster-policy-not-ready"],
      notices: [],
    });
    wording.add(conclusion(report, "dcgm-engine-missing"));
    const newer = 'level=ERROR msg="Failed to connect to remote hostengine" address=localhost:5555 error="x"';
    expect(recognizedLines(newer)).toEqual([newer]);
    expect(recognizedLines('level=info msg="Attempting to connect to remote hostengine at localhost:5555"')).toEqual(
      [],
    );
  });

  test("vLLM", () => {
    const vllm = unstarted(crashed({}));
    const report = reportOn([...free, vllm], logOf("p", messages.kvCache, "gpu-lab"));
    expect(ids(report)).toEqual({ causes: ["kv-cache-too-small"], consequences: ["crash-loop"], notices: [] });
    const none = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.";
    expect(ids(reportOn([...free, vllm], logOf("p", none, "gpu-lab"))).causes).toEqual(["kv-cache-no-memory"]);
  });

  test.for([
    "CUDA error: CUDA driver version is insufficient for CUDA runtime version",
    "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.",
    "nvidia-container-cli: requirement error: unsatisfied condition: driver>=570",
    "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver",
  ])("%s", (line) => {
    const report = reportOn([...free, unstarted(crashed({}))], logOf("p", line, "gpu-lab"));
    expect(ids(report)).toMatchObject({ causes: ["cuda-newer-than-driver"], consequences: ["crash-loop"] });
  });

  test("an NVML error, an XID, a crash loop and missing GPUs of one node have one cause", () => {
    const items = changed({
      "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0", capacity: "1" }),
      [`${plugin}-b`]: pluginPod("ip-gpu-b", { statuses: crashed({}) }),
      [plugin]: { ...clusters.operator.plugin, status: { desiredNumberScheduled: 2, numberReady: 1 } },
    });
    const lines = [messages.xid, "Failed to initialize NVML: Unknown Error"];
    const logs = [{ namespace: "gpu-operator", pod: `${plugin}-b`, lines }];
    const report = reportOn(items, { logs });
    expect(ids(report)).toEqual({
      causes: ["gpu-xid-error"],
      consequences: [
        ...["gpu-allocatable-zero", "device-plugin-below-gpu-nodes", "operator-pod-crash-loop", "gpu-devices-lost"],
      ],
      notices: [],
    });
    expect(conclusion(report, "gpu-xid-error").what).toContain("XID 79: the GPU has fallen off the bus");
    wording.add(conclusion(report, "gpu-xid-error"));
  });
});

describe("a message that resembles a known error", () => {
  test.for([
    "OSError: [Errno 28] No space left on device: '/checkpoints/step-100.pt'",
    "NVRM: Xid (PCI:0000:00:1e): 31, pid=1, name=python, MMU Fault",
  ])("%s", (line) => {
    expect(knownError(line)).toBeUndefined();
    const items = [...free, unstarted(crashed({ message: line }))];
    expect(ids(reportOn(items)).causes).toEqual(["crash-loop"]);
  });

  test("an XID of the kernel log: the PCI address is not its number", () => {
    const lines = ["NVRM: Xid (PCI:0000:00:1e): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."];
    const items = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0", capacity: "1" }) });
    const report = reportOn(items, { logs: [{ namespace: "gpu-operator", pod: `${plugin}-b`, lines }] });
    expect(conclusion(report, "gpu-xid-error").what).toContain("XID 79");
  });

  test("chroot does not find nvidia-smi", () => {
    for (const line of [
      "chroot: failed to run command 'nvidia-smi': No such file or directory",
      "chroot: failed to run command ‘nvidia-smi’: No such file or directory",
    ])
      expect(knownError(line)).toBe("gpu-driver-missing");
  });
});

describe("the rest of the dump contradicts a message", () => {
  const logs = (name: string, line: string, namespace = "gpu-operator") => ({
    logs: [{ namespace, pod: name, lines: [line] }],
  });
  const confidence = (items: Record<string, unknown>[], id: string, rest = {}) =>
    conclusion(reportOn(items, rest), id).confidence;

  test.for([
    ["gpu-xid-error", messages.xid],
    ["plugin-finds-no-devices", "No devices found. Waiting indefinitely."],
    ["gpu-devices-lost", "Failed to initialize NVML: Unknown Error"],
    ["plugin-incompatible-strategy", "incompatible strategy detected auto"],
    ["dcgm-engine-missing", messages.engine],
    ["toolkit-cannot-signal", "error signaling containerd"],
  ] as const)("%s: the pod is ready, and its node advertises all GPUs", ([id, line]) => {
    expect(confidence([...clusters.healthy], id, logs(`${plugin}-b`, line))).toBe("possible");
  });

  test("a node that advertises its GPUs has a driver", () => {
    const p = unstarted(crashed({ reason: "StartError", message: messages.noDriver }));
    expect(confidence([...free, p], "gpu-driver-missing")).toBe("likely");
    const none = changed({ trainer: null, "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: null }) });
    expect(confidence([...none, p], "gpu-driver-missing")).toBe("certain");
  });

  test("a cause is not surer than the state of the pod that shows it", () => {
    const waits = pod("p", { gpus: 1, node: "ip-gpu-a", phase: "Pending", statuses: [] });
    const once = event(["Pod", "p"], "FailedCreatePodSandBox", messages.noRuntime, { count: 1 });
    const lacking = changed({ trainer: null, "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: null }) });
    const twice = { ...once, count: 2 };
    expect(confidence([...free, waits, twice], "nvidia-runtime-missing")).toBe("likely");
    expect(confidence([...lacking, waits, once], "nvidia-runtime-missing")).toBe("likely");
    expect(confidence([...lacking, waits, twice], "nvidia-runtime-missing")).toBe("certain");
  });
});

test("a pull that backs off shows its error in an event", () => {
  const waits = unstarted(backOff("ImagePullBackOff", 'Back-off pulling image "vllm/vllm-openai:v0.11.0"'));
  const report = reportOn([...free, waits, event(["Pod", "p"], "Failed", messages.noSpace)]);
  expect(ids(report)).toEqual({ causes: ["disk-full"], consequences: ["image-pull"], notices: [] });
});

test("the end of a long line is kept if the cause is there", () => {
  const [line = ""] = recognizedLines(messages.noDriver.padStart(2000, "x"));
  expect(line).toContain("load library failed: libnvidia-ml");
  expect(line.length).toBeLessThanOrEqual(300);
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
