import { withoutUndefined } from "../components/core/reader/records";
import { AwsError, awsErrorOf, type AccountPlace } from "./aws-error";

const clientSettings = {
  /** Enough to ride out a short throttling. */
  maxAttempts: 4,
  customUserAgent: "eks-gpu-lab",
  /** Milliseconds for one response; the SDK repeats a failed request. */
  requestHandler: { connectionTimeout: 5000, requestTimeout: 15_000, throwOnRequestTimeout: true },
};

/** A server that answers instead of AWS, and the credentials that are sent to it. */
export interface Endpoint {
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The services of one account and region, most of them by their name in IAM. Each takes 0.1 seconds to load, so it is loaded when it is first needed. */
function servicesOf({ region, profile }: AccountPlace, other?: Endpoint) {
  const settings = { ...clientSettings, region, profile, ...other };
  return {
    autoscaling: checked(async () => new (await import("@aws-sdk/client-auto-scaling")).AutoScaling(settings)),
    budgets: once(async () => new (await import("@aws-sdk/client-budgets")).Budgets(settings)),
    cloudwatch: once(async () => new (await import("@aws-sdk/client-cloudwatch")).CloudWatch(settings)),
    ec2: checked(async () => new (await import("@aws-sdk/client-ec2")).EC2(settings)),
    eks: checked(async () => new (await import("@aws-sdk/client-eks")).EKS(settings)),
    elb: checked(async () => {
      const { ElasticLoadBalancing } = await import("@aws-sdk/client-elastic-load-balancing");
      return new ElasticLoadBalancing(settings);
    }),
    elbv2: checked(async () => {
      const { ElasticLoadBalancingV2 } = await import("@aws-sdk/client-elastic-load-balancing-v2");
      return new ElasticLoadBalancingV2(settings);
    }),
    events: checked(async () => new (await import("@aws-sdk/client-eventbridge")).EventBridge(settings)),
    iam: checked(async () => new (await import("@aws-sdk/client-iam")).IAM(settings)),
    kms: checked(async () => new (await import("@aws-sdk/client-kms")).KMS(settings)),
    logs: checked(async () => new (await import("@aws-sdk/client-cloudwatch-logs")).CloudWatchLogs(settings)),
    servicequotas: checked(async () => new (await import("@aws-sdk/client-service-quotas")).ServiceQuotas(settings)),
    scheduler: checked(async () => new (await import("@aws-sdk/client-scheduler")).Scheduler(settings)),
    sqs: once(async () => {
      const { SQS } = await import("@aws-sdk/client-sqs");
      // The host of a queue's URL is not that of AWS_ENDPOINT_URL.
      return new SQS({ ...settings, useQueueUrlAsEndpoint: false });
    }),
    ssm: checked(async () => new (await import("@aws-sdk/client-ssm")).SSM(settings)),
    sts: checked(async () => new (await import("@aws-sdk/client-sts")).STS(settings)),
  };
}

/** Loads each service once. */
export type Loaders = ReturnType<typeof servicesOf>;
type Service = keyof Loaders;
type Client<Name extends Service> = Awaited<ReturnType<Loaders[Name]>>;
type Method<Name extends Service, Command extends string> = Client<Name>[keyof Client<Name> & Uncapitalize<Command>];

/** What a request sends. */
export type Input<Name extends Service, Command extends string> =
  Method<Name, Command> extends (input: infer T, ...more: never[]) => unknown ? T & object : never;

/** What AWS answers. The SDK also has two forms of each request with a callback. */
type Output<Name extends Service, Command extends string> =
  Method<Name, Command> extends {
    (input: never, options?: never): Promise<infer T>;
    (input: never, callback: never): void;
    (input: never, options: never, callback: never): void;
  }
    ? T
    : never;

type Item<All> = NonNullable<All> extends readonly (infer Each)[] ? Each : never;

/** Asks the services of one account and region. */
export interface Aws extends Loaders {
  readonly region: string;
  /** As {@link request}. @throws AwsError */
  ask<Name extends Service, Command extends string>(
    name: `${Name}:${Command}`,
    input: Input<Name, Command>,
  ): Promise<Output<Name, Command>>;
  /** As {@link itemsOf}. @throws AwsError */
  list<Name extends Service, Command extends string, List extends keyof Output<Name, Command> & string>(
    name: `${Name}:${Command}`,
    list: List,
    input: Input<Name, Command>,
    isEnough?: (all: readonly Item<Output<Name, Command>[List]>[]) => boolean,
  ): Promise<Item<Output<Name, Command>[List]>[]>;
  /** Sends requests to any of the services. @param actions their IAM actions @throws AwsError */
  send<T>(actions: string, requests: () => Promise<T>): Promise<T>;
}

export function awsClients(place: AccountPlace, other?: Endpoint): Aws {
  withoutVersionWarning();
  const services = servicesOf(place, other);
  const send: Aws["send"] = (actions, requests) => asked(place, actions, requests);
  return {
    ...{ region: place.region, ...services, send },
    ask: (name, input) => send(name, () => request(services, name, input)),
    list: (name, list, input, isEnough) => send(name, () => itemsOf(services, name, list, input, isEnough)),
  };
}

/**
 * Sends one request.
 *
 * @param name that of its service, and of the request as the SDK and the AWS CLI have it, e.g. `ec2:DescribeInstances`. For most,
 * it is the IAM action.
 */
export async function request<Name extends Service, Command extends string>(
  services: Pick<Loaders, Name>,
  name: `${Name}:${Command}`,
  input: Input<Name, Command>,
): Promise<Output<Name, Command>> {
  return (await answerTo(services, name, input)) as Output<Name, Command>;
}

/**
 * All items of a list, from all pages, or from those up to the one with which it is enough.
 *
 * @param name as for {@link request}
 * @param list the name of the list in the answer
 */
export function itemsOf<
  Name extends Service,
  Command extends string,
  List extends keyof Output<Name, Command> & string,
  Each = Item<Output<Name, Command>[List]>,
>(
  services: Pick<Loaders, Name>,
  name: `${Name}:${Command}`,
  list: List,
  input: Input<Name, Command>,
  isEnough?: (all: readonly Each[]) => boolean,
): Promise<Each[]> {
  return allItems<Each>(services, name, list, input, isEnough);
}

/** An item of the list that the request of EC2 with its name answers, e.g. of `Subnets`. */
export type Ec2Item<List extends string> =
  Output<"ec2", `Describe${List}`> extends { readonly [Name in List]?: infer All } ? Item<All> : never;

export function ec2Items<List extends string>(services: Pick<Loaders, "ec2">, list: List, input: object) {
  return allItems<Ec2Item<List>>(services, `ec2:Describe${list}`, list, input);
}

/** An answer of AWS. It has a page, whose end is under the name that the service gives it. */
interface Answer {
  readonly NextToken?: string;
  readonly nextToken?: string;
  readonly Marker?: string;
  readonly NextMarker?: string;
  /** IAM can have a marker without another page. */
  readonly IsTruncated?: boolean;
  readonly [member: string]: unknown;
}

async function answerTo(services: Partial<Loaders>, name: string, input: object): Promise<Answer> {
  const [service = "", command = ""] = name.split(":");
  const method = `${command.charAt(0).toLowerCase()}${command.slice(1)}`;
  const load = services[service as Service] as (() => Promise<Record<string, (input: object) => unknown>>) | undefined;
  return (await (await load?.())?.[method]?.(input)) as Answer;
}

async function allItems<Each>(
  services: Partial<Loaders>,
  name: string,
  list: string,
  input: object,
  isEnough: (all: readonly Each[]) => boolean = () => false,
): Promise<Each[]> {
  const all: Each[] = [];
  for (let page: object | undefined = {}; page;) {
    const answer: Answer = await answerTo(services, name, { ...input, ...page });
    all.push(...((answer[list] ?? []) as readonly Each[]));
    page = isEnough(all) ? undefined : pageAfter(answer);
  }
  return all;
}

function pageAfter({ NextToken, nextToken, NextMarker, Marker = NextMarker, IsTruncated }: Answer): object | undefined {
  if (IsTruncated === false || !(NextToken || nextToken || Marker)) return undefined;
  return withoutUndefined({ NextToken, nextToken, Marker });
}

/** Sends requests. Errors of AWS become AwsErrors; any other error is one of this program. */
async function asked<T>(place: AccountPlace, action: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw awsErrorOf(error, place, action) ?? error;
  }
}

/** An answer of AWS, if it comes in time. The request itself goes on. @throws AwsError when the time is over */
export async function within<T>(seconds: number, action: string, request: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `AWS does not respond within ${seconds} seconds.`;
    const fix = "check the network, HTTPS_PROXY and the VPN";
    timer = setTimeout(() => reject(new AwsError("network", action, "Timeout", why, fix)), seconds * 1000);
  });
  try {
    return await Promise.race([request, late]);
  } finally {
    clearTimeout(timer);
    request.catch(() => undefined);
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

interface SdkClient {
  readonly middlewareStack: {
    add(middleware: Middleware, options: object): void;
  };
}
type Middleware = (
  next: (args: never) => Promise<{ output: object }>,
  context: { commandName?: string },
) => (args: never) => Promise<{ output: object }>;

/**
 * A client of a service that answers each of these requests with a list or an object. The SDK reads a page of HTML or an empty
 * answer as one without members: that is an error, because an object that is not seen does not protect what it uses. The
 * answers of deletions have no member, and SQS and CloudWatch have none for an empty list.
 */
function checked<Client>(make: () => Promise<Client>): () => Promise<Client> {
  return once(async () => {
    const client = await make();
    (client as unknown as SdkClient).middlewareStack.add(refuseEmpty, { step: "initialize", name: "refuseEmpty" });
    return client;
  });
}

const refuseEmpty: Middleware =
  (next, { commandName = "" }) =>
  async (args) => {
    const answer = await next(args);
    const { $metadata, ...members } = answer.output as { readonly $metadata?: object };
    const isEmpty = Object.values(members).every((member) => member === undefined);
    if (isEmpty && /^(?:Create|Describe|Get|List|Simulate|Update)/.test(commandName))
      throw Object.assign(new Error("no list"), { name: "UnknownError", $metadata });
    return answer;
  };

/** The region of the environment or of the user's profile, also a wrong one; undefined if neither states one. */
export async function defaultRegion(at: { readonly profile?: string } = {}): Promise<string | undefined> {
  withoutVersionWarning();
  const { EKS } = await import("@aws-sdk/client-eks");
  try {
    return await new EKS(at).config.region();
  } catch (error) {
    const [, refused] = /^Region not accepted: region="([^"]*)"/.exec((error as Error).message) ?? [];
    return refused ?? (process.env["AWS_DEFAULT_REGION"] || undefined);
  }
}

/** The SDK warns once per process that a later version will need a newer Node.js. The version here is pinned. */
function withoutVersionWarning(): void {
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
}
