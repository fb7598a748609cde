import { parseArgs } from "node:util";
import type { Problem } from "../components/core/problems";
import { nearest } from "../components/core/suggest";

/** The options of a command, as `node:util` takes them. */
export type Options = Readonly<
  Record<string, { readonly type: "string" | "boolean"; readonly short?: string; readonly multiple?: boolean }>
>;

/** A command line, taken apart. */
export interface CommandLine {
  /** The text of an option that was given one. */
  text(option: string): string | undefined;
  /** The texts of an option that may be repeated. */
  texts(option: string): readonly string[];
  flag(option: string): boolean;
  /** Every mistake in it so far. */
  readonly problems: readonly Problem[];
}

/** Reads a command line. Options that there are not, missing and surplus values and anything else are mistakes. */
export function readCommandLine(options: Options, args: readonly string[]): CommandLine {
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const problems = tokens.flatMap((token): Problem[] => {
    if (token.kind === "positional") return [complaint("options", token.value, "It is not an option.", "see --help")];
    if (token.kind !== "option") return [];
    const known = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!known) {
      const guess = nearest(token.name, Object.keys(options));
      const fix = guess ? `did you mean --${guess}?` : "see --help";
      return [complaint("options", token.rawName, "There is no such option.", fix)];
    }
    const path = `--${token.name}`;
    if (known.type === "string" && !token.value)
      return [complaint(path, token.value, "It needs a value.", "see --help")];
    if (known.type === "boolean" && token.value !== undefined) {
      return [complaint(path, token.value, "It takes no value.", "leave the value out")];
    }
    return [];
  });
  return {
    problems,
    text: (option) => {
      const value = values[option];
      return typeof value === "string" && value !== "" ? value : undefined;
    },
    texts: (option) => [values[option] ?? []].flat().map(String),
    flag: (option) => values[option] === true,
  };
}

/** What is wrong with an option such as `--pack` and its value, or with what is none among the `options`. */
export function complaint(path: string, got: string | true | undefined, why: string, fix: string): Problem {
  return { code: "not-allowed", path, got, why, fix };
}
