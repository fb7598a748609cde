import type { Found } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Step } from "../../known-causes/known-cause";
import { advertisesAllGpus } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { gpuRequest, holdsResources, isPending, podKey, requestsGpu } from "../../snapshot/pods";
import { nodeEvidence, scopeOfNode, listNames } from "../finding-parts";

/** A component of the GPU Operator that works through states, which it writes to a label of the node. */
interface StateMachine {
  readonly label: string;
  /** The label with what the component is to apply. */
  readonly wanted: string;
  readonly done: RegExp;
  /** The conclusion, before `-failed` or `-pending`. */
  readonly id: "mig-config" | "operand-config" | "driver-upgrade";
  readonly failed: string;
  readonly pending: string;
  readonly app: string;
  readonly changes?: string;
}

const stays = "The device plugin is paused meanwhile.";

/**
 * @see https://github.com/NVIDIA/mig-parted/blob/v0.12.1/deployments/container/reconfigure-mig.sh
 * @see https://github.com/NVIDIA/k8s-operator-libs/blob/v0.1.0/pkg/upgrade/consts.go
 * @see https://github.com/NVIDIA/vgpu-device-manager/blob/v0.3.0/cmd/nvidia-k8s-vgpu-dm/main.go
 */
const machines: readonly StateMachine[] = [
  {
    label: "nvidia.com/mig.config.state",
    wanted: "nvidia.com/mig.config",
    done: /^success$/,
    id: "mig-config",
    failed:
      "The MIG manager could not apply the MIG configuration that the label nvidia.com/mig.config names: the GPU does not support it, the configuration does not exist, or a process uses the GPU. The device plugin stays paused.",
    pending: `The MIG manager has not finished the change of the MIG configuration. ${stays} It waits as long as a pod uses the GPU or the node has not rebooted.`,
    app: "nvidia-mig-manager",
    changes: "kubectl label node {node} nvidia.com/mig.config=all-disabled --overwrite",
  },
  {
    label: "nvidia.com/vgpu.config.state",
    wanted: "nvidia.com/vgpu.config",
    done: /^success$/,
    id: "operand-config",
    failed: "The vGPU device manager could not apply the configuration that the label nvidia.com/vgpu.config names.",
    pending: `The vGPU device manager has not finished its change. ${stays}`,
    app: "nvidia-vgpu-device-manager",
  },
  {
    label: "nvidia.com/cc.mode.state",
    wanted: "nvidia.com/cc.mode",
    done: /^(?:on|off|devtools|success)$/,
    id: "operand-config",
    failed: "The confidential computing manager could not set the mode that the label nvidia.com/cc.mode names.",
    pending: `The confidential computing manager has not finished. ${stays}`,
    app: "nvidia-cc-manager",
  },
  {
    label: "nvidia.com/gpu-driver-upgrade-state",
    wanted: "nvidia.com/gpu-driver-upgrade-enabled",
    done: /^(?:upgrade-done)?$/,
    id: "driver-upgrade",
    failed:
      "The operator's upgrade of the driver failed on the node: the drain timed out, or the new driver did not become ready. The operator does not try again by itself.",
    pending:
      "The operator's upgrade of the driver has not finished on the node. Its states are cordon, wait for Jobs, delete GPU pods, drain, restart the driver, validate, uncordon; a pod that cannot be evicted, a PodDisruptionBudget or a driver that does not start holds it.",
    app: "nvidia-driver-daemonset",
    changes: "kubectl label node {node} nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite",
  },
];

/** What the operator's components do on a node, and what pauses the device plugin there. */
export function operatorStates(node: Node, snapshot: ClusterSnapshot): Found {
  const found = machines.flatMap((machine) => stateFinding(node, machine, snapshot));
  return found.length > 0 ? found : paused(node);
}

function stateFinding(node: Node, machine: StateMachine, snapshot: ClusterSnapshot): Found {
  const { label, wanted, done, app } = machine;
  const { name, labels } = node.metadata;
  const state = labels[label];
  if (state === undefined || done.test(state)) return [];
  const isFailed = state.endsWith("failed");
  const result = isFailed ? "failed" : "pending";
  const isAwaited =
    /\bmig\b/.test(label) &&
    snapshot.objects.pods.some((one) => isPending(one) && /\/mig-/.test([...gpuRequest(one.spec).keys()].join()));
  const isHarmless = !isFailed && !isAwaited && advertisesAllGpus(node) && node.spec.unschedulable !== true;
  const pods = snapshot.podsOn(name).filter((pod) => holdsResources(pod) && requestsGpu(pod));
  return {
    id: `${machine.id}-${result}`,
    ...scopeOfNode(node),
    level: isHarmless ? "notice" : "problem",
    atMost: isFailed || !advertisesAllGpus(node) ? undefined : "likely",
    what: `${machine[result]} The state is ${state}.`,
    evidence: [
      ...[label, wanted].flatMap((key) => (labels[key] === undefined ? [] : [labelEvidence(node, key)])),
      ...(pods.length > 0 ? [nodeEvidence(node, "pods with GPUs", listNames(pods.map(podKey)))] : []),
    ],
    next: [
      `Show what the component reports => kubectl -n {operator} logs -l app=${app} --tail=60 --prefix`,
      restart(machine, isFailed),
    ],
  };
}

function restart({ changes }: StateMachine, isFailed: boolean): Step | undefined {
  if (changes === undefined || !isFailed) return undefined;
  return `After you fix the cause, let the component start again =!> ${changes}`;
}

function labelEvidence(node: Node, key: string) {
  return nodeEvidence(node, `metadata.labels[${key}]`, node.metadata.labels[key] ?? "missing");
}

/** Labels that keep the operator's DaemonSets off a node. The operator sets them to true, its components to paused-for-. */
const deployLabel =
  /^nvidia\.com\/gpu\.deploy\.(?:operands|device-plugin|driver|container-toolkit|operator-validator)$/;

function paused(node: Node): Found {
  const { labels } = node.metadata;
  const keys = Object.keys(labels).filter(
    (key) => deployLabel.test(key) && /^(?:false|paused-)/.test(labels[key] ?? ""),
  );
  const isForVms = /^vm-/.test(labels["nvidia.com/gpu.workload.config"] ?? "");
  const shown = [...keys, ...(isForVms ? ["nvidia.com/gpu.workload.config"] : [])];
  const [first] = shown;
  if (first === undefined || advertisesAllGpus(node)) return [];
  return {
    id: "operand-paused",
    ...scopeOfNode(node),
    what: "A label of the node keeps components of the GPU Operator off it, so it advertises no GPUs for containers. paused-for-… is set during a change of the driver or of MIG and stays if the change ends halfway; false is set by a user.",
    evidence: shown.slice(0, 4).map((key) => labelEvidence(node, key)),
    next: [
      `Show the labels of the operator => kubectl get node {node} --show-labels | tr , '\\n' | grep nvidia.com`,
      `If no change is under way, let the operator start them again =!> kubectl label node {node} ${keys.length === 0 ? `${first}-` : `${keys.map((key) => `${key}=true`).join(" ")} --overwrite`}`,
    ],
  };
}
