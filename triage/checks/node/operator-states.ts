import { finding, type Found } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { advertisesAllGpus } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { gpuRequest, holdsResources, isPending, podKey, requestsGpu } from "../../snapshot/pods";
import { listNames } from "../../texts";
import { evidenceOf } from "../finding-parts";

/**
 * A component of the GPU Operator that works through states, which it writes to a label of the node.
 *
 * @see https://github.com/NVIDIA/mig-parted/blob/v0.12.1/deployments/container/reconfigure-mig.sh
 * @see https://github.com/NVIDIA/k8s-operator-libs/blob/v0.1.0/pkg/upgrade/consts.go
 * @see https://github.com/NVIDIA/vgpu-device-manager/blob/v0.3.0/cmd/nvidia-k8s-vgpu-dm/main.go
 */
type StateMachine = readonly [
  label: string,
  /** The label with what the component is to apply. */
  wanted: string,
  done: RegExp,
  /** The conclusion, before `-failed` or `-pending`. */
  id: "mig-config" | "operand-config" | "driver-upgrade",
  app: string,
];

const machines: readonly StateMachine[] = [
  ["nvidia.com/mig.config.state", "nvidia.com/mig.config", /^success$/, "mig-config", "nvidia-mig-manager"],
  [
    ...(["nvidia.com/vgpu.config.state", "nvidia.com/vgpu.config", /^success$/] as const),
    ...(["operand-config", "nvidia-vgpu-device-manager"] as const),
  ],
  [
    ...(["nvidia.com/cc.mode.state", "nvidia.com/cc.mode", /^(?:on|off|devtools|success)$/] as const),
    ...(["operand-config", "nvidia-cc-manager"] as const),
  ],
  [
    ...(["nvidia.com/gpu-driver-upgrade-state", "nvidia.com/gpu-driver-upgrade-enabled"] as const),
    ...([/^(?:upgrade-done)?$/, "driver-upgrade", "nvidia-driver-daemonset"] as const),
  ],
];

/** What the operator's components do on a node, and what pauses the device plugin there. */
export function operatorStates(node: Node, snapshot: ClusterSnapshot): Found {
  const found = machines.flatMap((machine) => stateFinding(node, machine, snapshot));
  return found.length > 0 ? found : paused(node);
}

function stateFinding(node: Node, [label, wanted, done, id, app]: StateMachine, snapshot: ClusterSnapshot): Found {
  const { name, labels } = node.metadata;
  const state = labels[label];
  if (state === undefined || done.test(state)) return [];
  const isFailed = state.endsWith("failed");
  const isAwaited =
    /\bmig\b/.test(label) &&
    snapshot.objects.pods.some((one) => isPending(one) && /\/mig-/.test([...gpuRequest(one.spec).keys()].join()));
  const isHarmless = !isFailed && !isAwaited && advertisesAllGpus(node) && node.spec.unschedulable !== true;
  const pods = snapshot.podsOn(name).filter((pod) => holdsResources(pod) && requestsGpu(pod));
  return finding(`${id}-${isFailed ? "failed" : "pending"}`, node, {
    level: isHarmless ? "notice" : "problem",
    atMost: isFailed || !advertisesAllGpus(node) ? undefined : "likely",
    evidence: [
      ...[label, wanted].flatMap((key) => (labels[key] === undefined ? [] : [labelEvidence(node, key)])),
      pods.length > 0 ? evidenceOf(node, "pods with GPUs", listNames(pods.map(podKey))) : undefined,
    ],
    ...{ app, state },
  });
}

function labelEvidence(node: Node, key: string) {
  return evidenceOf(node, `metadata.labels[${key}]`, node.metadata.labels[key] ?? "missing");
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
  return finding("operand-paused", node, {
    evidence: shown.slice(0, 4).map((key) => labelEvidence(node, key)),
    change: keys.length === 0 ? `${first}-` : `${keys.map((key) => `${key}=true`).join(" ")} --overwrite`,
  });
}
