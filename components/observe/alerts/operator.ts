import { alertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import { devicePluginDaemonSet, lines, maxBy } from "./promql";

/** The GPU Operator itself: whether it runs, whether it can do its work, whether its pods keep running. */
export function operatorAlerts(settings: AlertSettings) {
  const rules = [
    unavailable(settings),
    reconcileFailing(settings),
    operandsNotReady(settings),
    crashLooping(settings),
    restarting(settings),
  ];
  return { name: "gpu-operator", title: "GPU Operator", rules };
}

const availableReplicas = (namespace: string) =>
  `kube_deployment_status_replicas_available{namespace="${namespace}", deployment="gpu-operator"}`;

/** The operator's DaemonSet, which outlives a Deployment that is deleted without the release. */
const pluginPods = (namespace: string) =>
  `kube_daemonset_status_desired_number_scheduled{namespace="${namespace}", daemonset="${devicePluginDaemonSet}"}`;

/** The operator is, or was, installed. */
export const operatorIsInstalled = (namespace: string) =>
  `and on () count(${availableReplicas(namespace)} or ${pluginPods(namespace)}) > 0`;

const unavailable = ({ operatorNamespace }: AlertSettings) =>
  alertRule({
    name: "GpuOperatorUnavailable",
    expr: lines(
      `${maxBy("namespace, deployment", availableReplicas(operatorNamespace))} == 0`,
      `or label_replace(0 * ${maxBy("namespace", pluginPods(operatorNamespace))}, "deployment", "gpu-operator", "", "")`,
      `unless on () ${availableReplicas(operatorNamespace)} > 0`,
      "and on () count(kube_deployment_status_replicas_available or kube_deployment_status_replicas) > 0",
    ),
    for: "5m",
    severity: "ticket",
    summary: "The GPU Operator is not running",
    description:
      "No replica of {{ $labels.namespace }}/{{ $labels.deployment }} is available. Nodes continue to advertise their GPUs, but a new node gets no device plugin, and deleted objects are not recreated.",
    steps: [
      "Find the reason: `kubectl describe pod -n gpu-operator -l app=gpu-operator`. An OOMKilled operator needs a higher memory limit.",
      "Check which node it was on: a controller on a GPU node stops when the group scales to zero.",
    ],
  });

/**
 * 1: ready. 0: an operand is not ready. -1: the ClusterPolicy could not be read. The operator declares -2 for its own
 * errors but never sets it: an error during reconciliation leaves 0. A disabled plugin counts as ready.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/operator_metrics.go#L52-L56
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/clusterpolicy_controller.go#L93-L208
 */
const reconciliation = (namespace: string) =>
  maxBy("namespace", `gpu_operator_reconciliation_status{namespace="${namespace}"}`);

const reconcileFailing = ({ operatorNamespace }: AlertSettings) =>
  alertRule({
    name: "GpuOperatorHasNoClusterPolicy",
    expr: `${reconciliation(operatorNamespace)} < 0`,
    for: "10m",
    severity: "ticket",
    summary: "The GPU Operator has no ClusterPolicy",
    description:
      "The operator in {{ $labels.namespace }} cannot read its ClusterPolicy: the object was deleted, or the operator lacks permission. It changes nothing until it can read it.",
    steps: [
      "Check whether it exists: `kubectl get clusterpolicy`. `pulumi up` does not notice that it is gone, even with `--refresh`.",
      "To reinstall the release, run `pulumi up --target-replace URN` with the URN of its Release: `pulumi stack --show-urns` prints it. All operands of the operator restart.",
      "Find the error in the operator's log: `kubectl logs -n gpu-operator deploy/gpu-operator`.",
    ],
  });

const operandsNotReady = ({ operatorNamespace }: AlertSettings) =>
  alertRule({
    name: "GpuOperatorOperandsNotReady",
    expr: `${reconciliation(operatorNamespace)} == 0`,
    for: "30m",
    severity: "ticket",
    summary: "An operand of the GPU Operator has not been ready for half an hour",
    description:
      "The operator in {{ $labels.namespace }} waits for an operand: a driver, plugin, exporter or validator pod, or a CRD. A joining node causes this state for some minutes.",
    steps: [
      "Find out which one: `kubectl get clusterpolicy -o jsonpath='{.items[*].status.conditions}'`, and the operator's log after `states not ready`.",
      "With `serviceMonitor: true` and without the CRDs of the Prometheus Operator, the state is permanent: install the monitoring first.",
    ],
  });

const crashLooping = ({ operatorNamespace }: AlertSettings) => {
  const waiting = (metric: string) =>
    maxBy(
      "namespace, pod, container",
      `max_over_time(${metric}{namespace="${operatorNamespace}", reason="CrashLoopBackOff"}[5m])`,
    );
  return alertRule({
    name: "GpuOperatorPodCrashLooping",
    expr: lines(
      waiting("kube_pod_container_status_waiting_reason"),
      `or ${waiting("kube_pod_init_container_status_waiting_reason")}`,
    ),
    for: "15m",
    severity: "ticket",
    summary: "{{ $labels.pod }} is in a crash loop",
    description:
      "Container {{ $labels.container }} of {{ $labels.namespace }}/{{ $labels.pod }} has been in CrashLoopBackOff for 15 minutes, with short runs in between.",
    steps: [
      "Read the log of the last run: `kubectl logs -n gpu-operator POD -c CONTAINER --previous`.",
      "For `dial unix /run/containerd/containerd.sock`, first check the node's socket: `ls -ld` must show an `s`, not a `d`.",
      "For an OOMKilled container, raise its memory limit in the chart's values.",
    ],
  });
};

const restarting = ({ operatorNamespace, restartsPerHour }: AlertSettings) => {
  /** The difference outlives a new pod of kube-state-metrics, the increase a counter that starts anew. */
  const restarts = (metric: string) => {
    const [container, counter] = ["namespace, pod, container", `${metric}{namespace="${operatorNamespace}"}`];
    const difference = `${maxBy(container, counter)} - min by (${container}) (min_over_time(${counter}[1h]))`;
    return `${maxBy(container, `increase(${counter}[1h])`)} > ${restartsPerHour} or ${difference} > ${restartsPerHour}`;
  };
  return alertRule({
    name: "GpuOperatorPodRestarting",
    expr: lines(
      restarts("kube_pod_container_status_restarts_total"),
      `or ${restarts("kube_pod_init_container_status_restarts_total")}`,
    ),
    for: "5m",
    severity: "ticket",
    summary: '{{ $labels.pod }} restarted {{ printf "%.0f" $value }} times in an hour',
    description:
      "Container {{ $labels.container }} of {{ $labels.namespace }}/{{ $labels.pod }} restarts too often. It may look healthy between two crashes.",
    steps: [
      "Check the number and the age: `kubectl get pods -n gpu-operator`.",
      "Read the log of the last run: `kubectl logs -n gpu-operator POD -c CONTAINER --previous`.",
    ],
  });
};
