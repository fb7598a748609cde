import type { Input } from "@pulumi/pulumi";
import * as v from "valibot";
import { kubernetesMinor } from "../core/kubernetes-names";
import type { Problem } from "../core/problems";
import { s, defaultsOf, keysOf, problemsIn, type GivenOf, type ValueOf } from "../core/schema";
import { join } from "../core/reader/paths";
import { kubernetesVersion } from "../core/versions";
import { amiReleaseConflicts, amiReleaseFor } from "./machine/ami-releases";
import { smallestWithEfa } from "./machine/efa-interfaces";
import { instanceType, instanceTypeName, type InstanceType } from "./machine/instance-types";
import { gpuNodeTools, packageList } from "./machine/user-data";
import { nodeGroupTransform } from "./node-group-transform";
import { diskSize, podCount, podCountConflicts, releaseVersion, resourceId, wiring } from "./node-group-schema";
import { nodeRepair, repairShareConflicts } from "./node-repair";
import { maxNodeCount, nodeCount, scalingOwner, sizeConflicts } from "./scaling";
import { hintConflicts } from "./scheduling/autoscaler-hints";
import { labelConflicts, labelMap, type Labels } from "./scheduling/labels";
import { gpuTaint, mergeTaints, taintConflicts, taintList } from "./scheduling/taints";

/** Capacity bought ahead: one reservation, or a resource group of them. */
export type CapacityReservation =
  | {
      /** Id of an On-Demand Capacity Reservation or a Capacity Block. */
      readonly id: Input<string>;
      readonly resourceGroupArn?: never;
    }
  | { readonly resourceGroupArn: Input<string>; readonly id?: never };

const reservationTargets = {
  id: s.matching(/^cr-[0-9a-f]{8,17}$/, "the id of a capacity reservation", 'use an id such as "cr-0123456789abcdef0"'),
  resourceGroupArn: s.matching(
    /^arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:\d{12}:group\/.+$/,
    "the ARN of a resource group",
    'use an ARN such as "arn:aws:resource-groups:ap-northeast-2:123456789012:group/gpu"',
  ),
};

const oneTarget = 'set it to either { id: "cr-…" } or { resourceGroupArn: "arn:…" }';

const targets = s.section(
  {
    id: v.optional(s.input(reservationTargets.id)),
    resourceGroupArn: v.optional(s.input(reservationTargets.resourceGroupArn)),
  },
  {},
  s.explain("Must be an object.", oneTarget),
);

const capacityReservation = s.typed<CapacityReservation>(v.pipe(targets, s.check(targetProblems)));

function targetProblems(got: ValueOf<typeof targets>, path: string): Problem[] {
  if (got.id === undefined && got.resourceGroupArn === undefined) {
    const why = "Must name a reservation; otherwise, EC2 uses any reservation.";
    return [{ code: "missing", path, got, why, fix: oneTarget }];
  }
  if (got.id === undefined || got.resourceGroupArn === undefined) return [];
  const why = "Must name a reservation or a resource group, not both: EC2 accepts one target.";
  return [{ code: "conflict", path, got: "id and resourceGroupArn", why, fix: `keep one: ${oneTarget}` }];
}

/** @see https://github.com/awslabs/awsome-distributed-ai/blob/main/architectures/amazon-eks/assets/eks-add-gpu-nodegroup.yaml */
export const whyDisk =
  "Images with CUDA and a framework need tens of GiB when unpacked, and a node with a full disk evicts its pods; a few images need 100 GiB.";

/** Settings of GPU nodes that do not depend on the cluster or the network. */
export const gpuNodes = s.section({
  /** EC2 type with an NVIDIA GPU. @default "g5.xlarge" - the cheapest type with an A10G @change replaced */
  instanceType: s.optional(instanceTypeName("gpu"), "g5.xlarge"),
  /**
   * Number of nodes at creation, 0 to 450.
   * @default 0 - a lab at rest pays for no GPU
   * @change no change - Only the size at creation. With the owner `pulumi` it is an update in place that starts or
   * terminates nodes.
   */
  desiredSize: s.optional(nodeCount({ min: 0 }), 0),
  /**
   * Minimum number of nodes, 0 to 450. EKS rejects a minimum above the desired size: raise the desired size first.
   *
   * With the owner `session` or `autoscaler` a change of minSize or maxSize sends EKS the whole scaling configuration,
   * with the number of nodes that Pulumi last knew. Refresh first (`pulumi up --refresh`). Otherwise, the session ends.
   *
   * @default 0 - no node runs after a session
   * @change in place, 1 min - If the owner is not `pulumi`, apply the change with `pulumi up --refresh`. Otherwise,
   * nodes can be terminated. A value above the current number of nodes is then refused.
   */
  minSize: s.optional(nodeCount({ min: 0 }), 0),
  /**
   * Maximum number of nodes, 1 to 450.
   *
   * @default 2 - two g5.xlarge fit a quota of 8 vCPUs
   * @change in place, 1 min - If the owner is not `pulumi`, apply the change with `pulumi up --refresh`. Otherwise,
   * nodes can be terminated. A value below the current number of nodes is then refused.
   */
  maxSize: s.optional(maxNodeCount(), 2),
  /**
   * Who sets the number of nodes after creation: `session` (you, by CLI), `pulumi` or `autoscaler`.
   * @default "session" - an update must not end a session that people started
   */
  owner: s.optional(scalingOwner(), "session"),
  /** Root volume in GiB, 100 to 16384, gp3 and encrypted. @default 100 - a few images with CUDA fit @change rolling */
  diskSizeGiB: s.optional(diskSize(100, whyDisk), 100),
  /**
   * AMI release such as `1.35.8-20260930`; it determines the NVIDIA driver.
   *
   * @default the release pinned for the Kubernetes version - it never floats
   * @change rolling
   */
  releaseVersion,
  /**
   * How instances are bought. `CAPACITY_BLOCK` needs `capacityReservation.id`, and a desired size of 0 until the block
   * starts and before each update.
   *
   * @default "ON_DEMAND" - a training job is not interrupted
   * @see https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
   * @change replaced
   */
  capacityType: s.optional(s.oneOf(["ON_DEMAND", "SPOT", "CAPACITY_BLOCK"]), "ON_DEMAND"),
  /**
   * Launches into reserved capacity only: `id` or `resourceGroupArn` of a reservation.
   * @default none - any capacity in the zone
   * @change rolling
   */
  capacityReservation: s.optional(capacityReservation),
  /**
   * Name of a placement group, which puts nodes close together. EFA works without a group, and a reservation made
   * outside a group does not work with one.
   *
   * @default none - nodes start more easily
   * @change rolling
   */
  placementGroup: s.optional(resourceId("the name of a placement group, or leave it out")),
  /**
   * Whether nodes get Elastic Fabric Adapters, one per network card. The security groups must then allow all traffic
   * among themselves, including outbound. Nodes advertise `vpc.amazonaws.com/efa` only with the EFA device plugin: a
   * GpuEnvironment installs it; other programs create an `EfaDevicePlugin`.
   *
   * @default false - the smaller types have no EFA
   * @change rolling
   */
  efa: s.optional(s.flag(), false),
  /**
   * `raid0` puts images, pods' disks and logs on the instance store, which is faster and is lost with the node.
   * @default "none" - data survives a stop
   * @change rolling
   */
  localStorage: s.optional(s.oneOf(["none", "raid0"]), "none"),
  /**
   * Labels in addition to the group's own (`tier`, `nvidia.com/gpu`, `k8s.amazonaws.com/accelerator`).
   * @default {} - the labels of the group are sufficient
   * @change in place, 1 min - Running nodes get the labels. Pods stay.
   */
  labels: s.optional(labelMap(), {}),
  /**
   * Taints in addition to `nvidia.com/gpu=true:NoSchedule`, which is always set.
   * @default [] - every GPU workload may use the nodes
   * @change in place, 1 min - Running nodes get the taints. `NO_EXECUTE` evicts pods that do not tolerate it.
   */
  taints: s.optional(taintList(), []),
  /**
   * Pods that a node accepts: 1 to 110, or to 250 on types with 30 vCPUs and more.
   *
   * @default what EKS counts - as many as the type has addresses for, 58 on a g5.xlarge
   * @change rolling
   */
  maxPods: s.optional(podCount()),
  /**
   * Packages of Amazon Linux 2023 to install at boot.
   * @default the packages of the system nodes, plus pciutils - lspci shows a GPU that has fallen off the bus
   * @change rolling
   */
  tools: s.optional(packageList(), gpuNodeTools),
  /** Allows EKS to replace or restart unhealthy nodes. @default none - a lab must show the failure */
  repair: s.optional(nodeRepair),
});

export const gpuNodeGroupDefaults = defaultsOf(gpuNodes);

/** Settings of GPU nodes that do not depend on the cluster or the network. */
export interface GpuNodeGroupSettings extends Readonly<GivenOf<typeof gpuNodes>> {}

type Values = ValueOf<typeof gpuNodes>;

/** Arguments of GPU nodes that contradict each other, on a cluster of this version. */
export function gpuNodeConflicts(nodes: Omit<Values, "owner">, kubernetesVersion: string, at: string): Problem[] {
  const type = instanceType(nodes.instanceType) as InstanceType;
  const path = (key: keyof Values) => join(at, key);
  const use = { kubernetesVersion, amiType: type.amiType, type };
  return [
    ...sizeConflicts(nodes, gpuNodeGroupDefaults, at),
    ...amiReleaseConflicts(nodes.releaseVersion, path("releaseVersion"), use),
    ...capacityConflicts(nodes, at),
    ...efaConflicts(nodes.efa, path("efa"), type),
    ...storageConflicts(nodes.localStorage, path("localStorage"), type),
    ...labelConflicts(nodes.labels, path("labels"), gpuLabels(type)),
    ...hintConflicts(Object.keys(nodes.labels), "label", path("labels")),
    ...taintConflicts(nodes.taints, path("taints"), [gpuTaint]),
    ...hintConflicts(
      nodes.taints.map(({ key }) => key),
      "taint",
      path("taints"),
    ),
    ...podCountConflicts(nodes.maxPods, path("maxPods"), type.name),
    ...repairShareConflicts(nodes.repair, path("repair"), nodes.maxSize),
  ];
}

function capacityConflicts(
  { capacityType, capacityReservation: got }: Pick<Values, "capacityType" | "capacityReservation">,
  at: string,
): Problem[] {
  const path = join(at, "capacityReservation");
  if (got !== undefined && capacityType === "SPOT") {
    const why = "capacityType is SPOT, and a reservation has no spot capacity.";
    const fix = `remove ${path}, or set ${join(at, "capacityType")} to "ON_DEMAND"`;
    return [{ code: "conflict", path, got, why, fix }];
  }
  if (capacityType !== "CAPACITY_BLOCK" || got?.id !== undefined) return [];
  const why = "capacityType is CAPACITY_BLOCK, which requires the id of the Capacity Block.";
  const code = got === undefined ? "missing" : "conflict";
  return [{ code, path: join(path, "id"), got: undefined, why, fix: `set ${path} to { id: "cr-…" }` }];
}

function efaConflicts(got: boolean, path: string, type: InstanceType): Problem[] {
  if (!got || type.efaInterfaces > 0) return [];
  const sibling = smallestWithEfa(type.family);
  const choose = sibling ? `choose ${sibling.name} or larger` : "choose a type with EFA, such as g5.8xlarge";
  const fix = `${choose}, or set ${path} to false: NCCL then uses TCP`;
  return [{ code: "not-offered", path, got, why: `${type.name} has no Elastic Fabric Adapter.`, fix }];
}

export function storageConflicts(got: string, path: string, type: InstanceType): Problem[] {
  if (got !== "raid0" || type.localNvmeGB > 0) return [];
  const fix = `set ${path} to "none", or choose a type with an instance store, such as g5.xlarge`;
  return [{ code: "not-offered", path, got, why: `${type.name} has no instance store.`, fix }];
}

/**
 * The labels of every GPU node. The Cluster Autoscaler needs the accelerator's: with it, a node that does not advertise
 * its GPU yet counts as starting, and the autoscaler does not launch a second one.
 */
export function gpuLabels(type: InstanceType | undefined): Labels {
  return {
    tier: "gpu",
    "nvidia.com/gpu": "true",
    ...(type?.acceleratorLabel !== undefined && { "k8s.amazonaws.com/accelerator": type.acceleratorLabel }),
  };
}

/** The complete settings of GPU nodes: the release pinned for their Kubernetes version, every label and every taint. */
export function completeGpuNodes<T extends Pick<Values, "instanceType" | "labels" | "taints" | "releaseVersion">>(
  nodes: T,
  kubernetesVersion: string,
) {
  return {
    ...nodes,
    releaseVersion: amiReleaseFor(nodes.releaseVersion, kubernetesVersion) as string,
    labels: { ...gpuLabels(instanceType(nodes.instanceType)), ...nodes.labels },
    taints: mergeTaints([gpuTaint], nodes.taints),
  };
}

/** Every problem in the settings of GPU nodes; `at` is the prefix of the paths, e.g. `gpuNodes`. */
export function gpuNodeGroupProblems(
  args: GpuNodeGroupSettings & { readonly kubernetesVersion?: string },
  at = "",
): readonly Problem[] {
  return problemsIn(settingsOfVersion, args, at);
}

const versioned = s.section({
  ...gpuNodes.entries,
  kubernetesVersion: s.optional(kubernetesMinor(), kubernetesVersion),
});
const conflicts = (args: ValueOf<typeof versioned>, at: string) => gpuNodeConflicts(args, args.kubernetesVersion, at);
const settingsOfVersion = v.pipe(versioned, s.check(conflicts));

const gpuNodeGroupSection = s.section({
  ...gpuNodes.entries,
  ...wiring,
  /** One private subnet: nodes of one zone reach each other at full speed, without cost, and share its volumes. */
  subnetId: resourceId("the id of one private subnet"),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(nodeGroupTransform),
});

/** Arguments of a GpuNodeGroup. */
export const gpuNodeGroup = v.pipe(gpuNodeGroupSection, s.conflict(keysOf(versioned), conflicts));

/** The arguments with every choice made. */
export type CompleteGpuNodeGroupArgs = ReturnType<typeof completeGpuNodes<ValueOf<typeof gpuNodeGroup>>>;
