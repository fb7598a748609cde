import type { Finding, FindingId } from "./finding";

/** Which conclusions another one accounts for: those are consequences, and go away with it. */
const consequences: readonly (readonly [FindingId, readonly FindingId[]])[] = [
  [
    "device-plugin-disabled",
    ["device-plugin-missing", "gpu-allocatable-zero", "gpu-allocatable-missing", "insufficient-gpu"],
  ],
  [
    "gpu-operator-not-installed",
    [
      "device-plugin-missing",
      "gpu-allocatable-missing",
      "gpu-allocatable-zero",
      "gpu-label-missing",
      "insufficient-gpu",
    ],
  ],
  [
    "gpu-operator-not-ready",
    [
      "device-plugin-missing",
      "cluster-policy-not-ready",
      "gpu-allocatable-zero",
      "gpu-allocatable-missing",
      "gpu-label-missing",
      "insufficient-gpu",
    ],
  ],
  [
    "containerd-config-broken",
    ["containerd-hangs", "toolkit-cannot-signal", "container-runtime-not-ready", "node-not-ready"],
  ],
  [
    "containerd-socket-is-directory",
    [
      "containerd-hangs",
      "toolkit-cannot-signal",
      "container-runtime-not-ready",
      "node-not-ready",
      "operator-pod-crash-loop",
    ],
  ],
  ["containerd-hangs", ["toolkit-cannot-signal", "container-runtime-not-ready", "node-not-ready"]],
  [
    "node-not-ready",
    ["gpu-allocatable-zero", "gpu-allocatable-missing", "device-plugin-below-gpu-nodes", "insufficient-gpu"],
  ],
  [
    "plugin-finds-no-devices",
    [
      "device-plugin-without-gpus",
      "gpu-zero-on-new-nodes",
      "gpu-allocatable-zero",
      "gpu-allocatable-missing",
      "insufficient-gpu",
    ],
  ],
  [
    "plugin-incompatible-strategy",
    [
      "plugin-finds-no-devices",
      "plugin-nvml-error",
      "device-plugin-without-gpus",
      "gpu-allocatable-zero",
      "gpu-allocatable-missing",
      "insufficient-gpu",
    ],
  ],
  [
    "plugin-nvml-error",
    [
      "plugin-finds-no-devices",
      "device-plugin-without-gpus",
      "gpu-allocatable-zero",
      "gpu-allocatable-missing",
      "insufficient-gpu",
    ],
  ],
  [
    "gpu-zero-on-new-nodes",
    ["device-plugin-without-gpus", "gpu-allocatable-zero", "gpu-allocatable-missing", "insufficient-gpu"],
  ],
  ["device-plugin-missing", ["gpu-allocatable-zero", "gpu-allocatable-missing", "insufficient-gpu"]],
  ["gpu-label-missing", ["device-plugin-below-gpu-nodes", "gpu-allocatable-missing", "insufficient-gpu"]],
  ["device-plugin-below-gpu-nodes", ["gpu-allocatable-zero", "gpu-allocatable-missing", "insufficient-gpu"]],
  ["device-plugin-without-gpus", ["gpu-allocatable-zero", "gpu-allocatable-missing", "insufficient-gpu"]],
  ["no-gpu-nodes", ["insufficient-gpu", "node-selector-mismatch", "untolerated-taint"]],
  ["gpu-allocatable-zero", ["insufficient-gpu"]],
  ["gpu-allocatable-missing", ["insufficient-gpu"]],
  ["accelerated-hardware-not-ready", ["gpu-allocatable-low", "node-cordoned"]],
  ["rollout-deadlock", ["gpus-in-use", "insufficient-gpu"]],
  ["gpus-in-use", ["insufficient-gpu"]],
];

/** Causes that hold for their own subject alone; all others are about the cluster or its nodes. */
const ofOnePod: readonly FindingId[] = ["rollout-deadlock", "gpus-in-use"];

/** The conclusion that accounts for this one; undefined where it stands by itself. */
export function explanationOf(finding: Finding, all: readonly Finding[]): Finding | undefined {
  for (const [cause, effects] of consequences) {
    if (!effects.includes(finding.id)) continue;
    const sameSubject = ofOnePod.includes(cause);
    const found = all.find(
      ({ id, subject, level }) => id === cause && level === "problem" && (!sameSubject || subject === finding.subject),
    );
    if (found) return found;
  }
  return undefined;
}
