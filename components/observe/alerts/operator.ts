import type { AlertGroup, AlertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import { lines, once } from "./promql";

/** The GPU Operator itself: whether it runs, whether it gets its work done, whether its pods stay up. */
export function operatorAlerts(settings: AlertSettings): AlertGroup {
  const rules = [
    unavailable(settings),
    reconcileFailing(settings),
    operandsNotReady(settings),
    crashLooping(settings),
    restarting(settings),
  ];
  return { name: "gpu-operator", title: "GPU Operator", rules };
}

const unavailable = ({ operatorNamespace }: AlertSettings): AlertRule => ({
  name: "GpuOperatorUnavailable",
  expr: `${once(
    "namespace, deployment",
    `kube_deployment_status_replicas_available{namespace="${operatorNamespace}", deployment="gpu-operator"}`,
  )} == 0`,
  for: "5m",
  severity: "ticket",
  summary: "The GPU Operator does not run",
  description:
    "No replica of {{ $labels.namespace }}/{{ $labels.deployment }} is available. GPUs that are offered stay so; a new node gets no device plugin, and what is deleted does not come back.",
  steps: [
    "Find out why: `kubectl describe pod -n gpu-operator -l app=gpu-operator`. An OOMKilled operator needs a higher memory limit.",
    "Look whether a node carries it: a controller that was put on a GPU node ends when the group scales to zero.",
  ],
});

/**
 * 1 ready, 0 some operand is not ready, -1 no ClusterPolicy could be read. The operator declares -2 for its own errors
 * and never sets it: an error while it reconciles leaves 0. A plugin that is switched off counts as ready.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/operator_metrics.go#L52-L56
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/clusterpolicy_controller.go#L93-L208
 */
const reconciliation = (namespace: string) =>
  once("namespace", `gpu_operator_reconciliation_status{namespace="${namespace}"}`);

const reconcileFailing = ({ operatorNamespace }: AlertSettings): AlertRule => ({
  name: "GpuOperatorHasNoClusterPolicy",
  expr: `${reconciliation(operatorNamespace)} < 0`,
  for: "10m",
  severity: "ticket",
  summary: "The GPU Operator has no ClusterPolicy to work by",
  description:
    "The operator in {{ $labels.namespace }} cannot read its ClusterPolicy: it was deleted, or the operator may not read it. It changes nothing until it can.",
  steps: [
    "Look whether there is one: `kubectl get clusterpolicy`. Helm makes it; a deleted one comes back with the next `pulumi up --refresh`.",
    "Read the operator's log for the refusal: `kubectl logs -n gpu-operator deploy/gpu-operator`.",
  ],
});

const operandsNotReady = ({ operatorNamespace }: AlertSettings): AlertRule => ({
  name: "GpuOperatorOperandsNotReady",
  expr: `${reconciliation(operatorNamespace)} == 0`,
  for: "30m",
  severity: "ticket",
  summary: "Something that the GPU Operator manages has not been ready for half an hour",
  description:
    "The operator in {{ $labels.namespace }} waits for an operand: a driver, plugin, exporter or validator pod, or a CRD. A node that joins makes this state too, for some minutes.",
  steps: [
    "Ask which: `kubectl get clusterpolicy -o jsonpath='{.items[*].status.conditions}'`, and the operator's log after `states not ready`.",
    "With `serviceMonitor: true` and no CRD of Prometheus in the cluster it stays so for ever: install the monitoring first.",
  ],
});

const crashLooping = ({ operatorNamespace }: AlertSettings): AlertRule => {
  const waiting = (metric: string) =>
    once(
      "namespace, pod, container",
      `max_over_time(${metric}{namespace="${operatorNamespace}", reason="CrashLoopBackOff"}[5m])`,
    );
  return {
    name: "GpuOperatorPodCrashLooping",
    expr: lines(
      waiting("kube_pod_container_status_waiting_reason"),
      `or ${waiting("kube_pod_init_container_status_waiting_reason")}`,
    ),
    for: "15m",
    severity: "ticket",
    summary: "{{ $labels.pod }} crashes again and again",
    description:
      "Container {{ $labels.container }} of {{ $labels.namespace }}/{{ $labels.pod }} has waited in CrashLoopBackOff for a quarter of an hour, with short runs in between.",
    steps: [
      "Read the last words: `kubectl logs -n gpu-operator POD -c CONTAINER --previous`.",
      "For `dial unix /run/containerd/containerd.sock`: look at the node's socket before anything else. `ls -ld` must show an `s`, not a `d`.",
      "For an OOMKilled container: raise its memory limit in the chart's values.",
    ],
  };
};

const restarting = ({ operatorNamespace, restartsPerHour }: AlertSettings): AlertRule => {
  const restarts = (metric: string) =>
    `${once("namespace, pod, container", `increase(${metric}{namespace="${operatorNamespace}"}[1h])`)} > ${restartsPerHour}`;
  return {
    name: "GpuOperatorPodRestarting",
    expr: lines(
      restarts("kube_pod_container_status_restarts_total"),
      `or ${restarts("kube_pod_init_container_status_restarts_total")}`,
    ),
    for: "5m",
    severity: "ticket",
    summary: '{{ $labels.pod }} restarted {{ printf "%.0f" $value }} times in an hour',
    description:
      "Container {{ $labels.container }} of {{ $labels.namespace }}/{{ $labels.pod }} restarts too often. Between two crashes it may look healthy, so that the crash loop is seen in the number alone.",
    steps: [
      "See since when: `kubectl get pods -n gpu-operator`. Hundreds of restarts in two days are one loop, not many accidents.",
      "Read the last words: `kubectl logs -n gpu-operator POD -c CONTAINER --previous`.",
    ],
  };
};
