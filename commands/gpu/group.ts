import type { AccountPlace } from "../../aws/aws-error";
import { awsClients, type Aws, type Endpoint } from "../../aws/clients";
import { countOf, shellText } from "../../components/core/text";
import type { CapacityType, Volume } from "../../components/cost/cost-lines";
import { instanceType } from "../../components/nodes/machine/instance-types";

/** A managed node group, or a NodePool of Karpenter or EKS Auto Mode. */
export interface GroupReference extends Pick<AccountPlace, "region" | "profile"> {
  readonly cluster: string;
  readonly group: string;
  /** Whether it is a NodePool: pods start its nodes, up to a limit. */
  readonly isPool?: boolean;
  /** The stack whose outputs name the group. Undefined if the command line does. */
  readonly stack?: string;
}

/** The number of nodes that a group may and should have; of a NodePool, its limit of GPUs. */
export interface GroupSizes {
  readonly min: number;
  readonly max: number;
  readonly desired: number;
}

/** A node group as EKS describes it, or a NodePool as its cluster does. */
export interface Group extends GroupReference {
  /** E.g. `ACTIVE`, `UPDATING`, `DEGRADED`. */
  readonly status: string;
  readonly sizes: GroupSizes;
  readonly capacityType: CapacityType;
  /** Empty if the launch template states the type. */
  readonly instanceTypes: readonly string[];
  readonly amiType?: string;
  /** The subnets in which its nodes start. */
  readonly subnetIds: readonly string[];
  readonly arn?: string;
  /** The path of the node class of a NodePool in the Kubernetes API. */
  readonly nodeClass?: string;
  readonly launchTemplate?: { readonly id: string; readonly version: string };
  /** Of the root volume; undefined in a group with a launch template, which states it. */
  readonly diskSizeGiB?: number;
  /** The volumes of each node. Undefined if they could not be read: then its price does not contain them. */
  readonly volumes?: readonly Volume[];
  readonly autoScalingGroups: readonly string[];
  /** What EKS reports as wrong with it, with codes such as `AsgInstanceLaunchFailures`. */
  readonly issues: readonly {
    readonly code: string;
    readonly message: string;
    readonly resources: readonly string[];
  }[];
}

/** An instance of the group, or a NodeClaim of the NodePool. It costs money in each state. */
export interface Instance {
  readonly id: string;
  readonly type: string;
  readonly zone: string;
  readonly state: "starting" | "running" | "stopping";
  /** The state as EC2 Auto Scaling names it, e.g. `Pending:Wait`. */
  readonly lifecycle: string;
  /** When a NodeClaim was created, in ISO 8601. For instances of a group, the activities state it. */
  readonly since?: string;
}

/** An attempt of EC2 Auto Scaling to start or stop an instance. */
export interface Activity {
  readonly id: string;
  /** E.g. `Successful` or `Failed`. */
  readonly status: string;
  /** E.g. `Launching a new EC2 instance: i-0123456789abcdef0`. */
  readonly description: string;
  /** Why it failed; empty if it did not. */
  readonly message: string;
  /** When it started, in ISO 8601. */
  readonly at?: string;
}

/** What could not be read, and what to do about it. */
export interface Unread {
  readonly what: "instances" | "activities" | "launch template" | "node class" | "nodes" | "pods" | "lease";
  readonly why: string;
  readonly fix: string;
}

export function groupClients(at: GroupReference, other?: Endpoint): Aws {
  const list = `aws eks list-nodegroups ${awsOptions(at)} --cluster-name ${shellText([at.cluster])}`;
  return awsClients({ ...at, page: "docs/sessions.md", missingFix: `check the region and the names: ${list}` }, other);
}

/** `node group myeks/gpu in ap-northeast-2`. */
export function subjectOf(at: GroupReference): string {
  return `${at.isPool ? "NodePool" : "node group"} ${groupText(at)}`;
}

/** `desired size 2`, or `a limit of 2 GPUs`. */
export function sizeText({ isPool }: GroupReference, desired: number): string {
  if (!isPool) return `desired size ${desired}`;
  return desired === Infinity ? "no limit" : `a limit of ${countOf(desired, "GPU")}`;
}

/** Whether EKS itself starts the nodes: no Karpenter runs in the cluster. */
export function isAutoMode({ nodeClass = "" }: Group): boolean {
  return nodeClass.startsWith("/apis/eks.amazonaws.com/");
}

/** How many nodes of a type this size allows: that of a NodePool counts GPUs. */
export function nodesOf({ isPool }: GroupReference, type: string, size: number): number {
  return isPool ? Math.floor(size / (instanceType(type)?.gpus || 1)) : size;
}

/** `myeks/gpu in ap-northeast-2`. */
export function groupText({ cluster, group, region }: GroupReference): string {
  return `${cluster}/${group} in ${region}`;
}

/**
 * A command of this tool for a group. With `--stack` it has the credentials and the account of the stack, and `down` removes
 * the end of the session.
 */
export function gpuCommand(action: "down" | "status", at: GroupReference): string {
  const { cluster, group, region, profile, stack, isPool } = at;
  const command = ["npx", "eks-gpu-lab", "gpu", action];
  if (stack !== undefined) return shellText([...command, "--stack", stack]);
  if (isPool) return shellText(command);
  const credentials = profile === undefined ? "" : `AWS_PROFILE=${shellText([profile])} `;
  return `${credentials}${shellText([...command, "--region", region, "--cluster", cluster, "--nodegroup", group])}`;
}

/** The options of a command of the AWS CLI: where it asks, and with which credentials. */
export function awsOptions({ region, profile }: Pick<GroupReference, "region" | "profile">): string {
  return shellText(["--region", region, ...(profile === undefined ? [] : ["--profile", profile])]);
}
