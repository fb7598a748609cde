/** How sure a finding is at most; without it, the evidence alone decides. No check can say that it is certain. */
export type Doubt = "likely" | "possible" | undefined;

/**
 * A command to run next, after the reason to run it; `=!>` marks one that changes the cluster or a node. `{node}`, `{pod}`,
 * `{shell}` and the other places are filled in for each finding.
 */
export type Step = `${string} => ${string}` | `${string} =!> ${string}`;

/** Steps in their order, without those that do not apply. */
export type StepList = readonly (Step | undefined)[];
export type Steps = Step | StepList;

/** A fault that a message names: what it looks like, what it means, what to do, and what it stops. */
export interface KnownCause {
  /** The check that reports it. @default pod for a workload, else inside */
  readonly layer?: "node" | "daemonset";
  /** Other programs print such messages, too: they count only in a component of the GPU stack. */
  readonly from?: "component";
  /** The object that has the fault: one node has one finding, however many of its pods report it. @default pod */
  readonly of?: "node";
  /** No device plugin can advertise the GPUs of the node; `driver`: none that advertises all of them has the fault. */
  readonly stops?: "plugin" | "driver";
  /** How sure the best evidence makes it. @default certain */
  readonly atMost?: Doubt;
  /** The messages that show it. */
  readonly pattern: RegExp;
  /** The first clause is its meaning in the list of conclusions. `{xid}` stands for the meaning of the XID in the message. */
  readonly what: string;
  readonly next: Steps;
}

export type KnownCauses = Readonly<Record<string, KnownCause>>;
