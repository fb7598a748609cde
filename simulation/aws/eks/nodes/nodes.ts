import { hasLabels, untolerated } from "../../../../components/core/kubernetes";
import { valuesAt } from "../../../../components/core/reader/paths";
import { isRecord } from "../../../../components/core/reader/records";
import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { kubernetesEffect, type TaintEffect } from "../../../../components/nodes/scheduling/taints";
import { type CloudObject, propertyOf, type CloudState } from "../../../cloud/model";
import { hasPolicy } from "../../iam/roles";
import { types } from "../../types";
import { stringOf } from "../../values";
import { clusterNamed, objectsOfCluster } from "../common";
import { instancesOf } from "./instances";

/** A Kubernetes node. */
export interface Node {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly gpus: number;
  readonly ready: boolean;
}

interface NodeTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** What a pod requires of its node, as in its specification. */
export interface PodRequirements {
  readonly tolerations?: unknown;
  readonly nodeSelector?: unknown;
  /** @default 0 */
  readonly gpus?: number;
}

/** The nodes of a cluster. */
export function nodesOf(cloud: CloudState, clusterName: string): Node[] {
  return objectsOfCluster(cloud, types.nodeGroup, clusterName).flatMap((group) => {
    const ready = notReadyReason(cloud, group) === undefined;
    return instancesOf(cloud, group).map((instance) => nodeOf(cloud, group, instance, ready));
  });
}

function nodeOf(cloud: CloudState, group: CloudObject, instance: CloudObject, ready: boolean): Node {
  const subnet = cloud.get(types.subnet, stringOf(instance.inputs["subnetId"]));
  const given = isRecord(group.inputs["labels"]) ? group.inputs["labels"] : {};
  const labels = {
    "kubernetes.io/os": "linux",
    "eks.amazonaws.com/nodegroup": propertyOf(group, "nodeGroupName"),
    "node.kubernetes.io/instance-type": instance.inputs["instanceType"],
    "topology.kubernetes.io/zone": subnet && propertyOf(subnet, "availabilityZone"),
    ...given,
  };
  return {
    name: instance.id,
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, stringOf(value)])),
    gpus: instanceType(stringOf(instance.inputs["instanceType"]))?.gpus ?? 0,
    taints: valuesAt(group.inputs, "taints[*]").filter(isRecord).map(taintOf),
    ready,
  };
}

function taintOf(taint: Readonly<Record<string, unknown>>): NodeTaint {
  const effect = kubernetesEffect(taint["effect"] as TaintEffect);
  return { key: stringOf(taint["key"]), value: stringOf(taint["value"] ?? ""), effect };
}

/**
 * The health issue of a group whose nodes do not become ready.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html
 */
export function notReadyReason(cloud: CloudState, group: CloudObject): string | undefined {
  if (!hasPolicy(cloud, group.inputs["nodeRoleArn"], "AmazonEKSWorkerNodePolicy", "or-inline")) {
    return "NodeCreationFailure: Instances failed to join the kubernetes cluster";
  }
  if (hasNetworkAddons(cloud, stringOf(group.inputs["clusterName"]))) return undefined;
  return "NodeCreationFailure: Unhealthy nodes in the kubernetes cluster";
}

/** Nodes need kube-proxy and a network plugin: as EKS add-ons, or as the self-managed add-ons of a new cluster. */
function hasNetworkAddons(cloud: CloudState, clusterName: string): boolean {
  if (clusterNamed(cloud, clusterName)?.inputs["bootstrapSelfManagedAddons"] !== false) return true;
  const addons = objectsOfCluster(cloud, types.addon, clusterName).map(({ inputs }) => inputs["addonName"]);
  return ["vpc-cni", "kube-proxy"].every((name) => addons.includes(name));
}

/** Whether a pod can be scheduled on one of the nodes. */
export function canSchedule(
  nodes: readonly Node[],
  { tolerations, nodeSelector, gpus = 0 }: PodRequirements = {},
): boolean {
  const tolerated = Array.isArray(tolerations) ? tolerations.filter(isRecord) : [];
  const selector = isRecord(nodeSelector) ? nodeSelector : {};
  return nodes.some(
    (node) =>
      node.ready &&
      node.gpus >= gpus &&
      hasLabels(node.labels, selector) &&
      untolerated(tolerated, node.taints).length === 0,
  );
}
