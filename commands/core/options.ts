import { wrapped } from "../../components/core/text";
import { withoutUndefined, type WithoutUndefined } from "../../components/core/reader/records";

/** What each text of an option must be. */
type Form = readonly [
  valid: RegExp | ((text: string) => boolean),
  why: string,
  fix: string | ((text: string) => string),
];

/** How an option is written, what `--help` says about it, what completes it, and how its value is read. */
export interface Option<Given = unknown, Value = unknown> {
  /** A flag has no value; a list is a repeatable option. */
  readonly kind: "flag" | "text" | "list";
  readonly help: string;
  /** Its value if it is not given, in words. @default it has none */
  readonly default?: string;
  /** What the help calls its value, e.g. `FILE`. */
  readonly value?: string;
  /** The letter of its short form. */
  readonly short?: string;
  readonly form?: Form;
  /** What completes its value. @default nothing */
  readonly offers?: readonly ("stacks" | "keys" | "packs" | "files")[];
  /** Whether its value is a list of names with commas. @default false */
  readonly isNames?: boolean;
  /** A line that precedes it in the help. @default none */
  readonly heading?: string;
  read(given: Given): Value;
}

/** The options of a command, by their names in the program: `dryRun` is `--dry-run`. */
export type Options = Readonly<Record<string, Option>>;

/** The options as they stand on the command line. */
export type Given<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer G> ? G : never;
};

/** The values of the options. An option that is not given, and has no default, is absent. */
export type Values<O extends Options> = WithoutUndefined<{
  readonly [K in keyof O]: O[K] extends Option<never, infer V> ? V : never;
}>;

type More = Pick<Option, "default" | "short" | "form" | "offers" | "isNames" | "heading">;

/** An option without a value. */
export function flag(help: string): Option<boolean, boolean> {
  return { kind: "flag", help, read: (given) => given };
}

/** An option with one value. */
export function text(value: string, help: string, more: More = {}): Option<string | undefined, string | undefined> {
  return { ...more, kind: "text", value, help, read: (given) => given };
}

/** An option whose value is the path of a file. */
export function file(help: string, more: More = {}): Option<string | undefined, string | undefined> {
  return text("FILE", help, { offers: ["files"], ...more });
}

/** An option that can be repeated, which is the first of the remarks that follow its sentence after semicolons. */
export function list(value: string, help: string, more: More = {}): Option<readonly string[], readonly string[]> {
  return { ...more, kind: "list", value, help: help.replace(/(?=;)|$/, "; repeatable"), read: (given) => given };
}

/** The names in a text with commas, each once. */
export function namesIn(text = ""): readonly string[] {
  return [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== "");
}

/** The form of a whole number. @param of its unit */
export function whole(from: number, to: number, fix: string, of = ""): Form {
  const isValid = (given: string) => /^\d{1,10}$/.test(given) && Number(given) >= from && Number(given) <= to;
  return [isValid, `Must be a whole number ${of}from ${from} to ${to}.`, fix];
}

/** An option whose value is a number. */
export function number(value: string, help: string, form: Form, standard?: string) {
  const more = withoutUndefined({ form, default: standard });
  return mapped(text(value, help, more), (given) => (given === undefined ? given : Number(given)));
}

/** The option `--timeout`, in seconds, with its default and an example of another one. */
export function timeout(help: string, most: number, standard: number, example: number) {
  const form = whole(1, most, `use a number of seconds, e.g. --timeout ${example}`, "of seconds ");
  return mapped(number("SECONDS", help, form, String(standard)), (given = standard) => given);
}

/** An option whose value is made from that of another one. */
export function mapped<Given, From, To>(option: Option<Given, From>, to: (value: From) => To): Option<Given, To> {
  return { ...option, read: (given) => to(option.read(given)) };
}

/** The options of commands that read a stack. */
export const stackOptions = {
  stack: stack("the stack", "the selected stack, else the only one, else gpu-lab"),
  config: config("override a configuration value, like pulumi config set --path"),
};
export const region = text("NAME", "AWS region", { default: "the region of the stack, or of your AWS environment" });
export const kubeconfig = file("path of the kubeconfig", { default: "KUBECONFIG or ~/.kube/config" });

/** @param value whether it is one name, or a list of names with commas */
export function stack(help: string, standard: string, value: "NAME" | "NAME[,NAME]" = "NAME") {
  return text(value, help, { default: standard, short: "s", offers: ["stacks"], isNames: value !== "NAME" });
}

export function config(help: string) {
  return list("KEY=VALUE", help, { short: "c", offers: ["keys"] });
}

/** The name of an option on the command line, without dashes. */
export function longName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** An option with its value: `--stack NAME`. */
export function written(key: string, { value }: Option): string {
  return `--${longName(key)}${value === undefined ? "" : ` ${value}`}`;
}

function helpOf({ help, default: standard }: Option): string {
  return standard === undefined ? help : `${help} (default: ${standard})`;
}

/** The options as lines of the help, with at most 100 characters; their sentences start in `column`. */
export function optionLines(options: Options, column: number): string {
  const rows = Object.entries(options).flatMap(([key, option]) => {
    const { short, heading } = option;
    const name = `  ${short === undefined ? "   " : `-${short},`} ${written(key, option)}`;
    const [first = "", ...more] = wrapped(helpOf(option), 100 - column, { whole: true });
    // A name that is too long has a line of its own.
    const head = name.length < column ? [name.padEnd(column) + first] : [name, " ".repeat(column) + first];
    return [...(heading === undefined ? [] : ["", heading]), ...head, ...more.map((line) => " ".repeat(column) + line)];
  });
  return rows.join("\n");
}
