import type { OwnObject } from "./own-objects";
import type { ChangeRequest, RunningEnvironment } from "./running-environment";
import type { RunningGroup, RunningPart, ScaledGroup, SecondGroups, Section } from "./running-group";

/** What the GPU nodes of one node group need. */
export interface NodeRequest {
  readonly clusterName: string;
  /** The zones of the environment, in order. @default the first three zones of the region */
  readonly zones?: readonly string[];
  readonly instanceType: string;
  readonly azIndex: number;
  readonly maxSize: number;
  readonly vcpusPerNode: number;
  /**
   * Service Quotas code of the vCPU quota of the GPU instance type, such as L-DB2E81BA for G and VT on demand; none for
   * Capacity Blocks.
   */
  readonly quotaCode?: string;
  /** What a GPU node takes of its subnet: at least this many addresses. */
  readonly addressesPerNode?: number;
  /** The existing subnet of the GPU nodes; none if the environment creates it. */
  readonly gpuSubnetId?: string;
  /** The command that requests the nodes, e.g. `gpu up`. @default none: `gpuNodes.maxSize` of the configuration does */
  readonly command?: string;
  /** The node group of the nodes. @default the GPU node groups of the environment, whose names have a common prefix */
  readonly nodeGroupName?: string;
  /** The NodePool of the nodes; `*` stands for a beginning that is not known. @default none: they are those of a node group */
  readonly nodePool?: string;
}

/** The capacity that an environment needs from a region and an account. */
export interface CapacityRequest extends NodeRequest {
  readonly admins: readonly string[];
  readonly systemInstanceType: string;
  /** The log group that the environment creates for the control plane; none without control plane logs. */
  readonly logGroupName?: string;
  /** The alias of the key that the environment creates; none with a key of your own. */
  readonly keyAliasName?: string;
  /** The existing KMS key for Kubernetes Secrets. */
  readonly secretsKeyArn?: string;
  /** Those of the lease. One that is not known yet is not a text. */
  readonly alarmTopicArns?: readonly unknown[];
  /** The node groups whose desired size Pulumi does not manage. */
  readonly scaledGroups?: readonly ScaledGroup[];
  /** What is compared with an environment that exists. Without it, the changes of an environment are not checked. */
  readonly change?: ChangeRequest;
  /** Kubernetes minor of the control plane. */
  readonly kubernetesVersion?: string;
  /** The blocks that may reach the Kubernetes API from the internet. */
  readonly publicAccessCidrs?: readonly string[];
  /** The AMI releases that nodes run. */
  readonly images?: readonly WantedImage[];
  /** The add-ons of the environment. */
  readonly addons?: readonly WantedAddon[];
}

/** An AMI release of a node group. */
export interface WantedImage {
  /** The argument that contains it, e.g. `gpuNodes.releaseVersion`. */
  readonly path: string;
  /** E.g. `1.35.8-20260930`. */
  readonly release: string;
  /** The folder of the public SSM parameters of this release. */
  readonly name: string;
  /** The SSM parameter with the newest release of this AMI family. */
  readonly newest: string;
}

/** An add-on of EKS. */
interface WantedAddon {
  readonly name: string;
  /** Exact version. @default EKS's default for the Kubernetes version */
  readonly version?: string;
}

/** What counts against the vCPU quota of the GPU instance type, outside the GPU node group of the environment. */
export interface VcpuUse {
  /** vCPUs of pending and running instances. */
  readonly running: number;
  /** Other node groups that can start more nodes, with the vCPUs of these; unknown in a preview. */
  readonly mayStart?: readonly { readonly group: string; readonly vcpus: number }[];
}

/** What AWS publishes about an AMI release. */
export interface PublishedImage {
  readonly exists: boolean;
  /** The release of that date, e.g. `1.35.8-20260930`, if it could be read. */
  readonly release?: string;
}

/** The subnet in which GPU nodes start. */
interface GpuSubnet {
  /** Of several subnets, all, separated by commas. */
  readonly id: string;
  readonly freeAddresses: number;
}

/** Whether IAM allows an action on every resource. `boundary`: a permissions boundary or a policy of the organization denies it. */
export interface ActionDecision {
  readonly action: string;
  readonly decision: "allowed" | "denied" | "boundary" | "not-granted";
}

/** The answers of AWS. A part that cannot be read is missing; its checks are skipped. */
export interface PreflightFacts {
  readonly zones?: readonly string[];
  /** Zones by the instance type that they offer. */
  readonly offerings?: Readonly<Record<string, readonly string[]>>;
  readonly quotaVcpus?: number;
  /** ARN of the IAM role or user that runs the program. */
  readonly callerArn?: string;
  /** The AWS account of the caller. */
  readonly account?: string;
  readonly clusterNames?: readonly string[];
  /** The provider's region. */
  readonly region?: string;
  /** What the state of the stack has. */
  readonly own?: readonly OwnObject[];
  /** What has a name of the environment and is not in the state. */
  readonly namesakes?: readonly Namesake[];
  /** The node groups and add-ons of the cluster; a preview cannot read the status of add-ons. */
  readonly parts?: { readonly groups?: readonly RunningPart[]; readonly addons?: readonly RunningPart[] };
  /** The existing `ScaledGroup`s, by section. */
  readonly runningGroups?: Readonly<Partial<Record<Section, RunningGroup | undefined>>>;
  readonly vcpuUse?: VcpuUse;
  /** By `WantedImage.name`. */
  readonly images?: Readonly<Record<string, PublishedImage>>;
  /** By add-on: the versions that support the Kubernetes version, the newest first. Empty: there is none. */
  readonly addonVersions?: Readonly<Record<string, readonly string[]>>;
  /** The public address from which the caller reaches the internet. */
  readonly callerAddress?: string;
  readonly gpuSubnet?: GpuSubnet;
  /** The actions that the environment needs. */
  readonly permissions?: readonly ActionDecision[];
  /** The environment that the update would change. */
  readonly running?: RunningEnvironment;
  /** Sections with several node groups, of which an interrupted update may have left one. */
  readonly secondGroups?: readonly SecondGroups[];
  /** Addresses and launch templates of the stack, of which an interrupted update may have left one. */
  readonly secondObjects?: readonly SecondObjects[];
  /** What the state of the stack does not know; a program cannot read its state. */
  readonly leftovers?: readonly Leftover[];
}

/** The kinds of objects whose names an environment fixes. */
export type FixedKind = "cluster" | "log group" | "key alias";

/** An object with a name that the environment needs. */
export interface Namesake {
  readonly kind: FixedKind;
  readonly name: string;
  /** An ISO date. */
  readonly created?: string;
  /** @default not known: aliases have none */
  readonly tags?: Readonly<Record<string, string>>;
}

/** Objects of a stack with one logical name, of which its state knows one. */
export interface SecondObjects {
  readonly kind: "elastic address" | "launch template";
  /** The logical name. */
  readonly name: string;
  readonly ids: readonly string[];
}

/** An object in AWS with the tags of the stack that its state does not know. */
export interface Leftover {
  /** E.g. `node group`. */
  readonly kind: string;
  readonly id: string;
  readonly logicalName?: string;
  /** With what is deleted with it, such as the nodes of a node group; undefined if a price is not known. */
  readonly usdPerDay?: number;
  /** Adopts or removes it. */
  readonly command: string;
}
