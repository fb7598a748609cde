import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { kubernetesEffect, type TaintEffect } from "../../../../components/nodes/scheduling/taints";
import { isRecord } from "../../../../components/core/reader/records";
import type { WorldObject } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import { propertyOf, type World } from "../../../world/world";
import { types } from "../../types";
import { shown } from "../../values";
import { hasPolicy } from "../role-policies";
import { clusterNamed, eksTypes, ofCluster } from "../types";
import { machinesOf } from "./capacity";

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
export interface PodNeeds {
  readonly tolerations?: unknown;
  readonly nodeSelector?: unknown;
  /** @default 0 */
  readonly gpus?: number;
}

/** The nodes of a cluster. */
export function nodesOf(world: World, clusterName: string): Node[] {
  return ofCluster(world, eksTypes.nodeGroup, clusterName).flatMap((group) => {
    const ready = whyNotReady(world, group) === undefined;
    return machinesOf(world, group).map((machine) => nodeOf(world, group, machine, ready));
  });
}

function nodeOf(world: World, group: WorldObject, machine: WorldObject, ready: boolean): Node {
  const subnet = world.get(types.subnet, shown(machine.inputs["subnetId"]));
  const given = isRecord(group.inputs["labels"]) ? group.inputs["labels"] : {};
  const labels = {
    "eks.amazonaws.com/nodegroup": propertyOf(group, "nodeGroupName"),
    "node.kubernetes.io/instance-type": machine.inputs["instanceType"],
    "topology.kubernetes.io/zone": subnet && propertyOf(subnet, "availabilityZone"),
    ...given,
  };
  return {
    name: machine.id,
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, shown(value)])),
    gpus: instanceType(shown(machine.inputs["instanceType"]))?.gpus ?? 0,
    taints: valuesAt(group.inputs, "taints[*]").filter(isRecord).map(taintOf),
    ready,
  };
}

function taintOf(taint: Readonly<Record<string, unknown>>): NodeTaint {
  const effect = kubernetesEffect(taint["effect"] as TaintEffect);
  return { key: shown(taint["key"]), value: shown(taint["value"] ?? ""), effect };
}

/**
 * Why the nodes of a group do not become ready, in EKS's words; undefined when they do.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html
 */
export function whyNotReady(world: World, group: WorldObject): string | undefined {
  if (!hasPolicy(world, group.inputs["nodeRoleArn"], "AmazonEKSWorkerNodePolicy", "or-inline")) {
    return "NodeCreationFailure: Instances failed to join the kubernetes cluster";
  }
  if (hasNetwork(world, shown(group.inputs["clusterName"]))) return undefined;
  return "NodeCreationFailure: Unhealthy nodes in the kubernetes cluster";
}

/** Nodes need kube-proxy and a network plugin: as add-ons, or unmanaged as a cluster is born with them. */
function hasNetwork(world: World, clusterName: string): boolean {
  if (clusterNamed(world, clusterName)?.inputs["bootstrapSelfManagedAddons"] !== false) return true;
  const addons = ofCluster(world, eksTypes.addon, clusterName).map(({ inputs }) => inputs["addonName"]);
  return ["vpc-cni", "kube-proxy"].every((name) => addons.includes(name));
}

/** Whether one of the nodes takes a pod. */
export function canSchedule(nodes: readonly Node[], { tolerations, nodeSelector, gpus = 0 }: PodNeeds = {}): boolean {
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
