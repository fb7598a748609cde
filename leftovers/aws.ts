import { clientSettings, withoutVersionWarning } from "../sessions/aws";
import { AwsError, awsErrorOf } from "../sessions/aws-error";

/** The clients of one region, with the user's ordinary credentials. Each is loaded when it is first needed. */
export function awsIn(region: string) {
  withoutVersionWarning();
  const settings = { ...clientSettings, region };
  return {
    region,
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
    scheduler: once(async () => new (await import("@aws-sdk/client-scheduler")).Scheduler(settings)),
  };
}

export type Aws = ReturnType<typeof awsIn>;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Sends requests. Errors of AWS become AwsErrors with the IAM action; any other error is one of this program. */
export async function asked<T>(action: string, region: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const found = awsErrorOf(error, { action, at: { region, cluster: "", group: "" } });
    if (!found) throw error;
    const { kind, code, why } = found;
    throw new AwsError(kind, action, code, why, fixOf(found));
  }
}

function fixOf({ kind, action, fix }: AwsError): string {
  if (kind === "denied") return `ask your administrator for the permission ${action} (docs/recovery.md lists all)`;
  return kind === "missing" ? "check the region" : fix;
}

/** The AWS error code of any error, e.g. `DependencyViolation`. */
export function codeOf(error: unknown): string {
  if (error instanceof AwsError) return error.code;
  const { name } = error as { readonly name?: unknown };
  return typeof name === "string" ? name : "";
}
