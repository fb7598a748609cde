import http from "node:http";
import https from "node:https";

/** What the API server answered. */
export type Answer =
  { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly status: number; readonly why: string };

/** Reads one path of the Kubernetes API. Throws {@link Unreachable} when there is no answer at all. */
export type Get = (path: string) => Promise<Answer>;

/** The API server gave no answer: it is away, the way to it is closed, or it does not know the caller. */
export class Unreachable extends Error {
  constructor(
    readonly why: string,
    readonly fix: string,
  ) {
    super(why);
  }
}

/** How to reach an API server; what `KubeConfig` of the official client makes of a kubeconfig. */
export interface Connection {
  readonly server: string;
  /** Agent, certificates and headers. */
  readonly options: () => Promise<https.RequestOptions>;
}

interface Response {
  readonly status: number;
  readonly retryAfter: number;
  readonly text: string;
}

const tooMany = 429;
const mostTries = 3;
const longestWait = 5;

/**
 * GET requests and no others. The generated classes of the client would turn each answer into objects of their own;
 * what triage wants is the API's own JSON, the same that `kubectl get -o json` prints.
 */
export function getterFor(connection: Connection, timeoutMs: number): Get {
  return async (path) => {
    for (let tries = 1; ; tries += 1) {
      const response = await request(connection, path, timeoutMs);
      if (response.status === tooMany && tries < mostTries) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(response.retryAfter, longestWait) * 1000));
        continue;
      }
      return answerOf(response);
    }
  };
}

function answerOf({ status, text }: Response): Answer {
  if (status === 401) {
    throw new Unreachable(
      "The cluster does not accept the credentials (401 Unauthorized).",
      "sign in to AWS again (aws sso login), and see that your role has an access entry of the cluster",
    );
  }
  const body = parsed(text);
  if (status >= 200 && status < 300) {
    return body === undefined ? { ok: true, body: text } : { ok: true, body };
  }
  return { ok: false, status, why: messageOf(body) ?? `status ${status}` };
}

function messageOf(body: unknown): string | undefined {
  const message = (body as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message.slice(0, 200) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function request({ server, options }: Connection, path: string, timeoutMs: number): Promise<Response> {
  const url = new URL(server.replace(/\/$/, "") + path);
  const settings = await options();
  const { request: send } = url.protocol === "http:" ? http : https;
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(unreachable(error, url.host, timeoutMs));
    const headers = { ...settings.headers, Accept: "application/json", "User-Agent": "eks-gpu-lab-triage" };
    const sent = send(url, { ...settings, method: "GET", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("aborted", () => fail(new Error("the connection was closed in the middle of an answer")));
      response.on("end", () => {
        clearTimeout(timer);
        const retryAfter = Number(response.headers["retry-after"] ?? 1);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, retryAfter: Number.isFinite(retryAfter) ? retryAfter : 1, text });
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error("timeout")), timeoutMs);
    sent.on("error", (error) => {
      clearTimeout(timer);
      fail(error);
    });
    sent.end();
  });
}

const ways: readonly (readonly [RegExp, string])[] = [
  [
    /^timeout$/,
    "see that your address is among the cluster's publicAccessCidrs (a closed endpoint drops packets), and try again",
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    "the cluster may be deleted, or the kubeconfig old: aws eks update-kubeconfig --name CLUSTER",
  ],
  [
    /ECONNREFUSED|ECONNRESET|socket hang up/,
    "see that the kubeconfig names the right cluster: kubectl config current-context",
  ],
  [
    /certificate|self.signed|altname/i,
    "the kubeconfig belongs to another cluster: aws eks update-kubeconfig --name CLUSTER",
  ],
];

function unreachable(error: Error, host: string, timeoutMs: number): Unreachable {
  if (error instanceof Unreachable) return error;
  const text = `${(error as NodeJS.ErrnoException).code ?? ""} ${error.message}`.trim();
  const why = text === "timeout" ? `no answer within ${timeoutMs / 1000} seconds` : text;
  const fix =
    ways.find(([pattern]) => pattern.test(text))?.[1] ?? "see that kubectl get nodes works with the same kubeconfig";
  return new Unreachable(`The API server ${host} cannot be reached: ${why}.`, fix);
}
