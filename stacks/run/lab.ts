import type { ComponentResourceOptions, Input, Inputs, Resource } from "@pulumi/pulumi";
import type { GpuEnvironmentArgs, Taint } from "../../components";
import { suggestedEnd } from "../../components/core/faults";

/** A configuration key that only some labs use. */
interface LabKeyFacts {
  /** An example of its value. */
  readonly example: string;
  /** Why the learner must set it. */
  readonly whyNeeded: string;
}

export const labKeys = {
  node: {
    example: "ip-192-168-64-10.ap-northeast-2.compute.internal",
    whyNeeded: "The fault pins a pod to one node; kubectl get nodes shows the names.",
  },
  gpuProduct: {
    example: "NVIDIA-A10G",
    whyNeeded: "The remedy selects nodes by GPU model; kubectl get nodes -L nvidia.com/gpu.product shows it.",
  },
} as const satisfies Record<string, LabKeyFacts>;

export type LabKey = keyof typeof labKeys;

/** Something about a lab that can be turned on and off while it runs. */
export interface Toggle {
  /** What turning it on does, e.g. `NCCL blocked`. */
  readonly name: string;
  /** `key=value` strings merged over the stack's configuration, as `pulumi config set --path` reads them. */
  readonly config: readonly string[];
  /**
   * All that turning it on changes in the cloud, a line for each object: `create`, `delete`, `replace` or `update`, the
   * kind and the logical name, and for an update the inputs that change. Turning it off does the reverse.
   */
  readonly changes: readonly string[];
}

/** Values merged over the arguments of the environment, section by section. */
export type EnvironmentValues = Pick<
  GpuEnvironmentArgs,
  "nccl" | "gpuNodes" | "gpuOperator" | "gpuHealth" | "monitoring" | "transform"
>;

/** A form of a fault. */
export interface Variant extends Pick<Toggle, "name" | "changes"> {
  /** Arguments of the environment while it is on. @default none - it lies in the lab's own resources */
  readonly environment?: EnvironmentValues;
  /** Why it needs AWS. @default it runs where the lab runs */
  readonly notLocal?: string;
  /** Why it does not fail with EKS Auto Mode. @default it does */
  readonly refusedByAutoMode?: string;
}

/** The fault of a lab: `fault: on` injects it, `fault: off` removes it. */
interface Fault extends Variant {
  /** What else must be set while it is on. */
  readonly needs?: readonly LabKey[];
  /** Forms of the fault, by the value of the key `faultVariant`. The first is the fault itself. */
  readonly variants?: Readonly<Record<string, Variant>>;
  /** Whether mock GPUs fail while it is on, as `localCluster.failure` says. @default false - the GPUs stay healthy */
  readonly failsMockGpus?: boolean;
}

/** A way to fix the fault, to be tried while it is on. */
export interface Remedy extends Pick<Toggle, "changes"> {
  /** What it does, and what it needs. */
  readonly does: string;
  /** What else must be set with it. */
  readonly needs?: readonly LabKey[];
  /** Number of GPU nodes that it needs. @default none - as many as the lab */
  readonly gpuNodes?: number;
  /** Why it does not work with EKS Auto Mode. @default it works */
  readonly refusedByAutoMode?: string;
  /** Why it does not work with fake GPUs. @default it works */
  readonly refusedByFakeGpus?: string;
}

/**
 * How a local cluster comes to have GPUs: `fake` nodes exist only in its API, and `mock` is NVIDIA's mock of its driver.
 */
export const localGpus = ["fake", "mock"] as const;
export type LocalGpus = (typeof localGpus)[number];

/** A lab: its question, what it adds to the base environment, and its fault. */
export interface Lab {
  /** The question that the lab answers. */
  readonly question: string;
  /** What should happen. */
  readonly hypothesis: string;
  /** Shell commands that show what happens, in order. */
  readonly watch: readonly string[];
  /** Shell command that restores everything. */
  readonly restore: string;
  /** Length of a session, in minutes. */
  readonly minutes: number;
  /** Number of GPU nodes that a session needs. */
  readonly gpuNodes: number;
  /** Smallest `gpuNodes.maxSize`, replacements of nodes included. @default gpuNodes - no node is replaced */
  readonly leastMaxSize?: number;
  /** Default name of its cluster. Each lab has another, so that several labs can run at the same time. */
  readonly clusterName: string;
  /** What it needs in addition to the base environment, e.g. the GPU Operator. */
  readonly environment?: EnvironmentValues;
  readonly fault?: Fault;
  /** What else can be turned on and off. */
  readonly toggles?: readonly Toggle[];
  /**
   * What the fault changes on a local cluster, for each kind of GPUs with which the lab runs there, as in
   * {@link Toggle.changes}; or why the lab needs AWS.
   */
  readonly local: Readonly<Partial<Record<LocalGpus, readonly string[]>>> | string;
  /** Whether it can run in the cluster of another stack: it only adds to the cluster. @default false */
  readonly supportsSharedCluster?: boolean;
  /** Configuration keys that only this lab has. */
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
  /** Creates the resources that the lab adds, all of them inside the cluster, and returns what the stack exports of them. */
  readonly add?: (place: LabPlace) => Inputs;
}

/** Where a lab creates its resources: a cluster, and what is known about it. */
export interface LabPlace {
  /** The lab's name; logical names begin with it. */
  readonly name: string;
  /** Whether the fault is on. */
  readonly isFaulty: boolean;
  /** End of the fault. */
  readonly expires: string | undefined;
  /** Which form of the fault, if not the first. */
  readonly faultVariant: string | undefined;
  readonly node: string | undefined;
  readonly remedy: string | undefined;
  /** Model of the GPUs, as their nodes are labelled. */
  readonly gpuProduct: string | undefined;
  /** Namespace that the stack creates for the lab. */
  readonly namespace: Input<string>;
  /** Taints of the GPU nodes. */
  readonly taints: readonly Taint[];
  /** Whether the cluster has Prometheus with its operator. */
  readonly isMonitored: boolean;
  /** With the cluster's provider, and dependent on what the lab needs of the environment. */
  readonly options: ComponentResourceOptions;
  /** For `deletedWith`. Undefined where the cluster belongs to another stack, is local, or is protected from deletion. */
  readonly cluster: Resource | undefined;
  /** How the GPUs of a local cluster are simulated. Undefined on AWS. */
  readonly localGpus: LocalGpus | undefined;
}

/**
 * The GPU Operator of a lab whose pods wait for GPU nodes. A waiting pod gets the only GPU of a new node before the
 * validator's pod does, and the ClusterPolicy would stay notReady.
 */
export const operatorForWaitingPods = { enabled: true, validatorWorkload: false } as const;

/** Everything that can be turned on and off: the fault, its other variants, and the rest. */
export function togglesOf({ fault, toggles = [] }: Lab, now: Date): Toggle[] {
  if (!fault) return [...toggles];
  const { name, changes, needs, variants = {} } = fault;
  const config = ["fault=on", `expires=${suggestedEnd(now)}`, ...exampleOf(needs)];
  const [, ...others] = Object.entries(variants);
  return [
    { name, config, changes },
    ...others.map(([id, { name, changes }]) => ({ name, changes, config: [...config, `faultVariant=${id}`] })),
    ...toggles,
  ];
}

/** Settings of the keys that a fault or a remedy needs. */
export function exampleOf(needs: readonly LabKey[] = []): string[] {
  return needs.map((key) => `${key}=${labKeys[key].example}`);
}
