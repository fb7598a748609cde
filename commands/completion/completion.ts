import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findProject, stacksOf } from "../../planner/program/project";
import { packs } from "../../policies/packs";
import { exitStatus, type Console } from "../core/command";
import type { CommandLine } from "../core/define-command";
import { longName, type Option } from "../core/options";
import { completionCommand } from "./completion-options";

/** What can be typed next. */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What can be typed next, and whether the name of a file can. @default no file */
interface Completion {
  readonly candidates: readonly Candidate[];
  readonly files?: boolean;
}

/** The commands by name, as far as a completion reads them. */
type Commands = Readonly<Record<string, Pick<CommandLine, "summary" | "words" | "options">>>;

/**
 * `eks-gpu-lab completion SHELL` prints the script of a shell. The script runs `completion -- WORD...` with the words of the
 * line so far, the last of which is being typed.
 */
export function runCompletion(args: readonly string[], console: Console, commands: Commands): number {
  if (args[0] === "--") {
    const { candidates, files } = complete(args.slice(1), commands, console.cwd);
    const lines = candidates.map(({ value, description }) => `${value}\t${description}`);
    console.write([...lines, ...(files ? [":files"] : [])].map((line) => `${line}\n`).join(""));
    return exitStatus.ok;
  }
  const { shell } = completionCommand.read(args);
  console.write(readFileSync(join(__dirname, "scripts", `completion.${shell}`), "utf8"));
  return exitStatus.ok;
}

/**
 * Completes a command line.
 *
 * @param words what follows `eks-gpu-lab`; the last one is being typed and may be empty
 */
export function complete(words: readonly string[], commands: Commands, cwd: string): Completion {
  const { candidates, ...files } = possible(words, commands, cwd);
  return { candidates: candidates.filter(({ value }) => value.startsWith(words.at(-1) ?? "")), ...files };
}

function possible(line: readonly string[], commands: Commands, cwd: string): Completion {
  const typed = line.at(-1) ?? "";
  const [name, ...given] = line.slice(0, -1);
  if (name === undefined) {
    const all = Object.entries(commands).map(([value, { summary }]) => ({ value, description: summary }));
    return { candidates: typed.startsWith("-") ? general : all };
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command && !given.includes("--") ? ofCommand(command, given, typed, cwd) : { candidates: [] };
}

function ofCommand(command: Commands[string], given: readonly string[], typed: string, cwd: string): Completion {
  const options = Object.entries(command.options);
  const [assigned = ""] = /^--[^=]+=/.exec(typed) ?? [];
  const naming = assigned === "" ? given.at(-1) : assigned.slice(0, -1);
  const [, pending] = options.find((one) => one[1].kind !== "flag" && isNamed(one, naming)) ?? [];
  if (pending) return values(pending, typed, assigned, cwd);
  if (typed.startsWith("-")) {
    const used = given.map((word) => word.replace(/=.*/, ""));
    const free = options.filter((one) => one[1].kind === "list" || !used.some((word) => isNamed(one, word)));
    return { candidates: [...free.map(described), ...general.slice(0, 1)] };
  }
  return { candidates: command.words.some((word) => given.includes(word)) ? [] : command.words.map(plain) };
}

/** An option by its name in the program. */
type NamedOption = readonly [key: string, option: Option];

/** An option with what it does, without defaults and remarks. */
function described([key, { help }]: NamedOption): Candidate {
  return { value: `--${longName(key)}`, description: help.replace(/ *[;(].*/, "") };
}

function plain(value: string): Candidate {
  return { value, description: "" };
}

const general: readonly Candidate[] = [
  { value: "--help", description: "show the help" },
  { value: "--version", description: "print the version" },
];

function isNamed([key, { short }]: NamedOption, word: string | undefined): boolean {
  return word === `--${longName(key)}` || (short !== undefined && word === `-${short}`);
}

/**
 * What the value of an option can be.
 *
 * @param assigned what precedes the value in the same word: `--stack=`
 */
function values({ offers = [], isNames }: Option, typed: string, assigned: string, cwd: string): Completion {
  const project = offers.includes("stacks") || offers.includes("keys") ? projectAt(cwd) : undefined;
  const known = { stacks: project?.stacks ?? [], keys: project?.keys ?? [], packs: Object.keys(packs), files: [] };
  // The names before the last comma stay, and are not offered again.
  const listed = isNames === true ? typed.slice(assigned.length).split(",").slice(0, -1) : [];
  const names = offers.flatMap((kind) => known[kind]).filter((one) => !listed.includes(one));
  const before = assigned + listed.map((one) => `${one},`).join("");
  return { candidates: names.map((one) => plain(before + one)), files: offers.includes("files") };
}

/** The project of a folder. A completion reports no errors: without a valid project it offers nothing. */
function projectAt(cwd: string): { readonly stacks: readonly string[]; readonly keys: readonly string[] } | undefined {
  try {
    const project = findProject(cwd);
    const own = `${project.name}:`;
    const keys = [...project.defaults.keys()].map((key) => (key.startsWith(own) ? key.slice(own.length) : key));
    return { stacks: stacksOf(project), keys: keys.map((key) => `${key}=`) };
  } catch {
    return undefined;
  }
}
