import type { Rule } from "./rule";

/** As in a policy configuration file. No rule here changes a resource, so `remediate` means `mandatory`. */
export type Level = "mandatory" | "advisory" | "disabled";

/** A set of rules, each with its level. Make one with `pack()`. */
export interface Pack<R extends Rule = Rule> {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly rules: readonly PackRule<R>[];
  /** Names of the rules that it leaves out of the pack from which it starts. @default none */
  readonly leftOut?: readonly string[];
}

/** A rule of a pack. */
export interface PackRule<R extends Rule = Rule> {
  readonly rule: R;
  readonly level: Level;
  /** Address or path of a page about the rule. @default none */
  readonly page?: string;
}

/** The line below a finding with the page of its rule; none without one. */
export function pageLines({ page }: { readonly page?: string | undefined }): string[] {
  return page === undefined ? [] : [`more: ${page}`];
}
