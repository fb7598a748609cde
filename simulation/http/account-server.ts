import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { autoScalingApi } from "./auto-scaling-api";
import { ec2Api } from "./ec2-api";
import { eksApi } from "./eks-api";
import { iamApi } from "./iam-api";
import { schedulerApi } from "./scheduler-api";
import { json, type ApiRequest, type ApiResponse, type ServiceApi } from "./service-api";
import {
  budgetsApi,
  cloudwatchApi,
  elbApi,
  elbv2Api,
  eventsApi,
  kmsApi,
  logsApi,
  quotasApi,
  sqsApi,
  ssmApi,
  stsApi,
} from "./smaller-apis";

/** A simulated account that answers the AWS SDKs over HTTP, on loopback. */
export interface AccountServer {
  /** For `AWS_ENDPOINT_URL`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** A request and its answer. The names of headers are in lower case. */
export interface Exchange {
  /** The service by the name of botocore, e.g. `eks`. */
  readonly service: string;
  readonly request: ApiRequest;
  readonly response: ApiResponse;
}

/**
 * Answers the requests with which a session checks the account, reads and scales node groups and sets its end, and those with
 * which `leftovers` finds and removes what a stack created. A change takes effect at once. Signatures are not checked.
 *
 * @param onExchange receives each request with its answer
 */
export async function serveAccount(
  cloud: SimulatedCloud,
  onExchange: (exchange: Exchange) => void = () => undefined,
): Promise<AccountServer> {
  const apis = apisOf(cloud);
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers: plainHeaders(headers), body: await readAll(incoming) };
      const service = serviceOf(incoming, request.body);
      const response = await responseOf(apis[service], service, request);
      onExchange({ service, request, response });
      outgoing.writeHead(response.status, response.headers).end(response.body);
    })();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** By the name of the service in botocore. */
function apisOf(cloud: SimulatedCloud): Readonly<Record<string, ServiceApi>> {
  return {
    eks: eksApi(cloud),
    autoscaling: autoScalingApi(cloud),
    scheduler: schedulerApi(cloud),
    ec2: ec2Api(cloud),
    iam: iamApi(cloud),
    kms: kmsApi(cloud),
    logs: logsApi(cloud),
    "service-quotas": quotasApi(cloud),
    sqs: sqsApi(cloud),
    cloudwatch: cloudwatchApi(cloud),
    events: eventsApi(cloud),
    ssm: ssmApi(cloud),
    budgets: budgetsApi(cloud),
    sts: stsApi(cloud),
    elb: elbApi(),
    elbv2: elbv2Api(),
  };
}

async function responseOf(api: ServiceApi | undefined, service: string, request: ApiRequest): Promise<ApiResponse> {
  if (!api) return json(501, { message: `The simulated account does not answer requests to ${service || "AWS"}.` });
  try {
    return await api.answer(request);
  } catch (error) {
    if (error instanceof CloudError) return api.reject(error);
    return api.reject(new CloudError("InternalFailure", error instanceof Error ? error.message : "It failed."));
  }
}

/**
 * The service in the signature: `Credential=AKIA…/20260101/ap-northeast-2/eks/aws4_request`. CloudWatch and Service Quotas
 * have other names there. The two services of load balancers have one name there, and differ in the version of their APIs.
 */
function serviceOf({ headers }: IncomingMessage, body: string): string {
  const signed = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? "")?.[1] ?? "";
  if (signed === "monitoring") return "cloudwatch";
  if (signed === "servicequotas") return "service-quotas";
  if (signed !== "elasticloadbalancing") return signed;
  return body.includes("Version=2015-12-01") ? "elbv2" : "elb";
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  // A test that records exchanges must not keep credentials, not even invented ones.
  const { authorization, "x-amz-security-token": token, ...others } = headers;
  return Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
}
