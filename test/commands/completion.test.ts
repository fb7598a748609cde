import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { complete } from "../../commands/completion/completion";
import { shells } from "../../commands/completion/completion-options";
import { defineCommand } from "../../commands/core/define-command";
import { commands, eksGpuLab } from "../../commands/eks-gpu-lab";
import { longName, text } from "../../commands/core/options";
import { folder } from "../support/files";
import { ownProject } from "../support/own-project";
import { saySkipped } from "../support/skips";

/** Runs the tool in this process. */
async function run(args: readonly string[], cwd = ownProject) {
  let [out, err] = ["", ""];
  const console = { write: (text: string) => void (out += text), warn: (text: string) => void (err += text) };
  const status = await eksGpuLab(args, { ...console, cwd, terminal: {} });
  return { status, out, err };
}

/** What the shells receive for a line, the last word of which is being typed. */
async function offered(words: readonly string[], cwd?: string): Promise<string[]> {
  const { out } = await run(["completion", "--", ...words], cwd);
  return out.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

const labs = [
  ...["device-plugin", "gang-deadlock", "gpu-lab", "gpu-rollout", "model-server"],
  ...["nccl-block", "no-node-comes", "node-health", "runtime-socket"],
];

describe("a completion", () => {
  test.for([
    [["pl"], ["plan"]],
    [["--v"], ["--version"]],
    [["he"], ["help"]],
    [["help", "pl"], ["plan"]],
    [["help", "plan", ""], []],
    [
      ["gpu", ""],
      ["up", "down", "status"],
    ],
    [["gpu", "up", ""], []],
    [["triage", "no"], ["node"]],
    [["plan", "--stack", ""], labs],
    [
      ["plan", "-s", "n"],
      ["nccl-block", "no-node-comes", "node-health"],
    ],
    [
      ["plan", "--against", "gpu-r"],
      ["gpu-rollout", ":files"],
    ],
    [
      ["plan", "--pack", ""],
      ["lab", "shared", "audit", ":files"],
    ],
    [["plan", "--config", "gpuN"], ["gpuNodes="]],
    [["plan", "--config", "aws"], ["aws:region="]],
    [["plan", "--markdown", ""], [":files"]],
    [["gpu", "up", "--timeout", ""], []],
    [
      ["plan", "--stack=n"],
      ["--stack=nccl-block", "--stack=no-node-comes", "--stack=node-health"],
    ],
    [
      ["plan", "-s", "gpu-lab,g"],
      ["gpu-lab,gang-deadlock", "gpu-lab,gpu-rollout"],
    ],
    [
      ["plan", "--stack=gpu-lab,node-health,n"],
      ["--stack=gpu-lab,node-health,nccl-block", "--stack=gpu-lab,node-health,no-node-comes"],
    ],
    [["plan", "--config=aws:r"], ["--config=aws:region="]],
    [["plan", "--markdown=pl"], [":files"]],
    [["plan", "--json=", ""], []],
    [["plan", "--json="], []],
    [["plan", "--unknown=g"], []],
    [["gpu", "up", "--stack=gpu-lab,"], []],
    [["plan", "--help", "--al"], ["--all"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["unknown", ""], []],
    [["constructor", ""], []],
  ] as const)("of %j offers %j", async ([words, expected]) => {
    expect(await offered(words)).toEqual(expected);
  });

  test("offers an option once, unless it is repeatable", async () => {
    const used = ["plan", "--stack=gpu-lab", "--json", "--config", "nccl=blocked"];
    const options = await offered([...used, "--"]);
    expect(options).toEqual(expect.arrayContaining(["--config", "--pack", "--help"]));
    expect(options).not.toContain("--stack");
    expect(options).not.toContain("--json");
  });

  test("describes commands and options with the words of the help", () => {
    const stack = text("NAME", "the stack (default: x)", { short: "s" });
    const plan = defineCommand({ summary: "show it", options: { stack }, help: (options) => options(20) });
    expect(plan.help).toBe("  -s, --stack NAME  the stack (default: x)");
    const commands = { plan };
    expect(complete([""], commands, ownProject).candidates).toEqual([{ value: "plan", description: "show it" }]);
    expect(complete(["plan", "--s"], commands, ownProject).candidates).toEqual([
      { value: "--stack", description: "the stack" },
    ]);
  });

  test("offers no stacks outside a project, and reports nothing", async () => {
    expect(await run(["completion", "--", "plan", "--stack", ""], folder({}))).toEqual({ status: 0, out: "", err: "" });
  });
});

test("every command accepts the options that its help lists", async () => {
  const names = (await offered([""])).filter((command) => commands[command]?.options["json"] !== undefined);
  expect(names.length).toBeGreaterThan(7);
  for (const command of names) {
    const help = (await run([command, "--help"])).out;
    const options = [...help.matchAll(/^ {2}(?:-\w,| {3}) --([a-z-]+)( [A-Z])?/gm)];
    expect(
      options.map(([, name]) => name),
      command,
    ).toEqual(Object.keys(commands[command]?.options ?? {}).map(longName));
    expect(options.length, command).toBeGreaterThan(2);
    const given = options.map(([, name, value]) => (value === undefined ? `--${name}` : `--${name}=1`));
    const { status, err } = await run([command, ...given, "--unknown-option"]);
    expect(status, command).toBe(2);
    expect(err.match(/^.*Unknown option\./gm)).toEqual(["  --unknown-option: Unknown option."]);
    expect(err).not.toMatch(/Requires a value|Does not take a value/);
  }
});

test("an unknown shell is rejected, with every other problem", async () => {
  const { status, err } = await run(["completion", "tcsh", "more", "--fast"]);
  expect(status).toBe(2);
  expect(err).toMatchInlineSnapshot(`
    "3 problems with the command line:
      more: Unexpected argument.
        fix: run the command with --help for its options
      --fast: Unknown option.
        fix: run the command with --help for its options
      shell: got "tcsh". Must be a supported shell.
        fix: use one of bash, zsh, fish
    "
  `);
});

/**
 * The scripts in the shells themselves: bash with the words that it breaks at : and =, zsh outside of its line editor, with
 * what its functions print.
 */
const programs = {
  bash: `
    source <(eks-gpu-lab completion bash)
    try() {
      COMP_LINE="$*" COMP_POINT=\${#COMP_LINE} COMP_WORDS=($(sed 's/[:=]/ & /g' <<<"$*"))
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _eks_gpu_lab; printf '%s ' "\${COMPREPLY[@]}"; echo
    }`,
  zsh: `
    compdef() { : }
    _describe() { local each; for each in "\${(@P)3}"; do print -n -- "\${each%%:*} "; done }
    compadd() { print -n -- "\${@[\${@[(ie)--]} + 1,-1]} " }
    compset() { [[ "$*" == "-P 1 *=" ]] && prefix="\${words[CURRENT]%%=*}=" }
    _files() { local each; for each in *(.); do print -n -- "$prefix$each "; done }
    source <(eks-gpu-lab completion zsh)
    try() { words=("$@"); CURRENT=$#; prefix=; _eks_gpu_lab; echo }`,
  fish: `
    eks-gpu-lab completion fish | source
    function try; complete -C (string join ' ' -- $argv) | string replace -r '\\t.*' '' | string join ' '; end`,
};

/** Lines, and what each shell offers: bash only what follows the last : or =. */
const lines: readonly (readonly [line: string, offered: string, inBash?: string])[] = [
  ["pl", "plan"],
  ["plan --sta", "--stack"],
  ["plan --stack te", "test"],
  ["plan --config no", "nodes="],
  ["plan --stack=te", "--stack=test", "test"],
  ["plan --stack dev,t", "dev,test"],
  ["plan --stack=dev,", "--stack=dev,test", "dev,test"],
  ["plan --stack=", "--stack=dev --stack=test", "dev test"],
  ["plan --config aws:r", "aws:region=", "region="],
  ["plan --config=aws:r", "--config=aws:region=", "region="],
];

describe.for(shells)("in %s", (shell) => {
  const missing = spawnSync(shell, ["-c", "true"]).status !== 0;
  if (missing && process.env["REQUIRE_SHELLS"] === "1") throw new Error(`${shell} is not on the PATH`);
  if (missing) saySkipped(`Completion tests are skipped: ${shell} is not on the PATH.`);

  test.skipIf(missing)("the script completes commands, options, stacks and files", () => {
    const bin = folder({});
    symlinkSync(join(process.cwd(), "dist/cli.js"), join(bin, "eks-gpu-lab"));
    const project = folder({
      "Pulumi.yaml":
        "name: lab\nruntime: nodejs\nconfig:\n  nodes:\n    type: integer\n  aws:region:\n    value: eu-west-1\n",
      "index.ts": "",
      "Pulumi.dev.yaml": "",
      "Pulumi.test.yaml": "",
      "plan.json": "{}",
    });
    const files = ["plan --against pla", "plan --markdown=pla"];
    const script = [
      programs[shell],
      ...[...lines.map(([line]) => line), ...files].map((line) => `try eks-gpu-lab ${line}`),
    ].join("\n");
    const env = { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter), HOME: bin };
    const { stdout, stderr } = spawnSync(shell, ["-c", script], { cwd: project, env, encoding: "utf8" });
    expect(stderr).toBe("");
    const printed = stdout.split("\n").map((line) => line.trim());
    expect(printed.slice(0, lines.length)).toEqual(
      lines.map(([, offered, inBash = offered]) => (shell === "bash" ? inBash : offered)),
    );
    const [against = "", markdown = ""] = printed.slice(lines.length);
    expect(against.split(" ")).toContain("plan.json");
    expect(markdown.split(" ")).toContain(shell === "bash" ? "plan.json" : "--markdown=plan.json");
  });
});
