import type { Doubt, Level, Scope } from "../evidence";
import type { Steps } from "../steps";

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
  /** No device plugin can advertise the GPUs of the node; `driver`: none that advertises all of them has the fault. */
  readonly stops?: "plugin" | "driver";
  /** The messages that show it. */
  readonly pattern: RegExp;
  /** `xid` is the meaning of the XID in the message. */
  readonly what: string | ((facts: { readonly xid: string }) => string);
  readonly next: Steps;
}

export type KnownCauses = Readonly<Record<string, KnownCause>>;
