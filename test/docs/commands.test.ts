import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../commands/eks-gpu-lab";
import { longName } from "../../commands/core/options";
import { configSection, innerKeys, type ConfigKey } from "../../stacks/run/config-keys";
import { folder } from "../support/files";

// Every command of the pages, as bash reads it: no program is found, and what would start one records its arguments.

const pages = [
  ...["README.md", "CONTRIBUTING.md"],
  ...["docs", "examples"].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
      .map((file) => join(room, file)),
  ),
].sort();

const own = /^(?:npx eks-gpu-lab|npm run|pulumi config set) /;

/** The blocks of commands of a page, and the commands in its prose. */
function scriptsOf(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const blocks = [...text.matchAll(/^( *)```sh\n([^]*?)^\1```/gm)].map(([, , block = ""]) => block);
  const prose = text.replaceAll(/^ *```[^]*?^ *```/gm, "");
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll(/\s+/g, " "));
  return [...blocks, ...spans.filter((code) => own.test(code) && !/…|\.\.\./.test(code))];
}

// As the body of a function, a script is parsed to its end before a command of it runs. The mark between two commands has no
// new line: bash writes each line when it ends, and the parts of a pipe would mix.
const recorder = `
command_not_found_handle() {
  printf '%s\\0' "$@" $'\\1' >&3
  [[ $1 != sleep ]]
}
for script; do
  eval "body() {"$'\\n'":;$script"$'\\n'"}" || { printf '%s\\n' "$script" >&2 && exit 1; }
  (set -- && eval "$script") 2>/dev/null
done
exit 0
`;

/** The commands that bash would start, each with its arguments. @throws Error if bash cannot parse a script */
function commandsOf(scripts: readonly string[]): string[][] {
  if (scripts.length === 0) return [];
  const cwd = folder({});
  const { error, status, output } = spawnSync("/bin/bash", ["-c", recorder, "bash", ...scripts], {
    cwd,
    // A page may write into the home folder.
    env: { PATH: "/nonexistent", HOME: cwd },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: 60_000,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(String(output[2]));
  const lines = String(output[3]).split("\0\x01\0");
  return lines.filter((line) => line !== "").map((line) => line.split("\0"));
}

const commandsOfPages = new Map<string, string[][]>();

function commandsIn(page: string): string[][] {
  const known = commandsOfPages.get(page) ?? commandsOf(scriptsOf(page));
  commandsOfPages.set(page, known);
  return known;
}

/** What is wrong with the arguments of `eks-gpu-lab`. */
function wrongTool([name = "", ...args]: readonly string[]): string[] {
  if (name.startsWith("--")) return [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return [`unknown command ${name}`];
  return args
    .filter((arg) => /^--?[a-z]/.test(arg) && arg !== "--help") // of every command
    .flatMap((arg) => {
      const [option = "", value] = arg.replace(/^--?/, "").split(/=(.*)/s);
      const [, known] =
        Object.entries(command.options).find(([key, { short }]) => longName(key) === option || short === option) ?? [];
      if (!known) return [`unknown option ${arg}`];
      const next = value ?? args[args.indexOf(arg) + 1];
      return known.value !== undefined && next === undefined ? [`${arg} has no value`] : [];
    });
}

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

function wrongNpm(args: readonly string[]): string[] {
  const [verb, ...rest] = args.filter((arg) => arg !== "-s");
  const script = verb === "test" ? "test" : rest[0];
  if (verb !== "run" && verb !== "test") return [];
  if (script === undefined || !Object.hasOwn(scripts, script)) return [`package.json has no script ${script}`];
  const separator = rest.indexOf("--");
  return /cli\.js (\w+)$/.test(scripts[script] ?? "") && separator !== -1
    ? wrongTool([script, ...rest.slice(separator + 1)])
    : [];
}

/** What is wrong with `pulumi config set [--path] KEY`; keys of other namespaces are not judged. */
function wrongConfig(args: readonly string[]): string[] {
  const [path] = args.filter((arg) => !arg.startsWith("-"));
  if (path === undefined || path.includes(":")) return [];
  const [key = "", inner] = path.split(/[.[]/);
  if (!Object.hasOwn(configSection.entries, key)) return [`unknown key ${path}`];
  const keys = innerKeys(key as ConfigKey);
  return inner === undefined || keys.length === 0 || keys.includes(inner) ? [] : [`unknown key ${path}`];
}

/** What is wrong with a command of a page. Examples have programs of their own, whose keys their own tests compare. */
function wrong([name, ...args]: readonly string[], page = ""): string[] {
  if (name === "npx" && args[0] === "eks-gpu-lab") return wrongTool(args.slice(1));
  if (name === "eks-gpu-lab") return wrongTool(args);
  if (name === "npm") return wrongNpm(args);
  if (page.startsWith("examples/")) return [];
  if (name === "pulumi" && args[0] === "config" && args[1] === "set") return wrongConfig(args.slice(2));
  if (name === "npx" && args[0] === "vitest") {
    return args.slice(2).filter((arg) => arg.includes("/") && !existsSync(arg));
  }
  return [];
}

test.for(pages)("%s has only commands, options and keys that exist", (page) => {
  const problems: string[] = [];
  for (const command of commandsIn(page)) {
    for (const problem of wrong(command, page)) problems.push(`${command.join(" ")}: ${problem}`);
  }
  expect(problems).toEqual([]);
});

// The command of a NodePool has quotes and two parts, which a shell reads only with eval.
test.for(pages)("%s evaluates the command that starts or ends a session", (page) => {
  expect(readFileSync(page, "utf8")).not.toMatch(/(?<!eval ")\$\(pulumi stack output scale/);
});

test.for(pages)("%s links only to files that exist", (page) => {
  const links = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)];
  const missing = links.map(([, to = ""]) => to).filter((to) => !existsSync(join(dirname(page), to)));
  expect(missing).toEqual([]);
});

test("the commands are found: more than a hundred of the tool and of pulumi config", () => {
  const all = pages.flatMap(commandsIn);
  expect(
    all.filter(([name, first]) => first === "eks-gpu-lab" || (name === "pulumi" && first === "config")).length,
  ).toBeGreaterThan(100);
});

test("a wrong command, option and key are found", () => {
  const script =
    'npx eks-gpu-lab plam && npx eks-gpu-lab plan --stak x "$(npm run pln)"; pulumi config set --path gpuNodes.maxsize 1';
  expect(
    commandsOf([script])
      .flatMap((command) => wrong(command))
      .sort(),
  ).toEqual([
    "package.json has no script pln",
    "unknown command plam",
    "unknown key gpuNodes.maxsize",
    "unknown option --stak",
  ]);
});

test("a script that bash cannot parse is found, and none of its commands runs", () => {
  expect(() => commandsOf(["npm test", 'npm run build && "unclosed'])).toThrow(/unexpected EOF[^]*npm run build/);
});
