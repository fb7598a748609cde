/**
 * - `component`: of this library, with a node group in it.
 * - `managed`, `self-managed`: a group of nodes between a minimum and a maximum.
 * - `sized`: such a group of another controller, of which rules read only the sizes.
 * - `request`: starts a number of instances with the next update.
 * - `reservation`: costs as much as its instances, which may run or not.
 * - `host`: a machine for instances, which costs money with or without them.
 * - `block`: paid in full when it is created.
 * - `tasks`: starts instances for tasks, without a limit.
 * - `pool`: Karpenter starts a fixed number of nodes with the next update, or nodes for pods up to its limits.
 * - `schedule`: sets the sizes of a group at a time.
 */
export type SourceKind =
  "component" | "managed" | "self-managed" | "sized" | "pool" | "schedule" | "tasks" | RequestKind;

/** The kinds without sizes. */
type RequestKind = "request" | "reservation" | "host" | "block";

/** How a type of resource starts or reserves instances, and the properties that describe them. */
export interface Source {
  readonly kind: SourceKind;
  /** The keys of the block with all other properties, of a custom resource. @default the resource itself */
  readonly within?: readonly string[];
  /** The properties that each hold a group of instances, or a list of them. @default it is one group */
  readonly parts?: readonly string[];
  /** A list of instance types, or one family. */
  readonly types?: string;
  /** One instance type. */
  readonly type?: string;
  /** Karpenter's requirements of a node. */
  readonly requirements?: string;
  /** Karpenter's limits of a pool. */
  readonly limits?: string;
  /** @default "taints" */
  readonly taints?: string;
  /** The effects of a taint: one that is soft, and those that repel pods. @default EKS's */
  readonly effects?: readonly [soft: string, ...hard: string[]];
  /** @default "labels" */
  readonly labels?: string;
  /** The subnets or zones: the first property that has a value, else the first. @default ["subnetIds"] */
  readonly places?: readonly string[];
  /** Whether the type is for GPUs only. */
  readonly isGpu?: true;
  /** The market of all instances. @default another property, or the launch template, tells it */
  readonly market?: Market;
  /** The property with the market. @default "capacityType" for a component or a managed group */
  readonly capacity?: string;
  /** Whether its vCPUs do not count against the quotas of EC2, or are those of another resource. */
  readonly isUncounted?: true;
  /** Whether its instances have other prices than those of EC2. */
  readonly isPricedApart?: true;
  /** Of a group. */
  readonly sizes?: Sizes;
  /** Whether a group of EKS always has the default update strategy. */
  readonly hasNoStrategy?: true;
  /** The block with the warm pool of a group. @default "warmPool" */
  readonly warmPool?: string;
  /** Whether the sizes are numbers of vCPUs. */
  readonly isInVcpus?: true;
  /** The properties with the number of instances, or of weighted units: the first that has a value. @default one instance */
  readonly count?: readonly string[];
  /** The number without a value. @default none */
  readonly countDefault?: number;
}

export type Market = "on-demand" | "spot";

/** The properties with the sizes of a group, and their limits and defaults. */
export interface Sizes {
  readonly min: string;
  readonly desired: string;
  readonly max: string;
  /** The smallest maximum that AWS accepts. */
  readonly smallestMax: 0 | 1;
  /** The sizes of a group without values. */
  readonly defaults?: { readonly min: number; readonly desired: number; readonly max: number };
  /** The value that leaves a size as it is. */
  readonly unchanged?: number;
}
