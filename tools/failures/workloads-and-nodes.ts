import type { Failures } from "./failure";

/** Failures of pods, GPUs, nodes and what runs on them. */
export const workloadAndNodeFailures: Failures = {
  "A scheduled pod does not run": [
    {
      what: "The image cannot be pulled, or its tag now names another image",
      rules: ["image-tag-pinned"],
      conclusions: ["image-pull"],
    },
    {
      what: "The pod runs without a GPU because it requests none",
      rules: ["gpu-pod-shape"],
      conclusions: ["gpu-limit-missing"],
    },
    {
      what: "The pod requests more than one share of a GPU, and time slicing refuses it",
      conclusions: ["shared-gpu-request"],
    },
    { what: "The CUDA version of the image is newer than the driver", conclusions: ["cuda-newer-than-driver"] },
    {
      what: "vLLM has too little GPU memory for its model or its KV cache",
      labs: ["model-server"],
      rules: ["model-fits-gpu"],
      alerts: ["ModelServerNotReady", "ModelServerCacheFull"],
      conclusions: ["kv-cache-no-memory", "kv-cache-too-small"],
    },
    {
      what: "A model server gets a context or a number of ranks that its model does not have",
      labs: ["model-server"],
      rules: ["model-fits-gpu"],
      conclusions: ["context-above-model", "tensor-parallel-not-divisible", "gpu-count-too-low"],
    },
    {
      what: "A container crashes, exceeds its memory limit or cannot be started",
      conclusions: ["crash-loop", "memory-limit-exceeded", "container-start"],
    },
    {
      what: "The pod sandbox or a volume cannot be created",
      conclusions: ["pod-sandbox", "volume-mount", "not-started"],
    },
    {
      what: "The kubelet has no free GPU for a pod that the scheduler placed",
      conclusions: ["gpu-not-allocated", "admission-rejected"],
    },
    { what: "The pod is evicted, or its node is lost", conclusions: ["evicted", "node-lost"] },
    {
      what: "The pod or its Job fails",
      labs: ["nccl-block"],
      alerts: ["GpuJobFailed"],
      conclusions: ["pod-failed", "job-failed", "job-out-of-time"],
    },
  ],
  "A node has GPUs but advertises none": [
    {
      what: "The device plugin is disabled: the node advertises 0 GPUs, and the ClusterPolicy stays `ready`",
      labs: ["device-plugin"],
      rules: ["device-plugin-enabled", "rbac-cluster-policy-write"],
      alerts: [
        "GpuAllocatableZeroOnGpuNode",
        "DevicePluginDaemonSetMissing",
        "DevicePluginBelowGpuNodes",
        "GpuPodUnschedulable",
      ],
      conclusions: [
        "gpu-allocatable-zero",
        "device-plugin-disabled",
        "device-plugin-missing",
        "device-plugin-recreated",
      ],
    },
    {
      what: "A taint or a missing label keeps the device plugin off the node",
      rules: ["operator-tolerates-taints"],
      alerts: ["DevicePluginBelowGpuNodes", "DevicePluginDaemonSetNotFullyReady"],
      conclusions: ["device-plugin-below-gpu-nodes", "gpu-label-missing"],
    },
    {
      what: "The device plugin runs but finds no GPU because of the driver, the AMI or the container runtime",
      rules: ["gpu-ami-family", "nri-needs-toolkit"],
      alerts: ["GpuNeverOfferedOnGpuNode"],
      conclusions: [
        "gpu-allocatable-missing",
        "device-plugin-without-gpus",
        "plugin-finds-no-devices",
        "plugin-incompatible-strategy",
        "plugin-nvml-error",
        "fail-on-init-error-off",
      ],
    },
    {
      what: "Only new nodes advertise no GPUs",
      alerts: ["GpuMissingOnNewNode"],
      conclusions: ["gpu-zero-on-new-nodes"],
    },
    {
      what: "The nodes have a plain AMI: no driver, no runtime named nvidia, no CDI specification",
      rules: ["gpu-ami-family"],
      alerts: ["GpuNeverOfferedOnGpuNode"],
      conclusions: ["nvidia-runtime-missing", "cdi-device-missing", "gpu-driver-missing"],
    },
    { what: "The CDI specifications of a node are faulty or could not be written", conclusions: ["cdi-spec-faulty"] },
    {
      what: "Two device plugins advertise the same GPUs",
      rules: ["one-gpu-device-plugin"],
      conclusions: ["two-device-plugins"],
    },
    { what: "The MIG configuration cannot be applied", conclusions: ["mig-config-failed"] },
    {
      what: "The operator's validation pod gets no GPU because other pods hold all of them",
      alerts: ["GpuOperatorOperandsNotReady"],
      conclusions: ["operator-validator-rejected"],
    },
    {
      what: "The GPU Operator is down, crashes, or waits for one of its operands",
      rules: ["gpu-operator-chart-pinned", "gpu-operator-k8s-compat", "helm-wait-sane"],
      alerts: [
        "GpuOperatorUnavailable",
        "GpuOperatorHasNoClusterPolicy",
        "GpuOperatorOperandsNotReady",
        "GpuOperatorPodCrashLooping",
        "GpuOperatorPodRestarting",
      ],
      conclusions: [
        "gpu-operator-not-ready",
        "gpu-operator-not-installed",
        "cluster-policy-not-ready",
        "operator-pod-crash-loop",
        "operator-daemonset-not-ready",
      ],
    },
    { what: "The AMI and the operator both install the driver", rules: ["nvidia-ami-driver-toolkit-off"] },
    { what: "`nvidia-smi` fails in a chroot on a healthy node", conclusions: ["nvml-in-chroot"] },
  ],
  "A GPU or its node is broken": [
    {
      what: "A GPU reports uncorrectable memory errors, and EKS marks its node unhealthy",
      labs: ["node-health"],
      alerts: ["AcceleratedHardwareNotReady"],
      conclusions: ["accelerated-hardware-not-ready"],
    },
    {
      what: "The driver reports an XID error, or the GPU has no spare memory rows left",
      alerts: ["GpuXidFatal", "GpuXidReported", "GpuRowRemapFailure"],
      conclusions: ["accelerated-hardware-not-ready", "gpu-xid-error"],
    },
    {
      what: "The DCGM exporter cannot reach its DCGM engine",
      rules: ["one-dcgm-engine"],
      alerts: ["DcgmExporterDown", "GpuOperatorPodCrashLooping"],
      conclusions: ["dcgm-engine-missing"],
    },
    {
      what: "The disk of the node is full: images cannot be pulled, and pods are evicted",
      rules: ["gpu-node-disk"],
      conclusions: ["disk-full"],
    },
    {
      what: "A node advertises fewer GPUs than it has",
      alerts: ["GpuUnhealthyOnNode"],
      conclusions: ["gpu-allocatable-low"],
    },
    {
      what: "EKS replaces healthy nodes because the monitoring agent cannot reach a DCGM engine",
      rules: ["nma-node-repair", "one-dcgm-engine"],
      alerts: ["AcceleratedHardwareNotReady"],
      conclusions: ["dcgm-false-alarm"],
    },
    {
      what: "Node repair takes the wrong action, or has no capacity for a replacement",
      labs: ["node-health"],
      rules: ["node-repair-overrides", "gpu-update-headroom"],
    },
    {
      what: "The node, its kernel, its network or its storage fails",
      alerts: ["GpuNodeNotReady"],
      conclusions: ["node-not-ready", "kernel-not-ready", "networking-not-ready", "storage-not-ready"],
    },
  ],
  "The container runtime fails": [
    {
      what: "A directory exists at the path of the runtime's socket",
      labs: ["runtime-socket"],
      rules: ["hostpath-socket-type"],
      alerts: ["RuntimeSocketIsDirectory"],
      conclusions: ["containerd-socket-is-directory", "socket-mount-untyped"],
    },
    {
      what: "The runtime does not start, hangs, or cannot read its configuration",
      rules: ["nvidia-ami-driver-toolkit-off"],
      alerts: ["ContainerRuntimeNotReady", "GpuOperatorPodRestarting"],
      conclusions: [
        "container-runtime-not-ready",
        "containerd-hangs",
        "containerd-config-broken",
        "containerd-left-over-shims",
        "toolkit-cannot-signal",
      ],
    },
  ],
  "Nodes cannot reach each other": [
    {
      what: "Security groups block the ports of NCCL",
      labs: ["nccl-block"],
      rules: ["experiment-toggle-left-on", "security-group-rule-conflict"],
      alerts: ["GpuNodeUnreachable", "GpuJobFailed", "DcgmExporterDown"],
      conclusions: ["job-failed"],
    },
    { what: "GPU nodes run in more than one zone", rules: ["gpu-single-az"] },
  ],
};
