import http from "node:http";
import https from "node:https";
import { parseJson } from "../json-text";

/** The response of the API server. */
export type ApiResponse =
  { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly status: number; readonly why: string };

/** Reads one path of the Kubernetes API. Throws {@link Unreachable} if the server does not respond. */
export type Get = (path: string) => Promise<ApiResponse>;

/** A request to the Kubernetes API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Sent as JSON; a PATCH is a merge patch. @default none */
  readonly body?: unknown;
}

/** Sends one request to the Kubernetes API. Throws {@link Unreachable} if the server does not respond. */
export type Call = (request: ApiRequest) => Promise<ApiResponse>;

/** The API server does not respond, cannot be reached, or does not accept the credentials. */
export class Unreachable extends Error {
  constructor(
    readonly why: string,
    readonly fix: string,
  ) {
    super(why);
  }
}

/** How to connect to an API server, from a kubeconfig. */
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

/** The API server records it as the manager of the fields that a request writes. */
export const userAgent = "eks-gpu-lab";

const tooManyRequests = 429;
const maxAttempts = 3;
const maxWaitSeconds = 5;

/** Sends GET requests only. */
export function getterFor(connection: Connection, timeoutMs: number): Get {
  const call = callerFor(connection, timeoutMs);
  return (path) => call({ method: "GET", path });
}

/**
 * Sends requests. Unlike the generated classes of the official client, it returns the JSON of the API, as `kubectl get
 * -o json` prints it.
 */
export function callerFor(connection: Connection, timeoutMs: number): Call {
  return async (asked) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await request(connection, asked, timeoutMs);
      if (response.status === tooManyRequests && attempt < maxAttempts) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(response.retryAfter, maxWaitSeconds) * 1000));
        continue;
      }
      return readResponse(response);
    }
  };
}

function readResponse({ status, text }: Response): ApiResponse {
  if (status === 401) {
    throw new Unreachable(
      "The cluster does not accept the credentials (401 Unauthorized).",
      "sign in to AWS again (aws sso login), and check that your role has an access entry in the cluster",
    );
  }
  const body = parseJson(text);
  if (status >= 200 && status < 300) {
    return body === undefined ? { ok: true, body: text } : { ok: true, body };
  }
  return { ok: false, status, why: messageOf(body) ?? `status ${status}` };
}

function messageOf(body: unknown): string | undefined {
  const message = (body as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message.slice(0, 200) : undefined;
}

async function request(
  { server, options }: Connection,
  { method, path, body }: ApiRequest,
  timeoutMs: number,
): Promise<Response> {
  const url = new URL(server.replace(/\/$/, "") + path);
  const settings = await options();
  const sentText = body === undefined ? undefined : JSON.stringify(body);
  const { request: send } = url.protocol === "http:" ? http : https;
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(unreachable(error, url.host, timeoutMs));
    const headers = { ...settings.headers, ...headersOf(method, sentText) };
    const sent = send(url, { ...settings, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", fail);
      response.on("aborted", () => fail(new Error("the connection was closed during a response")));
      response.on("end", () => {
        clearTimeout(timer);
        const retryAfter = Number(response.headers["retry-after"] ?? 1);
        resolve({ status: response.statusCode ?? 0, retryAfter: Number.isFinite(retryAfter) ? retryAfter : 1, text });
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error("timeout")), timeoutMs);
    sent.on("error", (error) => {
      clearTimeout(timer);
      fail(error);
    });
    sent.end(sentText);
  });
}

function headersOf(method: ApiRequest["method"], text: string | undefined): Record<string, string | number> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const own = { Accept: "application/json", "User-Agent": userAgent };
  return text === undefined ? own : { ...own, "Content-Type": type, "Content-Length": Buffer.byteLength(text) };
}

const fixes: readonly (readonly [RegExp, string])[] = [
  [
    /^timeout$/,
    "check that publicAccessCidrs of the cluster includes your address (the endpoint drops other packets), and try again",
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    "the cluster may be deleted or the kubeconfig outdated; run aws eks update-kubeconfig --name CLUSTER",
  ],
  [
    /ECONNREFUSED|ECONNRESET|socket hang up/,
    "check that the kubeconfig selects the right cluster: kubectl config current-context",
  ],
  [
    /certificate|self.signed|altname/i,
    "the kubeconfig belongs to another cluster; run aws eks update-kubeconfig --name CLUSTER",
  ],
];

function unreachable(error: Error, host: string, timeoutMs: number): Unreachable {
  if (error instanceof Unreachable) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  const text = error.message.includes(code) ? error.message : `${code} ${error.message}`.trim();
  const why = text === "timeout" ? `no response within ${timeoutMs / 1000} seconds` : withoutHost(text, host);
  const fix =
    fixes.find(([pattern]) => pattern.test(text))?.[1] ?? "check that kubectl get nodes works with the same kubeconfig";
  return new Unreachable(`The API server ${host} cannot be reached: ${why}.`, fix);
}

/** Node.js ends the texts of failed connections with the host, which the message names already. */
function withoutHost(text: string, host: string): string {
  const [name = host] = host.split(":");
  return [host, name].reduce((rest, end) => (rest.endsWith(` ${end}`) ? rest.slice(0, -end.length - 1) : rest), text);
}
