import { alertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import {
  allSettledGpuNodes,
  allocatableGpus,
  anyGpu,
  devicePluginDaemonSet,
  gpuNodeLabels,
  honored,
  lines,
  maxBy,
  settledGpuNodes,
  youngerThan,
} from "./promql";

/** GPUs that their nodes do not advertise: the device plugin, or what it needs, fails. */
export function devicePluginAlerts(settings: AlertSettings) {
  const rules = [
    allocatableZero(settings),
    neverOffered(settings),
    missingOnNewNode(settings),
    gpuUnhealthy,
    daemonSetMissing(settings),
    daemonSetNotFullyReady(settings),
    daemonSetBelowGpuNodes(settings),
  ];
  return { name: "gpu-device-plugin", title: "Device plugin", rules };
}

/**
 * NVIDIA's driver for Dynamic Resource Allocation hands out GPUs by claims: its nodes advertise none. A driver for compute
 * domains only runs beside a device plugin.
 */
const unlessByClaims = `unless on () (count(kube_daemonset_status_number_ready{daemonset=~".*dra-driver.*kubelet-plugin"} > 0) unless on () kube_node_status_capacity{${anyGpu}})`;

/** Nodes on which that driver hands out GPUs, also beside nodes with a device plugin. */
const nodesByClaims = `kube_pod_info and on (namespace, pod) kube_pod_container_status_ready{container="gpus", pod=~".*dra-driver.*kubelet-plugin.*"} == 1`;

/** GPU nodes that need a device plugin. */
const pluginNodes = (startupMinutes: number) =>
  `(${settledGpuNodes(startupMinutes)} unless on (node) (${nodesByClaims}))`;

/**
 * The kubelet keeps a resource whose plugin stopped and sets it to 0: an alert on an absent series would not fire. After
 * a reboot of the node the plugin has the time to start.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/nodestatus/setters.go
 */
const allocatableZero = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuAllocatableZeroOnGpuNode",
    expr: lines(
      `${maxBy("node", allocatableGpus)} == 0`,
      `and on (node) ${allSettledGpuNodes(startupMinutes)}`,
      `unless on (node) min_over_time(kube_node_status_condition{condition="Ready", status="true"}[${startupMinutes}m]) == 0`,
      `unless on (node) (${nodesByClaims})`,
    ),
    for: "2m",
    severity: "page",
    summary: "GPU node {{ $labels.node }} advertises no GPU",
    description:
      "{{ $labels.node }} has a GPU and advertises 0 of them. New GPU pods stay Pending; running ones continue.",
    steps: [
      "Check whether the plugin is disabled: `kubectl get clusterpolicy -o jsonpath='{.items[*].spec.devicePlugin.enabled}'`. The ClusterPolicy's state is `ready` in both cases.",
      `Check whether the DaemonSet exists and is ready: \`kubectl get ds -n gpu-operator ${devicePluginDaemonSet}\`.`,
      "Read the plugin's log. `No devices found`, `Incompatible strategy` and `NVML error` name the cause.",
      "Enable the plugin in its configuration, not with kubectl: the next deployment reverts changes of kubectl.",
    ],
    lab: "device-plugin",
  });

/** Without a registered plugin there is no series to compare with 0. That of the CPU shows that the node is monitored. */
const neverOffered = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuNeverOfferedOnGpuNode",
    expr: lines(
      pluginNodes(startupMinutes),
      'and on (node) kube_node_status_allocatable{resource="cpu"}',
      'unless on (node) kube_node_status_allocatable{resource=~"nvidia_com_.+"}',
      unlessByClaims,
    ),
    for: "10m",
    severity: "page",
    summary: "GPU node {{ $labels.node }} has never advertised a GPU",
    description:
      "{{ $labels.node }} has a GPU, and no device plugin has registered since the node started. The plugin's pod may be running and waiting.",
    steps: [
      "Read the log of the plugin's pod on the node. `No devices found. Waiting indefinitely` means that the driver did not start.",
      "Check the driver with the exporter's pod: `kubectl exec -n gpu-operator POD-OF-THE-EXPORTER -- nvidia-smi -L`. Do not use a chroot on the node: the command fails there for other reasons.",
      "Check for the plugin's socket on the node: `nvidia-gpu.sock` in `/var/lib/kubelet/device-plugins`.",
    ],
  });

/** @see https://github.com/NVIDIA/k8s-device-plugin/issues/1645 */
const missingOnNewNode = ({ startupMinutes, newNodeMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuMissingOnNewNode",
    expr: lines(
      pluginNodes(startupMinutes),
      `and on (node) (${youngerThan(newNodeMinutes, "kube_node_created")})`,
      `unless on (node) ${allocatableGpus} > 0`,
      `and on () max(${allocatableGpus}) > 0`,
    ),
    for: "2m",
    severity: "ticket",
    summary: "New GPU node {{ $labels.node }} advertises no GPU while older nodes do",
    description:
      "{{ $labels.node }} has had time to start and advertises no GPU; other nodes do. The plugin started before the node had its labels, or the node has another driver.",
    steps: [
      "Read the logs of all containers of the plugin's pod on the node: `kubectl logs -n gpu-operator -l app=nvidia-device-plugin-daemonset --all-containers --prefix`.",
      "Delete the pod. It restarts and finds the labels.",
      "Compare the AMI releases of this node and of the older nodes.",
    ],
  });

const gpuUnhealthy = alertRule({
  name: "GpuUnhealthyOnNode",
  expr: `sum by (node) (${maxBy("node, resource", `kube_node_status_capacity{${anyGpu}}`)} - ${maxBy("node, resource", `${allocatableGpus} > 0`)}) > 0`,
  for: "5m",
  severity: "ticket",
  summary: "{{ $value }} GPUs of {{ $labels.node }} are unhealthy",
  description:
    "The device plugin reports {{ $value }} GPUs of {{ $labels.node }} as unhealthy and advertises only the others. Shared GPUs and MIG devices count one by one.",
  steps: [
    "Find the GPU's UUID and the XID that made it unhealthy in the plugin's log.",
    "Cordon the node, wait for its pods to end, and replace it. The plugin reports a GPU as healthy only after a restart.",
  ],
});

/** Without any DaemonSet under its own namespace, the metrics or their labels are missing, not a DaemonSet. */
const daemonSetsAreReported = `and on () count(kube_daemonset_status_desired_number_scheduled{${honored}}) > 0`;

/** A GPU node advertises nothing. Where all do, another plugin works: of another chart, or of the node's image. */
const someNodeHasNoGpu = (startupMinutes: number) =>
  lines(
    `and on () count(${pluginNodes(startupMinutes)} unless on (node) kube_node_status_allocatable{resource=~"nvidia_com_.+"} > 0) > 0`,
    unlessByClaims,
  );

const daemonSetMissing = ({ operatorNamespace, startupMinutes }: AlertSettings) =>
  alertRule({
    name: "DevicePluginDaemonSetMissing",
    expr: lines(
      `count(${pluginNodes(startupMinutes)}) > 0`,
      someNodeHasNoGpu(startupMinutes),
      daemonSetsAreReported,
      `unless on () kube_daemonset_status_desired_number_scheduled${daemonSet(operatorNamespace)}`,
    ),
    for: "2m",
    severity: "page",
    summary: "The device plugin's DaemonSet is missing for {{ $value }} GPU nodes",
    description:
      "The cluster has {{ $value }} GPU nodes and no DaemonSet of the device plugin. When the plugin is disabled, or a Helm upgrade resets the ClusterPolicy, the operator deletes the DaemonSet within seconds and still reports ready.",
    steps: [
      "Check whether the plugin is disabled: `kubectl get clusterpolicy -o jsonpath='{.items[*].spec.devicePlugin.enabled}'`.",
      "Check whether the operator is running: `kubectl get deploy -n gpu-operator gpu-operator`.",
      "Before the DaemonSet returns, delete pods that still use a GPU: a new plugin may assign their GPU a second time.",
      "If you uninstalled the operator on purpose, terminate the GPU nodes: they cost money.",
    ],
    lab: "device-plugin",
  });

const daemonSetNotFullyReady = ({ operatorNamespace, startupMinutes }: AlertSettings) => {
  const young = `${maxBy("node", gpuNodeLabels)} and on (node) (${youngerThan(startupMinutes, "kube_node_created")})`;
  const number = (metric: string) => maxBy("namespace, daemonset", `${metric}${daemonSet(operatorNamespace)}`);
  return alertRule({
    name: "DevicePluginDaemonSetNotFullyReady",
    expr: lines(
      number("kube_daemonset_status_desired_number_scheduled"),
      `- ${number("kube_daemonset_status_number_ready")}`,
      `> on () group_left () (count(${young}) or vector(0))`,
      `unless on (namespace, daemonset) (${youngerThan(startupMinutes, `kube_daemonset_created${daemonSet(operatorNamespace)}`)})`,
    ),
    for: "5m",
    severity: "ticket",
    summary: "{{ $value }} pods of the device plugin are not ready",
    description:
      "{{ $value }} pods of {{ $labels.namespace }}/{{ $labels.daemonset }} are not ready, more than the number of nodes that have just started. Their nodes do not advertise their GPUs.",
    steps: [
      "Find the pods: `kubectl get pods -n gpu-operator -l app=nvidia-device-plugin-daemonset -o wide`.",
      "Find out what an init container waits for: `kubectl logs -n gpu-operator POD -c toolkit-validation`.",
      "Check the driver on the node with the exporter's pod: `kubectl exec -n gpu-operator POD-OF-THE-EXPORTER -- nvidia-smi -L`.",
    ],
  });
};

const daemonSetBelowGpuNodes = ({ operatorNamespace, startupMinutes }: AlertSettings) => {
  const own = daemonSet(operatorNamespace);
  return alertRule({
    name: "DevicePluginBelowGpuNodes",
    expr: lines(
      `(sum(${maxBy("namespace, daemonset", `kube_daemonset_status_number_ready${own}`)}) or vector(0))`,
      `< on () count(${pluginNodes(startupMinutes)})`,
      someNodeHasNoGpu(startupMinutes),
      daemonSetsAreReported,
      `unless on () (${youngerThan(startupMinutes, `kube_daemonset_created${own}`)})`,
    ),
    for: "5m",
    severity: "ticket",
    summary: "The device plugin is ready on {{ $value }} nodes, fewer than the cluster has GPU nodes",
    description:
      "The device plugin has fewer ready pods than the cluster has GPU nodes that have had time to start. A node can have no pod, for example because of a taint.",
    steps: [
      "Compare the labels of the nodes: `kubectl get nodes -L nvidia.com/gpu.present,nvidia.com/gpu.deploy.device-plugin`.",
      "Compare the taints of the nodes with the tolerations of the DaemonSet.",
    ],
    lab: "device-plugin",
  });
};

function daemonSet(namespace: string): string {
  return `{namespace="${namespace}", daemonset="${devicePluginDaemonSet}"}`;
}
