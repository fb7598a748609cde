import { countOf, patchCommand } from "../../components/core/text";
import type { Entries, Scope, StepList } from "./entry";
import type { ContainerStatus } from "../snapshot/objects/resources";
import { listNames } from "../texts";
import { showLog } from "./common-steps";

/** The GPU Operator, which creates and deletes the DaemonSets. */
export const operator = {
  "device-plugin-disabled": {
    meaning: "`spec.devicePlugin.enabled` is false",
    what: ({ state }: { state: string }) =>
      `The ClusterPolicy disables the device plugin. The operator deletes the plugin's DaemonSet within seconds, and the nodes stop advertising GPUs. The status.state of the ClusterPolicy (${state}) does not show this.`,
    next: ({ policy, holders }: { policy: string; holders: readonly string[] }) => [
      holders.length === 0
        ? undefined
        : `First stop the pods that still hold a GPU: ${listNames(holders)}. Otherwise, the plugin and the kubelet may count the GPU twice => kubectl get pods -A --field-selector status.phase=Running -o wide`,
      "In a lab, remove the fault. The next pulumi up would revert the patch below =!> pulumi config set fault off && pulumi up",
      `Otherwise enable the plugin; the nodes advertise their GPUs after about 40 seconds. Make the same change in the operator's values =!> ${patchCommand(`clusterpolicy/${policy}`, { spec: { devicePlugin: { enabled: true } } })}`,
    ],
  },
  "gpu-operator-not-installed": {
    meaning: "the cluster has GPU nodes but neither the GPU Operator nor a device plugin",
    what: ({ nodes }: Scope) =>
      `The cluster has neither the GPU Operator nor a DaemonSet of a device plugin, and ${countOf(nodes.length, "GPU node")} advertise${nodes.length === 1 ? "s" : ""} no GPUs.`,
    next: "In a lab, install the GPU Operator, which takes 5 minutes =!> pulumi config set --path gpuOperator.enabled true && pulumi up",
  },
  "gpu-operator-not-ready": {
    meaning: "the Deployment of the operator is missing or not ready",
    what: ({ replicas, reasons, policy = "" }: Replicas) => {
      const why = replicas?.wanted === 0 ? "scaled to 0" : reasons.length === 0 ? "unknown reason" : reasons.join(", ");
      const how = replicas
        ? `${replicas.ready} of ${replicas.wanted} replicas are ready (${why})`
        : `ClusterPolicy ${policy} exists, but the Deployment of the operator does not`;
      return `The GPU Operator does not run: ${how}. Existing DaemonSets keep running, but missing ones are not created until the operator runs.`;
    },
    next: ({ replicas, reasons }: Replicas) =>
      replicas?.wanted !== 0 && reasons.includes("OOMKilled")
        ? "Show the memory limit, and increase operator.resources.limits.memory in the values of the chart => kubectl -n {operator} get deployment gpu-operator -o jsonpath='{.spec.template.spec.containers[0].resources}'"
        : [
            "Show the log of the previous run => kubectl -n {operator} logs deployment/gpu-operator --previous --tail=60",
            "Show why the operator does not start => kubectl -n {operator} describe pods -l app=gpu-operator | tail -30",
          ],
  },
  "operator-validator-rejected": {
    meaning: "the operator's validation pod gets no GPU because other pods hold all of them",
    what: ({ holders }: { holders: readonly string[] }) =>
      `The operator's validator starts a pod with a GPU on each node, and this one gets none: ${listNames(holders)} ${holders.length === 1 ? "holds" : "hold"} the GPUs. The GPUs are not the cause. The ClusterPolicy stays notReady until a GPU is free for some minutes.`,
    next: ({ validator, policy = "cluster-policy" }: { validator: string; policy: string | undefined }): StepList => {
      const env = [{ name: "WITH_WORKLOAD", value: "false" }];
      const patch = patchCommand(`clusterpolicy/${policy}`, { spec: { validator: { [validator]: { env } } } });
      return [
        "Show the pods of the node => kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
        `Validate without a pod that needs a GPU. Make the same change in the operator's values =!> ${patch}`,
      ];
    },
  },
  "operator-validation-failed": {
    meaning: "the operator's validator finds that a component of the node does not work",
    what: ({ status: { name } }: { status: ContainerStatus }) =>
      `The operator's validator finds that a component of the node does not work: its container ${name} keeps exiting. It tests the driver, the toolkit, CUDA and the device plugin in this order, and does not cause faults itself.`,
    next: ({ status: { name } }: { status: ContainerStatus }) => showLog(name),
  },
  "cluster-policy-not-ready": {
    meaning: "the operator reports that an operand is not ready",
    atMost: "likely",
    what: ({ state, message, starting }: { state: string; message: string | undefined; starting: readonly string[] }) =>
      `The operator reports the state ${state} for the ClusterPolicy: an operand is not ready${message ? `: ${message}` : ""}.${starting.length > 0 ? ` Its operands are starting on new nodes: ${listNames(starting)}.` : ""}`,
    next: "Find the operand that is not ready => kubectl -n {operator} get daemonsets,pods -o wide",
  },
} satisfies Entries;

/** The replicas of the operator and why they ended or wait; without a Deployment, the ClusterPolicy that needs it. */
interface Replicas {
  readonly replicas: { readonly ready: number; readonly wanted: number } | undefined;
  readonly reasons: readonly string[];
  readonly policy: string | undefined;
}
