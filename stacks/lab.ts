import type { ComponentResourceOptions, Input, Inputs, Resource } from "@pulumi/pulumi";
import type { GpuEnvironmentArgs, Taint } from "../components";
import { inDays } from "../components/core/expiry";

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
  /** What else must be set while it is on, with an example of each: `{ node: "ip-192-168-64-10.internal" }`. */
  readonly needs?: Partial<Record<LabKey, string>>;
}

/** Configuration keys that belong to single labs. */
export type LabKey = "node";

/** A lab: what it asks, what it adds to the base environment, and the accident that it brings about. */
export interface Lab {
  /** The question that a learner answers with it. */
  readonly question: string;
  /** What should happen. */
  readonly hypothesis: string;
  /** What to look at, in this order: commands. */
  readonly watch: readonly string[];
  /** How everything is put right again. */
  readonly restore: string;
  /** How long a session takes, in minutes. */
  readonly minutes: number;
  /** How many GPU nodes a session needs. */
  readonly gpuNodes: number;
  /** What it needs of the environment beyond the base, e.g. the GPU Operator. */
  readonly environment?: EnvironmentValues;
  readonly fault?: Fault;
  /** What else can be switched on and off. */
  readonly switches?: readonly Switch[];
  /** Whether it can run in the cluster of another stack: it adds to the cluster, and leaves what is under it alone. */
  readonly mayBorrow?: boolean;
  /** Configuration keys of its own. */
  readonly keys?: readonly LabKey[];
  /** Remedies to try while the fault is on, by the value of the key `remedy`, with what each does. */
  readonly remedies?: Readonly<Record<string, string>>;
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
  const needs = Object.entries(fault.needs ?? {}).map(([key, example]) => `${key}=${example}`);
  const config = ["fault=on", `expires=${usualEnd(now)}`, ...needs];
  return [{ name: fault.name, config, changes: fault.changes }, ...switches];
}
