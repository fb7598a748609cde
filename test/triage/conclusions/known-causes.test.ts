import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listOf } from "../../../triage/conclusions/entry";
import { isOfProgram, knownCauseIds, knownCauses } from "../../../triage/conclusions/known-causes";
import { knownError, lastLines, recognizedLines } from "../../../triage/snapshot/logs/known-errors";
import { conclusion, ids, changed, pluginPod, reportOn } from "../support/clusters";
import { gpuNode, hour, pod } from "../support/objects";
import programTexts from "./program-texts.json";
import { Wording } from "../support/wording";

const wording = new Wording();

type Id = (typeof knownCauseIds)[number];
const shown: Readonly<Partial<Record<string, Readonly<Record<string, readonly string[]>>>>> = programTexts.shown;
const notShown: Readonly<Partial<Record<string, readonly string[]>>> = programTexts.notShown;

/** Lines of public logs, with the report or the source that they are from. */
const lines = {
  "node-file-limits": [
    "Error: failed to create FS watcher for /var/lib/kubelet/device-plugins/: too many open files", // k8s-device-plugin main.go
    'level=fatal msg="failed to watch file: user limit on total number of inotify watches was reached"', // fsnotify
    "failed to create fsnotify watcher: no space left on device", // inotify_add_watch, ENOSPC
  ],
  "disk-full": [
    "failed to copy: write /var/lib/containerd/io.containerd.content.v1.content/ingest/1/data: no space left on device",
  ],
  "driver-in-use": [
    "Could not unload NVIDIA driver kernel modules, driver is in use", // NVIDIA/gpu-operator#2509
    'level=error msg="failed to uninstall nvidia driver components: failed to unload driver"', // k8s-driver-manager
  ],
  "driver-not-built": [
    "Could not resolve Linux kernel version", // driver container, nvidia-driver
    "E: Unable to locate package linux-headers-6.8.0-1015-aws",
    "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
  ],
  "driver-version-mismatch": [
    "Failed to initialize NVML: Driver/library version mismatch",
    "nvml init failed: ERROR_LIB_RM_VERSION_MISMATCH", // go-nvml
    "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch",
  ],
  "gpu-driver-missing": [
    "runc create failed: error running hook: exit status 1, stdout: , stderr: nvidia-container-cli.real: initialization error: nvml error: driver not loaded: unknown", // NVIDIA/gpu-operator#1518
    "failed to initialize NVML: ERROR_DRIVER_NOT_LOADED",
    "Failed to initialize NVML: Driver Not Loaded",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  "nvidia-runtime-missing": [
    "OCI runtime create failed: unable to retrieve OCI runtime error: fork/exec /usr/bin/nvidia-container-runtime: no such file or directory: unknown", // amazon-vpc-cni-k8s#3104
    'failed to get sandbox runtime: no runtime for "nvidia" is configured',
  ],
  "cdi-device-missing": [
    "failed to inject CDI devices: unresolvable CDI devices nvidia.com/gpu=all",
    "error modifying OCI spec: failed to inject CDI devices: unresolvable CDI devices management.nvidia.com/gpu=GPU-e78e68c0-4e6a-737e-f9cc-4223fe50aead", // nvidia-container-toolkit#1239
    "failed to create containerd container: CDI device injection failed: unresolvable CDI devices k8s.gpu.nvidia.com/device=gpu-1", // dra-driver-nvidia-gpu#736
  ],
  "gpu-xid-error": [
    "XidCriticalError: Xid=79 on Device=GPU-7540a9b3; marking device as unhealthy.",
    "Unable to determine the device handle for GPU 0000:00:1E.0: GPU is lost.  Reboot the system to recover this GPU",
    "failed to initialize NVML: ERROR_RESET_REQUIRED",
    "RuntimeError: CUDA error: uncorrectable ECC error encountered",
  ],
  "fabric-manager-not-running": [
    "cudaErrorSystemNotReady: system not yet initialized",
    "CUDA_ERROR_SYSTEM_NOT_READY",
    'msg="nvidia-fabricmanager: Fabric Manager is not running"',
  ],
  "mps-daemon-not-ready": [
    "E0423 06:04:56.558122 39 main.go:301] Failed to start plugin: error waiting for MPS daemon: error checking MPS daemon health: failed to send command to MPS daemon: exit status 1", // k8s-device-plugin#679
    "Error: using MPS requires --mps-root to be specified",
    "using --mig-strategy=mixed is not supported with MPS",
    "invalid MPS configuration: invalid device: maximum allowed replicas exceeded: 64 > 48",
    "RuntimeError: CUDA error: MPS client failed to connect to the MPS control daemon or the MPS server",
  ],
  "mig-strategy-mismatch": [
    "error building device map: invalid MIG configuration: at least one device with migEnabled=true was not configured correctly: device 0 has no MIG devices configured",
    "all devices on the node must be configured with the same migEnabled value",
    "more than one MIG device type present on node",
  ],
  "plugin-config-invalid": [
    "unable to load config: unable to finalize config: unable to parse config file: error parsing config file",
    'level=error msg="specified config a100-mixed does not exist"',
    "invalid --device-list-strategy option: cdi",
    "no config was set, no default was provided, and all fallbacks failed",
    'level=info msg="Error: error creating symlink: symlink /available-configs/config-3 /config/config.yaml: file exists"', // k8s-device-plugin#364
  ],
  "plugin-not-registered": [
    "E0601 server.go:146] Could not register device plugin: context deadline exceeded",
    "dial unix /var/lib/kubelet/device-plugins/kubelet.sock: connect: connection refused",
    "Could not contact Kubelet, retrying. Did you enable the device plugin feature gate?",
    "listen unix /var/lib/kubelet/device-plugins/nvidia-gpu.sock: bind: permission denied",
    "listen unix /var/lib/kubelet/device-plugins/nvidia-mig-1g.5gb.sock: bind: read-only file system",
  ],
  "plugin-incompatible-strategy": ["E1121 factory.go:118] Incompatible strategy detected auto"],
  "gpu-libraries-missing": [
    "error starting plugins: unable to validate flags: CDI --device-list-strategy options are only supported on NVML-based systems", // k8s-device-plugin main.go
    'failed to generate CDI spec for mode "auto": failed to construct device spec generators: failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND',

    "ImportError: libnvidia-ml.so.1: cannot open shared object file: No such file or directory",
    "unable to create plugin manager: nvml init failed: ERROR_LIBRARY_NOT_FOUND", // k8s-device-plugin#856
    "2018/06/29 08:52:25 Failed to initialize NVML: could not load NVML library.", // k8s-device-plugin#60
    "NVML Shared Library Not Found",
  ],
  "gpu-permission-denied": [
    "Failed to initialize NVML: Insufficient Permissions",
    "error getting device handle: ERROR_NO_PERMISSION",
  ],
  "gpu-not-injected": [
    "nvidia-container-cli: device error: GPU-3d2f: unknown device",
    "nvidia-container-cli: device error: MIG-41b6-9c0e: unknown device: unknown",
    "nvidia-container-cli: initialization error: nvml error: unknown error: unknown",
    "failed to construct device spec generators: failed to get device handle from UUID: Not Found",
  ],
  "gpu-devices-lost": ["Failed to initialize NVML: Unknown Error", "nvml error: unknown"],
  "plugin-nvml-error": ["failed to initialize NVML: ERROR_NOT_SUPPORTED", "nvml init failed: ERROR_TIMEOUT"],
  "cdi-spec-faulty": [
    'level=error msg="error generating CDI specification: failed to create device CDI specs"', // nvidia-container-toolkit, toolkit.go
    "failed to generate CDI spec: failed to create edits: invalid device, empty device edits", // kaito#2326
    "failed to generate CDI spec: failed to create device CDI specs: error getting GPU device minor number: Not Supported", // isaac_ros_common#163
    "unable to create CDI spec file for claim: open /var/run/cdi/k8s.gpu.nvidia.com-claim.yaml: permission denied", // dra-driver-nvidia-gpu
    'conflicting device "nvidia.com/gpu=0" (specs "/etc/cdi/nvidia.yaml", "/etc/cdi/nvidia-gpu.yaml")', // CDI cache.go
    'CDI device injection failed: failed to inject devices: failed to stat CDI host device "/dev/dri/renderD129": no such file or directory', // nvidia-container-toolkit#885
  ],
  "plugin-finds-no-devices": ["I0101 main.go:416] No devices found. Waiting indefinitely."],
  "dcgm-engine-missing": ["Error connecting to nv-hostengine: Host engine connection invalid/disconnected"],
  "toolkit-config-failed": [
    'level=error msg="error running nvidia-toolkit: unable to setup runtime: unable to load config for runtime containerd: open /runtime/config-dir/config.toml: permission denied"',
    "unable to load containerd config: unsupported config version 4",
    'level=fatal msg="Error: unable to load config: unsupported config version: 3"', // gpu-operator#2060
    'level=fatal msg="Error: unable to load config: (12, 3): was expecting token =, but got \\"}\\" instead"',
  ],
  "toolkit-cannot-signal": ["unable to restart containerd: unable to signal containerd"],
  "api-not-reachable": [
    '{"logger":"setup","msg":"problem running manager","error":"leader election lost"}', // gpu-operator#772
    'main.go:99] "Could not run manager" err="leaderelection lost"',
    'Get "https://172.20.0.1:443/api/v1/nodes/x": dial tcp 172.20.0.1:443: connect: connection refused',
    'connection error: desc = "transport: Error while dialing dial tcp: lookup gpu-operator-node-feature-discovery-master on 10.43.0.10:53: no such host"', // gpu-operator#429
    'err="failed to get self pod: Get \\"https://10.43.0.1:443/api/v1/namespaces/gpu-operator/pods/x\\": dial tcp 10.43.0.1:443: i/o timeout"', // node-feature-discovery#2155
  ],
  "api-access-denied": [
    'nodes is forbidden: User "system:serviceaccount:gpu-operator:gpu-operator" cannot list resource "nodes" in API group ""',
    'no matches for kind "NVIDIADriver" in version "nvidia.com/v1alpha1"',
    '{"level":"error","error":"no matches for kind \\"NVIDIADriver\\" in version \\"nvidia.com/v1alpha1\\""}',
  ],
  "shared-gpu-request": ["invalid request: maximum request size for shared resources is 1; found 2"],
  "cuda-newer-than-driver": ["RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain."],
  "cuda-driver-mismatch": [
    "Error 803: system has unsupported display driver / cuda driver combination",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
  ],
  "gpu-arch-unsupported": [
    "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
    "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)",
    "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    "NVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.",
  ],
  "gpu-memory-too-small": [
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 0 has a total capacity of 21.98 GiB",
    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
  ],
  "gpu-count-too-low": [
    "RuntimeError: CUDA error: invalid device ordinal",
    "World size (4) is larger than the number of available GPUs (1) in this node.",
  ],
  "gpu-not-visible": [
    "RuntimeError: No CUDA GPUs are available",
    "INFO 05-20 20:12:25 [__init__.py:252] No platform detected, vLLM is running on UnspecifiedPlatform", // llm-d-deployer#273
    "RuntimeError: Failed to infer device type",
    "RuntimeError: Found no NVIDIA driver on your system.",
  ],
  "cuda-unknown-error": [
    "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment",
    "Unexpected error from cudaGetDeviceCount(). Error 999: unknown error",
    "CUDA error: all CUDA-capable devices are busy or unavailable",
  ],
  "service-variable-collision": [
    "ValueError: APHRODITE_PORT 'tcp://172.20.8.1:2242' appears to be a URI. This may be caused by a Kubernetes service discovery issue.",
    "ValueError: invalid literal for int() with base 10: 'tcp://10.96.12.7:8000'",
    "api_server.py: error: argument --port: invalid int value: 'tcp://10.100.3.4:8000'",
    'strconv.Atoi: parsing "tcp://10.0.171.239:6379": invalid syntax',
  ],
  "model-access-denied": [
    "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied",
    "botocore.exceptions.ClientError: An error occurred (403) when calling the HeadObject operation: Forbidden",
    "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
  ],
  "model-not-reachable": [
    "OSError: We couldn't connect to 'https://huggingface.co' to load the files",
    "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /api/models/x (Failed to resolve 'huggingface.co')",
  ],
  "serving-arguments": [
    "vllm: error: unrecognized arguments: --enable-turbo",
    "ValueError: Tokenizer class TekkenTokenizer does not exist or is not currently imported.",
  ],
  "model-volume-full": [
    "OSError: [Errno 28] No space left on device: '/root/.cache/huggingface/hub/models--Qwen--Qwen3-32B/blobs/1.incomplete'",
    "RuntimeError: Data processing error: CAS service error : IO Error: No space left on device (os error 28)", // hf-xet
    "UserWarning: Not enough free disk space to download the file. The expected file size is: 4975.00 MB.",
  ],
  "file-permission-denied": [
    "PermissionError: [Errno 13] Permission denied: '/.cache'",
    "OSError: [Errno 30] Read-only file system: '/home/vllm/.cache'",
  ],
  "port-in-use": [
    "OSError: [Errno 98] Address already in use",
    "RuntimeError: The server socket has failed to listen on any local network address. port: 29500, EADDRINUSE, message: address already in use", // SkyRL#284
  ],
  "image-architecture": ["exec /usr/bin/python3: exec format error"],
  "image-libraries": [
    "ImportError: /usr/local/lib/python3.12/dist-packages/vllm/_C.abi3.so: undefined symbol: _ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb",
    "OSError: libcudart.so.12: cannot open shared object file: No such file or directory",
    "torch._inductor.exc.InductorError: RuntimeError: Failed to find C compiler. Please specify via CC environment variable",
    "RuntimeError: Could not find nvcc and default cuda_home='/usr/local/cuda' doesn't exist",
    "ModuleNotFoundError: No module named 'flash_attn'",
  ],
  "model-files-unusable": [
    "Exception: data did not match any variant of untagged enum ModelWrapper at line 757479 column 3",
  ],
  "cuda-program-fault": [
    "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
    "RuntimeError: CUDA error: device-side assert triggered",
  ],
  "efa-not-usable": [
    "NCCL WARN NET/OFI Couldn't open CQ. RC: -22, ERROR: Invalid argument",
    "libfabric:123:1:efa:core:efa_domain_open():  Unable to open the domain",
  ],
  "memory-lock-limit": [
    "NCCL WARN NET/OFI Couldn't open CQ. RC: -12, ERROR: Cannot allocate memory",
    "libfabric:123:1:efa:core:efa_device_list_initialize():  Unable to allocate huge pages",
  ],
  "ray-head-not-reachable": ["1520 seconds elapsed: Waiting for GCS to be ready."], // kuberay
  "gpu-memory-taken": [
    "ValueError: Free memory on device cuda:0 (16.9/79.18 GiB) on startup is less than desired GPU memory utilization (0.825, 65.32 GiB).", // llm-d-fast-model-actuation#720
  ],
  "peer-not-reachable": [
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.3.7]:45391",
    "NCCL WARN Bootstrap : no socket to 10.0.3.7",
  ],
  "shared-memory-too-small": [
    "RuntimeError: unable to mmap 67108872 bytes from file </torch_12_34>: Cannot allocate memory (12)",
    "RuntimeError: DataLoader worker (pid 4301) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.",
    "RuntimeError: unable to write to file </torch_63792_2473652340_0>: No space left on device (28) /dev/shm",
  ],
  "nccl-error": [
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3690, unhandled system error",
    "worker-1:88:88 [0] net.cc:54 NCCL WARN Error: network AWS Libfabric not found.",
  ],
} as const satisfies Readonly<Partial<Record<Id, readonly string[]>>>;

/** The lines of a cause, then those of the sources and recordings of the programs. */
function linesOf(id: Id): readonly string[] {
  const own: Readonly<Partial<Record<Id, readonly string[]>>> = lines;
  return [...(own[id] ?? []), ...Object.values(shown[id] ?? {}).flat()];
}

const crashed = [
  {
    ...{ name: "main", ready: false, restartCount: 6, state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode: 1, reason: "Error" } },
  },
];
const isOfNode = (id: Id) => knownCauses[id].of === "node" || knownCauses[id].stops !== undefined;

describe("every known cause explains the crash loop of the pod that logs it", () => {
  test.for(knownCauseIds)("%s", (id) => {
    const [first = ""] = linesOf(id);
    // What is kept of a line shows the same.
    for (const line of linesOf(id)) expect([line, ...recognizedLines(line).map(knownError)]).toEqual([line, id]);
    for (const line of notShown[id] ?? []) expect([line, knownError(line)]).not.toEqual([line, id]);
    const isComponent = isOfNode(id) || knownCauses[id].from === "component";
    const namespace = isComponent ? "gpu-operator" : "team";
    const owner = ["DaemonSet", isComponent ? "nvidia-driver-daemonset" : "x"] as const;
    const p = pod("p", { namespace, node: "ip-gpu-b", gpus: isComponent ? 0 : 1, statuses: crashed, age: hour, owner });
    const logs = [{ namespace, pod: "p", container: "main", lines: recognizedLines(`start\n${first}\nbye`) }];
    const report = reportOn([...changed({}), p], { logs });
    expect(ids(report)).toMatchObject({ causes: [id], notices: [] });
    const found = conclusion(report, id);
    expect(found.nodes).toEqual(["ip-gpu-b"]);
    // One line of a program is never certain.
    expect(found.confidence).not.toBe("certain");
    for (const { command } of found.next)
      expect(command).not.toMatch(/\{(?:node|pod|namespace|shell|smi|operator|cluster|group)\}/);
    wording.add(found);
  });
});

describe("a fault that stops the plugin explains what the node lacks, and is then certain", () => {
  test.for(knownCauseIds.filter((id) => knownCauses[id].stops === "plugin" && knownCauses[id].atMost === undefined))(
    "%s",
    (id) => {
      const items = changed({
        "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: null }),
        "nvidia-device-plugin-daemonset-b": pluginPod("ip-gpu-b", { statuses: crashed }),
      });
      const logs = [
        { namespace: "gpu-operator", pod: "nvidia-device-plugin-daemonset-b", lines: linesOf(id).slice(0, 1) },
      ];
      const report = reportOn(items, { logs });
      expect(ids(report).causes).toEqual([id]);
      expect(ids(report).consequences).toContain("gpu-allocatable-missing");
      expect(conclusion(report, id).confidence).toBe("certain");
    },
  );
});

describe("lines of healthy programs and of other faults show no conclusion", () => {
  test.for([
    ...programTexts.none,
    "INFO 11-22 [api_server.py:1090] vLLM API server version 0.11.0",
    'INFO: 10.0.1.7:51234 - "GET /v1/models HTTP/1.1" 401 Unauthorized',
    "Connecting to tcp://10.0.0.7:6379",
    "java.lang.OutOfMemoryError: Java heap space",
    "NVRM: Xid (PCI:0000:00:1e): 31, pid=1, name=python, MMU Fault",
    "pcieport 0000:00:01.0: PCIe Bus Error: severity=Corrected, type=Physical Layer",
    "W1122 reflector.go:561] watch of *v1.Pod ended with: client rate limiter Wait returned an error",
    "[Errno 28] No space left on device: '/checkpoints/step-100.pt'",
    'Failed to pull image "123.dkr.ecr.us-west-2.amazonaws.com/team/model:1": pull access denied, 403 Forbidden: repository does not exist',
    'failed to pull and unpack image "x": dial tcp: lookup starport-layer-bucket.s3.us-west-2.amazonaws.com: i/o timeout',
    'level=error msg="error parsing config file: unmarshal error: unknown field devices2"', // of the MIG manager
    "Starting MPS control daemon",
    "I0101 server.go:149] Registered device plugin for 'nvidia.com/gpu' with Kubelet",
  ])("%s", (line) => {
    expect(knownError(line)).toBeUndefined();
  });

  test("words of the plugin in another program are no fault of the plugin", () => {
    const p = pod("p", { namespace: "team", node: "ip-gpu-b", gpus: 1, statuses: crashed, age: hour });
    const logs = [{ namespace: "team", pod: "p", lines: [lines["plugin-config-invalid"][0]] }];
    expect(ids(reportOn([...changed({ trainer: null }), p], { logs })).causes).toEqual(["crash-loop"]);
  });
});

describe("without a known error, the last error lines of the log are the evidence", () => {
  const log = [
    "INFO loading weights",
    "WARNING nothing of interest",
    "Traceback (most recent call last):",
    '  File "/app/serve.py", line 12, in <module>',
    "KeyError: 'adapter_config'",
    "FATAL exiting: token=hf_abcdefghijklmnop rejected by https://bob:hunter22@example.com",
    "INFO bye",
  ].join("\n");

  test("they are kept without secrets, the newest last", () => {
    expect(recognizedLines(log)).toEqual([
      "Traceback (most recent call last):",
      "KeyError: 'adapter_config'",
      "FATAL exiting: token=*** rejected by https://***@example.com",
    ]);
    expect(recognizedLines("INFO ok\nINFO bye")).toEqual([]);
    const known = "Engine core initialization failed. See root cause above.";
    const different = ["ERROR cannot read the adapter", "FATAL no such buffer"];
    expect(recognizedLines([...different, known].join("\n"))).toEqual([...different, known]);
    expect(recognizedLines("Error: x\nAuthorization: Bearer abc.def-ghi failed")).toEqual([
      "Error: x",
      "Authorization: *** *** failed",
    ]);
  });

  test.for([
    ["in a crash loop", "crash-loop", "Running", crashed],
    [
      "that ended",
      "pod-failed",
      "Failed",
      [{ name: "main", ready: false, restartCount: 0, state: { terminated: { exitCode: 1, reason: "Error" } } }],
    ],
  ] as const)("of a container %s; of another container they are not", ([, id, phase, statuses]) => {
    const p = pod("p", { node: "ip-gpu-b", gpus: 1, phase, statuses, age: hour });
    const logs = [{ namespace: "gpu-lab", pod: "p", container: "main", lines: recognizedLines(log) }];
    const { evidence, confidence } = conclusion(reportOn([...changed({}), p], { logs }), id);
    expect(confidence).toBe("certain");
    expect(evidence.map(({ value }) => value)).toContain("KeyError: 'adapter_config'");
    const other = [{ ...logs[0], container: "sidecar" }];
    expect(conclusion(reportOn([...changed({}), p], { logs: other }), id).evidence).toHaveLength(1);
  });
});

describe("small dumps of public reports: the causes, and how sure the first one is", () => {
  const ended = (message: string) => [
    { ...crashed[0], lastState: { terminated: { exitCode: 1, reason: "Error", message } } },
  ];
  const bottlerocket = (name: string) => {
    const item = gpuNode(name);
    const status = {
      ...(item["status"] as object),
      nodeInfo: { osImage: "Bottlerocket OS 1.28.0 (aws-k8s-1.30-nvidia)" },
    };
    return { ...item, status };
  };
  const waiting = [
    {
      ...{ name: "main", ready: false, restartCount: 3 },
      state: { waiting: { reason: "RunContainerError", message: "unsatisfied condition: cuda>=12.4, please update" } },
    },
  ];
  const blind = { node: "ip-gpu-b", gpus: 1, statuses: ended("RuntimeError: No CUDA GPUs are available"), age: hour };
  const retried = "NCCL WARN socketStartConnect: Connect to 10.0.3.7<45391> failed : Connection refused, retrying";
  test.for([
    [
      "bottlerocket#4309: a DaemonSet beside the plugin of the host",
      [...changed({ "ip-gpu-b": bottlerocket("ip-gpu-b") }), pod("p", blind)],
      [],
      ["two-device-plugins"],
      "certain",
    ],
    ["the same without the plugin of the host", [...changed({}), pod("p", blind)], [], ["gpu-not-visible"], "likely"],
    [
      "gpu-operator#755: one message of the runtime",
      [...changed({}), pod("p", { node: "ip-gpu-b", gpus: 1, phase: "Pending", statuses: waiting })],
      [],
      ["cuda-newer-than-driver"],
      "likely",
    ],
    [
      "a message that is over",
      changed({}),
      [{ namespace: "gpu-lab", pod: "trainer", lines: [retried] }],
      [],
      undefined,
    ],
    [
      "amazon-eks-ami#2428: a running program without its GPU",
      changed({}),
      [{ namespace: "gpu-lab", pod: "trainer", lines: ["Failed to initialize NVML: Unknown Error"] }],
      ["gpu-devices-lost"],
      "possible",
    ],
  ] as const)("%s", ([, items, logs, causes, confidence]) => {
    const report = reportOn(items, { logs });
    expect(ids(report).causes).toEqual(causes);
    if (causes[0] !== undefined) expect(conclusion(report, causes[0]).confidence).toBe(confidence);
  });
});

test.for([
  ["system has unsupported display driver / cuda driver combination", lines["driver-version-mismatch"][0]],
  ["RuntimeError: No CUDA GPUs are available", lines["gpu-driver-missing"][0]],
  ["CUDA unknown error - this may be due to an incorrectly set up environment", lines["gpu-xid-error"][0]],
] as const)("a fault of the driver explains what CUDA says on its node: %s", ([cuda, driver]) => {
  const pods = ["p", "q"].map((name) => pod(name, { node: "ip-gpu-b", gpus: 1, statuses: crashed, age: hour }));
  const logs = [cuda, driver].map((line, at) => ({ namespace: "gpu-lab", pod: ["p", "q"][at], lines: [line] }));
  expect(ids(reportOn([...changed({}), ...pods], { logs })).causes).toEqual([knownError(driver)]);
});

/** A pod of a user whose container ended, with a log. */
function reportOf(log: string, end: Record<string, unknown> = {}) {
  const lastState = { terminated: { exitCode: 1, reason: "Error", ...end } };
  const p = pod("p", { node: "ip-gpu-b", gpus: 1, statuses: [{ ...crashed[0], lastState }], age: hour });
  const logs = [{ namespace: "gpu-lab", pod: "p", container: "main", lines: lastLines(log) }];
  return reportOn([...changed({}), p], { logs });
}

describe("recorded starts of vLLM", () => {
  const read = (name: string) => readFileSync(join(__dirname, "../recordings", `${name}.log`), "utf8");
  test.for([
    ["context-above-model", "context-above-model"],
    ["kv-cache-too-small", "kv-cache-too-small"],
    ["heads-not-divisible", "tensor-parallel-not-divisible"],
    ["vllm-port", "service-variable-collision"],
    ["missing-model", "hub-offline"],
    ["architecture-unsupported", "model-architecture-unknown"],
    ["weights-corrupt", "model-weights-corrupt"],
    ["trust-remote-code", "model-code-not-trusted"],
  ] as const)("%s", ([name, id]) => {
    expect(ids(reportOf(read(name)))).toEqual({ causes: [id], consequences: ["crash-loop"], notices: [] });
  });

  test("a normal start shows no conclusion", () => {
    expect(recognizedLines(read("normal-start")).filter((line) => knownError(line) !== undefined)).toEqual([]);
  });
});

describe("the deepest cause decides", () => {
  const engine = linesOf("engine-process-died")[0];
  const overridden =
    "WARNING 04-03 [model.py:2180] User-specified max_model_len (32768) is greater than the derived max_model_len (max_position_embeddings=8192). VLLM_ALLOW_LONG_MAX_MODEL_LEN must be used with extreme caution.";
  test.for([
    ["a generic error decides only alone", [engine], ["engine-process-died"]],
    [
      "the texts of the hub before the one that wraps them",
      [
        linesOf("model-gated")[0],
        "ValueError: Invalid repository ID or local directory specified: 'meta-llama/Llama-3.1-8B'",
        engine,
      ],
      ["model-gated"],
    ],
    [
      "the load before the allocation that failed",
      ["Failed to load model - not enough GPU memory.", linesOf("gpu-memory-too-small")[0], engine],
      ["model-larger-than-gpu"],
    ],
    [
      "what ended a rank before what the others see",
      [linesOf("gpu-memory-too-small")[0], linesOf("nccl-error")[0], linesOf("peer-not-reachable")[0]],
      ["gpu-memory-too-small"],
    ],
    ["a context that the user allows", [overridden, engine], ["engine-process-died"]],
  ] as const)("%s", ([, log, causes]) => {
    expect(ids(reportOf(log.join("\n"))).causes).toEqual(causes);
  });

  test("also in the logs of two containers, and with many lines of the generic error", () => {
    expect(
      ids(reportOf([linesOf("model-gated")[0], ...Array<string>(30).fill(engine ?? "")].join("\n"))).causes,
    ).toEqual(["model-gated"]);
    const p = pod("p", { node: "ip-gpu-b", gpus: 1, statuses: crashed, age: hour });
    const logs = ["main", "side"].map((container, at) => ({
      ...{ namespace: "gpu-lab", pod: "p", container },
      lines: [at === 0 ? engine : linesOf("model-gated")[0]],
    }));
    expect(ids(reportOn([...changed({}), p], { logs }))).toMatchObject({
      causes: ["model-gated"],
      consequences: expect.arrayContaining(["engine-process-died", "crash-loop"]) as unknown,
    });
  });
});

test("errors that no pattern names are shown with the one that only says that a process ended", () => {
  const prefix = "(EngineCore pid=9) ERROR 11-28 01:00:05 [core.py:1]";
  const log = [
    `${prefix} EngineCore failed to start.`,
    `${prefix} Traceback (most recent call last):`,
    `${prefix}   File "/vllm/core.py", line 12, in plan`,
    `${prefix} FrobnicationError: planner refused layout 7, token=hf_abcdefghijkl`,
    "(EngineCore pid=9) FrobnicationError: planner refused layout 7, token=hf_abcdefghijkl",
    "(APIServer pid=1) Traceback (most recent call last):",
    "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.",
  ];
  const report = reportOf(log.join("\n"));
  expect(ids(report).causes).toEqual(["engine-process-died"]);
  const { evidence, confidence } = conclusion(report, "engine-process-died");
  expect(confidence).toBe("possible");
  expect(evidence.map(({ value }) => value)).toEqual([
    "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.",
    "(EngineCore pid=9) FrobnicationError: planner refused layout 7, token=***",
  ]);
});

test("a message that is often an effect does not hide an error that no pattern names", () => {
  const log = ["NCCL INFO NET/OFI No eligible providers were found", "FrobnicationError: planner refused layout 7"];
  const { evidence } = conclusion(reportOf(log.join("\n")), "efa-provider-missing");
  expect(evidence.map(({ value }) => value)).toEqual(log);
});

describe("an object of the cluster contradicts a text", () => {
  test.for([
    ["OOMKilled", { exitCode: 137, reason: "OOMKilled" }],
    ["exit code 137", { exitCode: 137, reason: "Error" }],
  ] as const)("%s: the GPU had memory", ([, end]) => {
    for (const id of ["gpu-memory-too-small", "kv-cache-no-memory", "model-larger-than-gpu"] as const) {
      const report = reportOf(linesOf(id)[0] ?? "", end);
      expect(ids(report)).toEqual({ causes: ["crash-loop"], consequences: [], notices: [id] });
      expect(conclusion(report, id).confidence).toBe("possible");
    }
  });

  test("the kernel killed a process: the memory of the host, also by the status", () => {
    const report = reportOf("traceback : Signal 9 (SIGKILL) received by PID 154", {
      exitCode: 137,
      reason: "OOMKilled",
    });
    expect(ids(report).causes).toEqual(["host-memory-exceeded"]);
  });

  test("a pod with a GPU limit that sees no GPU is never certain", () => {
    expect(conclusion(reportOf("RuntimeError: No CUDA GPUs are available"), "gpu-not-visible").confidence).toBe(
      "likely",
    );
  });
});

describe("a text without a pattern is the evidence, and triage says that it is unknown", () => {
  test.for([
    "KeyError: 'rope_scaling_factor'",
    "RuntimeError: The expanded size of the tensor (4096) must match the existing size (2048)",
    "FATAL: license server rejected the seat",
    "AttributeError: 'NoneType' object has no attribute 'num_layers'",
    "TypeError: forward() got an unexpected keyword argument 'position_bias'",
    "thread 'main' panicked at src/router.rs:88: empty queue",
    "ValueError: The checkpoint shard 3 is of another model",
    "E1128 07:42:15 server.cc:301] failed to load backend onnx",
    "pydantic.ValidationError: 2 validation errors for Settings",
    "error: invalid choice: 'turbo' (choose from eager, graph)",
  ])("%s", (line) => {
    const report = reportOf(`INFO start\n${line}\nINFO bye`);
    expect(ids(report).causes).toEqual(["crash-loop"]);
    const { what, evidence } = conclusion(report, "crash-loop");
    expect(evidence.map(({ value }) => value)).toContain(line);
    expect(what).toContain("Triage does not know its last errors");
    expect(conclusion(reportOf(linesOf("model-gated")[0] ?? ""), "crash-loop").what).not.toContain("does not know");
  });
});

test("the steps show enough of a log, and each new cause names versions and a source", () => {
  for (const id of knownCauseIds.filter(isOfProgram)) {
    const commands = listOf(knownCauses[id].next).flatMap(
      (step) => /logs .*--tail=(-?\d+)/.exec(step ?? "")?.[1] ?? [],
    );
    for (const tail of commands) expect([id, Number(tail) === -1 || Number(tail) >= 200]).toEqual([id, true]);
    const { seen, source } = knownCauses[id];
    expect([id, seen === undefined]).toEqual([id, source === undefined]);
  }
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
