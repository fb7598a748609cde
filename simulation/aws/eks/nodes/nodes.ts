import { valuesAt } from "../../../../components/core/reader/paths";
import { isRecord } from "../../../../components/core/reader/records";
import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { kubernetesEffect, type TaintEffect } from "../../../../components/nodes/scheduling/taints";
import { type CloudObject, propertyOf } from "../../../cloud/model";
import type { SimulatedCloud } from "../../../cloud/simulated-cloud";
import { hasPolicy } from "../../iam/role";
import { types } from "../../types";
import { stringOf } from "../../values";
import { clusterNamed, objectsOfCluster } from "../common";
import { instancesOf } from "./instances";

/** A node as Kubernetes sees it. */
export interface Node {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly gpus: number;
  readonly ready: boolean;
}

export interface NodeTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** What a pod asks of its node, as it stands in its specification. */
export interface PodRequirements {
  readonly tolerations?: unknown;
  readonly nodeSelector?: unknown;
  /** @default 0 */
  readonly gpus?: number;
}

/** The nodes of a cluster. */
export function nodesOf(cloud: SimulatedCloud, clusterName: string): Node[] {
  return objectsOfCluster(cloud, types.nodeGroup, clusterName).flatMap((group) => {
    const ready = notReadyReason(cloud, group) === undefined;
    return instancesOf(cloud, group).map((machine) => nodeOf(cloud, group, machine, ready));
  });
}

function nodeOf(cloud: SimulatedCloud, group: CloudObject, machine: CloudObject, ready: boolean): Node {
  const subnet = cloud.get(types.subnet, stringOf(machine.inputs["subnetId"]));
  const given = isRecord(group.inputs["labels"]) ? group.inputs["labels"] : {};
  const labels = {
    "eks.amazonaws.com/nodegroup": propertyOf(group, "nodeGroupName"),
    "node.kubernetes.io/instance-type": machine.inputs["instanceType"],
    "topology.kubernetes.io/zone": subnet && propertyOf(subnet, "availabilityZone"),
    ...given,
  };
  return {
    name: machine.id,
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, stringOf(value)])),
    gpus: instanceType(stringOf(machine.inputs["instanceType"]))?.gpus ?? 0,
    taints: valuesAt(group.inputs, "taints[*]").filter(isRecord).map(taintOf),
    ready,
  };
}

function taintOf(taint: Readonly<Record<string, unknown>>): NodeTaint {
  const effect = kubernetesEffect(taint["effect"] as TaintEffect);
  return { key: stringOf(taint["key"]), value: stringOf(taint["value"] ?? ""), effect };
}

/**
 * Why the nodes of a group do not become ready, in EKS's words; undefined when they do.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html
 */
export function notReadyReason(cloud: SimulatedCloud, group: CloudObject): string | undefined {
  if (!hasPolicy(cloud, group.inputs["nodeRoleArn"], "AmazonEKSWorkerNodePolicy", "or-inline")) {
    return "NodeCreationFailure: Instances failed to join the kubernetes cluster";
  }
  if (hasNetworkAddons(cloud, stringOf(group.inputs["clusterName"]))) return undefined;
  return "NodeCreationFailure: Unhealthy nodes in the kubernetes cluster";
}

/** Nodes need kube-proxy and a network plugin: as add-ons, or unmanaged as a cluster is born with them. */
function hasNetworkAddons(cloud: SimulatedCloud, clusterName: string): boolean {
  if (clusterNamed(cloud, clusterName)?.inputs["bootstrapSelfManagedAddons"] !== false) return true;
  const addons = objectsOfCluster(cloud, types.addon, clusterName).map(({ inputs }) => inputs["addonName"]);
  return ["vpc-cni", "kube-proxy"].every((name) => addons.includes(name));
}

/** Whether one of the nodes takes a pod. */
export function canSchedule(
  nodes: readonly Node[],
  { tolerations, nodeSelector, gpus = 0 }: PodRequirements = {},
): boolean {
  const tolerated = Array.isArray(tolerations) ? (tolerations as unknown[]).filter(isRecord) : [];
  const wanted = Object.entries(isRecord(nodeSelector) ? nodeSelector : {});
  return nodes.some(
    ({ ready, labels, taints, gpus: offered }) =>
      ready &&
      offered >= gpus &&
      wanted.every(([key, value]) => labels[key] === value) &&
      taints
        .filter(({ effect }) => effect !== "PreferNoSchedule")
        .every((taint) => tolerated.some((toleration) => tolerates(toleration, taint))),
  );
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
function tolerates(toleration: Readonly<Record<string, unknown>>, taint: NodeTaint): boolean {
  const { key, operator = "Equal", value = "", effect } = toleration;
  if (effect !== undefined && effect !== "" && effect !== taint.effect) return false;
  if (operator === "Exists") return key === undefined || key === "" || key === taint.key;
  return key === taint.key && value === taint.value;
}
