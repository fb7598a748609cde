import type { Properties } from "../../components/core/wire";
import { knownAddon } from "../aws/eks/addon-catalog";
import { clusterKey } from "../aws/eks/cluster-objects";
import { objectsOfCluster } from "../aws/eks/common";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import type { CloudObject, Request } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { accessLevelOf, connectionOf } from "./cluster-access";

/** The cluster that a request goes to. It is there: a request that does not reach one ends before. */
export function clusterOf({ cloud, provider }: Pick<Request, "cloud" | "provider">): CloudObject {
  const cluster = connectionOf(cloud, provider)?.cluster;
  if (!cluster) throw new Error("the request reached no cluster");
  return cluster;
}

/** The objects of one type in a cluster. */
export function objectsInCluster(cloud: SimulatedCloud, type: string, clusterName: string): CloudObject[] {
  return cloud.find(type, { [clusterKey]: clusterName });
}

/** The mark of what is in a cluster. */
export function clusterOutput(request: Request): Properties {
  return { [clusterKey]: clusterOf(request).id };
}

/**
 * The object that has this id already in the cluster.
 *
 * @throws when another cluster has one: a cloud keeps objects by type and id
 */
export function existingObject(request: Request, type: string, id: string): CloudObject | undefined {
  const there = request.cloud.get(type, id);
  if (!there || there.computed[clusterKey] === clusterOf(request).id) return there;
  throw new Error(`a simulated cloud cannot hold ${type} ${id} in two clusters at a time`);
}

/** The refusal to a principal that is known and may not do everything. */
export function rejectUnauthorized(request: Request, what: string): CloudError | undefined {
  const destination = connectionOf(request.cloud, request.provider);
  if (!destination || accessLevelOf(request.cloud, clusterOf(request), destination.principalArn) === "admin")
    return undefined;
  return new CloudError("Forbidden", `${what} is forbidden: User "${destination.principalArn}" has no access to it`);
}

/** Type tokens that others refer to. */
export const kubernetesTypes = {
  namespace: "kubernetes:core/v1:Namespace",
  customResourceDefinition: "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition",
  release: "kubernetes:helm.sh/v3:Release",
} as const;

const builtIn = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The namespaces of a cluster: its own, those of programs, and those that add-ons and releases bring with them. */
export function namespacesOf(cloud: SimulatedCloud, clusterName: string): string[] {
  const made = cloud.find(kubernetesTypes.namespace, { [clusterKey]: clusterName }).map(({ id }) => id);
  const addons = objectsOfCluster(cloud, types.addon, clusterName).map(
    ({ inputs }) => knownAddon(stringOf(inputs["addonName"]))?.namespace ?? "kube-system",
  );
  const releases = cloud
    .find(kubernetesTypes.release, { [clusterKey]: clusterName })
    .filter(({ inputs }) => inputs["createNamespace"] === true)
    .map(({ inputs }) => stringOf(inputs["namespace"]));
  return [...new Set([...builtIn, ...made, ...addons, ...releases])];
}
