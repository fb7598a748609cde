/** The five places that triage walks through, in this order. */
export const stations = ["pod", "node", "daemonset", "operator", "inside"] as const;
export type Station = (typeof stations)[number];

/** Every conclusion that triage can draw, by the station that shows it. Names are stable: scripts may rely on them. */
export const findingIds = {
  pod: [
    "insufficient-gpu",
    "insufficient-resource",
    "untolerated-taint",
    "node-selector-mismatch",
    "unbound-volume-claim",
    "topology-spread",
    "image-pull",
    "not-schedulable",
    "rollout-deadlock",
    "gpus-in-use",
    "gpu-limit-missing",
    "crash-loop",
    "container-start",
    "pod-sandbox",
    "volume-mount",
    "not-started",
    "gpu-not-allocated",
    "admission-rejected",
    "evicted",
    "node-lost",
    "pod-failed",
    "job-failed",
    "job-out-of-time",
  ],
  node: [
    "no-gpu-nodes",
    "gpu-allocatable-missing",
    "gpu-allocatable-zero",
    "gpu-allocatable-low",
    "gpu-zero-on-new-nodes",
    "gpu-label-missing",
    "node-not-ready",
    "node-cordoned",
    "accelerated-hardware-not-ready",
    "dcgm-false-alarm",
    "container-runtime-not-ready",
    "kernel-not-ready",
    "networking-not-ready",
    "storage-not-ready",
  ],
  daemonset: [
    "device-plugin-missing",
    "device-plugin-below-gpu-nodes",
    "device-plugin-without-gpus",
    "device-plugin-recreated",
    "fail-on-init-error-off",
    "operator-pod-crash-loop",
    "operator-daemonset-not-ready",
  ],
  operator: [
    "device-plugin-disabled",
    "gpu-operator-not-installed",
    "gpu-operator-not-ready",
    "cluster-policy-not-ready",
  ],
  inside: [
    "plugin-finds-no-devices",
    "plugin-incompatible-strategy",
    "plugin-nvml-error",
    "containerd-config-broken",
    "containerd-socket-is-directory",
    "containerd-hangs",
    "containerd-left-over-shims",
    "toolkit-cannot-signal",
    "socket-mount-untyped",
    "nvml-in-chroot",
  ],
} as const satisfies Record<Station, readonly string[]>;

export type FindingId = (typeof findingIds)[Station][number];

/** What was seen: one fact of one object. */
export interface Evidence {
  /** As kubectl takes it, e.g. `node/ip-10-0-0-1` or `-n gpu-lab pod/probe`. */
  readonly object: string;
  /** E.g. `status.allocatable[nvidia.com/gpu]`, or `event FailedScheduling`. */
  readonly field: string;
  readonly value: string;
  /** When it became so, or was last seen, where the object says it. */
  readonly at?: string;
}

/** What to do next. */
export interface NextStep {
  readonly why: string;
  readonly command: string;
  /** Whether it changes the cluster or a node. Triage itself only reads. */
  readonly changes?: true;
}

/** What a conclusion is about. */
export interface About {
  /** In words, e.g. `pod gpu-lab/probe`. */
  readonly subject: string;
  /** The nodes it holds for, by name. */
  readonly nodes: readonly string[];
  /** The pods it holds for, as `namespace/name`. */
  readonly pods: readonly string[];
}

/** What a station concludes. */
export interface Finding extends About {
  readonly id: FindingId;
  /** A notice is worth knowing and no fault. */
  readonly level: "problem" | "notice";
  /** `certain`: the evidence says it. `likely`: it fits everything seen. `possible`: look before you act on it. */
  readonly sure: "certain" | "likely" | "possible";
  /** What is wrong, in a sentence or two. */
  readonly what: string;
  readonly evidence: readonly Evidence[];
  readonly next: readonly NextStep[];
}

/** A conclusion in a report: beside what it says, what accounts for it. */
export interface Conclusion extends Finding {
  readonly station: Station;
  /** The conclusion that this one is a consequence of; the first, where there are several. */
  readonly because?: FindingId;
  /** All conclusions that together account for this one. */
  readonly causes?: readonly { readonly id: FindingId; readonly subject: string }[];
}
