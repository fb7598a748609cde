// Writes the comment of a plan on its pull request: creates it once, and updates it in place. Runs in the job of the plan, or
// in a workflow_run, where the text comes from a job that ran code of the pull request: it is only text, and the pull request
// is found by repository and commit.
import { lstatSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** GitHub rejects longer comments. */
const mostCharacters = 65_536;

const { GITHUB_API_URL, GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_EVENT_NAME, GITHUB_EVENT_PATH } = process.env;
const { COMMENT_FILE, COMMENT_NAME, COMMENT_AUTHOR, COMMENT_RETRY_MS } = process.env;
const marker = `<!-- ${COMMENT_NAME.replace(/[^\w.-]/g, "-")} -->`;
const repository = `/repos/${GITHUB_REPOSITORY}`;

async function request(method, path, body) {
  const response = await fetch(`${GITHUB_API_URL}${path}`, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${GITHUB_TOKEN}`,
      "x-github-api-version": "2022-11-28",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(({ message, cause }) => {
    throw Object.assign(new Error(`${method} ${path}: ${cause?.message ?? message}`), { isTransient: true });
  });
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    // A gateway in front of the API answers in HTML.
  }
  if (response.ok && answer !== undefined) return answer;
  const why = answer?.message ?? `The response is not JSON: ${text.replace(/\s+/g, " ").slice(0, 100)}`;
  const { status, headers } = response;
  const seconds = Number(headers.get("retry-after"));
  const isLimit = status === 429 || (status === 403 && (seconds > 0 || headers.get("x-ratelimit-remaining") === "0"));
  const isTransient = answer === undefined || status >= 500 || isLimit;
  throw Object.assign(new Error(`${method} ${path}: ${status} ${why}`), { status, isTransient, seconds });
}

/** Writes the comment; when the API fails for a moment, from the start, so that no second comment is created. */
async function commentInTheEnd(attempt = 1) {
  try {
    return await comment();
  } catch (error) {
    if (!error.isTransient || attempt === 3) throw error;
    console.log(`${error.message} Trying again.`);
    await setTimeout(Math.min(error.seconds || 2 * attempt, 60) * Number(COMMENT_RETRY_MS ?? 1000));
    return commentInTheEnd(attempt + 1);
  }
}

/** All entries of a list, 100 at a time. */
async function list(path) {
  const entries = [];
  for (let page = 1; ; page++) {
    const more = await request("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=100&page=${page}`);
    entries.push(...more);
    if (more.length < 100) return entries;
  }
}

/** The number of the open pull request, or why there is none. */
async function pullRequest(event) {
  if (GITHUB_EVENT_NAME === "workflow_run") return ofRun(event.workflow_run);
  if (!event.pull_request) return { why: `the event ${GITHUB_EVENT_NAME} has no pull request` };
  const { number, state } = await request("GET", `${repository}/pulls/${Number(event.pull_request.number)}`);
  return state === "open" ? { number } : { why: `pull request ${number} is closed` };
}

async function ofRun({ event, head_sha: sha, head_branch: branch, head_repository: head }) {
  if (event !== "pull_request") return { why: `the run was not for a pull request but for ${event}` };
  if (!head) return { why: "the repository of the pull request's head is deleted" };
  const from = encodeURIComponent(`${head.owner.login}:${branch}`);
  const open = await list(`${repository}/pulls?state=open&head=${from}`);
  const found = open.filter((one) => one.head.sha === sha && one.head.repo?.id === head.id);
  if (found.length === 1) return { number: found[0].number };
  if (found.length > 1)
    return { why: `${sha} is the head of several pull requests: ${found.map(({ number }) => number).join(", ")}` };
  return { why: `${sha} is not the head of an open pull request: the pull request is closed, or has a newer commit` };
}

/** The text of the comment. A link could point at any file of the runner. */
function text() {
  if (!lstatSync(COMMENT_FILE, { throwIfNoEntry: false })?.isFile()) return undefined;
  const whole = `${marker}\n${readFileSync(COMMENT_FILE, "utf8")}`;
  const note = "\n\nThe rest does not fit into a comment.\n";
  return whole.length <= mostCharacters ? whole : whole.slice(0, mostCharacters - note.length).toWellFormed() + note;
}

/** Writes the comment. @returns what was done */
async function comment() {
  const { number, why } = await pullRequest(JSON.parse(readFileSync(GITHUB_EVENT_PATH, "utf8")));
  if (number === undefined) return `No comment: ${why}.`;
  const body = text();
  if (body === undefined) return "No comment: the plan did not write one.";
  const comments = `${repository}/issues/${number}/comments`;
  // Anyone can write the marker, and a token with write permission can edit comments of others.
  const own = (await list(comments)).find((one) => one.user?.login === COMMENT_AUTHOR && one.body?.startsWith(marker));
  if (own) await request("PATCH", `${repository}/issues/comments/${own.id}`, { body });
  else await request("POST", comments, { body });
  return `The comment of pull request ${number} is ${own ? "updated" : "created"}.`;
}

try {
  console.log(await commentInTheEnd());
} catch (error) {
  // In the job of the plan, the token of a fork or of Dependabot may only read. The step summary has the text.
  const mayRead = error.status === 403 && !error.isTransient && GITHUB_EVENT_NAME !== "workflow_run";
  console.log(`::${mayRead ? "warning" : "error"}::${error.message.replaceAll("\n", " ")}`);
  process.exitCode = mayRead ? 0 : 1;
}
