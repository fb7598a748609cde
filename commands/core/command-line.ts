import { parseArgs } from "node:util";
import type { Problem } from "../../components/core/problems";
import { nearest } from "../../components/core/suggest";
import { longName, type Given, type Options } from "./options";

/**
 * Parses the arguments. The problems are unknown options, missing, repeated or unexpected values, and more words than
 * the command takes.
 */
export function parseLine<O extends Options>(
  options: O,
  args: readonly string[],
  mostWords = 0,
): { readonly given: Given<O>; readonly words: readonly string[]; readonly problems: readonly Problem[] } {
  const named = Object.fromEntries(Object.entries(options).map(([key, option]) => [longName(key), option]));
  const known = args.filter((_, at) => !isUnknownValue(named, args, at));
  const tokens = tokensOf(named, known);
  const words = tokens.filter(({ kind }) => kind === "positional").slice(0, mostWords);
  const given: [string, unknown][] = [];
  const repeated: Problem[] = [];
  for (const [key, { kind }] of Object.entries(options)) {
    const path = `--${longName(key)}`;
    const values = tokens.filter(({ name }) => name === longName(key)).map(({ value }) => value);
    const texts = values.filter((value) => value !== undefined && value !== "");
    given.push([key, kind === "flag" ? values.length > 0 : kind === "list" ? texts : texts[0]]);
    if (kind !== "text") continue;
    const why = `Repeats ${path}, which takes one value.`;
    repeated.push(...values.slice(1).map((value) => optionProblem(path, value, why, "remove one of them")));
  }
  const others = tokens.filter((token) => !words.includes(token));
  return {
    given: Object.fromEntries(given) as Given<O>,
    words: words.map(({ value = "" }) => value),
    problems: [...others.flatMap((token) => tokenProblems(token, named)), ...repeated],
  };
}

interface Token {
  readonly kind: "option" | "positional" | "option-terminator";
  readonly name?: string;
  readonly rawName?: string;
  readonly value?: string | undefined;
}

function tokensOf(options: Options, args: string[]): readonly Token[] {
  const table = Object.entries(options).map(([name, { kind, short }]) => {
    const type = kind === "flag" ? "boolean" : "string";
    return [name, { type, ...(short !== undefined && { short }) }] as const;
  });
  return parseArgs({ args, options: Object.fromEntries(table), strict: false, tokens: true }).tokens;
}

/** Whether an argument is probably the value of the unknown option before it. Such a value is not a problem of its own. */
function isUnknownValue(options: Options, args: readonly string[], at: number): boolean {
  const value = args[at] ?? "";
  if (value.startsWith("-") || args.slice(0, at).includes("--")) return false;
  const [, dashes, name = ""] = /^(--?)([^=-][^=]*)$/.exec(args[at - 1] ?? "") ?? [];
  if (dashes === "-") return name.length === 1 && !Object.values(options).some(({ short }) => short === name);
  // A misspelt flag has no value.
  return dashes === "--" && !Object.hasOwn(options, name) && guessed(name, options)?.kind !== "flag";
}

const seeHelp = "run the command with --help for its options";

function tokenProblems({ kind, name = "", rawName, value }: Token, options: Options): Problem[] {
  if (kind === "positional") {
    return [optionProblem(value ?? "", undefined, "Unexpected argument.", optionFor(value, options))];
  }
  if (kind !== "option") return [];
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    return [optionProblem(rawName ?? "", undefined, "Unknown option.", unknownFix(name, options), "unknown-key")];
  }
  if (option.kind !== "flag" && !value) return [optionProblem(`--${name}`, value, "Requires a value.", seeHelp)];
  if (option.kind === "flag" && value !== undefined) {
    return [optionProblem(`--${name}`, value, "Does not take a value.", "remove the value")];
  }
  return [];
}

/** The option that an unknown one probably means: one of the command, or `region`, which other commands have. */
function guessOf(name: string, options: Options): string | undefined {
  return nearest(name, [...Object.keys(options), ...(Object.hasOwn(options, "stack") ? ["region"] : [])]);
}

function guessed(name: string, options: Options) {
  return options[guessOf(name, options) ?? ""];
}

function unknownFix(name: string, options: Options): string {
  const guess = guessOf(name, options);
  if (guess === undefined) return seeHelp;
  if (Object.hasOwn(options, guess)) return `did you mean --${guess}?`;
  if (Object.hasOwn(options, "config")) return "use --config aws:region=NAME";
  return "remove the option; to set the region of the stack, run pulumi config set aws:region NAME";
}

/** Which option probably takes a positional argument. */
function optionFor(argument = "", options: Options): string {
  const option = argument.includes("=") ? "config" : "stack";
  return Object.hasOwn(options, option) ? `write --${option} ${argument}` : seeHelp;
}

/** A problem of an argument, or of an option such as `--pack`. A flag has no value to show. */
export function optionProblem(
  path: string,
  got: unknown,
  why: string,
  fix: string,
  code: Problem["code"] = "not-allowed",
): Problem {
  return { code, path, got: got === true ? undefined : got, why, fix };
}
