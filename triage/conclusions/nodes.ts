import { countOf } from "../../components/core/text";
import { gpuResource, hasHostPlugin, hostPluginOf } from "../snapshot/nodes";
import type { Node } from "../snapshot/objects/resources";
import type { Entries, Step, StepList, Steps } from "./entry";
import { listNames } from "../texts";
import { replaceNode } from "./runtime";
import { groupSteps, scaleUps } from "./scale-ups";

/** What the GPU nodes advertise to the scheduler. */
const amounts = {
  "gpu-allocatable-missing": {
    meaning: "the node advertises no GPU resource: no device plugin has registered",
    what: ({ isStarting }: { isStarting: boolean }) =>
      `The node advertises no ${gpuResource}: no device plugin has registered since the node joined.${isStarting ? " The node is new; the driver and the device plugin take some minutes to start." : ""}`,
    next: "Show the pods on the node => kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
  },
  "gpu-allocatable-zero": {
    meaning: "the node advertises 0 GPUs: a device plugin was registered and stopped",
    what: ({ hasCapacity }: { hasCapacity: boolean }) =>
      `The node advertises 0 ${gpuResource} ${
        hasCapacity
          ? "although its capacity is above 0: the device plugin marked every GPU unhealthy, or it stopped less than 5 minutes ago."
          : "because a device plugin was registered and stopped."
      }`,
    next: [
      "Check that the driver works: run nvidia-smi in a pod that has the GPU devices. In a chroot of a debug pod, it also fails on healthy nodes => {smi} -L",
      "Check that the plugin has registered: nvidia-gpu.sock exists next to kubelet.sock => kubectl debug node/{node} -it --profile=sysadmin --image=public.ecr.aws/amazonlinux/amazonlinux:2023 -- ls -la /host/var/lib/kubelet/device-plugins/",
    ],
  },
  "gpu-allocatable-low": {
    meaning: "the node advertises fewer GPUs than it has: the others are unhealthy",
    atMost: "likely",
    what: ({ capacity, allocatable }: { capacity: number; allocatable: number }) =>
      `The node has ${capacity} ${gpuResource} but advertises ${allocatable}: the device plugin marked the others unhealthy.`,
    next: "Show which GPU is unhealthy and why: the plugin logs the XID => kubectl -n {operator} logs -l app=nvidia-device-plugin-daemonset --tail=100 --prefix | grep -i -E 'unhealthy|xid'",
  },
  "gpu-zero-on-new-nodes": {
    meaning: "only the newest GPU nodes advertise no GPUs",
    atMost: "possible",
    what: "Only the newest nodes advertise no GPUs. If Karpenter labels nodes late, device plugins from v0.18.2 on can start with an empty configuration and keep it.",
    next: "Restart the plugin on one of the nodes, and check whether the node then advertises its GPUs =!> kubectl -n {operator} delete pod -l app=nvidia-device-plugin-daemonset --field-selector spec.nodeName={node}",
  },
  "host-plugin-without-gpus": {
    meaning: "the device plugin that runs as a service of the host advertises no GPUs",
    what: ({ node, isAlone }: { node: Node; isAlone: boolean }) =>
      hasHostPlugin(node)
        ? `The node advertises no GPUs. ${hostPluginOf(node)} runs the driver and the device plugin as a service of the host (${service}); there is no DaemonSet, and the GPU Operator is not needed. The service has not registered with the kubelet.${isAlone ? "" : " Other nodes of this kind advertise their GPUs."}`
        : `The image of the node (${node.status.nodeInfo.osImage ?? "not read"}) is a variant of Bottlerocket without NVIDIA's driver and device plugin. Use a variant whose name ends with -nvidia.`,
    next: ({ node }: { node: Node }): StepList =>
      hasHostPlugin(node) ? [showService, ...replaceNode(node)] : [showVariants],
  },
} satisfies Entries;

const service = "nvidia-k8s-device-plugin";
const showService: Step = `Show the service and its log => {shell}sudo systemctl status ${service}; sudo journalctl -u ${service} -n 60`;
const showVariants =
  "Show the images of the nodes. Change the AMI type of the group, e.g. to BOTTLEROCKET_x86_64_NVIDIA => kubectl get nodes -o wide -L eks.amazonaws.com/nodegroup";

/** A component of the operator that works through states. `state` is the one that it writes to its label. */
interface OperandState {
  readonly app: string;
  readonly state: string;
}

function showComponent({ app }: OperandState): Step {
  return `Show what the component reports => kubectl -n {operator} logs -l app=${app} --tail=60 --prefix`;
}

function startAgain(command: string) {
  const step: Step = `After you fix the cause, let the component start again =!> ${command}`;
  return (facts: OperandState): StepList => [showComponent(facts), step];
}

const paused = "The device plugin is paused until then.";
const operandTexts: Readonly<Partial<Record<string, { readonly failed: string; readonly pending: string }>>> = {
  "nvidia-vgpu-device-manager": {
    failed: "The vGPU device manager could not apply the configuration that the label nvidia.com/vgpu.config names.",
    pending: `The vGPU device manager has not finished its change. ${paused}`,
  },
  "nvidia-cc-manager": {
    failed: "The confidential computing manager could not set the mode that the label nvidia.com/cc.mode names.",
    pending: `The confidential computing manager has not finished. ${paused}`,
  },
};

/** What the operator's components do on a node. */
const operandStates = {
  "mig-config-failed": {
    meaning: "the MIG configuration of the node could not be applied",
    what: ({ state }: OperandState) =>
      `The MIG manager could not apply the MIG configuration that the label nvidia.com/mig.config names: the GPU does not support it, the configuration does not exist, or a process uses the GPU. The device plugin stays paused. The state is ${state}.`,
    next: startAgain("kubectl label node {node} nvidia.com/mig.config=all-disabled --overwrite"),
  },
  "mig-config-pending": {
    meaning: "the change of the MIG configuration of the node has not finished",
    what: ({ state }: OperandState) =>
      `The MIG manager has not finished the change of the MIG configuration. ${paused} The MIG manager waits as long as a pod uses the GPU or the node has not rebooted. The state is ${state}.`,
    next: (facts: OperandState): StepList => [
      showComponent(facts),
      "If it waits for a change of the label after an error, let it try again =!> kubectl -n {operator} delete pod -l app=nvidia-mig-manager --field-selector spec.nodeName={node}",
    ],
  },
  "operand-config-failed": {
    meaning: "a component of the operator could not configure the node (vGPU, confidential computing)",
    what: ({ app, state }: OperandState) => `${operandTexts[app]?.failed} The state is ${state}.`,
    next: showComponent,
  },
  "operand-config-pending": {
    meaning: "a component of the operator has not finished the configuration of the node",
    what: ({ app, state }: OperandState) => `${operandTexts[app]?.pending} The state is ${state}.`,
    next: showComponent,
  },
  "driver-upgrade-failed": {
    meaning: "the operator's upgrade of the driver failed on the node",
    what: ({ state }: OperandState) =>
      `The operator's upgrade of the driver failed on the node: the drain timed out, or the new driver did not become ready. The operator does not try again by itself. The state is ${state}.`,
    next: startAgain("kubectl label node {node} nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite"),
  },
  "driver-upgrade-pending": {
    meaning: "the operator's upgrade of the driver has not finished on the node",
    what: ({ state }: OperandState) =>
      `The operator's upgrade of the driver has not finished on the node. Its states are cordon, wait for Jobs, delete GPU pods, drain, restart the driver, validate, uncordon; a pod that cannot be evicted, a PodDisruptionBudget or a driver that does not start blocks it. The state is ${state}.`,
    next: showComponent,
  },
  "operand-paused": {
    meaning: "a label keeps components of the operator off the node",
    what: "A label of the node keeps components of the GPU Operator off it, so it advertises no GPUs for containers. paused-for-… is set during a change of the driver or of MIG and remains if the change stops halfway; false is set by a user.",
    next: ({ change }: { change: string }) => [
      "Show the labels of the operator => kubectl get node {node} --show-labels | tr , '\\n' | grep nvidia.com",
      `If no change is under way, let the operator start them again =!> kubectl label node {node} ${change}`,
    ],
  },
} satisfies Entries;

export const nodes = {
  "no-gpu-nodes": {
    meaning: "the cluster has no GPU node; a notice if no pod waits for one",
    what: ({ pods, underWay, hasTried }: ScaleUp) => {
      if (pods.length === 0) {
        return "The cluster has no GPU node. This is normal between lab sessions: GPU nodes run only during a session because they cost money.";
      }
      const start = hasTried ? "" : " Start a session to add GPU nodes.";
      const advice = underWay ? underWayText(underWay) : start;
      return `The cluster has no GPU node, and ${countOf(pods.length, "pod")} ${pods.length === 1 ? "waits" : "wait"} for a GPU.${advice}`;
    },
    next: ({ underWay, hasTried }: ScaleUp) => (hasTried ? groupSteps(underWay?.groups[0]) : startSession),
  },
  ...scaleUps,
  ...amounts,
  ...operandStates,
  "gpu-label-missing": {
    meaning: "the node lacks the label that the device plugin selects",
    what: ({ sign }: { sign: string | undefined }) =>
      `The node has a GPU (${sign}) but not the label that the DaemonSet of the device plugin selects. The operator sets this label after node feature discovery finds NVIDIA's PCI ID.`,
    next: [
      "Check that node feature discovery runs on the node and tolerates its taints => kubectl -n {operator} get pods -o wide --field-selector spec.nodeName={node}",
      `Show what node feature discovery found => kubectl get node {node} -o yaml | grep -E 'pci-10de|${gpuResource}'`,
    ],
  },
} satisfies Entries;

/** Pods that wait for a node, what an autoscaler is doing for them, and whether it has tried. */
interface ScaleUp {
  readonly pods: readonly string[];
  readonly underWay: UnderWay | undefined;
  readonly hasTried: boolean;
}

/** The groups in which an autoscaler is starting a node, and how long ago it began. */
export interface UnderWay {
  readonly groups: readonly string[];
  readonly age: string | undefined;
}

function underWayText({ groups, age }: UnderWay): string {
  const where = groups.length === 0 ? "" : ` in ${listNames(groups)}`;
  return ` An autoscaler started a node${where}${age === undefined ? "" : ` ${age} ago`}. A new node takes minutes to become Ready.`;
}

const startSession: Steps = [
  "Start a session. GPU nodes cost money while they run =!> npx eks-gpu-lab gpu up",
  "Or scale the node group without Pulumi =!> aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP --scaling-config minSize=0,maxSize=2,desiredSize=1",
  "If you have started a session already, show why no instance starts => aws autoscaling describe-scaling-activities --max-items 5 --query 'Activities[].[AutoScalingGroupName,StartTime,StatusCode,StatusMessage]' --output table",
];
