import { alertRule } from "./alert-rule";
import { conditionIs, maxBy } from "./promql";
import { socketStateMetric } from "../../workloads/socket/socket-metrics";

/** containerd, and the socket that its clients on the node use. */
export function runtimeAlerts() {
  return { name: "gpu-runtime", title: "Container runtime", rules: [runtimeNotReady, socketIsDirectory] };
}

const runtimeNotReady = alertRule({
  name: "ContainerRuntimeNotReady",
  expr: `${conditionIs("ContainerRuntimeReady", "false")} == 1`,
  for: "5m",
  severity: "page",
  summary: "The container runtime of {{ $labels.node }} has failed",
  description:
    "The node monitoring agent set ContainerRuntimeReady to False on {{ $labels.node }}. Pods there cannot start, and may not stop. If node repair is on, EKS replaces the node half an hour after the condition.",
  steps: [
    "Read the log: `sudo journalctl -xeu containerd --no-pager`. The error determines the next step.",
    "`is a directory`: the path of the socket is a directory; see RuntimeSocketIsDirectory.",
    "`timeout`: containerd hangs. Restart it.",
    "`parse error` or `invalid character`: its configuration is invalid. On EKS, replace the node.",
  ],
});

/** SocketWatch exports the metric: one series for each state, with 1 for the current state. */
const socketIsDirectory = alertRule({
  name: "RuntimeSocketIsDirectory",
  expr: `${maxBy("node, path", `${socketStateMetric}{state="directory"}`)} == 1`,
  for: "1m",
  severity: "page",
  summary: "{{ $labels.path }} of {{ $labels.node }} is a directory, not a socket",
  description:
    "A pod mounted {{ $labels.path }} of {{ $labels.node }} while the socket did not exist, and the kubelet created an empty directory in its place. The runtime cannot start again until the directory is removed.",
  steps: [
    "Find the pod with `kubectl get pods -A -o json`: it has a hostPath volume with this path and without `type: Socket`.",
    "Set `type: Socket` on the volume, or mount the parent directory.",
    "On EKS, replace the node. Elsewhere, stop containerd, remove the empty directory with `rmdir`, and start containerd.",
  ],
  lab: "runtime-socket",
});
