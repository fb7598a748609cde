import type { ConclusionId } from "../../triage/conclusions";
import type { GpuNode, Manifest } from "./manifests";
import type { NodeChange } from "./node-state";

/** Where a drill takes place. */
export interface Site {
  readonly target: GpuNode;
  /** The most GPUs, and the most CPUs, that one node of the cluster offers. */
  readonly maxGpus: number;
  readonly maxCpus: number;
  /** The values of the label `nvidia.com/gpu.product`. */
  readonly products: readonly string[];
  /** Whether pods can claim devices: see `claimsApi`. */
  readonly hasClaims: boolean;
}

/** What a scenario changes. Everything is undone in the same way: see node-state.ts and live/restore.ts. */
export interface Injection {
  readonly node?: NodeChange;
  /** Objects in the namespace of the drill, created in this order. A pod that others follow must get a node first. */
  readonly objects?: readonly Manifest[];
  /** A merge patch of a Deployment, sent when its pods are available. */
  readonly update?: { readonly deployment: string; readonly body: unknown };
  /**
   * How the symptom shows: a pod `server` that waits for a gate, for long, runs or restarts; or the node.
   * @default it is rejected
   */
  readonly appears?: "gated" | "stuck" | "running" | "restarting" | "node";
}

/** A failure for the learner to diagnose. */
export interface Scenario {
  /** Stable: `--scenario` takes it. It gives the answer away. */
  readonly id: string;
  /** The right diagnosis. Each scenario has one of its own. */
  readonly conclusion: ConclusionId;
  /** What learners call it, in addition to the words of the conclusion. */
  readonly words: string;
  /** A diagnosis that is also right if triage draws it as a root cause, because it depends on the rest of the cluster. */
  readonly also?: readonly ConclusionId[];
  /** Wrong diagnoses that fit the symptom. @default those of the other scenarios that do not state theirs */
  readonly wrong?: readonly ConclusionId[];
  /** The sites that it works on. @default every GPU node */
  readonly needs?: {
    readonly text: string;
    readonly accepts: (site: Pick<Site, "target" | "hasClaims">) => boolean;
  };
  /** The text for the learner. `subject` is the name of the pod or node. */
  readonly symptom: (subject: string) => string;
  readonly injection: (site: Site) => Injection;
  /** Where to look, what to look at, and nearly the answer. */
  readonly hints: (site: Site) => readonly [string, string, string];
  /** What would show this failure: the feedback to a learner who suspects it where it is not. */
  readonly sign: string;
  readonly cause: (site: Site) => string;
  readonly repair: (site: Site) => readonly string[];
}
