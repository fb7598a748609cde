import { refuse, type Problem } from "../../components/core/problems";
import { withoutUndefined } from "../../components/core/reader/records";
import { optionProblem, parseLine } from "./command-line";
import { longName, optionLines, type Given, type Options, type Values } from "./options";

/** If it is wrong: the option, why, and the fix. A `missing` one may only be misspelt, and then is not a further problem. */
type Conflict<O extends Options> = readonly [
  isWrong: boolean,
  option: keyof O & string,
  why: string,
  fix: string,
  code?: "missing",
];

/** What the command line of a command is: its options, what it says about them, and what does not fit. */
interface Definition<O extends Options, Words> {
  /** One line for the list of commands. */
  readonly summary: string;
  /** The text of `--help`, with the options as lines whose sentences start in a column. */
  help(options: (column: number) => string): string;
  readonly options: O;
  /** The words that follow the command, in any order with the options. @default none */
  readonly words?: {
    /** Those that are completed. */
    readonly names: readonly string[];
    /** How many there can be; more are unexpected. @default any number - `problems` judges it */
    readonly most?: number;
    problems(words: readonly string[]): Problem[];
    read(words: readonly string[]): Words;
  };
  /** What does not fit together. An option that is absent has the code `missing`. */
  readonly conflicts?: (given: Given<O>, words: readonly string[]) => readonly Conflict<O>[];
}

/** The command line of a command: its help, and the reader of its arguments. */
export type CommandLine = ReturnType<typeof defineCommand<Options, unknown>>;

/** Makes the help and the reader of a command line. */
export function defineCommand<O extends Options, Words = unknown>(definition: Definition<O, Words>) {
  const { summary, options, words, conflicts = () => [] } = definition;
  /**
   * Reads the arguments.
   *
   * @param more what does not fit the place where the command runs
   * @throws InputError with all problems
   */
  const read = (args: readonly string[], more: typeof conflicts = () => []) => {
    const line = parseLine(options, args, words && (words.most ?? Infinity));
    const { given } = line;
    const rows = [...conflicts(given, line.words), ...more(given, line.words)];
    const problems = [
      ...(words?.problems(line.words) ?? []),
      ...formProblems(options, given),
      ...rows.flatMap((row) => conflictProblem(row, given)),
    ];
    const isParsed = line.problems.length === 0;
    refuse("the command line", [...line.problems, ...problems.filter(({ code }) => isParsed || code !== "missing")]);
    const values = Object.entries(options).map(([key, option]) => [key, option.read(given[key])]);
    const all = { ...withoutUndefined(Object.fromEntries(values) as object), ...words?.read(line.words) };
    return all as Values<O> & Words;
  };
  const help = definition.help((column) => optionLines(options, column));
  const about: typeof definition.help = (lines) => definition.help(lines);
  return { summary, help, about, options, words: words?.names ?? [], read };
}

function formProblems(options: Options, given: Given<Options>): Problem[] {
  return Object.entries(options).flatMap(([key, { form }]) => {
    if (!form) return [];
    const [valid, why, fix] = form;
    const isValid = (text: string) => (typeof valid === "function" ? valid(text) : valid.test(text));
    const wrong = [given[key]].flat().filter((text) => typeof text === "string" && !isValid(text)) as string[];
    const fixOf = (text: string) => (typeof fix === "string" ? fix : fix(text));
    return wrong.map((text) => optionProblem(`--${longName(key)}`, text, why, fixOf(text)));
  });
}

function conflictProblem<O extends Options>([isWrong, key, why, fix, code]: Conflict<O>, given: Given<O>): Problem[] {
  const got = given[key];
  const kind = code ?? (got === undefined ? "missing" : "not-allowed");
  return isWrong ? [optionProblem(`--${longName(key)}`, got, why, fix, kind)] : [];
}
