import { countOf, patchCommand } from "../../components/core/text";
import type { Entries, Scope, StepList } from "./entry";
import { crashLoop } from "./placed-pods";

/** The device plugin, which registers GPUs with the kubelets, and the operator's other DaemonSets. */
export const daemonSets = {
  "device-plugin-missing": {
    meaning: "the DaemonSet of the device plugin does not exist",
    what: ({ nodes }: Scope) =>
      `The DaemonSet of the device plugin does not exist, so ${countOf(nodes.length, "GPU node")} cannot advertise GPUs. The operator deletes the DaemonSet if the plugin is disabled, and cannot create it while the operator does not run.`,
    next: [
      "Show the DaemonSets and their ages => kubectl -n {operator} get daemonsets",
      "Check whether the ClusterPolicy enables the plugin => kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.enabled}'",
    ],
  },
  "two-device-plugins": {
    meaning: "two device plugins advertise the GPUs of the same node",
    what: ({ hosts }: { hosts: readonly string[] }) =>
      `Two device plugins advertise the GPUs of the same nodes${hosts.length === 0 ? "" : `: ${hosts.join(", ")} runs one as a service of the host`}. The kubelet uses the one that registered last, so the number of GPUs changes with each restart, and a GPU can be allocated twice.`,
    next: [
      "Show the plugins with their owners and nodes. Keep one of them: the GPU Operator installs its own => kubectl get daemonsets -A -o wide --show-labels | grep nvidia-device-plugin",
      "Show the Helm releases that install them => helm list -A | grep -i nvidia",
    ],
  },
  "device-plugin-below-gpu-nodes": {
    meaning: "the device plugin is ready on fewer nodes than have GPUs",
    what: ({ ready, desired, all }: { ready: number; desired: number; all: number }) =>
      `The device plugin is ready on ${ready} of ${countOf(all, "GPU node")}. ${
        desired < all
          ? "The DaemonSet does not select all of them: a label is missing, or a taint is not tolerated."
          : "Its pods exist but are not ready."
      }`,
    next: ({ set, setNamespace = "{operator}" }: { set: string; setNamespace: string | undefined }) => [
      `Show the pods of the plugin and their nodes => kubectl -n ${setNamespace} get pods -l app=${set} -o wide`,
      "Show the labels that the plugin selects => kubectl get nodes -L nvidia.com/gpu.deploy.device-plugin,nvidia.com/gpu.present",
    ],
  },
  "device-plugin-without-gpus": {
    meaning: "the device plugin runs and is ready, but its node advertises no GPUs",
    what: ({ nodes }: Scope) =>
      `The device plugin runs on ${nodes.join()} and is ready, but the node advertises no GPUs. The plugin found no GPU or lost the connection to the kubelet; its log shows which.`,
    next: [
      "Show the log of the plugin => kubectl logs {pod} --all-containers --tail=60",
      "If the kubelet was restarted, restart the plugin so that it registers again =!> kubectl delete {pod}",
    ],
  },
  "device-plugin-recreated": {
    meaning: "the DaemonSet of the device plugin is much newer than the operator's other DaemonSets",
    level: "notice",
    what: ({ age, otherAge }: { age: string; otherAge: string }) =>
      `The DaemonSet of the device plugin is ${age} old and the operator's other DaemonSets ${otherAge}, so it was deleted and created again. No GPUs were advertised in between, and pods that held a GPU before may be counted incorrectly.`,
    next: "Show who changed devicePlugin.enabled: an upgrade or a user => kubectl get clusterpolicies -o yaml --show-managed-fields | grep -B2 -A6 'manager:'",
  },
  "fail-on-init-error-off": {
    meaning: "`FAIL_ON_INIT_ERROR` is false and hides why the device plugin cannot start",
    what: "FAIL_ON_INIT_ERROR is false: a device plugin that cannot start keeps running and is ready, but advertises no GPUs. The default is true.",
    next: ({ isInPolicy }: { isInPolicy: boolean }) =>
      isInPolicy
        ? "Show the variables in the policy. Remove FAIL_ON_INIT_ERROR from the operator's values (devicePlugin.env) or from the policy => kubectl get clusterpolicies -o jsonpath='{.items[*].spec.devicePlugin.env}'"
        : "Show the variables. Remove FAIL_ON_INIT_ERROR from the chart's values or from the manifest => kubectl -n {namespace} get daemonset {name} -o jsonpath='{.spec.template.spec.containers[*].env}'",
  },
  "operator-pod-crash-loop": {
    meaning: "a pod of the GPU stack keeps exiting: the operator, a device plugin or a scheduler",
    ...crashLoop,
  },
  "driver-image-missing": {
    meaning: "the operator's driver container does not fit the node's image, which already has a driver",
    what: ({ hasDriver }: DriverImage) =>
      hasDriver
        ? "The operator tries to install a driver, but NVIDIA does not publish a driver container for the operating system of the node, such as Amazon Linux and Bottlerocket. The NVIDIA images of EKS include the driver, so driver.enabled must be false there; replace a plain image with an NVIDIA image."
        : "NVIDIA does not publish a driver container for this version of the driver and this operating system; the end of the tag names the system.",
    next: ({ hasDriver, policy = "cluster-policy" }: DriverImage): StepList => [
      hasDriver
        ? `Switch the operator's driver off. Make the same change in the operator's values =!> ${patchCommand(`clusterpolicy/${policy}`, { spec: { driver: { enabled: false } } })}`
        : "Show the image. Then set driver.version to one that has an image for the system => kubectl get {pod} -o jsonpath='{.spec.containers[*].image}'",
    ],
  },
  "operator-daemonset-not-ready": {
    meaning: "another DaemonSet of the operator is not ready on every node",
    level: "notice",
    what: ({ ready, desired }: { ready: number; desired: number }) =>
      `A DaemonSet of the operator is ready on ${ready} of ${desired} nodes.`,
    next: ({ set, setNamespace }: { set: string; setNamespace: string }) =>
      `Show the pods and the init containers that they wait for => kubectl -n ${setNamespace} get pods -o wide | grep ${set}-`,
  },
} satisfies Entries;

interface DriverImage {
  /** Whether the image of the node includes a driver. */
  readonly hasDriver: boolean;
  /** The ClusterPolicy that the operator follows. */
  readonly policy: string | undefined;
}
