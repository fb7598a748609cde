import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { addonDefaults } from "../../../components/cluster/addons/addon-defaults";
import { amiReleases, kubernetesVersion, pinnedAddons } from "../../../components/core/versions";
import type { Exchange } from "../../support/aws-models";

/**
 * An account of AWS over HTTP, for the calls that simulators do not answer and for errors. Each exchange is kept, so that a
 * test can compare it with AWS's models. Requests without an answer here go to `upstream`.
 */

/** A document of JSON, the content of an XML answer, an error, or `lost`: the connection ends without a response. */
export type Answer = object | string;

export interface AnsweredError {
  readonly error: string;
  readonly status: number;
  readonly message: string;
}

/** The answer to the request number `count` (from 1) of an operation. Services with XML answer with a string. */
export type AccountAnswers = Readonly<Record<string, (params: Params, count: number) => Answer>>;

type Params = Readonly<Record<string, unknown>>;

export interface AccountServer {
  readonly endpoint: string;
  /** The operations in the order of their requests. */
  readonly operations: string[];
  readonly exchanges: Exchange[];
}

interface Call {
  readonly service: string;
  readonly operation: string;
  readonly params: Params;
}

export async function accountServer(answers: AccountAnswers, upstream?: string): Promise<AccountServer> {
  const operations: string[] = [];
  const exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readAll(request);
      const call = callOf(request, body);
      operations.push(call.operation);
      const count = operations.filter((one) => one === call.operation).length;
      const answer = answers[call.operation]?.(call.params, count);
      if (answer === "lost") response.destroy();
      else if (answer !== undefined) exchanges.push(write({ request, body, response }, call, answer));
      else if (upstream !== undefined) forward(request, body, response, upstream);
      else write({ request, body, response }, call, failure("NoAnswer", 501, `no ${call.operation}`));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, operations, exchanges };
}

export function failure(error: string, status: number, message: string): AnsweredError {
  return { error, status, message };
}

function callOf({ url = "", headers }: IncomingMessage, body: string): Call {
  const service = /\/\d{8}\/[^/]+\/([\w-]+)\/aws4_request/.exec(headers.authorization ?? "")?.[1] ?? "";
  const target = headers["x-amz-target"];
  if (typeof target === "string") {
    return { service, operation: target.split(".").at(-1) ?? "", params: JSON.parse(body || "{}") as Params };
  }
  const form = new URLSearchParams(body);
  const action = form.get("Action");
  if (action !== null) return { service, operation: action, params: Object.fromEntries(form) };
  const { pathname, searchParams } = new URL(url, "http://none");
  const [, first = "", cluster, second, group] = pathname.split("/");
  const params = { ...Object.fromEntries(searchParams), cluster, group };
  if (first === "addons") return { service, operation: "DescribeAddonVersions", params };
  if (cluster === undefined) return { service, operation: "ListClusters", params };
  if (second === undefined) return { service, operation: "DescribeCluster", params };
  return { service, operation: group === undefined ? "ListNodegroups" : "DescribeNodegroup", params };
}

const xmlServices = ["ec2", "iam", "sts"];

/** The names of botocore. */
const serviceNames: Readonly<Record<string, string>> = { servicequotas: "service-quotas" };

interface Http {
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
}

function write({ request, body, response }: Http, { service, operation }: Call, answer: Answer): Exchange {
  const isXml = xmlServices.includes(service);
  const isError = typeof answer === "object" && "error" in answer;
  const status = isError ? (answer as AnsweredError).status : 200;
  const text = isError
    ? errorText(service, answer as AnsweredError)
    : typeof answer === "string"
      ? answer
      : JSON.stringify(answer);
  const headers: Record<string, string> = { "content-type": isXml ? "text/xml" : "application/x-amz-json-1.1" };
  if (isError && !isXml) headers["x-amzn-errortype"] = (answer as AnsweredError).error;
  const sent = isXml && !isError ? wrapped(service, operation, text) : text;
  response.writeHead(status, headers);
  response.end(sent);
  const lowerCase = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
  return {
    service: serviceNames[service] ?? service,
    request: { method: request.method ?? "", url: request.url ?? "", headers: lowerCase, body },
    response: { status, headers, body: sent },
  };
}

function wrapped(service: string, operation: string, content: string): string {
  if (service === "ec2") {
    const xmlns = "http://ec2.amazonaws.com/doc/2016-11-15/";
    return `<${operation}Response xmlns="${xmlns}"><requestId>r</requestId>${content}</${operation}Response>`;
  }
  const xmlns =
    service === "iam" ? "https://iam.amazonaws.com/doc/2010-05-08/" : "https://sts.amazonaws.com/doc/2011-06-15/";
  const result = `<${operation}Result>${content}</${operation}Result>`;
  return `<${operation}Response xmlns="${xmlns}">${result}<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></${operation}Response>`;
}

function errorText(service: string, { error, message }: AnsweredError): string {
  if (service === "ec2") {
    return `<Response><Errors><Error><Code>${error}</Code><Message>${message}</Message></Error></Errors><RequestID>r</RequestID></Response>`;
  }
  if (!xmlServices.includes(service)) return JSON.stringify({ __type: error, message });
  const inner = `<Error><Type>Sender</Type><Code>${error}</Code><Message>${message}</Message></Error>`;
  return `<ErrorResponse>${inner}<RequestId>r</RequestId></ErrorResponse>`;
}

function forward(from: IncomingMessage, body: string, response: ServerResponse, upstream: string): void {
  const { method, headers, url } = from;
  const onward = send(new URL(url ?? "", upstream), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  onward.end(body);
}

const region = "ap-northeast-2";
const release = String(amiReleases[kubernetesVersion]);

/** An account in Seoul in which the default lab fits, seen by an administrator. */
export const fineAccount: AccountAnswers = {
  GetCallerIdentity: () => identity("user/learner"),
  DescribeAvailabilityZones: () => zones("a", "b", "c", "d"),
  DescribeInstanceTypeOfferings: () => offerings(["g5.xlarge", "abcd"], ["t3.medium", "abcd"]),
  DescribeInstances: () => instances(),
  DescribeSubnets: () => subnets(1000),
  GetServiceQuota: () => quota(8),
  ListClusters: () => ({ clusters: [] }),
  DescribeLogGroups: () => ({ logGroups: [] }),
  GetParameter: ({ Name: name }) => ({ Parameter: { Name: name, Type: "String", Value: release, Version: 1 } }),
  DescribeAddonVersions: ({ addonName }) => addon(String(addonName)),
  SimulatePrincipalPolicy: (params) => decisions(params, () => "allowed"),
};

export function identity(what: string): string {
  const service = what.startsWith("assumed-role/") ? "sts" : "iam";
  return `<Arn>arn:aws:${service}::123456789012:${what}</Arn><UserId>AIDAEXAMPLEEXAMPLE</UserId><Account>123456789012</Account>`;
}

export function zones(...letters: readonly string[]): string {
  const items = letters.map(
    (letter) =>
      `<item><zoneName>${region}${letter}</zoneName><zoneId>apne2-az-${letter}</zoneId><zoneState>available</zoneState></item>`,
  );
  return `<availabilityZoneInfo>${items.join("")}</availabilityZoneInfo>`;
}

/** Each type with the letters of its zones. */
export function offerings(...types: readonly (readonly [type: string, letters: string])[]): string {
  const items = types.flatMap(([type, letters]) =>
    [...letters].map(
      (letter) =>
        `<item><instanceType>${type}</instanceType><locationType>availability-zone</locationType><location>${region}${letter}</location></item>`,
    ),
  );
  return `<instanceTypeOfferingSet>${items.join("")}</instanceTypeOfferingSet>`;
}

export interface RunningInstance {
  readonly type: string;
  readonly spot?: boolean;
  readonly cores?: number;
  readonly tags?: Readonly<Record<string, string>>;
}

export function instances(...list: readonly RunningInstance[]): string {
  const items = list.map(({ type, spot, cores = 1, tags = {} }, index) => {
    const tagSet = Object.entries(tags).map(([key, value]) => `<item><key>${key}</key><value>${value}</value></item>`);
    const lifecycle = spot === true ? "<instanceLifecycle>spot</instanceLifecycle>" : "";
    const cpu = `<cpuOptions><coreCount>${cores}</coreCount><threadsPerCore>2</threadsPerCore></cpuOptions>`;
    return `<item><instanceId>i-${index}</instanceId><instanceType>${type}</instanceType>${lifecycle}${cpu}<tagSet>${tagSet.join("")}</tagSet></item>`;
  });
  return `<reservationSet><item><reservationId>r-1</reservationId><instancesSet>${items.join("")}</instancesSet></item></reservationSet>`;
}

export function subnets(free: number): string {
  return `<subnetSet><item><subnetId>subnet-0123456789abcdef0</subnetId><availableIpAddressCount>${free}</availableIpAddressCount></item></subnetSet>`;
}

export function quota(vcpus: number): object {
  return { Quota: { ServiceCode: "ec2", QuotaCode: "L-DB2E81BA", Value: vcpus, Adjustable: true } };
}

/** An add-on with these versions; the first is EKS's default. */
export function addon(addonName: string, ...versions: readonly string[]): object {
  const standard = addonDefaults[kubernetesVersion]?.[addonName]?.version;
  const offered = versions.length > 0 ? versions : pinnedAnd(addonName, standard);
  const addonVersions = offered.map((addonVersion, index) => ({
    addonVersion,
    compatibilities: [{ clusterVersion: kubernetesVersion, platformVersions: ["*"], defaultVersion: index === 0 }],
  }));
  return { addons: [{ addonName, type: "networking", addonVersions }] };
}

function pinnedAnd(addonName: string, standard: string | undefined): string[] {
  const pinned = pinnedAddons[kubernetesVersion]?.[addonName];
  return [...new Set([pinned, standard].filter((version) => version !== undefined))];
}

/** What IAM says about each action of a request. */
export function decisions(params: Params, of: (action: string) => string): string {
  const actions = Object.entries(params).flatMap(([key, value]) =>
    key.startsWith("ActionNames.member.") ? [String(value)] : [],
  );
  const members = actions.map(
    (action) =>
      `<member><EvalActionName>${action}</EvalActionName><EvalResourceName>*</EvalResourceName><EvalDecision>${of(action)}</EvalDecision></member>`,
  );
  return `<IsTruncated>false</IsTruncated><EvaluationResults>${members.join("")}</EvaluationResults>`;
}

export interface GroupFields {
  readonly cluster: string;
  readonly name: string;
  readonly type?: string;
  readonly desired?: number;
  readonly max?: number;
}

export function nodeGroup({ cluster, name, type = "g5.xlarge", desired = 0, max = 2 }: GroupFields): object {
  return {
    nodegroup: {
      ...{ clusterName: cluster, nodegroupName: name, status: "ACTIVE", capacityType: "ON_DEMAND" },
      instanceTypes: [type],
      scalingConfig: { minSize: 0, maxSize: max, desiredSize: desired },
      subnets: ["subnet-0123456789abcdef0"],
    },
  };
}
