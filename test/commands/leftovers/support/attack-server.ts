import { createServer, type IncomingMessage } from "node:http";
import { text as readAll } from "node:stream/consumers";
import { isRecord } from "../../../../components/core/reader/records";
import { listen } from "../../../support/local-server";
import { endProfileOfEks } from "./orphans";

/** One request, as the server in front of moto sees it. */
export interface Sent {
  readonly service: string;
  /** Of REST: method and path. */
  readonly operation: string;
  /** All texts of its parameters and its path, and the last parts of ARNs. */
  readonly values: readonly string[];
}

interface AttackOptions {
  /** Items on each page of a list. */
  readonly pageSize?: number;
  /** The code with which AWS refuses a request; undefined lets moto answer. */
  readonly refuse?: (sent: Sent) => Promise<string | undefined> | string | undefined;
  /** Operations whose first answers are empty lists, and how many of them. */
  readonly stale?: readonly [operations: RegExp, answers: number];
  /** Called before the request number `count` of an operation is answered. */
  readonly before?: (sent: Sent, count: number) => Promise<void> | void;
}

export interface AttackServer {
  readonly endpoint: string;
  /** All requests that change something, also those that AWS refused. */
  readonly writes: Sent[];
}

/** moto, with pages, with refusals, and with a record of all requests that change something. */
export async function attackServer(moto: string, options: AttackOptions = {}): Promise<AttackServer> {
  const writes: Sent[] = [];
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readAll(request);
      const sent = sentOf(request, body);
      const count = (counts.get(sent.operation) ?? 0) + 1;
      counts.set(sent.operation, count);
      await options.before?.(sent, count);
      // Tests that change the account during a run send their requests here, too.
      const isOfTool = request.headers["user-agent"]?.includes("eks-gpu-lab") === true;
      if (isOfTool && isWrite(sent)) writes.push(sent);
      const code = await options.refuse?.(sent);
      if (code !== undefined) {
        const { status, text, headers } = errorOf(sent.service, code);
        response.writeHead(status, headers).end(text);
        return;
      }
      const [stale, most] = options.stale ?? [/^$/, 0];
      if (stale.test(sent.operation) && count <= most) {
        const text = `<${sent.operation}Response><requestId>r</requestId></${sent.operation}Response>`;
        response.writeHead(200, { "content-type": "text/xml" }).end(text);
        return;
      }
      const [, cluster = "", group] = /^DELETE clusters\/([^/]+)\/node-groups\/([^/]+)$/.exec(sent.operation) ?? [];
      if (group !== undefined) await endProfileOfEks(moto, cluster, group);
      const answer = await answerOf(moto, request, body, options.pageSize);
      response.writeHead(answer.status, answer.headers).end(answer.text);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  return { endpoint: await listen(server), writes };
}

function sentOf({ method = "", url = "", headers }: IncomingMessage, body: string): Sent {
  const service = /\/\d{8}\/[^/]+\/([\w-]+)\/aws4_request/.exec(headers.authorization ?? "")?.[1] ?? "";
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const path = pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const target = headers["x-amz-target"];
  const isJson = body.startsWith("{");
  const form = new URLSearchParams(isJson ? "" : body);
  const operation = typeof target === "string" ? (target.split(".").at(-1) ?? "") : form.get("Action");
  const texts = [...(isJson ? textsIn(JSON.parse(body)) : form.values()), ...searchParams.values(), ...path];
  const values = texts.flatMap((one) => [one, one.split("/").at(-1) ?? ""]);
  return { service, operation: operation ?? `${method} ${path.join("/")}`, values };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}

export function isWrite({ operation }: Sent): boolean {
  return !/^(?:Describe|List|Get|GET )/.test(operation);
}

function errorOf(service: string, code: string) {
  const status = /Denied|Unauthorized/.test(code) ? 403 : 400;
  if (service === "ec2") {
    const text = `<Response><Errors><Error><Code>${code}</Code><Message>refused</Message></Error></Errors></Response>`;
    return { status, text, headers: { "content-type": "text/xml" } };
  }
  if (["iam", "elasticloadbalancing", "autoscaling", "sts"].includes(service)) {
    const text = `<ErrorResponse><Error><Code>${code}</Code><Message>refused</Message></Error></ErrorResponse>`;
    return { status, text, headers: { "content-type": "text/xml" } };
  }
  const text = JSON.stringify({ __type: code, message: "refused" });
  return { status, text, headers: { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": code } };
}

const tokens = ["NextToken", "Marker", "nextToken"] as const;

/** The answer of moto to the whole list, or the page of it that the request asks for. */
async function answerOf(moto: string, request: IncomingMessage, body: string, pageSize: number | undefined) {
  const { url = "", method = "", headers } = request;
  const place = new URL(url, moto);
  let at = 0;
  let onward = body;
  if (pageSize !== undefined) {
    const isJson = body.startsWith("{");
    const form = new URLSearchParams(isJson ? "" : body);
    const json = isJson ? (JSON.parse(body) as Record<string, unknown>) : {};
    for (const token of tokens) {
      const given = place.searchParams.get(token) ?? form.get(token) ?? json[token];
      if (typeof given !== "string" || !given.startsWith("page-")) continue;
      at = Number(given.slice("page-".length));
      place.searchParams.delete(token);
      form.delete(token);
      delete json[token];
    }
    if (at > 0) onward = isJson ? JSON.stringify(json) : form.toString();
  }
  const kept = Object.entries(headers).filter(([name]) => !/^(?:host|connection|content-length|expect)$/.test(name));
  const answer = await fetch(place, {
    ...{ method, headers: Object.fromEntries(kept) as Record<string, string> },
    ...(method !== "GET" && method !== "HEAD" && { body: onward }),
  });
  const whole = await answer.text();
  const type = answer.headers.get("content-type") ?? "";
  const text = pageSize === undefined || !answer.ok ? whole : pageOf(whole, at, pageSize);
  const error = answer.headers.get("x-amzn-errortype");
  const more = error === null ? {} : { "x-amzn-errortype": error };
  return { status: answer.status, headers: { "content-type": type, ...more }, text };
}

function pageOf(whole: string, at: number, size: number): string {
  if (whole.startsWith("{")) return jsonPage(whole, at, size);
  return xmlPage(whole, at, size);
}

/** Lists whose next page the services name in this way. */
const jsonLists: Readonly<Record<string, string>> = {
  ...{ clusters: "nextToken", nodegroups: "nextToken", Schedules: "NextToken", ScheduleGroups: "NextToken" },
  ...{ Keys: "NextMarker", Aliases: "NextMarker", logGroups: "nextToken", QueueUrls: "NextToken" },
};

function jsonPage(whole: string, at: number, size: number): string {
  const document: unknown = JSON.parse(whole);
  if (!isRecord(document)) return whole;
  for (const [list, token] of Object.entries(jsonLists)) {
    const items = document[list];
    if (!Array.isArray(items)) continue;
    const next = at + size < items.length ? { [token]: `page-${at + size}`, Truncated: true } : {};
    return JSON.stringify({ ...document, [list]: items.slice(at, at + size), ...next });
  }
  return whole;
}

/** The first list in the answer of EC2 or the query protocol: `<set><item>…` or `<List><member>…`. */
function xmlPage(whole: string, at: number, size: number): string {
  const open = /<(\w+)>\s*<(item|member)>/.exec(whole);
  if (!open) return whole;
  const [, list = "", item = ""] = open;
  if (/DescribeAddresses|DescribeTags|ListOpenID|DescribeVpnGateways|Tags(?:Response|Result)/.test(whole)) return whole;
  const start = open.index + `<${list}>`.length;
  const items: string[] = [];
  let depth = 0;
  let from = start;
  let end = start;
  for (const tag of whole.slice(start).matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>/g)) {
    const [text, close, name, single] = tag;
    const position = start + tag.index;
    if (depth === 0 && close === "/" && name === list) {
      end = position;
      break;
    }
    if (single === "/") continue;
    if (depth === 0) from = position;
    depth += close === "/" ? -1 : 1;
    if (depth === 0 && close === "/" && name === item) items.push(whole.slice(from, position + text.length));
  }
  if (items.length <= size && at === 0) return whole;
  const next = at + size < items.length ? `page-${at + size}` : undefined;
  const rest = whole
    .slice(end + `</${list}>`.length)
    .replace(/<IsTruncated>\w+<\/IsTruncated>|<nextToken\s*\/>|<nextToken><\/nextToken>/g, "");
  const isEc2 = item === "item";
  const name = isEc2
    ? "nextToken"
    : /<Describe(?:AutoScaling)/.test(whole)
      ? "NextToken"
      : /<DescribeLoadBal|<DescribeTarget/.test(whole)
        ? "NextMarker"
        : "Marker";
  const token = next === undefined ? "" : `<${name}>${next}</${name}>${isEc2 ? "" : "<IsTruncated>true</IsTruncated>"}`;
  return `${whole.slice(0, start)}${items.slice(at, at + size).join("")}</${list}>${token}${rest}`;
}
