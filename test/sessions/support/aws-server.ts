import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, vi } from "vitest";
import { xml } from "../../../simulation/http/xml";
import { exchangeProblems, missingModels, type Exchange } from "../../support/aws-models";

/**
 * An HTTP server for the errors and texts that a simulator of AWS does not have. Shapes: restJson1 of EKS and the query
 * protocol of EC2 Auto Scaling, as the models of the SDK state them. Requests without an answer here go to `upstream`.
 */

export type Operation =
  | "DescribeNodegroup"
  | "UpdateNodegroupConfig"
  | "DescribeCluster"
  | "DescribeAutoScalingGroups"
  | "DescribeScalingActivities";

/** `lost`: the connection ends without a response. */
export type Answer = HttpAnswer | "lost";

interface HttpAnswer {
  readonly status: number;
  readonly error?: string;
  readonly body: string;
}

/** The answer to the request number `count` (from 1) of an operation; undefined leaves it to `upstream`. */
export type Answers = Partial<Record<Operation, (count: number, body: string) => Answer | undefined>>;

export interface AwsServer {
  readonly endpoint: string;
  /** The operations in the order of their requests. */
  readonly requests: Operation[];
  /** The bodies of the requests that change something. */
  readonly changes: unknown[];
}

export async function awsServer(answers: Answers, upstream?: string): Promise<AwsServer> {
  const requests: Operation[] = [];
  const changes: unknown[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readAll(request);
      const operation = operationOf(request, body);
      requests.push(operation);
      if (operation === "UpdateNodegroupConfig") changes.push(JSON.parse(body));
      const count = requests.filter((one) => one === operation).length;
      const answer = answers[operation]?.(count, body);
      if (answer === "lost") response.destroy();
      else if (answer) write(response, operation, answer, exchangeOf(request, body));
      else if (upstream === undefined)
        write(response, operation, eksError(501, "NoAnswer", `no ${operation}`), undefined);
      else forward(request, body, response, upstream);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, changes };
}

function operationOf({ url = "", method }: IncomingMessage, body: string): Operation {
  const action = new URLSearchParams(body).get("Action");
  if (url === "/" && action !== null) return action as Operation;
  if (method === "POST" && url.endsWith("/update-config")) return "UpdateNodegroupConfig";
  return url.includes("/node-groups/") ? "DescribeNodegroup" : "DescribeCluster";
}

type Asked = Pick<Exchange, "service" | "request">;

/** What was asked and answered in a file of tests. Files share this module. */
const exchanges: Exchange[] = [];

function exchangeOf({ method = "", url = "", headers }: IncomingMessage, body: string): Asked {
  const service = headers.authorization?.includes("/autoscaling/") ? "autoscaling" : "eks";
  const plain = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { service, request: { method, url, headers: Object.fromEntries(plain) as Record<string, string>, body } };
}

function write(response: ServerResponse, operation: Operation, answer: HttpAnswer, asked: Asked | undefined): void {
  const type = operation.includes("Scaling") ? "text/xml" : "application/json";
  const error = answer.error === undefined ? {} : { "x-amzn-errortype": answer.error };
  const { status, body } = answer;
  const headers = { "content-type": type, ...error };
  if (asked) exchanges.push({ ...asked, response: { status, headers, body } });
  response.writeHead(status, headers);
  response.end(body);
}

/**
 * After the tests of a file, the requests and the answers are compared with the models of AWS.
 *
 * @param invented the errors that are wrong on purpose
 */
export function expectValidExchanges(invented: readonly string[] = []): void {
  beforeAll(() => void exchanges.splice(0));
  afterAll(() => {
    const missing = missingModels();
    if (missing !== undefined) {
      process.stderr.write(`skipped, requests of sessions by the models of AWS: ${missing}\n`);
      return;
    }
    const isInvented = (problem: string) => invented.some((error) => problem.includes(` ${error} is no error of `));
    expect([...new Set(exchangeProblems(exchanges))].filter((problem) => !isInvented(problem))).toEqual([]);
  });
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

/** An error of EKS. */
export function eksError(status: number, error: string, message: string): HttpAnswer {
  return { status, error, body: JSON.stringify({ message }) };
}

/** An error of EC2 Auto Scaling. */
export function queryError(status: number, code: string, message: string): Answer {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, body: `<ErrorResponse>${error}<RequestId>r</RequestId></ErrorResponse>` };
}

export interface GroupFields {
  readonly desired?: number;
  readonly min?: number;
  readonly max?: number;
  readonly status?: string;
  readonly issues?: readonly { readonly code: string; readonly message: string }[];
  readonly instanceTypes?: readonly string[];
  readonly capacityType?: string;
}

/** The answer to DescribeNodegroup. */
export function nodegroup(fields: GroupFields = {}): Answer {
  const { desired = 0, min = 0, max = 2, status = "ACTIVE", issues = [], capacityType = "ON_DEMAND" } = fields;
  const group = {
    ...{ nodegroupName: "gpu", clusterName: "myeks", status, capacityType },
    scalingConfig: { minSize: min, maxSize: max, desiredSize: desired },
    instanceTypes: fields.instanceTypes ?? ["g5.xlarge"],
    resources: { autoScalingGroups: [{ name: "eks-gpu-1" }] },
    health: { issues: issues.map((issue) => ({ ...issue, resourceIds: ["eks-gpu-1"] })) },
  };
  return { status: 200, body: JSON.stringify({ nodegroup: group }) };
}

/** The answer to DescribeAutoScalingGroups: instances in these lifecycle states. */
export function instances(...states: readonly string[]): Answer {
  const placed = { InstanceType: "g5.xlarge", AvailabilityZone: "ap-northeast-2a" };
  const members = states.map((LifecycleState, at) => ({
    ...{ InstanceId: `i-${at + 1}`, ...placed, LifecycleState, HealthStatus: "Healthy", ProtectedFromScaleIn: false },
  }));
  const sizes = { MinSize: 0, MaxSize: 2, DesiredCapacity: states.length, DefaultCooldown: 300 };
  const group = { AutoScalingGroupName: "eks-gpu-1", ...sizes, AvailabilityZones: ["ap-northeast-2a"] };
  const created = { HealthCheckType: "EC2", CreatedTime: "2026-11-20T09:00:00Z" };
  return result("DescribeAutoScalingGroups", { AutoScalingGroups: [{ ...group, ...created, Instances: members }] });
}

export interface ActivityFields {
  readonly id: string;
  readonly status: string;
  readonly message?: string;
  readonly description?: string;
}

/** The answer to DescribeScalingActivities, the latest first. */
export function activities(...list: readonly ActivityFields[]): Answer {
  const Activities = list.map(({ id, status, message, description = "Launching a new EC2 instance" }) => ({
    ...{ ActivityId: id, AutoScalingGroupName: "eks-gpu-1", Description: description, Cause: "The size was changed." },
    ...{ StartTime: "2026-11-20T10:00:00Z", StatusCode: status, StatusMessage: message },
  }));
  return result("DescribeScalingActivities", { Activities });
}

function result(operation: Operation, content: object): Answer {
  const answer = { [`${operation}Result`]: content, ResponseMetadata: { RequestId: "r" } };
  return { status: 200, body: xml(`${operation}Response`, answer, "http://autoscaling.amazonaws.com/doc/2011-01-01/") };
}

/** The answer to DescribeCluster. */
export function cluster(endpoint: string): Answer {
  return { status: 200, body: JSON.stringify({ cluster: { name: "myeks", endpoint } }) };
}

/** The answer to UpdateNodegroupConfig. */
export const accepted: Answer = {
  status: 200,
  body: JSON.stringify({ update: { id: "u", status: "InProgress", type: "ConfigUpdate", params: [], errors: [] } }),
};

export const secretKey = "wJalrXUtnFEMI-K7MDENG-never-printed";
export const sessionToken = "FwoGZXIvYXdzEBYaD-never-printed";

/** The environment of a user whose AWS is this server, and who has no kubeconfig. */
export function useAws(endpoint: string): void {
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
    AWS_SECRET_ACCESS_KEY: secretKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_CONFIG_FILE: "/nonexistent",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_PROFILE: undefined,
    AWS_REGION: undefined,
    AWS_DEFAULT_REGION: undefined,
    KUBECONFIG: "/nonexistent",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}
