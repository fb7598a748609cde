import { finding, scopeOf, scopeOfNodes, type Finding, type Found } from "../../conclusions";
import { expectsDevicePlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { advertisesGpus, gpuAdvertisement, gpuResource, hasHostPlugin, hostPluginOf } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/resources";
import { podKey } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { ageOf, createdAt, isNew } from "../../snapshot/time";
import { allocatableEvidence, evidenceOf, gpuAmounts } from "../finding-parts";
import { hasAutoscaler, waitingGpuPods, scaleUpUnderWay } from "./scale-up";

const allocatableField = `status.allocatable[${gpuResource}]`;

/** What the GPU nodes advertise to the scheduler. */
export function allocatableFindings(nodes: readonly Node[], snapshot: ClusterSnapshot): Finding[] {
  const by = (state: ReturnType<typeof gpuAdvertisement>) => nodes.filter((node) => gpuAdvertisement(node) === state);
  return [
    ...by("zero").map(zeroGpus),
    ...by("missing").map((node) => missingGpus(node, snapshot)),
    ...nodes.flatMap(fewerGpus),
    ...nodes.map((node) => hostPluginSilent(node, snapshot)),
    zeroOnNewNodes(nodes, snapshot),
  ].flat();
}

/** One finding per node; findings that are alike are merged into one conclusion. */
function zeroGpus(node: Node): Finding {
  const hasCapacity = numberOf(node.status.capacity[gpuResource]) > 0;
  return finding("gpu-allocatable-zero", node, { evidence: [gpuAmounts(node)], hasCapacity });
}

function missingGpus(node: Node, snapshot: ClusterSnapshot): Finding {
  const isStarting = isNew(node, snapshot.now);
  return finding("gpu-allocatable-missing", node, {
    level: isStarting ? "notice" : "problem",
    atMost: isStarting ? "possible" : undefined,
    evidence: [evidenceOf(node, allocatableField, "missing", node.metadata.creationTimestamp)],
    isStarting: isStarting && expectsDevicePlugin(snapshot),
  });
}

function fewerGpus(node: Node): Found {
  const allocatable = numberOf(node.status.allocatable[gpuResource]);
  const capacity = numberOf(node.status.capacity[gpuResource]);
  if (allocatable === 0 || allocatable >= capacity) return [];
  return finding("gpu-allocatable-low", node, { evidence: [gpuAmounts(node)], capacity, allocatable });
}

/** Older nodes advertise GPUs and newer ones do not: a plugin that starts before the node has its labels stays empty. */
function zeroOnNewNodes(nodes: readonly Node[], { now }: ClusterSnapshot): Found {
  const without = nodes.filter((node) => !advertisesGpus(node) && !isNew(node, now));
  const withGpus = nodes.filter(advertisesGpus);
  if (without.length === 0 || withGpus.length === 0) return [];
  if (Math.min(...without.map(createdAt)) <= Math.max(...withGpus.map(createdAt))) return [];
  return finding("gpu-zero-on-new-nodes", scopeOfNodes(without.map(({ metadata }) => metadata.name)), {
    evidence: [...without.slice(0, 3), ...withGpus.slice(0, 2)].map((node) => {
      const value = `${ageOf(node, now)}, ${node.status.allocatable[gpuResource] ?? "missing"}`;
      return evidenceOf(node, `age, ${allocatableField}`, value);
    }),
  });
}

/** A node that runs the device plugin as a service of the host and advertises no GPUs. No DaemonSet can be at fault. */
function hostPluginSilent(node: Node, { gpuNodes, now }: ClusterSnapshot): Found {
  const host = hostPluginOf(node);
  if (host === undefined || advertisesGpus(node) || isNew(node, now)) return [];
  const alike = gpuNodes.filter((one) => hostPluginOf(one) === host && advertisesGpus(one));
  return finding("host-plugin-without-gpus", node, {
    atMost: hasHostPlugin(node) ? "likely" : undefined,
    evidence: [
      allocatableEvidence(node),
      evidenceOf(node, "status.nodeInfo.osImage", node.status.nodeInfo.osImage ?? "not read"),
      ...alike.slice(0, 2).map((one) => allocatableEvidence(one)),
    ],
    node,
    isAlone: alike.length === 0,
  });
}

/** A cluster without GPU nodes. Between two lab sessions this is the normal state. */
export function noGpuNodes(snapshot: ClusterSnapshot): Found {
  const { gpuNodes, wasRead, objects } = snapshot;
  if (gpuNodes.length > 0 || !wasRead("nodes")) return [];
  const waiting = waitingGpuPods(snapshot);
  const underWay = scaleUpUnderWay(snapshot);
  const none = `none of ${objects.nodes.length} nodes has a GPU`;
  const scope = { ...scopeOf("cluster"), pods: waiting.map(podKey) };
  return finding("no-gpu-nodes", scope, {
    level: waiting.length > 0 ? "problem" : "notice",
    evidence: [evidenceOf("nodes", "instance types, labels, taints and capacity", none)],
    underWay,
    hasTried: underWay !== undefined || (waiting.length > 0 && hasAutoscaler(waiting, snapshot)),
  });
}
