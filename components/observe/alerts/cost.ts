import type { AlertGroup, AlertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import { boughtGpuNodes, lines, once } from "./promql";

/** GPU nodes that cost money for nothing. */
export function costAlerts(settings: AlertSettings): AlertGroup {
  return { name: "gpu-cost", title: "Cost", rules: [upTooLong(settings), idle(settings)] };
}

const stop =
  "End the session: `$(pulumi stack output scaleDown)`, or set minSize and desiredSize of the node group to 0.";

const upTooLong = ({ longestNodeHours }: AlertSettings): AlertRule => ({
  name: "GpuNodeUpTooLong",
  expr: lines(
    `(time() - ${once("node", "kube_node_created")}) / 3600 > ${longestNodeHours}`,
    `and on (node) ${boughtGpuNodes}`,
  ),
  for: "5m",
  severity: "ticket",
  summary: 'GPU node {{ $labels.node }} has run for {{ printf "%.0f" $value }} hours',
  description: `{{ $labels.node }} is older than ${longestNodeHours} hours. A g5.xlarge costs about 1 to 1.5 USD an hour, used or not.`,
  steps: ["Ask who uses it: `kubectl get pods -A -o wide --field-selector spec.nodeName=NODE`.", stop],
  lab: "gpu-lab",
});

/**
 * The exporter's series may carry a pod, and change with it: hence by node. It must be there at both ends of the time
 * that is looked at: one that is gone costs nothing, and of one that is younger nothing is known.
 */
const idle = ({ idleMinutes, idlePercent }: AlertSettings): AlertRule => ({
  name: "GpuNodeIdle",
  expr: lines(
    `${once("Hostname", `max_over_time(DCGM_FI_DEV_GPU_UTIL[${idleMinutes}m])`)} < ${idlePercent}`,
    "and on (Hostname) DCGM_FI_DEV_GPU_UTIL",
    `and on (Hostname) DCGM_FI_DEV_GPU_UTIL offset ${idleMinutes}m`,
  ),
  for: "10m",
  severity: "ticket",
  summary: `The GPUs of {{ $labels.Hostname }} have been idle for ${idleMinutes} minutes`,
  description: `No GPU of {{ $labels.Hostname }} was used to more than {{ $value }} % in the last ${idleMinutes} minutes. A pod that holds a GPU and waits counts as idle.`,
  steps: ["Ask who holds the GPUs: `kubectl get pods -A -o wide --field-selector spec.nodeName=NODE`.", stop],
  lab: "gpu-lab",
});
