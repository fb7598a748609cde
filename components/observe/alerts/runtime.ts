import type { AlertGroup, AlertRule } from "./alert-rule";
import { conditionIs, once } from "./promql";
import { socketStateMetric } from "../../workloads/socket/socket-metrics";

/** containerd and the socket by which everything on a node reaches it. */
export function runtimeAlerts(): AlertGroup {
  return { name: "gpu-runtime", title: "Container runtime", rules: [runtimeNotReady, socketIsDirectory] };
}

const runtimeNotReady: AlertRule = {
  name: "ContainerRuntimeNotReady",
  expr: `${conditionIs("ContainerRuntimeReady", "false")} == 1`,
  for: "5m",
  severity: "page",
  summary: "The container runtime of {{ $labels.node }} has failed",
  description:
    "The node monitoring agent has set ContainerRuntimeReady to False on {{ $labels.node }}. Pods there cannot start, and may not stop. Where node repair is on, EKS replaces the node half an hour after the condition.",
  steps: [
    "Read the log first: `sudo journalctl -xeu containerd --no-pager`. What it says decides what helps.",
    "`is a directory`: something made a directory of the socket's path; see RuntimeSocketIsDirectory.",
    "`timeout`: containerd hangs; restart it.",
    "`parse error` or `invalid character`: its configuration is broken. On EKS nodeadm writes it, so replace the node.",
  ],
};

/** The metric is SocketWatch's: one series a state, 1 for the one that holds. */
const socketIsDirectory: AlertRule = {
  name: "RuntimeSocketIsDirectory",
  expr: `${once("node, path", `${socketStateMetric}{state="directory"}`)} == 1`,
  for: "1m",
  severity: "page",
  summary: "{{ $labels.path }} of {{ $labels.node }} is a directory, not a socket",
  description:
    "A pod mounted {{ $labels.path }} of {{ $labels.node }} while no socket was there, and an empty directory was made in its place. The runtime cannot start again until it is gone.",
  steps: [
    "Find the pod: its volume is a hostPath on that very path, without `type: Socket`. `kubectl get pods -A -o json` on that node tells.",
    "Give that volume `type: Socket`, or mount the parent directory.",
    "On EKS replace the node. Elsewhere stop containerd, remove the path with `rmdir`, which takes empty directories only, and start containerd.",
  ],
  lab: "runtime-socket",
};
