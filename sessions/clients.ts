import { clientSettings, withoutVersionWarning, type Endpoint } from "./aws";

/** Where requests go, and with whose credentials. */
export interface AccountPlace {
  readonly region: string;
  /** A profile of the AWS configuration files. @default the user's ordinary credentials */
  readonly profile?: string;
}

/** The clients of one account and region. Each is loaded when it is first needed. */
export function awsClients(place: AccountPlace, other?: Endpoint) {
  withoutVersionWarning();
  const settings = { ...clientSettings, ...place, ...other };
  return {
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

/** All pages of a list. */
export async function allPages<T>(
  page: (
    token: string | undefined,
  ) => Promise<{ readonly items: readonly T[] | undefined; readonly next?: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let token: string | undefined, isFirst = true; isFirst || token; isFirst = false) {
    const { items = [], next } = await page(token);
    all.push(...items);
    token = next;
  }
  return all;
}
