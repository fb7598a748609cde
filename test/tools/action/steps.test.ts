import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { folder } from "../../support/files";

// Runs the shell steps of action.yml on a repository with a pull request, as GitHub's runner does.

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const action = load(readFileSync("action.yml", "utf8")) as Action;

const program = (desiredSize: number) =>
  `import * as pulumi from "@pulumi/pulumi";
   const scalingConfig = { minSize: 0, maxSize: 1, desiredSize: ${desiredSize} };
   new pulumi.CustomResource("aws:eks/nodeGroup:NodeGroup", "n", { scalingConfig });`;
const project = {
  "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
  "Pulumi.dev.yaml": "config: { aws:region: us-east-1 }\n",
  "package.json": "{}",
  ".gitignore": "node_modules\n.eks-gpu-lab-base\n",
};

/** What `npm ci` would install: this repository's packages, and the tool. */
function modules(): string {
  const dir = folder({});
  for (const name of readdirSync("node_modules").filter((one) => one !== ".bin")) {
    symlinkSync(join(process.cwd(), "node_modules", name), join(dir, name));
  }
  mkdirSync(join(dir, ".bin"));
  symlinkSync(join(process.cwd(), "dist/cli.js"), join(dir, ".bin/eks-gpu-lab"));
  return dir;
}

function git(cwd: string, ...args: string[]): string {
  const names = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...names, ...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

type Files = Readonly<Record<string, string>>;

/** A repository as `actions/checkout` leaves it: the newest commit only, a merge of the base and the head. */
function checkout(base: Files, head: Files) {
  const origin = folder(base);
  git(origin, "init", "-q");
  const commit = (message: string) => {
    git(origin, "add", "-A");
    git(origin, "commit", "-q", "--allow-empty", "-m", message);
    return git(origin, "rev-parse", "HEAD");
  };
  const baseSha = commit("base");
  git(origin, "checkout", "-q", "-b", "head");
  for (const [name, text] of Object.entries(head)) writeFileSync(join(origin, name), text);
  const headSha = commit("head");
  git(origin, "checkout", "-q", "main");
  const newest = commit("another change of the base");
  git(origin, "merge", "-q", "--no-ff", "head", "-m", "merge");
  const workspace = join(folder({}), "repo");
  git(origin, "clone", "-q", "--depth", "1", `file://${origin}`, workspace);
  return { workspace, origin, baseSha, headSha, newest };
}

const outputsIn = (file: string) =>
  Object.fromEntries(
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

/** Runs the steps with a script, and in place of the checkout of the base, a clone. */
function runAction(base: Files, head: Files, inputs: Readonly<Record<string, string>> = {}, event = "pull_request") {
  const { workspace, origin, baseSha, headSha, newest } = checkout(base, head);
  const temp = folder({ summary: "" });
  const outputs: Record<string, Record<string, string>> = {};
  const install = `ln -s '${modules()}' node_modules`;
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, one]) => [`inputs.${name}`, one.default])),
    ...Object.fromEntries(Object.entries({ install, ...inputs }).map(([name, value]) => [`inputs.${name}`, value])),
    ...(event === "pull_request" && {
      "github.event.pull_request.base.sha": baseSha,
      "github.event.pull_request.head.sha": headSha,
    }),
  };
  const filled = (text: string) =>
    text.replace(/\$\{\{ (.+?) \}\}/g, (_, name: string) => {
      const [, step, output] = /^steps\.(\w+)\.outputs\.(.+)$/.exec(name) ?? [];
      return step === undefined ? (values[name] ?? "") : (outputs[step]?.[output ?? ""] ?? "");
    });
  let [status, log] = [0, ""];
  for (const { id = "", run, env = {} } of action.runs.steps.filter((step) => !step.run?.includes("comment.mjs"))) {
    const clone = outputs["base"]?.["sha"];
    if (run === undefined && !outputs["plan"] && clone) {
      const path = join(workspace, ".eks-gpu-lab-base");
      git(origin, "clone", "-q", origin, path);
      git(path, "checkout", "-q", clone);
    }
    if (run === undefined) continue;
    const file = join(temp, `output-${id}`);
    writeFileSync(file, "");
    const result = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd: workspace,
      encoding: "utf8",
      env: {
        ...{
          PATH: process.env["PATH"],
          HOME: temp,
          npm_config_update_notifier: "false",
          RUNNER_TEMP: temp,
          GITHUB_WORKSPACE: workspace,
        },
        ...{ GITHUB_ACTION_PATH: process.cwd(), GITHUB_OUTPUT: file, GITHUB_STEP_SUMMARY: join(temp, "summary") },
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
      },
    });
    status = result.status ?? -1;
    log += result.stderr;
    outputs[id] = outputsIn(file);
  }
  const reports = outputs["plan"]?.["reports"] ?? "";
  const read = (name: string) => (existsSync(join(reports, name)) ? readFileSync(join(reports, name), "utf8") : "");
  return { status, log, outputs: outputs["plan"], base: outputs["base"]?.["sha"], newest, read, temp };
}

const good = { ...project, "index.ts": program(0) };

test("compares the head with the newest base, and fails for a new violation", () => {
  const { status, outputs, base, newest, read, temp } = runAction(good, { "index.ts": program(3) });
  expect(base).toBe(newest);
  expect(status).toBe(1);
  expect(outputs).toMatchObject({ changed: '["dev"]', failed: "true", "cost-before": "0.0000" });
  expect(read("comment.md")).toMatch(/❌ fail \*\*new\*\* \| nodegroup-scaling-order /);
  expect(read("comment.md")).toContain("scalingConfig.desiredSize: 0 -> 3");
  expect(readFileSync(join(temp, "summary"), "utf8")).toBe(read("summary.md"));
  expect(read("plan.xml")).toContain('failures="');
  expect(JSON.parse(read("plan.sarif"))).toHaveProperty("runs.0.results.0.ruleId");
});

test("a pull request that changes nothing has a short comment", () => {
  const { status, outputs, read } = runAction(good, { "README.md": "new\n" });
  expect(read("comment.md")).toBe("### ✅ Plan: no change in 1 stack\n\nUnchanged: dev\n");
  expect(status).toBe(0);
  expect(outputs).toMatchObject({ changed: "[]", failed: "false" });
});

test("the first pull request with the project has no base to compare with", () => {
  const { status, read } = runAction({ "README.md": "old\n" }, good);
  expect(status).toBe(0);
  expect(read("comment.md")).toContain("The base cannot be planned, so nothing is compared.");
  expect(read("comment.md")).toContain("### ✅ Plan of 1 stack");
});

test("a push has no base to compare with, which is no error", () => {
  const { status, outputs, read } = runAction(good, {}, {}, "push");
  expect(status).toBe(0);
  expect(read("comment.md")).toMatch(/^### ✅ Plan of 1 stack\n\nThere is no base to compare with\.\n\n\| stack /);
  expect(outputs).toMatchObject({ failed: "false", "cost-before": "", "cost-after": "0.0000" });
});

test("a head with a broken program or configuration has a comment with the errors", () => {
  const program = runAction(good, { "index.ts": "import './gone';" });
  expect(program.status).toBe(2);
  expect(program.read("comment.md")).toMatch(/### ❌ Plan: it could not be made[^]*index\.ts:1:/);
  const configuration = runAction(good, { "Pulumi.dev.yaml": "config: { aws:region: mars }\n" });
  expect(configuration.status).toBe(2);
  expect(configuration.read("comment.md")).toMatch(/Cannot be planned: \*\*dev\*\*\.[^]*aws:region: got "mars"/);
});

test("a head whose packages cannot be installed still has a comment", () => {
  const { status, read, outputs } = runAction(good, {}, { install: "false" });
  expect(status).toBe(3);
  expect(read("comment.md")).toContain("The log of the workflow run has the reason.");
  expect(outputs).toMatchObject({ changed: "[]", "cost-after": "", failed: "true" });
});

/** A tool in place of ours, which writes a comment, prints something as its JSON, and exits. */
function withTool(stdout: string, exit: number, comment = "a comment") {
  const script = [
    "#!/bin/bash",
    ...(comment === ""
      ? []
      : [
          'while [ "$#" -gt 0 ]; do [ "$1" != --markdown ] || md=$2; shift; done',
          '[ -z "${md:-}" ] || printf "%s" "$COMMENT" >"$md"',
        ]),
    'printf "%s" "$STDOUT"',
    `exit ${exit}`,
  ];
  const text = script.join("\n").replace('"$COMMENT"', `'${comment}'`).replace('"$STDOUT"', `'${stdout}'`);
  const dir = folder({ ".bin/eks-gpu-lab": text });
  chmodSync(join(dir, ".bin/eks-gpu-lab"), 0o755);
  return runAction(good, {}, { install: `ln -s '${dir}' node_modules` }, "push");
}

test.each<[what: string, stdout: string, exit: number, why: string]>([
  ["truncated", '{"failed": false, "changed": ["de', 0, "is no complete JSON"],
  ["truncated, of a rejected plan", '{"failed": true, "changed": [], "cost": {"at', 1, "is no complete JSON"],
  ["HTML", "<!DOCTYPE html><title>502</title>", 0, "is HTML or XML"],
  ["empty", "", 0, "is empty"],
  ["blank", "\n \n", 1, "is empty"],
  ["null", "null", 0, "is not the result of a plan"],
  ["a list", "[]", 0, "is not the result of a plan"],
  ["an error of npm before the document", "npm warn x\n{}", 0, "is no complete JSON"],
])("a plan that is %s: a comment says so, and the check fails", (_, stdout, exit, why) => {
  const { status, outputs, read, temp } = withTool(stdout, exit);
  expect(status).toBe(3);
  expect(outputs).toMatchObject({ failed: "true", status: "3", changed: "[]", "cost-after": "" });
  expect(read("comment.md")).toContain(`its result cannot be read: plan.json ${why}`);
  expect(readFileSync(join(temp, "summary"), "utf8")).toBe(read("comment.md"));
});

test("a plan without a comment gets one, and the check fails", () => {
  const { status, read, outputs } = withTool('{"changed": ["a"], "cost": {}}', 0, "");
  expect([status, outputs?.["changed"]]).toEqual([3, '["a"]']);
  expect(read("comment.md")).toContain("The log of the workflow run has the reason.");
});

test("the errors of a broken program stay in the comment, whatever it printed before", () => {
  const { status, read } = withTool('{"steps": [', 2, "the errors");
  expect([status, read("comment.md")]).toEqual([2, "the errors"]);
});

test.each([124, 137])("a plan that is killed with status %i leaves no accepted comment", (killed) => {
  const { status, read } = withTool('{"changed": ["a"], "cost": {}}', killed, "### ok plan");
  expect(status).toBe(killed);
  expect(read("comment.md")).toContain(`ended before it was complete: status ${killed}.`);
});

test("a script that is ended leaves a comment and a failed status for the steps that always run", () => {
  const { status, read, outputs } = runAction(good, {}, { install: "kill -9 $PPID" }, "push");
  expect(status).not.toBe(0);
  expect(outputs).toMatchObject({ failed: "true" });
  expect(read("comment.md")).toContain("could not be made");
  const after = action.runs.steps.slice(action.runs.steps.findIndex(({ id }) => id === "plan") + 1);
  for (const step of after.slice(0, 2)) expect(step.if).toContain("always()");
});

test("inputs are data, and no step interpolates them into a script", () => {
  for (const { run } of action.runs.steps) expect(run ?? "").not.toContain("${{");
  const { status, temp, log } = runAction(good, {}, { stacks: "dev;touch $HOME/pwned", pack: "$(touch $HOME/pwned)" });
  expect(status).toBe(2);
  expect(log).toContain('--pack: got "$(touch $HOME/pwned)"');
  expect(existsSync(join(temp, "pwned"))).toBe(false);
});

test("stacks: changed judges only what the pull request changes", () => {
  const bad = { ...good, "index.ts": program(3) };
  expect(runAction(bad, { "README.md": "new\n" }).status).toBe(1);
  const { status, read } = runAction(bad, { "README.md": "new\n" }, { stacks: "changed" });
  expect(status).toBe(0);
  expect(read("comment.md")).toBe("### ✅ Plan: no change in 1 stack\n\nUnchanged: dev\n");
});
