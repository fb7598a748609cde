import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { folder } from "../../support/files";
import { fakeGitHub, type FakeGitHub } from "./github-api";

const marker = "<!-- plan -->";
const bot = "github-actions[bot]";
let github: FakeGitHub;

beforeEach(async () => {
  github = await fakeGitHub();
  github.pulls.push({ number: 7, state: "open", head: { sha: "abc", ref: "new", repo: { id: 5 }, owner: "fork" } });
});
afterEach(async () => {
  expect(github.problems).toEqual([]);
  await github.close();
});

interface Run {
  readonly event?: Record<string, unknown>;
  readonly text?: string;
  readonly env?: Record<string, string>;
  readonly prepare?: (dir: string) => void;
}

const run = {
  ...{ event: "pull_request", head_sha: "abc", head_branch: "new" },
  head_repository: { id: 5, owner: { login: "fork" } },
};
const ofRun = (facts: Record<string, unknown> = {}) => ({ workflow_run: { ...run, ...facts } });
const workflowRun = { GITHUB_EVENT_NAME: "workflow_run" };

/** Runs the script as a step of the action does. */
async function comment({ event, text, env, prepare }: Run = {}): Promise<{ status: number | null; out: string }> {
  const dir = folder({
    "event.json": JSON.stringify(event ?? { pull_request: { number: 7 } }),
    ...(text === undefined ? {} : { "comment.md": text }),
  });
  prepare?.(dir);
  const child = spawn(process.execPath, ["tools/action/comment.mjs"], {
    env: {
      ...{ GITHUB_API_URL: github.url, GITHUB_TOKEN: "token", GITHUB_REPOSITORY: "o/r" },
      ...{ GITHUB_EVENT_NAME: "pull_request", GITHUB_EVENT_PATH: join(dir, "event.json") },
      ...{ COMMENT_FILE: join(dir, "comment.md"), COMMENT_NAME: "plan", COMMENT_AUTHOR: bot },
      ...env,
    },
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, out };
}

test("creates the comment once, then updates it in place", async () => {
  expect((await comment({ text: "one" })).status).toBe(0);
  expect((await comment({ text: "two" })).out).toContain("updated");
  expect(github.changes).toEqual(["POST /repos/o/r/issues/7/comments", "PATCH /repos/o/r/issues/comments/1"]);
  expect(github.comments).toEqual([{ id: 1, body: `${marker}\ntwo`, user: { login: bot } }]);
});

test("finds its comment on a later page, and leaves the marker of others alone", async () => {
  for (let id = 1; id <= 230; id++) github.comments.push({ id, body: `${marker}\nhello`, user: { login: "mallory" } });
  const own = { id: 231, body: `${marker}\nold`, user: { login: bot } };
  github.comments.push({ id: 300, body: `quotes ${marker}`, user: { login: bot } }, own);
  await comment({ text: "new" });
  expect(github.changes).toEqual(["PATCH /repos/o/r/issues/comments/231"]);
  expect(own.body).toBe(`${marker}\nnew`);
});

test("two projects have two comments", async () => {
  await comment({ text: "one" });
  await comment({ text: "two", env: { COMMENT_NAME: "other -->" } });
  expect(github.comments.map(({ body }) => body)).toEqual([`${marker}\none`, "<!-- other---- -->\ntwo"]);
});

test("says nothing on a closed pull request", async () => {
  for (const pull of github.pulls) pull.state = "closed";
  expect((await comment({ text: "x" })).out).toContain("pull request 7 is closed");
  expect((await comment({ text: "x", event: ofRun(), env: workflowRun })).out).toContain(
    "not the head of an open pull request",
  );
  expect(github.changes).toEqual([]);
});

test("with a token that may only read, warns in the job of the plan and fails in a workflow_run", async () => {
  github.writer = undefined;
  const warned = await comment({ text: "x" });
  expect(warned.out).toMatch(/^::warning::.*403/);
  expect(warned.status).toBe(0);
  const failed = await comment({ text: "x", event: ofRun(), env: workflowRun });
  expect(failed.out).toMatch(/^::error::.*403/);
  expect(failed.status).toBe(1);
});

test("a workflow_run finds the pull request by repository and commit", async () => {
  const other = { sha: "abc", ref: "new", owner: "fork" };
  github.pulls.push({ number: 8, state: "open", head: { ...other, sha: "newer", repo: { id: 5 } } });
  github.pulls.push({ number: 9, state: "open", head: { ...other, repo: { id: 6 } } });
  github.pulls.push({ number: 10, state: "open", head: { ...other, repo: null } });
  await comment({ text: "x", event: ofRun({ pull_requests: [{ number: 1 }] }), env: workflowRun });
  expect(github.changes).toEqual(["POST /repos/o/r/issues/7/comments"]);
});

test.for([
  ["a newer commit", ofRun({ head_sha: "old" }), "not the head of an open pull request"],
  ["a deleted repository", ofRun({ head_repository: null }), "the repository of the pull request's head is deleted"],
  [
    "another repository",
    ofRun({ head_repository: { id: 6, owner: { login: "fork" } } }),
    "not the head of an open pull request",
  ],
  ["a push", ofRun({ event: "push" }), "not for a pull request but for push"],
] as const)("a workflow_run of %s writes nothing", async ([, event, why]) => {
  expect((await comment({ text: "x", event, env: workflowRun })).out).toContain(why);
  expect(github.changes).toEqual([]);
});

test("a commit that heads two pull requests gets no comment", async () => {
  github.pulls.push({ ...(github.pulls[0] as FakeGitHub["pulls"][number]), number: 8 });
  const { out } = await comment({ text: "x", event: ofRun(), env: workflowRun });
  expect(out).toContain("the head of several pull requests: 7, 8");
  expect(github.changes).toEqual([]);
});

test("cuts a text that is too long, and reads no link and no missing file", async () => {
  for (const start of ["x", "xx"]) {
    await comment({ text: `${start}${"😀".repeat(35_000)}` });
    const body = github.comments[0]?.body ?? "";
    expect(body).toHaveLength(65_536);
    // UTF-8 has no half of a character.
    expect(Buffer.from(body).toString()).toBe(body);
  }
  expect(github.comments[0]?.body).toMatch(/does not fit into a comment\.\n$/);
  expect((await comment()).out).toContain("did not write one");
  const linked = await comment({ prepare: (dir) => symlinkSync(join(dir, "event.json"), join(dir, "comment.md")) });
  expect(linked.out).toContain("did not write one");
  expect(github.changes).toHaveLength(2);
});

const page = "<!DOCTYPE html>\n<title>Unicorn!</title>";
const retries = { COMMENT_RETRY_MS: "1" };

test.each([
  ["HTML with 502", { status: 502, text: page }],
  ["HTML with 200", { status: 200, text: page }],
  ["truncated JSON", { status: 200, text: '{"number": 7, "sta' }],
  ["an error of the server", { status: 503, text: '{"message": "busy"}' }],
  ["nothing", { status: 200, text: "" }],
  ["a limit", { status: 403, text: '{"message": "secondary rate limit"}', headers: { "retry-after": "3" } }],
  ["no quota left", { status: 403, text: '{"message": "rate limit"}', headers: { "x-ratelimit-remaining": "0" } }],
  ["too many requests", { status: 429, text: '{"message": "slow down"}' }],
])("a single answer of %s: the comment is written once", async (_, answer) => {
  for (const before of [0, 1, 2]) {
    github.gateway.push(...Array.from({ length: before === 0 ? 1 : 2 }, () => answer));
    const { status, out } = await comment({ text: `try ${before}`, env: retries });
    expect([status, out]).toEqual([0, expect.stringMatching(/Trying again\.[^]*(created|updated)/)]);
  }
  expect(github.comments).toEqual([{ id: 1, body: `${marker}\ntry 2`, user: { login: bot } }]);
});

test("a limit without an end, and an API that cannot be reached, fail also in the job of the plan", async () => {
  const limit = { status: 403, text: '{"message": "rate limit"}', headers: { "retry-after": "600" } };
  github.gateway.push(...Array.from({ length: 3 }, () => limit));
  const limited = await comment({ text: "x", env: retries });
  expect([limited.status, limited.out]).toEqual([1, expect.stringContaining("::error::GET /repos/o/r/pulls/7: 403")]);
  const away = await comment({ text: "x", env: { ...retries, GITHUB_API_URL: "http://127.0.0.1:2" } });
  expect([away.status, away.out]).toEqual([1, expect.stringMatching(/::error::GET \S+: connect ECONNREFUSED/)]);
});

test("answers in HTML without an end fail with the status and the text", async () => {
  github.gateway.push(...Array.from({ length: 3 }, () => ({ status: 502, text: page })));
  const { status, out } = await comment({ text: "x", env: retries });
  expect(status).toBe(1);
  expect(out).toContain(
    "::error::GET /repos/o/r/pulls/7: 502 The response is not JSON: <!DOCTYPE html> <title>Unicorn!</title>",
  );
  expect(github.changes).toEqual([]);
});
