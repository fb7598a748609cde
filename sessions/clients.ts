/** Seconds for one response; the SDK repeats a failed request. */
const requestSeconds = 15;
const connectionSeconds = 5;
/** Enough to ride out a short throttling. */
const maxAttempts = 4;

const clientSettings = {
  maxAttempts,
  customUserAgent: "eks-gpu-lab",
  requestHandler: {
    connectionTimeout: connectionSeconds * 1000,
    requestTimeout: requestSeconds * 1000,
    throwOnRequestTimeout: true,
  },
};

/** A server that answers instead of AWS, and the credentials that are sent to it. */
export interface Endpoint {
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Where requests go, and with whose credentials. */
export interface AccountPlace {
  readonly region: string;
  /** A profile of the AWS configuration files. @default the user's ordinary credentials */
  readonly profile?: string;
}

/** The clients of one account and region. Each takes 0.1 seconds to load, so it is loaded when it is first needed. */
export function awsClients({ region, profile }: AccountPlace, other?: Endpoint) {
  withoutVersionWarning();
  const settings = { ...clientSettings, region, ...(profile !== undefined && { profile }), ...other };
  return {
    autoScaling: once(async () => new (await import("@aws-sdk/client-auto-scaling")).AutoScaling(settings)),
    budgets: once(async () => new (await import("@aws-sdk/client-budgets")).Budgets(settings)),
    cloudwatch: once(async () => new (await import("@aws-sdk/client-cloudwatch")).CloudWatch(settings)),
    ec2: once(async () => new (await import("@aws-sdk/client-ec2")).EC2(settings)),
    eks: once(async () => new (await import("@aws-sdk/client-eks")).EKS(settings)),
    elb: once(async () => {
      const { ElasticLoadBalancing } = await import("@aws-sdk/client-elastic-load-balancing");
      return new ElasticLoadBalancing(settings);
    }),
    elbv2: once(async () => {
      const { ElasticLoadBalancingV2 } = await import("@aws-sdk/client-elastic-load-balancing-v2");
      return new ElasticLoadBalancingV2(settings);
    }),
    iam: once(async () => new (await import("@aws-sdk/client-iam")).IAM(settings)),
    kms: once(async () => new (await import("@aws-sdk/client-kms")).KMS(settings)),
    logs: once(async () => new (await import("@aws-sdk/client-cloudwatch-logs")).CloudWatchLogs(settings)),
    quotas: once(async () => new (await import("@aws-sdk/client-service-quotas")).ServiceQuotas(settings)),
    scheduler: once(async () => new (await import("@aws-sdk/client-scheduler")).Scheduler(settings)),
    sqs: once(async () => {
      const { SQS } = await import("@aws-sdk/client-sqs");
      // The host of a queue's URL is not that of AWS_ENDPOINT_URL.
      return new SQS({ ...settings, useQueueUrlAsEndpoint: false });
    }),
    ssm: once(async () => new (await import("@aws-sdk/client-ssm")).SSM(settings)),
    sts: once(async () => new (await import("@aws-sdk/client-sts")).STS(settings)),
  };
}

export type AwsClients = ReturnType<typeof awsClients>;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

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

/** All pages of a list, or those up to the one with which it is enough. */
export async function allPages<T>(
  page: (
    token: string | undefined,
  ) => Promise<{ readonly items: readonly T[] | undefined; readonly next?: string | undefined }>,
  isEnough: (all: readonly T[]) => boolean = () => false,
): Promise<T[]> {
  const all: T[] = [];
  for (let token: string | undefined, isFirst = true; isFirst || token; isFirst = false) {
    const { items = [], next } = await page(token);
    all.push(...items);
    token = isEnough(all) ? undefined : next;
  }
  return all;
}
