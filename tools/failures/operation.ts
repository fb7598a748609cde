import type { Failures } from "./failure";

/** Failures of monitoring, cost control, change control and access control. */
export const operationFailures: Failures = {
  "A failure goes unnoticed": [
    {
      what: "Metrics that alerts read are missing or have other labels",
      alerts: [
        "KubeStateMetricsDown",
        "KubeStateMetricsLabelsNotHonored",
        "GpuNodeLabelsNotMonitored",
        "DcgmExporterDown",
        "SocketWatchDown",
      ],
    },
    {
      what: "An alert waits for a metric to disappear, but the metric stays at 0",
      rules: ["gpu-alert-zero-not-absent"],
    },
    { what: "An experiment stays enabled", rules: ["experiment-toggle-left-on"] },
  ],
  "Cost and capacity": [
    {
      what: "A GPU node keeps running unused",
      labs: ["gpu-lab"],
      rules: ["gpu-desired-zero", "gpu-lease-present", "gpu-pool-limit"],
      alerts: ["GpuNodeUpTooLong", "GpuNodeIdle", "GpuLeaseFailed"],
    },
    { what: "The quota of the account is too small", rules: ["gpu-vcpu-quota", "gpu-update-headroom"] },
    { what: "More GPU nodes start than the pods need", rules: ["gpu-sharing-scale-up", "one-gpu-provisioner"] },
    { what: "A running job loses its node to a cheaper one", rules: ["gpu-pool-consolidation"] },
    { what: "The sizes of a node group contradict each other", rules: ["nodegroup-scaling-order"] },
    {
      what: "A node group requests reserved capacity without naming the reservation",
      rules: ["capacity-reservation-target"],
    },
    {
      what: "The disk is too small, or its size is set in two places",
      rules: ["gpu-node-disk", "node-group-disk-conflict"],
    },
  ],
  "Unintended changes": [
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
      what: "Two resources manage the same rules or policies and overwrite each other",
      rules: ["security-group-rule-conflict", "iam-role-policy-conflict"],
    },
    { what: "An Auto Scaling group uses a launch configuration, which AWS phases out", rules: ["asg-launch-template"] },
  ],
  "Unauthorized access": [
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
      what: "From a pod to its node or to the account",
      rules: [
        "pod-host-access",
        "pod-sensitive-host-path",
        "hostpath-socket-type",
        "launch-template-imdsv2",
        "node-role-minimal",
      ],
    },
    {
      what: "With permissions that are broader than intended",
      rules: ["rbac-wildcards", "rbac-secrets-read", "rbac-cluster-policy-write", "cluster-access-mode"],
    },
    {
      what: "To unencrypted data, or without an audit log",
      rules: ["cluster-secrets-encrypted", "launch-template-volumes-encrypted", "cluster-logging"],
    },
  ],
};
