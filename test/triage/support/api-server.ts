import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { resourceNames, resources } from "../../../triage/snapshot/objects/resources";
import { folder } from "../../support/files";
import { listen } from "../../support/local-server";

type Raw = Record<string, unknown>;
type Metadata = { name: string; namespace?: string; labels?: Record<string, string> };

export interface ApiServerOptions {
  readonly items: readonly Raw[];
  /** Answers of its own to some requests; undefined leaves the request to the server. */
  readonly intercept?: (path: string, response: ServerResponse) => boolean;
  readonly logs?: Readonly<Record<string, string>>;
  /** Objects a page holds, whatever the caller asks for. */
  readonly pageSize?: number;
  /** Milliseconds until the next response. @default none */
  readonly delay?: () => number;
}

export interface ApiServer {
  readonly kubeconfig: string;
  /** Method and path of each request. */
  readonly requests: string[];
  /** The most requests that were under way at a time. */
  readonly mostRequests: () => number;
  /** The connections that were opened. */
  readonly connections: () => number;
}

/** A server for the parts of the Kubernetes API that triage uses: lists with pages and selectors, objects, logs. */
export async function apiServer(options: ApiServerOptions): Promise<ApiServer> {
  const requests: string[] = [];
  let [underWay, most] = [0, 0];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    most = Math.max(most, (underWay += 1));
    const respond = () => {
      underWay -= 1;
      if (!options.intercept?.(request.url ?? "", response)) answer(request, response, options);
    };
    if (options.delay) setTimeout(respond, options.delay());
    else respond();
  });
  let connections = 0;
  server.on("connection", () => (connections += 1));
  return {
    kubeconfig: kubeconfigFor(await listen(server)),
    requests,
    mostRequests: () => most,
    connections: () => connections,
  };
}

/** JSON is YAML, too. The client speaks plain HTTP only to a server whose certificate it would not check. */
export function kubeconfigFor(server: string, user: Raw = { token: "t" }): string {
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "lab" },
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user }],
    contexts: [
      { name: "lab", context: { cluster: "c", user: "u", namespace: "gpu-lab" } },
      { name: "other", context: { cluster: "gone", user: "u" } },
    ],
  };
  return join(folder({ config: JSON.stringify(config) }), "config");
}

export function send(response: ServerResponse, status: number, body: unknown): true {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
}

export function forbid(response: ServerResponse): true {
  return send(response, 403, { kind: "Status", status: "Failure", message: "pods is forbidden", code: 403 });
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { items, logs = {}, pageSize }: ApiServerOptions,
): void {
  const url = new URL(request.url ?? "", "http://x");
  const log = /\/pods\/([^/]+)\/log$/.exec(url.pathname);
  if (log) return void send(response, 200, logs[log[1] ?? ""] ?? "");
  const parts = /^(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?$/;
  const api = resourceNames.map((name) => resources[name].api).find((one) => url.pathname.startsWith(`${one}/`)) ?? "";
  const [, namespace, resource, name] = parts.exec(url.pathname.slice(api.length)) ?? [];
  const known = resourceNames.find((one) => one === resource && resources[one].api === api);
  if (!known) return void send(response, 404, "404 page not found\n");
  const all = items.filter((item) => item["kind"] === resources[known].kind);
  const selected = all.filter((item) => matches(item, namespace, url.searchParams));
  const one = selected.find(({ metadata }) => (metadata as Metadata).name === name);
  if (name !== undefined) return void send(response, one ? 200 : 404, one ?? { message: "not found" });
  const from = Number(url.searchParams.get("continue") ?? 0);
  const until = from + Math.min(pageSize ?? 500, Number(url.searchParams.get("limit") ?? 500));
  const rest = until < selected.length ? { continue: String(until) } : {};
  // As the real one: the items of a list have no kind.
  const page = selected.slice(from, until).map((item) => ({ ...item, kind: undefined, apiVersion: undefined }));
  send(response, 200, { kind: `${resources[known].kind}List`, metadata: rest, items: page });
}

function matches(item: Raw, namespace: string | undefined, params: URLSearchParams): boolean {
  const metadata = item["metadata"] as Metadata;
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  const pairs = (text: string | null) =>
    (text ?? "")
      .split(",")
      .filter((one) => one !== "")
      .map((one) => one.split("=") as [string, string]);
  const at = (path: string) => path.split(".").reduce<unknown>((value, key) => (value as Raw | undefined)?.[key], item);
  return (
    pairs(params.get("fieldSelector")).every(([path, value]) => at(path) === value) &&
    pairs(params.get("labelSelector")).every(([key, value]) => metadata.labels?.[key] === value)
  );
}
