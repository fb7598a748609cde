import type { AlertGroup, AlertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import {
  allocatableGpus,
  devicePluginDaemonSet,
  gpuNodeLabels,
  honored,
  lines,
  once,
  otherGpuResources,
  settledGpuNodes,
  youngerThan,
} from "./promql";

/** GPUs that are there and not offered: the device plugin, or what it needs. */
export function devicePluginAlerts(settings: AlertSettings): AlertGroup {
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
 * The kubelet keeps a resource whose plugin has gone, and sets it to 0: an alert on an absent series would be silent.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/nodestatus/setters.go
 */
const allocatableZero = ({ startupMinutes }: AlertSettings): AlertRule => ({
  name: "GpuAllocatableZeroOnGpuNode",
  expr: lines(
    `${once("node", allocatableGpus)} == 0`,
    `and on (node) ${settledGpuNodes(startupMinutes)}`,
    `unless on (node) ${otherGpuResources} > 0`,
  ),
  for: "2m",
  severity: "page",
  summary: "GPU node {{ $labels.node }} offers no GPU",
  description:
    "{{ $labels.node }} has a GPU and offers 0 nvidia.com/gpu. New GPU pods stay Pending; those that run already go on.",
  steps: [
    "Look whether the plugin is switched off: `kubectl get clusterpolicy -o jsonpath='{.items[*].spec.devicePlugin.enabled}'`. The ClusterPolicy's state stays `ready` either way.",
    `Look whether the DaemonSet is there and ready: \`kubectl get ds -n gpu-operator ${devicePluginDaemonSet}\`.`,
    "Read the plugin's log: `No devices found`, `Incompatible strategy` and `NVML error` name the cause.",
    "Switch the plugin on where it is configured, not with kubectl: the next deployment would take it back.",
  ],
  lab: "device-plugin",
});

/**
 * A plugin that never registered leaves no 0 behind: there is no series to compare. So the node's CPU stands for "this
 * node is reported", and any NVIDIA resource at all for "the plugin was here".
 */
const neverOffered = ({ startupMinutes }: AlertSettings): AlertRule => ({
  name: "GpuNeverOfferedOnGpuNode",
  expr: lines(
    settledGpuNodes(startupMinutes),
    'and on (node) kube_node_status_allocatable{resource="cpu"}',
    'unless on (node) kube_node_status_allocatable{resource=~"nvidia_com_.+"}',
  ),
  for: "10m",
  severity: "page",
  summary: "GPU node {{ $labels.node }} has never offered a GPU",
  description:
    "{{ $labels.node }} has a GPU, and its kubelet knows no resource of NVIDIA: no device plugin has registered since it started. The plugin's pod may run all the same, and wait.",
  steps: [
    "Read the log of the plugin's pod on that node: `No devices found. Waiting indefinitely` means that the driver did not start.",
    "Check the driver with the exporter's pod: `kubectl exec -n gpu-operator POD-OF-THE-EXPORTER -- nvidia-smi -L`. In a chroot on the node the same command fails for reasons of its own.",
    "Look for the plugin's socket on the node: `nvidia-gpu.sock` in `/var/lib/kubelet/device-plugins`.",
  ],
});

/** @see https://github.com/NVIDIA/k8s-device-plugin/issues/1645 */
const missingOnNewNode = ({ startupMinutes, newNodeMinutes }: AlertSettings): AlertRule => ({
  name: "GpuMissingOnNewNode",
  expr: lines(
    settledGpuNodes(startupMinutes),
    `and on (node) (${youngerThan(newNodeMinutes, "kube_node_created")})`,
    `unless on (node) (${allocatableGpus} > 0 or ${otherGpuResources} > 0)`,
    `and on () max(${allocatableGpus}) > 0`,
  ),
  for: "2m",
  severity: "ticket",
  summary: "New GPU node {{ $labels.node }} offers no GPU while older ones do",
  description:
    "{{ $labels.node }} has had time to start, and offers no nvidia.com/gpu. Other nodes do, so the plugin works; it met this node before its labels were there, or its driver is another one.",
  steps: [
    "Read the log of the plugin's pod on that node, all containers: `kubectl logs -n gpu-operator -l app=nvidia-device-plugin-daemonset --all-containers --prefix`.",
    "Delete that pod: it starts again and finds the labels. Plugins from 0.18.2 on may lose this race on nodes that Karpenter labels late.",
    "Compare the AMI release of the node with that of the older nodes.",
  ],
});

const gpuUnhealthy: AlertRule = {
  name: "GpuUnhealthyOnNode",
  expr: lines(
    `${once("node", 'kube_node_status_capacity{resource="nvidia_com_gpu"}')}`,
    `- on (node) ${once("node", allocatableGpus)} > 0`,
    `and on (node) ${allocatableGpus} > 0`,
  ),
  for: "5m",
  severity: "ticket",
  summary: "{{ $value }} of the GPUs of {{ $labels.node }} cannot be used",
  description:
    "The device plugin calls {{ $value }} GPUs of {{ $labels.node }} unhealthy and offers the others only. A node whose every GPU is unhealthy raises GpuAllocatableZeroOnGpuNode instead.",
  steps: [
    "Read the plugin's log for the GPU's UUID and the XID that made it unhealthy.",
    "Cordon the node, let its pods end, and replace it: the plugin calls a GPU healthy again only after a restart.",
  ],
};

/** Where no DaemonSet is reported under its own namespace, it is the metrics that are missing, or their labels. */
const daemonSetsAreReported = `and on () count(kube_daemonset_status_desired_number_scheduled{${honored}}) > 0`;

const daemonSetMissing = ({ operatorNamespace, startupMinutes }: AlertSettings): AlertRule => ({
  name: "DevicePluginDaemonSetMissing",
  expr: lines(
    `count(${settledGpuNodes(startupMinutes)}) > 0`,
    daemonSetsAreReported,
    `unless on () kube_daemonset_status_desired_number_scheduled${daemonSet(operatorNamespace)}`,
  ),
  for: "2m",
  severity: "page",
  summary: "No device plugin for {{ $value }} GPU nodes: its DaemonSet is gone",
  description:
    "{{ $value }} GPU nodes are there, and no DaemonSet of the device plugin. Where it is switched off the operator deletes it within seconds, and calls itself ready; so does a Helm upgrade that resets the ClusterPolicy.",
  steps: [
    "Look whether the plugin is switched off: `kubectl get clusterpolicy -o jsonpath='{.items[*].spec.devicePlugin.enabled}'`.",
    "Look whether the operator runs: `kubectl get deploy -n gpu-operator gpu-operator`.",
    "Before it comes back, end pods that still hold a GPU: a fresh plugin may offer their GPU a second time.",
    "Where the operator was uninstalled on purpose, end the GPU nodes as well: they may keep its label, and cost money.",
  ],
  lab: "device-plugin",
});

const daemonSetNotFullyReady = ({ operatorNamespace, startupMinutes }: AlertSettings): AlertRule => {
  const young = `${once("node", gpuNodeLabels)} and on (node) (${youngerThan(startupMinutes, "kube_node_created")})`;
  const number = (metric: string) => once("namespace, daemonset", `${metric}${daemonSet(operatorNamespace)}`);
  return {
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
      "{{ $value }} pods of {{ $labels.namespace }}/{{ $labels.daemonset }} are not ready, more than there are nodes that have just started. The GPUs of those nodes are not offered. It is silent when the DaemonSet is deleted: that is DevicePluginDaemonSetMissing.",
    steps: [
      "Find the pods: `kubectl get pods -n gpu-operator -l app=nvidia-device-plugin-daemonset -o wide`.",
      "Read what an init container waits for: `kubectl logs -n gpu-operator POD -c toolkit-validation`.",
      "Check the driver on the node with the exporter's pod: `kubectl exec -n gpu-operator POD-OF-THE-EXPORTER -- nvidia-smi -L`.",
    ],
  };
};

const daemonSetBelowGpuNodes = ({ operatorNamespace, startupMinutes }: AlertSettings): AlertRule => {
  const own = daemonSet(operatorNamespace);
  return {
    name: "DevicePluginBelowGpuNodes",
    expr: lines(
      `(sum(${once("namespace, daemonset", `kube_daemonset_status_number_ready${own}`)}) or vector(0))`,
      `< on () count(${settledGpuNodes(startupMinutes)})`,
      daemonSetsAreReported,
      `unless on () (${youngerThan(startupMinutes, `kube_daemonset_created${own}`)})`,
    ),
    for: "5m",
    severity: "ticket",
    summary: "The device plugin is ready on {{ $value }} nodes, and there are more GPU nodes",
    description:
      "Fewer pods of the device plugin are ready than GPU nodes have had time to start. It also counts nodes on which the DaemonSet does not even want a pod, such as one with a taint that it does not tolerate.",
    steps: [
      "Compare the nodes: `kubectl get nodes -L nvidia.com/gpu.present,nvidia.com/gpu.deploy.device-plugin`.",
      "Compare the taints of the nodes with the tolerations of the DaemonSet.",
    ],
    lab: "device-plugin",
  };
};

function daemonSet(namespace: string): string {
  return `{namespace="${namespace}", daemonset="${devicePluginDaemonSet}"}`;
}
