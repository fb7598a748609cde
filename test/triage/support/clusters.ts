import type { Dump } from "../../../triage/snapshot/dump";
import { readDump } from "../../../triage/snapshot/read-dump";
import { resourceNames } from "../../../triage/snapshot/objects/resources";
import { triage, type Report } from "../../../triage/triage";
import { contradictions } from "./certain";
import {
  ago,
  clusterPolicy,
  conditions,
  daemonSet,
  deployment,
  event,
  gpuNode,
  gpuTaint,
  hour,
  minute,
  node,
  now,
  pod,
  replicaSet,
} from "./objects";

type Items = readonly Record<string, unknown>[];

/** A dump as `--save` writes it, of raw objects. */
export function dumpOf(items: Items, rest: Record<string, unknown> = {}): Dump {
  const file = {
    kind: "TriageDump",
    version: 1,
    takenAt: now,
    read: resourceNames,
    unread: [],
    logs: [],
    journal: [],
    items,
  };
  return readDump(JSON.stringify({ ...file, ...rest }), "test");
}

/** Whether a command works as typed: it has no placeholder to fill in. */
function isComplete(command = ""): boolean {
  return command !== "" && !/\b(?:CLUSTER|GROUP|NODE|INSTANCE_ID|NAMESPACE|POD|JOURNAL)\b/.test(command);
}

/** The report on raw objects. What a certain conclusion states must be in the dump, in every test. */
export function reportOn(items: Items, rest: Record<string, unknown> = {}): Report {
  const dump = dumpOf(items, rest);
  const report = triage(dump);
  const wrong = contradictions(report, dump);
  if (wrong.length > 0) throw new Error(`certain, but not in the dump:\n${wrong.join("\n")}`);
  const untyped = report.conclusions.filter(
    ({ subject, next: [first] }) => subject !== "the node of the journal" && !isComplete(first?.command),
  );
  if (untyped.length > 0) throw new Error(`no first command to type: ${JSON.stringify(untyped)}`);
  return report;
}

/** Ids of the conclusions: those that stand for themselves, and those that follow from them. */
export function ids({ conclusions }: Report) {
  const of = (pick: (one: Report["conclusions"][number]) => boolean) => [
    ...new Set(conclusions.filter(pick).map(({ id }) => id)),
  ];
  return {
    causes: of(({ level, because }) => level === "problem" && because === undefined),
    consequences: of(({ level, because }) => level === "problem" && because !== undefined),
    notices: of(({ level }) => level === "notice"),
  };
}

export function conclusion(report: Report, id: string) {
  const found = report.conclusions.find((one) => one.id === id);
  if (!found) throw new Error(`no ${id} among ${report.conclusions.map((one) => one.id).join(", ")}`);
  return found;
}

export const systemNodes = [node("ip-sys-1"), node("ip-sys-2")];

const operatorSets = ["gpu-feature-discovery", "nvidia-dcgm-exporter", "nvidia-operator-validator"];
const plugin = "nvidia-device-plugin-daemonset";

export function pluginPod(nodeName: string, fields: Record<string, unknown> = {}) {
  const owner = ["DaemonSet", plugin] as const;
  return pod(`${plugin}-${nodeName.slice(-1)}`, {
    namespace: "gpu-operator",
    node: nodeName,
    owner,
    labels: { app: plugin },
    ...fields,
  });
}

const pluginSelector = { nodeSelector: { "nvidia.com/gpu.deploy.device-plugin": "true" } };

/** Two system nodes, two GPU nodes, the operator with everything ready, and a pod that uses a GPU. */
export const operator = {
  sets: operatorSets.map((name) => daemonSet(name)),
  plugin: daemonSet(plugin, { spec: pluginSelector }),
  pods: [pluginPod("ip-gpu-a"), pluginPod("ip-gpu-b")],
  deployment: deployment("gpu-operator", { namespace: "gpu-operator" }),
};

export const healthy: Items = [
  ...systemNodes,
  gpuNode("ip-gpu-a"),
  gpuNode("ip-gpu-b"),
  ...operator.sets,
  operator.plugin,
  ...operator.pods,
  operator.deployment,
  clusterPolicy(),
  daemonSet("dcgm-server", { namespace: "kube-system" }),
  pod("trainer", { node: "ip-gpu-a", gpus: 1 }),
];

/** The healthy cluster with some objects in the place of others of their name, or without them. */
export function changed(changes: Readonly<Record<string, Record<string, unknown> | null>>): Items {
  return healthy.flatMap((item) => {
    const { name } = item["metadata"] as { name: string };
    if (!(name in changes)) return [item];
    return changes[name] ? [changes[name]] : [];
  });
}

export const insufficientEverywhere =
  "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.";

export const waiting = pod("gpu-probe", { gpus: 1, scheduler: insufficientEverywhere });
export const refusal = event(["Pod", "gpu-probe"], "FailedScheduling", insufficientEverywhere);

/** The device plugin switched off in the ClusterPolicy. */
export const pluginOff: Items = [
  ...systemNodes,
  gpuNode("ip-gpu-a", { gpus: "0" }),
  gpuNode("ip-gpu-b", { gpus: "0" }),
  ...operator.sets,
  operator.deployment,
  clusterPolicy({ devicePlugin: { enabled: false, version: "v0.19.0" } }),
  waiting,
  refusal,
];

const stuck =
  "0/10 nodes are available: 1 Insufficient nvidia.com/gpu, 9 node(s) didn't match Pod's node affinity/selector. " +
  "preemption: 0/10 nodes are available: 1 No preemption victims found for incoming pod, 9 Preemption is not helpful for scheduling..";

const pinned = { nodeSelector: { "kubernetes.io/hostname": "ip-gpu-a" } };

/** A rollout of a Deployment with Kubernetes' default strategy on one node with one GPU. */
export const rollout: Items = [
  ...Array.from({ length: 9 }, (_, at) => node(`ip-sys-${at}`)),
  gpuNode("ip-gpu-a"),
  ...operator.sets.map((set) => ({ ...set, status: { desiredNumberScheduled: 1, numberReady: 1 } })),
  daemonSet(plugin, { desired: 1, spec: pluginSelector }),
  pluginPod("ip-gpu-a"),
  operator.deployment,
  clusterPolicy(),
  deployment("tracker", {
    spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } } },
  }),
  replicaSet("tracker-aaa", "tracker"),
  replicaSet("tracker-bbb", "tracker"),
  pod("tracker-aaa-1", { node: "ip-gpu-a", gpus: 1, owner: ["ReplicaSet", "tracker-aaa"], age: 3 * hour }),
  (() => {
    const fresh = pod("tracker-bbb-1", { gpus: 1, owner: ["ReplicaSet", "tracker-bbb"], scheduler: stuck });
    return { ...fresh, spec: { ...(fresh["spec"] as object), ...pinned } };
  })(),
  event(["Pod", "tracker-bbb-1"], "FailedScheduling", stuck),
];

function unwellGpu(reason: string, message: string) {
  return conditions({
    AcceleratedHardwareReady: { status: "False", reason, message, lastTransitionTime: ago(4 * minute) },
  });
}

/** A GPU with a double-bit error, cordoned by node repair. */
export const brokenGpu: Items = healthy
  .map((item) =>
    (item["metadata"] as { name: string }).name === "ip-gpu-b"
      ? gpuNode("ip-gpu-b", {
          unschedulable: true,
          conditions: unwellGpu("NvidiaDoubleBitError", "detected 1 Nvidia Double Bit error(s)"),
        })
      : item,
  )
  .concat([
    pod("dcgm-server-a", { namespace: "kube-system", node: "ip-gpu-a", owner: ["DaemonSet", "dcgm-server"] }),
    pod("dcgm-server-b", { namespace: "kube-system", node: "ip-gpu-b", owner: ["DaemonSet", "dcgm-server"] }),
  ]);

/** The monitoring agent without its DCGM engine: dcgm-server does not tolerate the GPU nodes' taint. */
export const dcgmAlarm: Items = [
  ...systemNodes,
  gpuNode("ip-gpu-a", { conditions: unwellGpu("DCGMError", "failed to connect to DCGM"), taints: [gpuTaint] }),
  daemonSet(plugin, { desired: 1, spec: pluginSelector }),
  pluginPod("ip-gpu-a"),
  operator.deployment,
  clusterPolicy(),
  daemonSet("dcgm-server", { namespace: "kube-system", desired: 0, ready: 0, spec: { tolerations: [] } }),
];

/** Nothing runs and nothing is meant to: a lab between two sessions. */
export const atRest: Items = [...systemNodes, operator.deployment, clusterPolicy()];
