// The page of the commands, from their definitions, which also make `--help`. tools/docs.ts writes it.
import { commands } from "../commands/eks-gpu-lab";
import { written } from "../commands/core/options";
import { fenced, table } from "../planner/report/markdown-syntax";

type Command = (typeof commands)[string];

/** The page, by its path from the project's root. */
export function commandPage(): Record<string, string> {
  return { "docs/commands.md": [...introduction, ...Object.entries(commands).flatMap(section), ""].join("\n") };
}

const introduction = [
  "# Commands",
  "",
  "This page lists the usage, the options and the exit statuses of each command. `npx eks-gpu-lab help COMMAND` also prints",
  "examples. You can give a `repeatable` option several times. The name of a value states its unit, such as `SECONDS`.",
];

function section([name, { about, options }]: [string, Command]): string[] {
  const help = about(() => table(["option", "default", "what it does"], rows(options)));
  const blocks = help
    .trimEnd()
    .split("\n\n")
    .filter((block) => !block.startsWith("Examples:"));
  return ["", `## ${name}`, ...blocks.flatMap((block) => ["", markdown(block)])];
}

function rows(options: Command["options"]): string[][] {
  return Object.entries(options).map(([key, option]) => {
    const short = option.short === undefined ? "" : `\`-${option.short}\`, `;
    return [`${short}\`${cell(written(key, option))}\``, text(option.default ?? ""), text(option.help)];
  });
}

/** A block of the help: the list of statuses, lines in columns, the table, or prose. */
function markdown(block: string): string {
  const [first = "", ...rest] = block.split("\n");
  const lines = rest.map((line) => line.slice(2));
  if (first.startsWith("usage: ")) return fenced("text", [`npx ${first.slice("usage: ".length)}`]);
  if (first === "exit status:") return `Exit status:\n\n${lines.map(status).join("\n")}`;
  if (first.startsWith("  ")) return fenced("text", [first.slice(2), ...lines]);
  return first.startsWith("|") ? block : text(block);
}

/** A line `0  accepted`, or the rest of the line before it. */
function status(line: string): string {
  return text(line.replace(/^(\d) {2}/, "- `$1`: ").replace(/^ +/, "  "));
}

/** Text whose options are code, and in which nothing is HTML or ends a cell. */
function text(words: string): string {
  return cell(words)
    .replaceAll("<", "&lt;")
    .replace(/(?<![\w-])--[a-z][\w-]*/g, "`$&`");
}

function cell(words: string): string {
  return words.replaceAll("|", "\\|");
}
