import * as v from "valibot";
import { kubernetesMinor } from "../core/kubernetes-names";
import type { Problem } from "../core/problems";
import { s, defaultsOf, keysOf, problemsIn, type GivenOf, type ValueOf } from "../core/schema";
import { join } from "../core/reader/paths";
import { kubernetesVersion } from "../core/versions";
import { amiReleaseConflicts, amiReleaseFor } from "./machine/ami-releases";
import { instanceType, instanceTypeName, type InstanceType } from "./machine/instance-types";
import { nodeTools, packageList } from "./machine/user-data";
import { nodeGroupTransform } from "./node-group-transform";
import { diskSize, podCount, podCountConflicts, releaseVersion, resourceIds, wiring } from "./node-group-schema";
import { maxNodeCount, nodeCount, scalingOwner, sizeConflicts } from "./scaling";
import { labelConflicts, labelMap, type Labels } from "./scheduling/labels";

/** Settings of the system nodes that do not depend on the cluster or the network. */
export const systemNodes = s.section({
  /**
   * EC2 type without a GPU.
   * @default "t3.medium" - two of them run every add-on and controller of the environment
   * @change replaced
   */
  instanceType: s.optional(instanceTypeName("system"), "t3.medium"),
  /**
   * Number of nodes, 1 to 450.
   * @default 2 - CoreDNS keeps answering while a node is replaced
   * @change in place, 1 min - With fewer nodes, the pods of the terminated nodes move.
   */
  desiredSize: s.optional(
    nodeCount({ min: 1, below: "CoreDNS and the other add-ons need a node, or their creation fails." }),
    2,
  ),
  /**
   * Minimum number of nodes, 0 to 450.
   * @default 1 - the fewest on which add-ons start
   * @change in place, 1 min - If the owner is not `pulumi`, apply the change with `pulumi up --refresh`. Otherwise,
   * nodes can be terminated. A value above the current number of nodes is then refused.
   */
  minSize: s.optional(nodeCount({ min: 0 }), 1),
  /**
   * Maximum number of nodes, 1 to 450.
   * @default 4 - room for a monitoring stack in addition to the add-ons
   * @change in place, 1 min - If the owner is not `pulumi`, apply the change with `pulumi up --refresh`. Otherwise,
   * nodes can be terminated. A value below the current number of nodes is then refused.
   */
  maxSize: s.optional(maxNodeCount(), 4),
  /**
   * Who sets the number of nodes after creation: `pulumi`, `session` or `autoscaler`.
   *
   * @default "pulumi" - otherwise, only an installed Cluster Autoscaler scales system nodes
   */
  owner: s.optional(scalingOwner(), "pulumi"),
  /**
   * Root volume in GiB, 20 to 16384, gp3 and encrypted.
   * @default 30 - the AMI needs 20 GiB, images of add-ons a few more
   * @change rolling
   */
  diskSizeGiB: s.optional(diskSize(20, "The AMI's own snapshot has 20 GiB, and a volume cannot be smaller."), 30),
  /**
   * AMI release such as `1.35.8-20260930`.
   * @default the release pinned for the Kubernetes version - it never floats
   * @change rolling
   */
  releaseVersion,
  /**
   * Labels in addition to `tier=primary`.
   * @default {} - controllers select `tier=primary`
   * @change in place, 1 min - Running nodes get the labels. Pods stay.
   */
  labels: s.optional(labelMap(), {}),
  /**
   * Pods that a node accepts: 1 to 110, or to 250 on types with 30 vCPUs and more. More pods than the interfaces have
   * addresses for (17 on a t3.medium) require the VPC CNI's prefix delegation.
   *
   * @default 50 - a t3.medium has enough memory for that many small pods
   * @change rolling
   */
  maxPods: s.optional(podCount(), 50),
  /**
   * Packages of Amazon Linux 2023 to install at boot.
   *
   * @default network, disk and process tools - to inspect a node
   * @change rolling
   */
  tools: s.optional(packageList(), nodeTools),
});

export const systemNodeGroupDefaults = defaultsOf(systemNodes);

/** Settings of the system nodes that do not depend on the cluster or the network. */
export interface SystemNodeGroupSettings extends Readonly<GivenOf<typeof systemNodes>> {}

type Values = ValueOf<typeof systemNodes>;

/** The label of every system node. */
export const systemLabels: Labels = { tier: "primary" };

/** Arguments of system nodes that contradict each other, on a cluster of this version. */
export function systemNodeConflicts(nodes: Omit<Values, "owner">, kubernetesVersion: string, at: string): Problem[] {
  const type = instanceType(nodes.instanceType) as InstanceType;
  const path = (key: keyof Values) => join(at, key);
  return [
    ...sizeConflicts(nodes, systemNodeGroupDefaults, at),
    ...amiReleaseConflicts(nodes.releaseVersion, path("releaseVersion"), { kubernetesVersion, amiType: type.amiType }),
    ...labelConflicts(nodes.labels, path("labels"), systemLabels),
    ...podCountConflicts(nodes.maxPods, path("maxPods"), type.name),
  ];
}

/** The complete settings of system nodes: the release pinned for their Kubernetes version, and every label. */
export function completeSystemNodes<T extends Pick<Values, "labels" | "releaseVersion">>(
  nodes: T,
  kubernetesVersion: string,
) {
  return {
    ...nodes,
    releaseVersion: amiReleaseFor(nodes.releaseVersion, kubernetesVersion) as string,
    labels: { ...systemLabels, ...nodes.labels },
  };
}

/** Every problem in the settings of system nodes; `at` is the prefix of the paths, e.g. `systemNodes`. */
export function systemNodeGroupProblems(
  args: SystemNodeGroupSettings & { readonly kubernetesVersion?: string },
  at = "",
): readonly Problem[] {
  return problemsIn(settingsOfVersion, args, at);
}

const versioned = s.section({
  ...systemNodes.entries,
  kubernetesVersion: s.optional(kubernetesMinor(), kubernetesVersion),
});
const conflicts = (args: ValueOf<typeof versioned>, at: string) =>
  systemNodeConflicts(args, args.kubernetesVersion, at);
const settingsOfVersion = v.pipe(versioned, s.check(conflicts));

const systemNodeGroupSection = s.section({
  ...systemNodes.entries,
  ...wiring,
  /** Private subnets, ideally one in each zone. */
  subnetIds: resourceIds('["subnet-0123456789abcdef0"]'),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(nodeGroupTransform),
});

/** Arguments of a SystemNodeGroup. */
export const systemNodeGroup = v.pipe(systemNodeGroupSection, s.conflict(keysOf(versioned), conflicts));

/** The arguments with every choice made. */
export type CompleteSystemNodeGroupArgs = ReturnType<typeof completeSystemNodes<ValueOf<typeof systemNodeGroup>>>;
