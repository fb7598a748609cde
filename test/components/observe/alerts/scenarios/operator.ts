import { healthy, operator } from "../cluster-series";
import type { Scenario } from "../promtool-table";
import { ksm, since, step, until } from "../series";

const operatorPod = { namespace: "gpu-operator", pod: "nvidia-container-toolkit-daemonset-x", container: "toolkit" };
const deploymentOfOperator = { namespace: "gpu-operator", deployment: "gpu-operator" };

export const theOperator: readonly Scenario[] = [
  [
    "its only replica is gone",
    { ...healthy(), ...operator({ available: step(1, 5, 0) }) },
    [["9m"], ["10m", ["GpuOperatorUnavailable", deploymentOfOperator, 0]]],
  ],
  [
    "its Deployment is deleted, and its DaemonSets stay: for as long as that lasts",
    { ...healthy(), ...operator({ available: until(5, 1), status: until(5, 1) }) },
    [
      ["9m"],
      ["10m", ["GpuOperatorUnavailable", deploymentOfOperator, 0]],
      ["140m", ["GpuOperatorUnavailable", deploymentOfOperator, 0]],
    ],
  ],
  [
    "its ClusterPolicy is gone",
    { ...healthy(), ...operator({ status: step(1, 5, -1) }) },
    [["14m"], ["15m", ["GpuOperatorHasNoClusterPolicy", { namespace: "gpu-operator" }, -1]]],
  ],
  [
    "an operand does not become ready",
    { ...healthy(), ...operator({ status: step(1, 5, 0) }) },
    [["34m"], ["35m", ["GpuOperatorOperandsNotReady", { namespace: "gpu-operator" }, 0]]],
  ],
  [
    "a container crashes, runs for a moment and crashes, 14 times an hour: 681 restarts in two days",
    {
      ...healthy(),
      ...ksm(
        "kube_pod_container_status_waiting_reason",
        { ...operatorPod, reason: "CrashLoopBackOff" },
        `_x5 ${"1x2 stale ".repeat(16)}`.trim(),
      ),
      ...ksm(
        "kube_pod_container_status_restarts_total",
        operatorPod,
        [...Array(80).keys()].map((minute) => Math.floor(minute / 4)).join(" "),
      ),
    },
    [
      ["19m"],
      ["20m", ["GpuOperatorPodCrashLooping", operatorPod]],
      ["24m", ["GpuOperatorPodCrashLooping", operatorPod]],
      ["64m", ["GpuOperatorPodCrashLooping", operatorPod], ["GpuOperatorPodRestarting", operatorPod, 15]],
    ],
  ],
  [
    "the loop is in an init container",
    {
      ...healthy(),
      ...ksm(
        "kube_pod_init_container_status_waiting_reason",
        { ...operatorPod, reason: "CrashLoopBackOff" },
        since(5, 1),
      ),
    },
    [["19m"], ["20m", ["GpuOperatorPodCrashLooping", operatorPod]]],
  ],
  [
    "restarts alone, of which two pods of kube-state-metrics report a part each",
    {
      ...healthy(),
      ...ksm("kube_pod_container_status_restarts_total", operatorPod, "0x19 1x5 2x5 3x5 stale"),
      ...ksm("kube_pod_container_status_restarts_total", { ...operatorPod, uid: "b" }, "_x38 3x5 4x5 5x5 6x90"),
    },
    [["55m"], ["70m", ["GpuOperatorPodRestarting", operatorPod, 6]]],
  ],
  [
    "restarts alone, between which the container is up whenever it is looked at",
    { ...healthy(), ...ksm("kube_pod_container_status_restarts_total", operatorPod, "0x19 0+1x65") },
    [["22m"], ["80m", ["GpuOperatorPodRestarting", operatorPod, 60]]],
  ],
];
