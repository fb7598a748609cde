import { knownAddon } from "../aws/eks/addons/addon-catalogue";
import { clusterKey } from "../aws/eks/cluster/cluster-parts";
import { eksTypes, ofCluster } from "../aws/eks/types";
import { shown } from "../aws/values";
import type { World } from "../world/world";
import { kubernetesTypes } from "./types";

const builtIn = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The namespaces of a cluster: its own, those of programs, and those that add-ons and releases bring with them. */
export function namespacesOf(world: World, clusterName: string): string[] {
  const made = world.find(kubernetesTypes.namespace, { [clusterKey]: clusterName }).map(({ id }) => id);
  const addons = ofCluster(world, eksTypes.addon, clusterName).map(
    ({ inputs }) => knownAddon(shown(inputs["addonName"]))?.namespace ?? "kube-system",
  );
  const releases = world
    .find(kubernetesTypes.release, { [clusterKey]: clusterName })
    .filter(({ inputs }) => inputs["createNamespace"] === true)
    .map(({ inputs }) => shown(inputs["namespace"]));
  return [...new Set([...builtIn, ...made, ...addons, ...releases])];
}
