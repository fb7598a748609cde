import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import type { DaemonSet } from "../../objects/workloads";
import type { Scene } from "../scene";

/** The DaemonSets around the plugin: the operator's other ones. */
export function neighbours({ dump, devicePlugins, operatorNamespace }: Scene): readonly DaemonSet[] {
  return dump.objects.daemonsets.filter(
    (set) => set.metadata.namespace === operatorNamespace && !devicePlugins.includes(set),
  );
}

/**
 * Whether new nodes get a device plugin. The operator makes its DaemonSets with the first GPU node, and none where the
 * plugin is switched off. What was not read is not missing.
 *
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go DaemonSet
 */
export function pluginComes({ devicePlugins, operator, policies, sees }: Scene): boolean {
  if (policies.some(({ spec }) => spec.devicePlugin.enabled === false)) return false;
  if (devicePlugins.length > 0 || !sees("daemonsets")) return true;
  const operatorRuns = operator ? operator.status.readyReplicas > 0 : !sees("deployments");
  return operatorRuns && (policies.length > 0 || !sees("clusterpolicies"));
}

/** The plugin's pods by node. */
export function pluginPods(scene: Scene): readonly Pod[] {
  return podsOfSets(scene.devicePlugins, scene);
}

export function podsOfSets(sets: readonly DaemonSet[], { dump }: Scene): readonly Pod[] {
  const names = sets.map(({ metadata }) => metadata.name);
  return dump.objects.pods.filter(({ metadata }) =>
    metadata.ownerReferences.some(({ kind, name }) => kind === "DaemonSet" && names.includes(name)),
  );
}

/** GPU nodes on which no pod of the plugin is ready. */
export function nodesWithoutPlugin(scene: Scene): readonly Node[] {
  const ready = new Set(
    pluginPods(scene)
      .filter(isReady)
      .map(({ spec }) => spec.nodeName),
  );
  return scene.sees("pods") ? scene.gpuNodes.filter(({ metadata }) => !ready.has(metadata.name)) : scene.gpuNodes;
}

export function isReady({ status }: Pod): boolean {
  return status.phase === "Running" && status.containerStatuses.every(({ ready }) => ready);
}
