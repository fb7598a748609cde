import { parseArgs } from "node:util";
import { refuse, type Problem } from "../components/core/problems";
import { nearest } from "../components/core/suggest";

/** The options of a command, in the form of `node:util`. */
export type Options = Readonly<
  Record<string, { readonly type: "string" | "boolean"; readonly short?: string; readonly multiple?: boolean }>
>;

/** A parsed command line. */
export interface CommandLine {
  /** The value of an option. */
  text(option: string): string | undefined;
  /** The values of a repeatable option. */
  texts(option: string): readonly string[];
  flag(option: string): boolean;
  /**
   * Rejects the command line if it has problems of its own, or `more`. With problems of its own, a missing option may only be
   * misspelt, and is no further problem.
   *
   * @throws InputError with all problems
   */
  refuse(more?: readonly Problem[]): void;
}

/**
 * Reads a command line. Its problems are kept for `refuse`: unknown options, missing, repeated or unexpected values, and
 * positional arguments.
 */
export function readCommandLine(options: Options, args: readonly string[]): CommandLine {
  const known = args.filter((_, at) => !isUnknownValue(options, args, at));
  const { values, tokens } = parseArgs({ args: known, options, strict: false, tokens: true });
  const problems = [...tokens.flatMap((token) => tokenProblems(token, options)), ...repetitions(tokens, options)];
  return {
    refuse: (more = []) => {
      const isParsed = problems.length === 0;
      refuse("the command line", [...problems, ...more.filter(({ code }) => isParsed || code !== "missing")]);
    },
    text: (option) => {
      const value = values[option];
      return typeof value === "string" && value !== "" ? value : undefined;
    },
    texts: (option) => [values[option] ?? []].flat().map(String),
    flag: (option) => values[option] === true,
  };
}

/** Separates the words from the options, in any order. */
export function separateWords(
  options: Options,
  args: readonly string[],
): { readonly words: readonly string[]; readonly rest: readonly string[] } {
  const isWord = (arg: string, at: number) =>
    !arg.startsWith("-") && !takesValue(options, args[at - 1] ?? "") && !isUnknownValue(options, args, at);
  return { words: args.filter(isWord), rest: args.filter((arg, at) => !isWord(arg, at)) };
}

function takesValue(options: Options, arg: string): boolean {
  return Object.entries(options).some(
    ([name, { type, short }]) =>
      type === "string" && (arg === `--${name}` || (short !== undefined && arg === `-${short}`)),
  );
}

/** Whether an argument is probably the value of the unknown option before it. Such a value is no problem of its own. */
function isUnknownValue(options: Options, args: readonly string[], at: number): boolean {
  const value = args[at] ?? "";
  if (value.startsWith("-") || args.slice(0, at).includes("--")) return false;
  const [, dashes, name = ""] = /^(--?)([^=-][^=]*)$/.exec(args[at - 1] ?? "") ?? [];
  if (dashes === undefined) return false;
  return dashes === "-" ? isUnknownShort(name, options) : isUnknownLong(name, options);
}

function isUnknownShort(name: string, options: Options): boolean {
  return name.length === 1 && !Object.values(options).some(({ short }) => short === name);
}

/** Without a misspelt flag, which has no value. */
function isUnknownLong(name: string, options: Options): boolean {
  const guess = guessOf(name, options);
  return !Object.hasOwn(options, name) && (guess === undefined || options[guess]?.type !== "boolean");
}

const seeHelp = "run the command with --help for its options";

interface Token {
  readonly kind: "option" | "positional" | "option-terminator";
  readonly name?: string;
  readonly rawName?: string;
  readonly value?: string | undefined;
}

function tokenProblems({ kind, name = "", rawName, value }: Token, options: Options): Problem[] {
  if (kind === "positional")
    return [optionProblem("options", value, "Unexpected argument.", optionFor(value, options))];
  if (kind !== "option") return [];
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    return [optionProblem("options", rawName, "Unknown option.", unknownFix(name, options))];
  }
  if (option.type === "string" && !value) return [optionProblem(`--${name}`, value, "Requires a value.", seeHelp)];
  if (option.type === "boolean" && value !== undefined) {
    return [optionProblem(`--${name}`, value, "Does not take a value.", "remove the value")];
  }
  return [];
}

/** The option that an unknown one probably means: one of the command, or `region`, which other commands have. */
function guessOf(name: string, options: Options): string | undefined {
  return nearest(name, [...Object.keys(options), ...(Object.hasOwn(options, "stack") ? ["region"] : [])]);
}

function unknownFix(name: string, options: Options): string {
  const guess = guessOf(name, options);
  if (guess === undefined) return seeHelp;
  if (Object.hasOwn(options, guess)) return `did you mean --${guess}?`;
  if (Object.hasOwn(options, "config")) return "use --config aws:region=NAME";
  return "the region is that of the stack: run pulumi config set aws:region NAME";
}

/** The second and later values of an option that takes one. */
function repetitions(tokens: readonly Token[], options: Options): Problem[] {
  const single = tokens.filter(
    ({ name = "" }) => Object.hasOwn(options, name) && options[name]?.type === "string" && !options[name].multiple,
  );
  return single.flatMap(({ name, value }, index): Problem[] => {
    const isFirst = single.findIndex((other) => other.name === name) === index;
    const why = `Repeats --${name}, which takes one value.`;
    return isFirst ? [] : [optionProblem(`--${name}`, value, why, "remove one of them")];
  });
}

/** Which option probably takes a positional argument. */
function optionFor(argument = "", options: Options): string {
  const option = argument.includes("=") ? "config" : "stack";
  return Object.hasOwn(options, option) ? `write --${option} ${argument}` : seeHelp;
}

/** A problem of an option such as `--pack`, or of the `options` as a whole. */
export function optionProblem(path: string, got: string | true | undefined, why: string, fix: string): Problem {
  return { code: "not-allowed", path, got, why, fix };
}

/** The problem of an option that is missing. */
export function missingOption(path: string, got: string | undefined, why: string, fix: string): Problem {
  return { code: "missing", path, got, why, fix };
}
