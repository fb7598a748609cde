import type { ComponentResourceOptions, Input, Inputs, Resource } from "@pulumi/pulumi";
import type { GpuEnvironmentArgs, Taint } from "../../components";
import { inDays } from "../../components/core/faults";
import { labKeys, type LabKey } from "./lab-keys";

/** Something about a lab that is switched on and off while it runs. */
export interface Switch {
  /** What turning it on does, e.g. `NCCL blocked`. */
  readonly name: string;
  /** `key=value` texts laid over the stack's configuration, as `pulumi config set --path` reads them. */
  readonly config: readonly string[];
  /**
   * All that turning it on changes in the cloud, a line for each object: `create`, `delete`, `replace` or `update`, the
   * kind and the logical name, and for an update the inputs that change. Turning it off does the reverse.
   */
  readonly changes: readonly string[];
}

/** Values laid over the arguments of the environment, section by section. */
export type EnvironmentValues = Pick<GpuEnvironmentArgs, "nccl" | "gpuOperator" | "gpuHealth" | "monitoring">;

/** The accident of a lab, which `fault: on` brings about and `fault: off` takes back. */
export interface Fault extends Pick<Switch, "name" | "changes"> {
  /** Where the accident lies in the environment itself: its arguments while the fault is on. */
  readonly environment?: EnvironmentValues;
  /** What else must be set while it is on. */
  readonly needs?: readonly LabKey[];
}

/** A way out, to be tried while the fault is on. */
export interface Remedy extends Pick<Switch, "changes"> {
  /** What it does, and what it takes. */
  readonly does: string;
  /** What else must be set with it. */
  readonly needs?: readonly LabKey[];
  /** How many GPU nodes it takes. @default none - as many as the lab */
  readonly gpuNodes?: number;
}

/** A lab: what it asks, what it adds to the base environment, and the accident that it brings about. */
export interface Lab {
  /** The question that a learner answers with it. */
  readonly question: string;
  /** What should happen. */
  readonly hypothesis: string;
  /** What to look at, in this order: commands for a shell. */
  readonly watch: readonly string[];
  /** How everything is put right again: a line for a shell. */
  readonly restore: string;
  /** How long a session takes, in minutes. */
  readonly minutes: number;
  /** How many GPU nodes a session needs. */
  readonly gpuNodes: number;
  /** For how many the group must have room, the successors of nodes that are replaced among them. @default gpuNodes */
  readonly roomForGpuNodes?: number;
  /** What it needs of the environment beyond the base, e.g. the GPU Operator. */
  readonly environment?: EnvironmentValues;
  readonly fault?: Fault;
  /** What else can be switched on and off. */
  readonly switches?: readonly Switch[];
  /** Whether it can run in the cluster of another stack: it adds to the cluster, and leaves what is under it alone. */
  readonly mayBorrow?: boolean;
  /** Configuration keys of its own. */
  readonly keys?: readonly LabKey[];
  /** By the value of the key `remedy`. */
  readonly remedies?: Readonly<Record<string, Remedy>>;
  /**
   * Which pods the lab's namespace admits.
   *
   * @default "restricted"
   * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
   */
  readonly podSecurity?: "privileged" | "restricted";
  /** The resources beside the environment, and what a stack exports of them; all of them inside the cluster. */
  readonly add?: (place: LabPlace) => Inputs;
}

/** Where a lab makes its resources: a cluster, and what is known of it. */
export interface LabPlace {
  /** The lab's name; logical names begin with it. */
  readonly name: string;
  /** Whether the fault is on. */
  readonly isFaulty: boolean;
  /** The day until which the fault is meant. */
  readonly expires: string | undefined;
  readonly node: string | undefined;
  readonly remedy: string | undefined;
  /** Model of the GPUs, as their nodes are labelled. */
  readonly gpuProduct: string | undefined;
  /** Name of the namespace that the stack makes for the lab. */
  readonly namespace: Input<string>;
  /** Of the GPU nodes. */
  readonly taints: readonly Taint[];
  /** Whether the cluster has Prometheus with its operator. */
  readonly isMonitored: boolean;
  /** With the cluster's provider, after what the lab needs of the environment. */
  readonly options: ComponentResourceOptions;
  /** Undefined where the cluster belongs to another stack. */
  readonly cluster: Resource | undefined;
}

/** A day on which a fault may well end. */
export function usualEnd(now: Date): string {
  return inDays(7, now);
}

/** All that can be switched on and off, the fault first. */
export function switchesOf({ fault, switches = [] }: Lab, now: Date): Switch[] {
  if (!fault) return [...switches];
  const config = ["fault=on", `expires=${usualEnd(now)}`, ...exampleOf(fault.needs)];
  return [{ name: fault.name, config, changes: fault.changes }, ...switches];
}

/** Settings of the keys that a fault or a remedy needs. */
export function exampleOf(needs: readonly LabKey[] = []): string[] {
  return needs.map((key) => `${key}=${labKeys[key].example}`);
}
