import type { Properties } from "../../components/core/wire";
import { knownAddon } from "../aws/eks/addon-catalog";
import { clusterKey } from "../aws/eks/owned-objects";
import { objectsOfCluster } from "../aws/eks/common";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import type { CloudObject, Request, CloudState } from "../cloud/model";
import { accessLevelOf, connectionOf } from "./cluster-access";

/** Pulumi type tokens. */
export const kubernetesTypes = {
  namespace: "kubernetes:core/v1:Namespace",
  customResourceDefinition: "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition",
  release: "kubernetes:helm.sh/v3:Release",
} as const;

/** The cluster that a request goes to. It exists, because the check of the connection comes first. */
export function clusterOf({ cloud, provider }: Pick<Request, "cloud" | "provider">): CloudObject {
  const cluster = connectionOf(cloud, provider)?.cluster;
  if (!cluster) throw new Error("The request did not reach a cluster.");
  return cluster;
}

/** The objects of a type in a cluster. */
export function objectsInCluster(cloud: CloudState, type: string, clusterName: string): CloudObject[] {
  return cloud.find(type, { [clusterKey]: clusterName });
}

/** The internal output that says which cluster an object is in; not yet known in a preview. */
export function clusterOutput({ cloud, provider }: Request): Properties {
  return { [clusterKey]: connectionOf(cloud, provider)?.cluster?.id };
}

/**
 * The object that already has this id in the cluster.
 *
 * @throws when another cluster has one: the cloud stores objects by type and id
 */
export function existingObject(request: Request, type: string, id: string): CloudObject | undefined {
  const object = request.cloud.get(type, id);
  if (!object || object.computed[clusterKey] === clusterOf(request).id) return object;
  throw new Error(`The simulation cannot keep ${type} ${id} in two clusters at the same time.`);
}

/** The error for a principal that is authenticated and is not an admin. */
export function rejectUnauthorized(request: Request, resources: string): CloudError | undefined {
  const connection = connectionOf(request.cloud, request.provider);
  if (!connection || accessLevelOf(request.cloud, clusterOf(request), connection.principalArn) === "admin")
    return undefined;
  return new CloudError(
    "Forbidden",
    `${resources} is forbidden: User "${connection.principalArn}" has no access to it`,
  );
}

const builtInNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The namespaces of a cluster: built-in ones, and those that programs, add-ons and Helm releases create. */
export function namespacesOf(cloud: CloudState, clusterName: string): string[] {
  const created = objectsInCluster(cloud, kubernetesTypes.namespace, clusterName).map(({ id }) => id);
  const addons = objectsOfCluster(cloud, types.addon, clusterName).map(
    ({ inputs }) => knownAddon(stringOf(inputs["addonName"]))?.namespace ?? "kube-system",
  );
  const releases = objectsInCluster(cloud, kubernetesTypes.release, clusterName)
    .filter(({ inputs }) => inputs["createNamespace"] === true)
    .map(({ inputs }) => stringOf(inputs["namespace"]));
  return [...new Set([...builtInNamespaces, ...created, ...addons, ...releases])];
}
