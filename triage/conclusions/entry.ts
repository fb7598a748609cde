/** One fact about one object. */
export interface Evidence {
  /** As kubectl takes it, e.g. `node/ip-10-0-0-1` or `-n gpu-lab pod/probe`. */
  readonly object: string;
  /** E.g. `status.allocatable[nvidia.com/gpu]` or `event FailedScheduling`. */
  readonly field: string;
  readonly value: string;
  /** Since when, or when last observed, if the object has a time. */
  readonly at?: string | undefined;
}

/** The objects that a finding applies to. */
export interface Scope {
  /** E.g. `pod gpu-lab/probe`. */
  readonly subject: string;
  /** Nodes by name. */
  readonly nodes: readonly string[];
  /** Pods as `namespace/name`. */
  readonly pods: readonly string[];
}

/** A notice is not a fault. */
export type Level = "problem" | "notice";

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

/** A command to run next. */
export interface NextStep {
  readonly why: string;
  readonly command: string;
  /** Whether the command changes the cluster or a node. Triage itself runs none of them. */
  readonly changes?: true;
}

export function listOf(steps: Steps): StepList {
  return typeof steps === "string" ? [steps] : steps;
}

/**
 * The steps with their places filled in. A step with an unknown place is left out. The last arrow counts: a reason may
 * contain a text of the cluster, such as a taint, and a command only checked names.
 */
export function nextSteps(steps: Steps, places: Readonly<Record<string, string | undefined>> = {}): NextStep[] {
  return listOf(steps).flatMap((step) => {
    if (step === undefined) return [];
    const [, why = "", mark, text = ""] = /^([^]*) =(!?)> ([^]*)$/.exec(step) ?? [];
    const isUnknown = Object.keys(places).some((name) => places[name] === undefined && text.includes(`{${name}}`));
    const command = text.replace(/\{(\w+)\}/g, (written, name: string) => places[name] ?? written);
    return isUnknown ? [] : [{ why, command, ...(mark === "!" && { changes: true as const }) }];
  });
}

/**
 * All that triage says about one conclusion. A check returns the id of the entry, the scope, the evidence, and the facts
 * that the texts name; a text that names facts is a function of them and of the scope.
 */
export interface Entry {
  /** One clause for the list of conclusions. @default the first clause of `what` */
  readonly meaning?: string;
  /** @default problem */
  readonly level?: Level;
  /** How sure the best evidence makes it. @default certain */
  readonly atMost?: Doubt;
  /** What is wrong, in a few sentences. */
  readonly what: string | ((facts: never) => string);
  readonly next: Steps | ((facts: never) => Steps);
}

export type Entries = Readonly<Record<string, Entry>>;

type Wanted<Text> = Extract<Text, (facts: never) => unknown> extends (facts: infer Facts) => unknown ? Facts : unknown;

/** What a check must return for the texts of an entry, besides the scope. */
export type FactsOf<E extends Entry> = Omit<Wanted<E["what"]> & Wanted<E["next"]>, keyof Scope>;

/** One of several reasons that a message names. */
export interface Cause {
  readonly pattern: RegExp;
  readonly what: string;
  readonly next?: Steps;
}

/** The first cause that one of the messages names. */
export function causeIn<C extends Cause>(causes: readonly C[], ...messages: readonly string[]): C | undefined {
  return causes.find(({ pattern }) => messages.some((message) => pattern.test(message)));
}

/** A conclusion that a message names. */
export interface KnownCause extends Entry {
  /** The check that reports it. @default pod for a workload, else inside */
  readonly layer?: "node" | "daemonset";
  /** Other programs print such messages, too: they count only in a component of the GPU stack. */
  readonly from?: "component";
  /** The object that has the fault: one node has one finding, however many of its pods report it. @default pod */
  readonly of?: "node";
  /**
   * 2: it names the cause only if no message of rank 1 is in the same pod. 3: it says only that something ended, and counts
   * only if nothing else does. @default 1
   */
  readonly rank?: 2 | 3;
  /** The GPU has too little memory. A container that the kernel killed ended for another reason. */
  readonly isGpuMemory?: true;
  /** The programs and versions whose sources or logs have the texts, e.g. `vLLM 0.6.6 to 0.33.0`. */
  readonly seen?: string;
  /** How the source has it, if the program puts the text together while it runs. @default pattern */
  readonly inSource?: RegExp;
  /** Where the program's documentation describes it. */
  readonly source?: string;
  /** No device plugin can advertise the GPUs of the node; `driver`: none that advertises all of them has the fault. */
  readonly stops?: "plugin" | "driver";
  /** The messages that show it. */
  readonly pattern: RegExp;
  /** `xid` is the meaning of the XID in the message. */
  readonly what: string | ((facts: { readonly xid: string }) => string);
  readonly next: Steps;
}

export type KnownCauses = Readonly<Record<string, KnownCause>>;

type ProgramText = Required<Pick<KnownCause, "seen" | "source">>;

/** Causes in messages of programs whose versions were read. */
export type ProgramCauses = Readonly<Record<string, KnownCause & ProgramText>>;

/** One line of a program can be old, or have another reason. */
export function readIn(seen: string, source: string, more: Pick<KnownCause, "isGpuMemory"> = {}) {
  return { atMost: "likely", seen, source, ...more } as const;
}
