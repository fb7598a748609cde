import { alertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import { allGpuNodes, byHost, leaseCronJobs, lines, maxBy, overtakenJobs } from "./promql";

/** GPU nodes that cost money without being used. */
export function costAlerts(settings: AlertSettings) {
  return { name: "gpu-cost", title: "Cost", rules: [upTooLong(settings), idle(settings), leaseFailed] };
}

const stop = "End the session: `npx eks-gpu-lab gpu down`, or set minSize and desiredSize of the node group to 0.";

const upTooLong = ({ longestNodeHours }: AlertSettings) =>
  alertRule({
    name: "GpuNodeUpTooLong",
    expr: lines(
      `(time() - ${maxBy("node", "kube_node_created")}) / 3600 > ${longestNodeHours}`,
      `and on (node) ${allGpuNodes}`,
    ),
    for: "5m",
    severity: "ticket",
    summary: 'GPU node {{ $labels.node }} has run for {{ printf "%.0f" $value }} hours',
    description: `{{ $labels.node }} is older than ${longestNodeHours} hours. A g5.xlarge costs about 1 to 1.5 USD an hour, whether it is used or not.`,
    steps: ["Find its users: `kubectl get pods -A -o wide --field-selector spec.nodeName=NODE`.", stop],
    lab: "gpu-lab",
  });

/**
 * By node, because the exporter's series may have a pod's labels and change with the pod. The node must have metrics at
 * both ends of the period: a node that is gone costs nothing, and for a younger one the period is not covered.
 */
const idle = ({ idleMinutes, idlePercent }: AlertSettings) =>
  alertRule({
    name: "GpuNodeIdle",
    expr: lines(
      `${maxBy("Hostname", byHost(`max_over_time(DCGM_FI_DEV_GPU_UTIL[${idleMinutes}m])`))} < ${idlePercent}`,
      `and on (Hostname) ${byHost("DCGM_FI_DEV_GPU_UTIL")}`,
      `and on (Hostname) ${byHost(`last_over_time(DCGM_FI_DEV_GPU_UTIL[15m] offset ${idleMinutes}m)`)}`,
    ),
    for: "10m",
    severity: "ticket",
    summary: `The GPUs of {{ $labels.Hostname }} have been idle for ${idleMinutes} minutes`,
    description: `No GPU of {{ $labels.Hostname }} had a utilization above {{ $value }} % in the last ${idleMinutes} minutes. A pod that reserves a GPU without using it counts as idle.`,
    steps: ["Find who reserves the GPUs: `kubectl get pods -A -o wide --field-selector spec.nodeName=NODE`.", stop],
    lab: "gpu-lab",
  });

/**
 * Runs of the CronJobs of a GpuEnvironment, by their owner: a run that someone starts by hand has another name. The namespace
 * and the end of the name tell them from other CronJobs. The name of an environment on demand is so short that none is cut.
 */
const leaseFailed = alertRule({
  name: "GpuLeaseFailed",
  expr: lines(
    `${maxBy("namespace, job_name", 'kube_job_failed{condition="true", namespace="kube-system"}')} == 1`,
    `and on (namespace, job_name) kube_job_owner{owner_kind="CronJob", owner_name=~"${leaseCronJobs}"}`,
    `unless on (namespace, job_name) (${overtakenJobs})`,
  ),
  for: "1m",
  severity: "ticket",
  summary: "The lease did not terminate the GPU nodes: {{ $labels.namespace }}/{{ $labels.job_name }} has failed",
  description:
    "The nodes of a NodePool may still run and cost money. 75 minutes later, the second line of the lease terminates the instances that Karpenter started, and reports the instances of EKS Auto Mode. The alert remains until a later run succeeds, or the Job is deleted.",
  steps: [
    "Find the reason: `kubectl logs -n kube-system -l batch.kubernetes.io/job-name=NAME --all-containers`. NodeClaims stay while Karpenter does not run.",
    "Terminate the nodes: `npx eks-gpu-lab gpu down`.",
  ],
  lab: "gpu-lab",
});
