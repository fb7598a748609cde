import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import Ajv from "ajv";

// A fake of the GitHub REST API. Requests are checked with GitHub's OpenAPI description, and answers are its examples.

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly schema: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly body?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly example: Readonly<Record<string, unknown>>;
}

const { operations } = JSON.parse(readFileSync("test/fixtures/github-api.json", "utf8")) as {
  operations: Record<string, Operation>;
};
const ajv = new Ajv({ strict: false, coerceTypes: true, formats: { int64: true } });

export interface Comment {
  id: number;
  body: string;
  user: { login: string };
}

export interface PullRequest {
  number: number;
  state: "open" | "closed";
  head: { sha: string; ref: string; repo: { id: number } | null; owner: string };
}

export interface FakeGitHub {
  readonly url: string;
  readonly comments: Comment[];
  readonly pulls: PullRequest[];
  /** The requests that change something, such as `POST /repos/o/r/issues/1/comments`. */
  readonly changes: string[];
  /** What GitHub's description does not allow. */
  readonly problems: string[];
  /** The user of the token; `undefined` if it may only read. */
  writer: string | undefined;
  /** Answers of a gateway in front of the API, for the next requests. */
  readonly gateway: { readonly status: number; readonly text: string; readonly headers?: Record<string, string> }[];
  close(): Promise<void>;
}

export async function fakeGitHub(): Promise<FakeGitHub> {
  const server = createServer((request, response) => {
    const broken = github.gateway.shift();
    if (broken) {
      response.writeHead(broken.status, { "content-type": "text/html", ...broken.headers }).end(broken.text);
      return;
    }
    void answer(github, request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const github: FakeGitHub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ comments: [], pulls: [], changes: [], problems: [], gateway: [], writer: "github-actions[bot]" },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return github;
}

async function answer(github: FakeGitHub, request: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const url = new URL(request.url ?? "", github.url);
  const found = operationOf(request.method ?? "", url.pathname);
  if (!found || request.headers.authorization !== "Bearer token") {
    github.problems.push(`${request.method} ${url.pathname}`);
    return { status: 404, body: { message: "Not Found" } };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = text === "" ? undefined : (JSON.parse(text) as { body: string });
  github.problems.push(...problemsOf(found, url, body));
  const { operation, values, name } = found;
  if (request.method !== "GET") {
    github.changes.push(`${request.method} ${url.pathname}`);
    if (github.writer === undefined)
      return { status: 403, body: { message: "Resource not accessible by integration" } };
  }
  return { status: operation.status, body: results(github, name, values, url, body?.body ?? "") ?? operation.example };
}

interface Found {
  readonly name: string;
  readonly operation: Operation;
  readonly values: Readonly<Record<string, string>>;
}

function operationOf(method: string, path: string): Found | undefined {
  for (const [name, operation] of Object.entries(operations)) {
    const [verb, template = ""] = name.split(" ");
    const match = new RegExp(`^${template.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`).exec(path);
    if (verb === method && match) return { name, operation, values: match.groups ?? {} };
  }
  return undefined;
}

/** Unknown parameters, and values that the schemas do not allow. */
function problemsOf({ name, operation, values }: Found, url: URL, body: unknown): string[] {
  const given = { ...values, ...Object.fromEntries(url.searchParams) };
  const parameters = Object.entries(given).flatMap(([key, value]) => {
    const known = operation.parameters.find((parameter) => parameter.name === key);
    return known && ajv.validate({ type: "object", properties: { value: known.schema } }, { value }) ? [] : [key];
  });
  const isBody = operation.body ? ajv.validate(operation.body, body) : body === undefined;
  const tooMany = Number(given["per_page"] ?? 0) > 100;
  const tooLong = ((body as Partial<Comment> | undefined)?.body?.length ?? 0) > 65_536;
  return [
    ...parameters,
    ...(isBody ? [] : ["body"]),
    ...(tooMany ? ["per_page"] : []),
    ...(tooLong ? ["length"] : []),
  ].map((problem) => `${name}: ${problem}`);
}

function results(github: FakeGitHub, name: string, values: Found["values"], url: URL, body: string): unknown {
  const example = operations[name]?.example;
  const size = Number(url.searchParams.get("per_page") ?? 30);
  const page = <Item>(items: readonly Item[]) => {
    const from = (Number(url.searchParams.get("page") ?? 1) - 1) * size;
    return items.slice(from, from + size).map((item) => ({ ...example, ...item }));
  };
  switch (name) {
    case "GET /repos/{owner}/{repo}/pulls": {
      const head = url.searchParams.get("head");
      return page(github.pulls.filter((one) => one.state === "open" && `${one.head.owner}:${one.head.ref}` === head));
    }
    case "GET /repos/{owner}/{repo}/pulls/{pull_number}":
      return { ...example, ...github.pulls.find(({ number }) => number === Number(values["pull_number"])) };
    case "GET /repos/{owner}/{repo}/issues/{issue_number}/comments":
      return page(github.comments);
    case "POST /repos/{owner}/{repo}/issues/{issue_number}/comments":
      github.comments.push({ id: github.comments.length + 1, body, user: { login: github.writer ?? "" } });
      return undefined;
    default: {
      const own = github.comments.find(({ id }) => id === Number(values["comment_id"]));
      if (own) own.body = body;
      return undefined;
    }
  }
}
