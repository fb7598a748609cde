import type { ClusterSnapshot } from "./cluster-snapshot";
import type { Node } from "./objects/cluster";
import type { Pod } from "./objects/pod";
import type { DaemonSet } from "./objects/workloads";
import { isPodReady } from "./pods";

/** The DaemonSets of the GPU Operator other than the device plugin. */
export function otherOperatorDaemonSets(snapshot: ClusterSnapshot): readonly DaemonSet[] {
  const { objects, devicePlugins, operatorNamespace } = snapshot;
  return objects.daemonsets.filter(
    (one) => one.metadata.namespace === operatorNamespace && !devicePlugins.includes(one),
  );
}

/**
 * Whether new nodes get a device plugin. The operator creates its DaemonSets with the first GPU node, and none while the
 * plugin is disabled. Resources that were not read do not count as missing.
 *
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go DaemonSet
 */
export function expectsDevicePlugin({ devicePlugins, operator, policies, wasRead }: ClusterSnapshot): boolean {
  if (policies.some(({ spec }) => spec.devicePlugin.enabled === false)) return false;
  if (devicePlugins.length > 0 || !wasRead("daemonsets")) return true;
  const operatorRuns = operator ? operator.status.readyReplicas > 0 : !wasRead("deployments");
  return operatorRuns && (policies.length > 0 || !wasRead("clusterpolicies"));
}

export function devicePluginPods(snapshot: ClusterSnapshot): readonly Pod[] {
  return podsOfDaemonSets(snapshot.devicePlugins, snapshot);
}

export function podsOfDaemonSets(sets: readonly DaemonSet[], { objects }: ClusterSnapshot): readonly Pod[] {
  const names = sets.map(({ metadata }) => metadata.name);
  return objects.pods.filter(({ metadata }) =>
    metadata.ownerReferences.some(({ kind, name }) => kind === "DaemonSet" && names.includes(name)),
  );
}

/** GPU nodes without a ready pod of the device plugin. */
export function nodesWithoutPlugin(snapshot: ClusterSnapshot): readonly Node[] {
  const { gpuNodes, wasRead } = snapshot;
  const ready = devicePluginPods(snapshot).filter(isPodReady);
  const covered = new Set(ready.map(({ spec }) => spec.nodeName));
  return wasRead("pods") ? gpuNodes.filter(({ metadata }) => !covered.has(metadata.name)) : gpuNodes;
}
