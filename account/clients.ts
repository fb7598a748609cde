import type { EC2 } from "@aws-sdk/client-ec2";
import type { EKS } from "@aws-sdk/client-eks";
import type { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import type { IAM } from "@aws-sdk/client-iam";
import type { ServiceQuotas } from "@aws-sdk/client-service-quotas";
import type { SSM } from "@aws-sdk/client-ssm";
import type { STS } from "@aws-sdk/client-sts";
import { clientSettings, withoutVersionWarning } from "../sessions/aws";
import { AwsError, awsErrorOf } from "../sessions/aws-error";

/** Where requests go, and with whose credentials. */
export interface AccountPlace {
  readonly region: string;
  /** A profile of the AWS configuration files. @default the user's ordinary credentials */
  readonly profile?: string;
}

interface Services {
  readonly ec2: EC2;
  readonly eks: EKS;
  readonly iam: IAM;
  readonly logs: CloudWatchLogs;
  readonly quotas: ServiceQuotas;
  readonly ssm: SSM;
  readonly sts: STS;
}

/** Asks the services of one account and region. Each client is loaded with its first request. */
export interface Clients {
  readonly region: string;
  /**
   * Sends one request.
   *
   * @param action the IAM action, e.g. `ec2:DescribeInstances`
   * @throws AwsError
   */
  ask<Name extends keyof Services, T>(
    name: Name,
    action: string,
    request: (service: Services[Name]) => Promise<T>,
  ): Promise<T>;
}

/** Makes the clients of an account. */
export function accountClients({ region, profile }: AccountPlace): Clients {
  withoutVersionWarning();
  const made = new Map<keyof Services, Promise<Services[keyof Services]>>();
  const config = { ...clientSettings, region, ...(profile !== undefined && { profile }) };
  const serviceOf = <Name extends keyof Services>(name: Name): Promise<Services[Name]> => {
    const found = made.get(name) ?? makers[name](config);
    made.set(name, found);
    return found as Promise<Services[Name]>;
  };
  return {
    region,
    ask: async (name, action, request) => {
      try {
        return await request(await serviceOf(name));
      } catch (error) {
        throw awsErrorOf(error, { action, at: { region, cluster: "NAME", group: "" } }) ?? error;
      }
    },
  };
}

/** Whether the error says that there is nothing of that name. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof AwsError && (error.kind === "missing" || /^(?:ParameterNotFound|NoSuchResource)/.test(error.code))
  );
}

type Config = typeof clientSettings & AccountPlace;

const makers: { readonly [Name in keyof Services]: (config: Config) => Promise<Services[Name]> } = {
  ec2: async (config) => new (await import("@aws-sdk/client-ec2")).EC2(config),
  eks: async (config) => new (await import("@aws-sdk/client-eks")).EKS(config),
  iam: async (config) => new (await import("@aws-sdk/client-iam")).IAM(config),
  logs: async (config) => new (await import("@aws-sdk/client-cloudwatch-logs")).CloudWatchLogs(config),
  quotas: async (config) => new (await import("@aws-sdk/client-service-quotas")).ServiceQuotas(config),
  ssm: async (config) => new (await import("@aws-sdk/client-ssm")).SSM(config),
  sts: async (config) => new (await import("@aws-sdk/client-sts")).STS(config),
};
