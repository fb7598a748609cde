// What goes wrong with GPUs on EKS, and what here tells of it. Sections of accidents: what happens, the labs that bring
// it about, the rules that refuse it, the alerts on it, and what triage concludes.
export const accidents = {
  "A pod waits for a GPU": [
    { what: "No GPU node is up", triage: ["no-gpu-nodes"] },
    {
      what: "Every GPU is taken, or no node has so many",
      alerts: ["GpuPodUnschedulable"],
      triage: ["gpus-in-use", "insufficient-gpu"],
    },
    {
      what: "The pod does not tolerate the taint of the GPU nodes",
      rules: ["gpu-pod-shape"],
      alerts: ["GpuPodUnschedulable"],
      triage: ["untolerated-taint"],
    },
    {
      what: "A selector, an affinity or a host name leaves no node",
      rules: ["nodeselector-hostname"],
      alerts: ["GpuPodUnschedulable"],
      triage: ["node-selector-mismatch"],
    },
    {
      what: "CPU, memory, a volume or a spread over zones leaves no node",
      rules: ["pod-resources"],
      alerts: ["GpuPodUnschedulable"],
      triage: ["insufficient-resource", "unbound-volume-claim", "topology-spread", "not-schedulable"],
    },
    {
      what: "The new pod of a rollout waits for the GPU of the old one",
      labs: ["gpu-rollout"],
      rules: ["gpu-rollout-deadlock"],
      alerts: ["GpuRolloutDeadlock", "GpuDeploymentNotProgressing", "GpuPodUnschedulable"],
      triage: ["rollout-deadlock"],
    },
    { what: "The node is cordoned", alerts: ["GpuPodUnschedulable"], triage: ["node-cordoned"] },
    { what: "Pods that need no GPU fill the GPU nodes", rules: ["gpu-taint-present"] },
    {
      what: "Every node has a taint, and the add-ons find none to run on",
      rules: ["system-node-group-present"],
      triage: ["untolerated-taint"],
    },
    {
      what: "The Cluster Autoscaler does not start a group that stands at zero",
      rules: ["cas-scale-from-zero-tags"],
      triage: ["no-gpu-nodes"],
    },
  ],
  "A pod has a node and does not run": [
    { what: "Its image cannot be pulled, or its tag has moved", rules: ["image-tag-pinned"], triage: ["image-pull"] },
    { what: "It runs, and sees no GPU: it asks for none", rules: ["gpu-pod-shape"], triage: ["gpu-limit-missing"] },
    { what: "A container crashes, or cannot be started", triage: ["crash-loop", "container-start"] },
    { what: "It gets no sandbox or no volume", triage: ["pod-sandbox", "volume-mount", "not-started"] },
    {
      what: "The kubelet has no GPU for a pod that the scheduler has placed",
      triage: ["gpu-not-allocated", "admission-rejected"],
    },
    { what: "It was evicted, or its node is lost", triage: ["evicted", "node-lost"] },
    {
      what: "It failed, or its Job did",
      labs: ["nccl-block"],
      alerts: ["GpuJobFailed"],
      triage: ["pod-failed", "job-failed", "job-out-of-time"],
    },
  ],
  "A node has GPUs and offers none": [
    {
      what: "The device plugin is switched off: a number stays, 0, and the ClusterPolicy is `ready`",
      labs: ["device-plugin"],
      rules: ["device-plugin-enabled", "rbac-cluster-policy-write"],
      alerts: [
        "GpuAllocatableZeroOnGpuNode",
        "DevicePluginDaemonSetMissing",
        "DevicePluginBelowGpuNodes",
        "GpuPodUnschedulable",
      ],
      triage: ["gpu-allocatable-zero", "device-plugin-disabled", "device-plugin-missing", "device-plugin-recreated"],
    },
    {
      what: "The device plugin does not come to the node: a taint, or a label that is missing",
      rules: ["operator-tolerates-taints"],
      alerts: ["DevicePluginBelowGpuNodes", "DevicePluginDaemonSetNotFullyReady"],
      triage: ["device-plugin-below-gpu-nodes", "gpu-label-missing"],
    },
    {
      what: "It runs there and finds no GPU: driver, AMI, container runtime",
      rules: ["gpu-ami-family", "nri-needs-toolkit"],
      alerts: ["GpuNeverOfferedOnGpuNode"],
      triage: [
        "gpu-allocatable-missing",
        "device-plugin-without-gpus",
        "plugin-finds-no-devices",
        "plugin-incompatible-strategy",
        "plugin-nvml-error",
        "fail-on-init-error-off",
      ],
    },
    { what: "Only new nodes offer none", alerts: ["GpuMissingOnNewNode"], triage: ["gpu-zero-on-new-nodes"] },
    { what: "Two device plugins offer the same GPUs", rules: ["one-gpu-device-plugin"] },
    {
      what: "The operator is down, crashes, or waits for one of its parts",
      rules: ["gpu-operator-chart-pinned", "gpu-operator-k8s-compat", "helm-wait-sane"],
      alerts: [
        "GpuOperatorUnavailable",
        "GpuOperatorHasNoClusterPolicy",
        "GpuOperatorOperandsNotReady",
        "GpuOperatorPodCrashLooping",
        "GpuOperatorPodRestarting",
      ],
      triage: [
        "gpu-operator-not-ready",
        "gpu-operator-not-installed",
        "cluster-policy-not-ready",
        "operator-pod-crash-loop",
        "operator-daemonset-not-ready",
      ],
    },
    { what: "The AMI and the operator both install the driver", rules: ["nvidia-ami-driver-toolkit-off"] },
    { what: "`nvidia-smi` in a chroot fails on a node that is well", triage: ["nvml-in-chroot"] },
  ],
  "A GPU or its node is broken": [
    {
      what: "A GPU reports memory errors that cannot be corrected, and EKS calls its node unhealthy",
      labs: ["node-health"],
      alerts: ["AcceleratedHardwareNotReady"],
      triage: ["accelerated-hardware-not-ready"],
    },
    {
      what: "The driver reports an XID, or runs out of spare rows of memory",
      alerts: ["GpuXidFatal", "GpuXidReported", "GpuRowRemapFailure"],
      triage: ["accelerated-hardware-not-ready"],
    },
    {
      what: "A node offers fewer GPUs than it has",
      alerts: ["GpuUnhealthyOnNode"],
      triage: ["gpu-allocatable-low"],
    },
    {
      what: "Healthy nodes are called faulty, and replaced: the monitoring agent reaches no DCGM engine",
      rules: ["nma-node-repair", "one-dcgm-engine"],
      alerts: ["AcceleratedHardwareNotReady"],
      triage: ["dcgm-false-alarm"],
    },
    {
      what: "Node repair does what nobody meant, or finds no room for the replacement",
      labs: ["node-health"],
      rules: ["node-repair-overrides", "gpu-update-headroom"],
    },
    {
      what: "The node, its kernel, network or storage fails",
      alerts: ["GpuNodeNotReady"],
      triage: ["node-not-ready", "kernel-not-ready", "networking-not-ready", "storage-not-ready"],
    },
  ],
  "The container runtime fails": [
    {
      what: "A directory stands where its socket should be",
      labs: ["runtime-socket"],
      rules: ["hostpath-socket-type"],
      alerts: ["RuntimeSocketIsDirectory"],
      triage: ["containerd-socket-is-directory", "socket-mount-untyped"],
    },
    {
      what: "It does not start, hangs, or cannot read its configuration",
      rules: ["nvidia-ami-driver-toolkit-off"],
      alerts: ["ContainerRuntimeNotReady", "GpuOperatorPodRestarting"],
      triage: [
        "container-runtime-not-ready",
        "containerd-hangs",
        "containerd-config-broken",
        "containerd-left-over-shims",
        "toolkit-cannot-signal",
      ],
    },
  ],
  "Nodes do not reach each other": [
    {
      what: "Security groups close the paths of NCCL",
      labs: ["nccl-block"],
      rules: ["experiment-toggle-left-on", "security-group-rule-conflict"],
      alerts: ["GpuNodeUnreachable", "GpuJobFailed", "DcgmExporterDown"],
      triage: ["job-failed"],
    },
    { what: "GPU nodes stand in several zones", rules: ["gpu-single-az"] },
  ],
  "Nobody is told": [
    {
      what: "What alerts read is missing, or labelled otherwise",
      alerts: [
        "KubeStateMetricsDown",
        "KubeStateMetricsLabelsNotHonored",
        "GpuNodeLabelsNotMonitored",
        "DcgmExporterDown",
        "SocketWatchDown",
      ],
    },
    { what: "An alert waits for a number to vanish that stays, as 0", rules: ["gpu-alert-zero-not-absent"] },
    { what: "An experiment is left on", rules: ["experiment-toggle-left-on"] },
  ],
  "It costs money, or cannot be had": [
    {
      what: "A GPU node is forgotten",
      labs: ["gpu-lab"],
      rules: ["gpu-desired-zero"],
      alerts: ["GpuNodeUpTooLong", "GpuNodeIdle"],
    },
    { what: "The account's quota is too small", rules: ["gpu-vcpu-quota", "gpu-update-headroom"] },
    { what: "The sizes of a group contradict each other", rules: ["nodegroup-scaling-order"] },
    { what: "Reserved capacity is asked for, and not named", rules: ["capacity-reservation-target"] },
    {
      what: "The disk is too small, or its size is stated twice",
      rules: ["gpu-node-disk", "node-group-disk-conflict"],
    },
  ],
  "It changes under your hands": [
    {
      what: "A version floats: driver, chart, add-on, Kubernetes, image",
      rules: [
        "node-release-pinned",
        "gpu-userdata-drift",
        "gpu-operator-chart-pinned",
        "addons-pinned",
        "cluster-version-supported",
        "image-tag-pinned",
      ],
    },
    {
      what: "Two resources own the same rules or policies, and undo each other",
      rules: ["security-group-rule-conflict", "iam-role-policy-conflict"],
    },
    { what: "Machines come from a kind of template that AWS gives up", rules: ["asg-launch-template"] },
  ],
  "Somebody gets in": [
    {
      what: "From the internet",
      rules: [
        "cluster-endpoint-public",
        "security-group-public-ingress",
        "node-remote-access",
        "launch-template-no-public-ip",
      ],
    },
    {
      what: "From a pod to its node, or to the account",
      rules: [
        "pod-host-access",
        "pod-sensitive-host-path",
        "hostpath-socket-type",
        "launch-template-imdsv2",
        "node-role-minimal",
      ],
    },
    {
      what: "With rights that nobody meant to give",
      rules: ["rbac-wildcards", "rbac-secrets-read", "rbac-cluster-policy-write", "cluster-access-mode"],
    },
    {
      what: "To what is stored, and nothing was written down",
      rules: ["cluster-secrets-encrypted", "launch-template-volumes-encrypted", "cluster-logging"],
    },
  ],
};
