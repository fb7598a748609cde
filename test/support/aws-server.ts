import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, expect } from "vitest";
import { isRecord } from "../../components/core/reader/records";
import type { Exchange } from "../../simulation/http/account-server";
import { xml } from "../../simulation/http/query";
import { askModels, missingModels } from "./aws-models";
import { listen } from "./local-server";

/**
 * An HTTP server for the answers, errors and lost connections that simulators of AWS do not have. Requests without an answer
 * here go to `upstream`. Its protocols: JSON, REST with JSON, and the XML of EC2 and of the query protocol.
 */

/** A document, the XML in an answer of EC2, an error, or `lost`: the connection ends without a response. */
export type Answer = object | string;

/** The parameters of a request. Those of EKS include `cluster` and `group` of the path. */
export type Params = Readonly<Record<string, unknown>>;

/** The answer to the request number `count` (from 1) of an operation; undefined leaves it to `upstream`. */
export type Answers = Readonly<
  Record<string, (params: Params, count: number) => Answer | undefined | Promise<Answer | undefined>>
>;

export interface AwsServer {
  readonly endpoint: string;
  /** The operations in the order of their requests. */
  readonly operations: readonly string[];
  /** The parameters of each request of an operation. */
  readonly paramsOf: (operation: string) => Params[];
}

interface Call {
  /** As the signature has it. */
  readonly service: string;
  readonly operation: string;
  readonly params: Params;
}

interface Http {
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
}

/** The server, until the test ends. `clock` is the date of its answers. */
export async function awsServer(answers: Answers, upstream?: string, clock?: () => Date): Promise<AwsServer> {
  const calls: Call[] = [];
  const operations: string[] = [];
  const paramsOf = (operation: string) =>
    calls.filter((one) => one.operation === operation).map(({ params }) => params);
  const server = createServer((request, response) => {
    void (async () => {
      const http = { request, body: await readAll(request), response };
      const call = callOf(http);
      calls.push(call);
      operations.push(call.operation);
      if (clock) response.setHeader("date", clock().toUTCString());
      const answer = await answers[call.operation]?.(call.params, paramsOf(call.operation).length);
      if (answer instanceof Raw) response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
      else if (answer === "lost") response.destroy();
      else if (answer !== undefined) write(http, call, answer);
      else if (upstream !== undefined) forward(http, upstream);
      else write(http, call, failure("NoAnswer", 501, `no ${call.operation}`));
    })();
  });
  return { endpoint: await listen(server), operations, paramsOf };
}

class Failure {
  constructor(
    readonly error: string,
    readonly status: number,
    readonly message: string,
  ) {}
}

class Raw {
  constructor(
    readonly status: number,
    readonly type: string,
    readonly body: string,
  ) {}
}

/** An answer that is not one of AWS. */
export function raw(status: number, type: string, body: string): Answer {
  return new Raw(status, type, body);
}

/** An error of a service. */
export function failure(error: string, status: number, message: string): Answer {
  return new Failure(error, status, message);
}

const group = "/clusters/(?<cluster>[^/]+)/node-groups/(?<group>[^/]+)";

/** The operations of EKS by method and path. */
const restOperations: readonly (readonly [request: RegExp, operation: string])[] = [
  [/^GET \/addons\/supported-versions$/, "DescribeAddonVersions"],
  [/^GET \/clusters$/, "ListClusters"],
  [/^GET \/clusters\/(?<cluster>[^/]+)$/, "DescribeCluster"],
  [/^GET \/clusters\/(?<cluster>[^/]+)\/node-groups$/, "ListNodegroups"],
  [/^GET \/clusters\/(?<cluster>[^/]+)\/addons$/, "ListAddons"],
  [/^GET \/clusters\/(?<cluster>[^/]+)\/addons\/(?<addon>[^/]+)$/, "DescribeAddon"],
  [new RegExp(`^GET ${group}$`), "DescribeNodegroup"],
  [new RegExp(`^DELETE ${group}$`), "DeleteNodegroup"],
  [new RegExp(`^POST ${group}/update-config$`), "UpdateNodegroupConfig"],
];

function callOf({ request: { url = "", method = "", headers }, body }: Http): Call {
  const service = /\/\d{8}\/[^/]+\/([\w-]+)\/aws4_request/.exec(headers.authorization ?? "")?.[1] ?? "";
  const target = headers["x-amz-target"];
  if (typeof target === "string")
    return { service, operation: target.split(".").at(-1) ?? "", params: documentOf(body) };
  const form = new URLSearchParams(body);
  const action = form.get("Action");
  if (action !== null) return { service, operation: action, params: Object.fromEntries(form) };
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const request = `${method} ${pathname}`;
  const [path, operation] = restOperations.find(([one]) => one.test(request)) ?? [/^/, request];
  const labels = path.exec(request)?.groups;
  return { service, operation, params: { ...Object.fromEntries(searchParams), ...documentOf(body), ...labels } };
}

function documentOf(body: string): Params {
  const document: unknown = JSON.parse(body || "{}");
  return isRecord(document) ? document : {};
}

/** The namespaces of the services that answer with XML. */
const namespaces: Readonly<Record<string, string>> = {
  ec2: "http://ec2.amazonaws.com/doc/2016-11-15/",
  iam: "https://iam.amazonaws.com/doc/2010-05-08/",
  sts: "https://sts.amazonaws.com/doc/2011-06-15/",
  autoscaling: "http://autoscaling.amazonaws.com/doc/2011-01-01/",
};

function write({ request, body, response }: Http, call: Call, answer: Answer): void {
  const status = answer instanceof Failure ? answer.status : 200;
  const isXml = call.service in namespaces;
  const headers: Record<string, string> = { "content-type": isXml ? "text/xml" : "application/x-amz-json-1.1" };
  if (answer instanceof Failure && !isXml) headers["x-amzn-errortype"] = answer.error;
  const text =
    answer instanceof Failure ? errorText(call, answer) : isXml ? xmlText(call, answer) : JSON.stringify(answer);
  response.writeHead(status, headers).end(text);
  const plain = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  const { method = "", url = "" } = request;
  exchanges.push({
    service: call.service,
    request: { method, url, headers: Object.fromEntries(plain) as Record<string, string>, body },
    response: { status, headers, body: text },
  });
}

function xmlText({ service, operation }: Call, answer: object | string): string {
  const root = `${operation}Response`;
  const namespace = namespaces[service] ?? "";
  if (typeof answer === "object") {
    return xml(root, { [`${operation}Result`]: answer, ResponseMetadata: { RequestId: "r" } }, namespace);
  }
  return `<${root} xmlns="${namespace}"><requestId>r</requestId>${answer}</${root}>`;
}

function errorText({ service }: Call, { error, message }: Failure): string {
  if (!(service in namespaces)) return JSON.stringify({ __type: error, message });
  const Error = { Code: error, Message: message };
  if (service === "ec2") return xml("Response", { Errors: { Error }, RequestID: "r" }, "");
  return xml("ErrorResponse", { Error: { Type: "Sender", ...Error }, RequestId: "r" }, namespaces[service] ?? "");
}

function forward({ request: { method, headers, url }, body, response }: Http, upstream: string): void {
  const onward = send(new URL(url ?? "", upstream), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  onward.end(body);
}

/** What was asked and answered in a file of tests. Files can share this module. */
const exchanges: Exchange[] = [];

/** The services that botocore names differently. */
const serviceNames: Readonly<Record<string, string>> = { servicequotas: "service-quotas" };

/**
 * After the tests of a file, the requests and the answers are compared with the models of AWS, where these can be read.
 *
 * @param invented the errors that are wrong on purpose
 */
export function expectValidExchanges(invented: readonly string[] = []): void {
  beforeAll(() => void exchanges.splice(0));
  afterAll(() => {
    const missing = missingModels();
    if (missing !== undefined) {
      process.stderr.write(`Requests and answers are not compared with the models of AWS: ${missing}\n`);
      return;
    }
    const named = exchanges.map((each) => ({ ...each, service: serviceNames[each.service] ?? each.service }));
    const problems = askModels({ exchanges: named }).exchanges.flatMap(({ operation, problems: found }, index) => {
      const isEc2 = exchanges[index]?.service === "ec2";
      return found.filter((one) => !isEc2 || !isOfEc2(one)).map((one) => `${operation ?? "?"}: ${one}`);
    });
    const isInvented = (problem: string) => invented.some((error) => problem.includes(` ${error} is no error of `));
    expect([...new Set(problems)].filter((problem) => !isInvented(problem))).toEqual([]);
  });
}

/** The model of EC2 lists no errors, and names the fields of a form by their items: `Filter.1.Name` of `Filters`. */
function isOfEc2(problem: string): boolean {
  return /^answer: \w+ is no error of /.test(problem) || /^request: \w+\.\d+\S* is unknown$/.test(problem);
}
