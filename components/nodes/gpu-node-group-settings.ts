import type { Input } from "@pulumi/pulumi";
import { amiReleaseFor } from "./machine/ami-releases";
import { instanceType, type InstanceType } from "./machine/instance-types";
import type { Labels } from "./scheduling/labels";
import type { NodeRepair } from "./node-repair";
import type { ScalingOwner } from "./scaling";
import { gpuTaint, mergeTaints, type Taint } from "./scheduling/taints";
import { nodeTools } from "./machine/user-data";

/** Capacity bought ahead: one reservation, or a resource group of them. */
export type CapacityReservation =
  | {
      /** Id of an On-Demand Capacity Reservation or a Capacity Block. */
      readonly id: Input<string>;
      readonly resourceGroupArn?: never;
    }
  | { readonly resourceGroupArn: Input<string>; readonly id?: never };

/** What can be chosen of GPU nodes without knowing cluster or network. */
export interface GpuNodeGroupSettings {
  /** EC2 type with an NVIDIA GPU. @default "g5.xlarge" - the cheapest type with an A10G */
  readonly instanceType?: string;
  /** Nodes to start with, 0 to 450. @default 0 - a lab at rest pays for no GPU */
  readonly desiredSize?: number;
  /**
   * Fewest nodes, 0 to 450. Raise the running number of nodes before this one: EKS refuses a minimum above it.
   *
   * With the owner `session` or `autoscaler` a change of minSize or maxSize sends EKS the whole scaling configuration,
   * with the number of nodes that Pulumi last knew. Refresh first (`pulumi up --refresh`), or the session ends.
   *
   * @default 0 - a session can end with none
   */
  readonly minSize?: number;
  /**
   * Most nodes, 1 to 450. Refresh before a change, as for minSize.
   *
   * @default 2 - two g5.xlarge fit a quota of 8 vCPUs
   */
  readonly maxSize?: number;
  /**
   * Who sets the number of nodes after creation.
   * @default "session" - an update must not end a session that people started
   */
  readonly owner?: ScalingOwner;
  /** Root volume in GiB, 100 to 16384. @default 100 - a few images with CUDA fit */
  readonly diskSizeGiB?: number;
  /**
   * AMI release such as `1.35.8-20260930`; it fixes the NVIDIA driver.
   *
   * @default the release pinned for the Kubernetes version - it never floats
   */
  readonly releaseVersion?: string;
  /**
   * How instances are bought. `CAPACITY_BLOCK` needs `capacityReservation.id`, and a desired size of 0 until the block
   * starts and before each update.
   *
   * @default "ON_DEMAND" - a training job is not interrupted
   * @see https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
   */
  readonly capacityType?: "ON_DEMAND" | "SPOT" | "CAPACITY_BLOCK";
  /** Launches into reserved capacity only. @default none - any capacity of the zone */
  readonly capacityReservation?: CapacityReservation;
  /**
   * Name of a placement group, which puts nodes close together. EFA works without one, and a reservation made outside
   * a group does not work with one.
   *
   * @default none - nodes start more easily
   */
  readonly placementGroup?: Input<string>;
  /**
   * Whether nodes get Elastic Fabric Adapters, one a network card. The security groups must then allow all traffic
   * among themselves, outbound as well.
   *
   * @default false - the smaller types have none
   */
  readonly efa?: boolean;
  /**
   * `raid0` puts images, pods' disks and logs on the instance store, which is faster and ends with the node.
   * @default "none" - data survives a stop
   */
  readonly localStorage?: "none" | "raid0";
  /**
   * Labels beside the group's own (`tier`, `nvidia.com/gpu`, `k8s.amazonaws.com/accelerator`).
   * @default {} - those suffice
   */
  readonly labels?: Labels;
  /**
   * Taints beside `nvidia.com/gpu=true:NoSchedule`, which is always there.
   * @default [] - every GPU workload may come
   */
  readonly taints?: readonly Taint[];
  /**
   * Pods a node accepts: 1 to 110, or to 250 on types of 30 vCPUs and more.
   *
   * @default what EKS counts - as many as the type has addresses for, 58 on a g5.xlarge
   */
  readonly maxPods?: number;
  /**
   * Packages of Amazon Linux 2023 to install at boot.
   * @default the system nodes' and pciutils - lspci shows a GPU that fell off the bus
   */
  readonly tools?: readonly string[];
  /** Lets EKS replace or restart unhealthy nodes. @default off - a lab wants to see the failure */
  readonly repair?: NodeRepair;
}

export const gpuNodeGroupDefaults = {
  instanceType: "g5.xlarge",
  desiredSize: 0,
  minSize: 0,
  maxSize: 2,
  owner: "session",
  diskSizeGiB: 100,
  capacityType: "ON_DEMAND",
  efa: false,
  localStorage: "none",
  labels: {},
  taints: [],
  tools: [...nodeTools, "pciutils"],
} as const;

/**
 * The labels of every GPU node. The Cluster Autoscaler needs the accelerator's: with it, a node whose GPU is not
 * advertised yet counts as starting, and no second one is launched.
 */
export function gpuLabels(type: InstanceType | undefined): Labels {
  return {
    tier: "gpu",
    "nvidia.com/gpu": "true",
    ...(type?.acceleratorLabel !== undefined && { "k8s.amazonaws.com/accelerator": type.acceleratorLabel }),
  };
}

/** What checked settings of GPU nodes come to on a Kubernetes version: the pinned release, every label and taint. */
export function resolvedGpuNodes(
  settings: Required<Pick<GpuNodeGroupSettings, "instanceType" | "labels" | "taints">> &
    Pick<GpuNodeGroupSettings, "releaseVersion">,
  kubernetesVersion: string,
) {
  return {
    releaseVersion: amiReleaseFor(settings.releaseVersion, kubernetesVersion) as string,
    labels: { ...gpuLabels(instanceType(settings.instanceType)), ...settings.labels },
    taints: mergeTaints([gpuTaint], settings.taints),
  };
}
