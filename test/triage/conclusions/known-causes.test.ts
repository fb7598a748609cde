import { describe, expect, test } from "vitest";
import { knownCauseIds, knownCauses } from "../../../triage/conclusions/known-causes";
import { knownError, recognizedLines } from "../../../triage/snapshot/logs/known-errors";
import { conclusion, ids, changed, pluginPod, reportOn } from "../support/clusters";
import { gpuNode, hour, pod } from "../support/objects";
import { Wording } from "../support/wording";

const wording = new Wording();

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
    "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5.",
    "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    "NVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.",
  ],
  "kv-cache-too-small": ["ValueError: No available memory for the cache blocks."],
  "gpu-memory-too-small": [
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 0 has a total capacity of 21.98 GiB",
    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    "ValueError: Free memory on device cuda:0 (16.9/79.18 GiB) on startup is less than desired GPU memory utilization (0.825, 65.32 GiB).", // llm-d-fast-model-actuation#720
  ],
  "gpu-count-too-low": [
    "RuntimeError: CUDA error: invalid device ordinal",
    "ValueError: The number of required GPUs exceeds the total number of available GPUs in the placement group.",
    "NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1c0",
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
    "Access to model meta-llama/Llama-3.1-8B is restricted and you are not in the authorized list.",
    "huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error.",
    "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied",
    "botocore.exceptions.ClientError: An error occurred (403) when calling the HeadObject operation: Forbidden",
    "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
  ],
  "model-not-reachable": [
    "OSError: We couldn't connect to 'https://huggingface.co' to load the files",
    "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /api/models/x (Failed to resolve 'huggingface.co')",
    "huggingface_hub.errors.HfHubHTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/Qwen/Qwen3-32B",
    "OSError: /models/llama is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
  ],
  "serving-arguments": [
    "ValueError: User-specified max_model_len (65536) is greater than the derived max_model_len (max_position_embeddings=32768)",
    "ValueError: Total number of attention heads (14) must be divisible by tensor parallel size (4).",
    "vllm: error: unrecognized arguments: --enable-turbo",
    "ValueError: Tokenizer class TekkenTokenizer does not exist or is not currently imported.",
    "ValueError: Couldn't instantiate the backend tokenizer from one of: (1) a `tokenizers` library file",
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
    "OSError: Can't load tokenizer for '/models/llama'. If you were trying to load it from 'https://huggingface.co/models', make sure you don't have a local directory with the same name.",
    "Exception: data did not match any variant of untagged enum ModelWrapper at line 757479 column 3",
    "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge",
  ],
  "cuda-program-fault": [
    "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
    "RuntimeError: CUDA error: device-side assert triggered",
  ],
  "efa-not-usable": [
    "NCCL WARN NET/OFI Couldn't open CQ. RC: -12, ERROR: Cannot allocate memory",
    "NET/OFI aws-ofi-nccl initialization failed",
    "libfabric:123:1:efa:core:efa_device_list_initialize():  Unable to allocate huge pages",
  ],
  "peer-not-reachable": [
    "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (llama-0.llama.default, 29500).",
    "NCCL WARN Bootstrap : no socket interface found",
    "NCCL WARN socketStartConnect: Connect to 10.0.3.7<45391> failed : Connection timed out",
    "1520 seconds elapsed: Waiting for GCS to be ready.", // kuberay
  ],
  "shared-memory-too-small": [
    "RuntimeError: unable to mmap 67108872 bytes from file </torch_12_34>: Cannot allocate memory (12)",
    "RuntimeError: DataLoader worker (pid 4301) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.",
    "RuntimeError: unable to write to file </torch_63792_2473652340_0>: No space left on device (28) /dev/shm",
  ],
  "nccl-error": [
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3690, unhandled system error",
    "worker-1:88:88 [0] net.cc:54 NCCL WARN Error: network AWS Libfabric not found.",
    "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, Timeout(ms)=1800000)",
  ],
} as const satisfies Readonly<Record<(typeof knownCauseIds)[number], readonly string[]>>;

const crashed = [
  {
    ...{ name: "main", ready: false, restartCount: 6, state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode: 1, reason: "Error" } },
  },
];
const isOfNode = (id: (typeof knownCauseIds)[number]) =>
  knownCauses[id].of === "node" || knownCauses[id].stops !== undefined;

describe("every known cause explains the crash loop of the pod that logs it", () => {
  test.for(knownCauseIds)("%s", (id) => {
    for (const line of lines[id]) expect([line, knownError(line)]).toEqual([line, id]);
    const isComponent = isOfNode(id) || knownCauses[id].from === "component";
    const namespace = isComponent ? "gpu-operator" : "team";
    const owner = ["DaemonSet", isComponent ? "nvidia-driver-daemonset" : "x"] as const;
    const p = pod("p", { namespace, node: "ip-gpu-b", gpus: isComponent ? 0 : 1, statuses: crashed, age: hour, owner });
    const logs = [{ namespace, pod: "p", container: "main", lines: recognizedLines(`start\n${lines[id][0]}\nbye`) }];
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
      const logs = [{ namespace: "gpu-operator", pod: "nvidia-device-plugin-daemonset-b", lines: [lines[id][0]] }];
      const report = reportOn(items, { logs });
      expect(ids(report).causes).toEqual([id]);
      expect(ids(report).consequences).toContain("gpu-allocatable-missing");
      expect(conclusion(report, id).confidence).toBe("certain");
    },
  );
});

describe("lines of healthy programs and of other faults show no conclusion", () => {
  test.for([
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

test("wording", () => expect(String(wording)).toMatchSnapshot());
