import { execFile, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { dump, load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { folder } from "../../support/files";
import { listen } from "../../support/local-server";
import { noSchemas, schemaProblems } from "../../support/report-schemas";

const page = readFileSync("docs/pull-requests.md", "utf8");

/** The YAML blocks of the page that follow a comment of this kind. */
function blocks(kind: string): string[] {
  return [...page.matchAll(new RegExp(`<!-- ${kind}.* -->\\n\\n\`\`\`yaml\\n([^]*?)\`\`\``, "g"))].map(
    ([, text = ""]) => text,
  );
}

/** The jobs and steps of the page, each in a workflow that is complete. */
function workflows(): Record<string, string> {
  const [steps = ""] = blocks("steps");
  const [job = ""] = blocks("job");
  const frame = (jobs: unknown) => dump({ name: "w", on: "pull_request", jobs });
  const all = [
    ...blocks("workflow"),
    frame(load(job)),
    frame({ plan: { "runs-on": "ubuntu-latest", steps: load(steps) } }),
  ];
  return Object.fromEntries(all.map((text, index) => [`.github/workflows/w${index}.yml`, text]));
}

test("the workflows of the example are those of the page", () => {
  const folder = "examples/pull-request-gate/.github/workflows";
  const [, forks, comment] = blocks("workflow");
  expect(readFileSync(join(folder, "infrastructure.yml"), "utf8")).toBe(forks);
  expect(readFileSync(join(folder, "plan-comment.yml"), "utf8")).toBe(comment);
});

test("the page shows five workflows, and a job of GitLab", () => {
  expect(Object.values(workflows()).filter((text) => text !== "")).toHaveLength(5);
  expect(blocks("gitlab")).toHaveLength(1);
});

test.skipIf(noSchemas)("the actions, the workflows and the job of GitLab are valid by their schemas", () => {
  const dir = folder({ ...workflows(), "gitlab.yml": blocks("gitlab")[0] ?? "", "wrong.yml": "name: x\n" });
  const valid = "ok -- validation done";
  for (const file of ["action.yml", "tools/action/comment/action.yml"])
    expect(schemaProblems("github-actions", file)).toBe(valid);
  for (const file of Object.keys(workflows())) {
    expect(schemaProblems("github-workflows", join(dir, file)), file).toBe(valid);
  }
  expect(schemaProblems("gitlab-ci", join(dir, "gitlab.yml"))).toBe(valid);
  expect(schemaProblems("github-actions", join(dir, "wrong.yml"))).toContain("Schema validation errors");
});

test("the job of GitLab writes the comment as a note of the merge request", async () => {
  const notes: unknown[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      notes.push([
        request.method,
        request.url,
        request.headers["private-token"],
        new URLSearchParams(body).get("body"),
      ]);
      response.end("{}");
    });
  });
  const [job] = blocks("gitlab").map((block) => load(block) as { plan: { after_script: string[] } });
  const env = {
    CI_PROJECT_ID: "7",
    CI_MERGE_REQUEST_IID: "42",
    GITLAB_TOKEN: "t",
    CI_API_V4_URL: await listen(server),
  };
  const cwd = folder({ "comment.md": "### Plan\n\n1 & 2 = ü\n" });
  const script = job?.plan.after_script.join("\n") ?? "exit 1";
  await promisify(execFile)("bash", ["-ec", script], { cwd, env: { ...process.env, ...env, NO_PROXY: "*" } });
  expect(notes).toEqual([["POST", "/projects/7/merge_requests/42/notes", "t", "### Plan\n\n1 & 2 = ü\n"]]);
});

const hasActionlint = spawnSync("actionlint", ["-version"]).status === 0;
const missing = "actionlint is not on the PATH: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
if (!hasActionlint && process.env["REQUIRE_LINTERS"] === "1") throw new Error(missing);
if (!hasActionlint) process.stderr.write(`The workflows are not linted. ${missing}\n`);

test.skipIf(!hasActionlint)("actionlint accepts the workflows of the pages and of this repository", () => {
  const wrong = "on: push\njobs: { a: { runs-on: x, steps: [{ run: 'echo ${{ secret.a }}' }] } }\n";
  const dir = folder({ ...workflows(), "wrong.yml": wrong });
  const own = readdirSync(".github/workflows").map((file) => resolve(".github/workflows", file));
  const lint = (files: string[]) => spawnSync("actionlint", files, { cwd: dir, encoding: "utf8" });
  expect(own).not.toEqual([]);
  expect(lint([...Object.keys(workflows()), ...own])).toMatchObject({ stdout: "", status: 0 });
  expect(lint(["wrong.yml"]).stdout).toContain('undefined variable "secret"');
});

test("the workflows and actions of this repository pin each action to one commit, with its version", () => {
  const workflows = readdirSync(".github/workflows");
  const files = [
    "action.yml",
    "tools/action/comment/action.yml",
    ...workflows.map((file) => `.github/workflows/${file}`),
  ];
  const uses = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\buses: (?!\.\/)(.*)$/gm)].map(([, used = ""]) => used),
  );
  expect(uses.filter((used) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used))).toEqual([]);
  const actions = new Set(uses.map((used) => used.replace(/@.*/, "")));
  expect(new Set(uses).size).toBe(actions.size);
});

test.for(["action.yml", "tools/action/comment/action.yml"])(
  "%s runs files that exist, and works without a token",
  (file) => {
    const text = readFileSync(file, "utf8");
    const files = [...text.matchAll(/\$GITHUB_ACTION_PATH\/([^" ]+)/g)].map(([, path = ""]) =>
      join(dirname(file), path),
    );
    expect(files).not.toEqual([]);
    expect(files.filter((path) => !existsSync(path))).toEqual([]);
    const tokens = [...text.matchAll(/\$\{\{ inputs\.github-token(.*?) \}\}/g)].map(([, otherwise]) => otherwise);
    expect(new Set(tokens)).toEqual(new Set([" || github.token"]));
  },
);

interface Workflow {
  readonly permissions?: Record<string, string>;
  readonly jobs: Record<string, { permissions?: Record<string, string>; steps?: { uses?: string; run?: string }[] }>;
}

test("the job that publishes runs nothing of this repository and of its dependencies, and no other job has rights", () => {
  const { jobs } = load(readFileSync(".github/workflows/release.yaml", "utf8")) as Workflow;
  const { publish, ...others } = jobs;
  expect(Object.values(others).map(({ permissions }) => permissions)).toEqual([undefined, undefined]);
  expect(publish?.steps?.flatMap(({ run = [] }) => run)).toEqual([
    "npm publish --ignore-scripts --provenance --access public ./*.tgz",
    expect.stringMatching(/^gh release create /),
  ]);
});

describe("the workflow of prices", () => {
  const { permissions, jobs } = load(readFileSync(".github/workflows/prices.yaml", "utf8")) as Workflow;
  const scriptOf = (job: string) => (jobs[job]?.steps ?? []).flatMap(({ run = [] }) => run).join("\n");

  test("writes with no job that runs code of packages", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs["update"]?.permissions).toBeUndefined();
    expect(jobs["pull-request"]?.permissions).toEqual({ contents: "write", "pull-requests": "write" });
    expect(scriptOf("update")).toMatch(
      /npm ci\n.*npm run --silent prices[^]*npm run docs\n[^]*--update\n[^]*\.ci\/run/,
    );
    expect(scriptOf("pull-request")).not.toMatch(/^\s*(npm|npx|node|\.ci)/m);
    expect(jobs["pull-request"]?.steps?.some(({ uses }) => uses?.startsWith("actions/setup-node"))).toBe(false);
  });

  test("opens a pull request, and updates it in a second run", () => {
    const gh = `#!/bin/sh\necho "$1 $2 $3" >> "$CALLS"\n[ "$1 $2" != "pr list" ] || cat "$OPEN"\n`;
    const dir = folder({ "repo/table.json": "1\n", "bin/gh": gh, "temp/changes.txt": "changes", open: "", calls: "" });
    chmodSync(join(dir, "bin/gh"), 0o755);
    const shell = (script: string) => {
      const git = {
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b",
      };
      const files = { RUNNER_TEMP: join(dir, "temp"), CALLS: join(dir, "calls"), OPEN: join(dir, "open") };
      const env = {
        ...process.env,
        ...git,
        ...files,
        PATH: `${join(dir, "bin")}:${process.env["PATH"]}`,
        RUN: "https://x/1",
      };
      const ran = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
        cwd: join(dir, "repo"),
        env,
        encoding: "utf8",
      });
      expect(ran.status, ran.stderr).toBe(0);
      return ran.stdout;
    };
    shell(
      "git init -qb main && git add . && git commit -qm one && git init -q --bare ../origin && git remote add origin ../origin",
    );
    const calls = ["2", "3"].map((text) => {
      shell(`git switch -q main && git branch -qD prices-$(date -u +%Y-%m) 2>/dev/null || true`);
      shell(
        `echo ${text} > table.json && git diff --binary > "$RUNNER_TEMP/prices.patch" && git checkout -q table.json`,
      );
      shell(scriptOf("pull-request"));
      expect(shell("git --git-dir ../origin show prices-$(date -u +%Y-%m):table.json")).toBe(`${text}\n`);
      writeFileSync(join(dir, "open"), "7\n");
      return readFileSync(join(dir, "calls"), "utf8").trim().split("\n").at(-1);
    });
    expect(calls).toEqual(["pr create --head", "pr edit 7"]);
    expect(readFileSync(join(dir, "temp/description.md"), "utf8")).toMatch(
      /`\.ci\/run` in https[^]*\n```\nchanges\n```\n$/,
    );
  });
});

test("the tables of inputs and outputs are those of the action", () => {
  const action = load(readFileSync("action.yml", "utf8")) as Record<
    "inputs" | "outputs",
    Record<string, { default?: string }>
  >;
  const [, tables = ""] = /<!-- inputs -->([^]*?)\n## /.exec(page) ?? [];
  const rows = [...tables.matchAll(/^\| `([\w-]+)` +\| (?:`(.*?)` +\|)?/gm)];
  expect(rows.map(([, name]) => name)).toEqual([...Object.keys(action.inputs), ...Object.keys(action.outputs)]);
  const quoted = rows.flatMap(([, name = "", value]) => (value === undefined ? [] : [[name, value]]));
  const defaults = Object.entries(action.inputs).flatMap(([name, { default: value = "" }]) =>
    value === "" || value.includes("${{") ? [] : [[name, value]],
  );
  expect(quoted).toEqual(defaults);
});
