import * as pulumi from "@pulumi/pulumi";
import {
  GpuEnvironment,
  isDocumentationCidr,
  preflightProblems,
  preflightRequest,
  preflightWarnings,
  readPreflightFacts,
  refuse,
  zonesFor,
  type GpuEnvironmentArgs,
  type Problem,
} from "../components";
import { readLabConfig } from "./lab-config";
import { labs } from "./labs";

/**
 * Builds the lab of a stack.
 *
 * @returns the stack's outputs
 * @throws InputError with every problem of the configuration and of the account, before any resource is made
 */
export async function runLab(all: Readonly<Record<string, string>>, stack: string): Promise<pulumi.Inputs> {
  const { config, problems } = readLabConfig(all, stack);
  const request = preflightRequest(config.environment);
  const facts = request ? await readPreflightFacts(request) : {};
  refuse(`stack ${stack}`, [
    ...problems,
    ...(request ? preflightProblems(request, facts) : []),
    ...(await placeholderProblems(config.environment.publicAccessCidrs)),
  ]);
  for (const warning of request ? preflightWarnings(request, facts) : []) await pulumi.log.warn(warning);

  const zones = request && zonesFor(request, facts);
  const args = withCredentials(withZones(config.environment, zones), all);
  const environment = new GpuEnvironment(config.lab, args);
  labs[config.lab].add?.(environment);
  return environment.outputs;
}

/**
 * Zones known here are plain values, which checks, plan and diagram can read; those the VPC asks for itself are
 * outputs.
 */
function withZones(args: GpuEnvironmentArgs, zones: readonly string[] | undefined): GpuEnvironmentArgs {
  if (!zones || args.network?.existing) return args;
  return { ...args, network: { ...args.network, zones } };
}

/**
 * Kubernetes objects are made with the credentials that make the cluster: its profile, and the role that is assumed.
 */
function withCredentials(args: GpuEnvironmentArgs, all: Readonly<Record<string, string>>): GpuEnvironmentArgs {
  const profile = all["aws:profile"];
  const roleArn = assumedRole(all);
  if (profile === undefined && roleArn === undefined) return args;
  return {
    ...args,
    credentials: { ...(profile !== undefined && { profile }), ...(roleArn !== undefined && { roleArn }) },
  };
}

/** The last role of the AWS provider's chain; `aws:assumeRole` is its older, single form. */
function assumedRole(all: Readonly<Record<string, string>>): string | undefined {
  const chain = [all["aws:assumeRole"], all["aws:assumeRoles"]].flatMap((text) => {
    const parsed: unknown = text === undefined ? [] : JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  });
  const last = chain.at(-1);
  return typeof last === "object" && last !== null && "roleArn" in last ? String(last.roleArn) : undefined;
}

/**
 * A committed stack file cannot know its user's address, so it holds one that is reserved for documentation. A preview
 * goes on with a warning; an update would make a cluster that nobody reaches.
 */
async function placeholderProblems(cidrs: readonly string[]): Promise<Problem[]> {
  const placeholders = (Array.isArray(cidrs) ? cidrs : []).filter((cidr) => isDocumentationCidr(cidr));
  if (placeholders.length === 0) return [];
  const fix = `pulumi config set --path 'publicAccessCidrs[0]' "$(curl -s https://checkip.amazonaws.com)/32"`;
  const why = "This range is reserved for documentation: nobody could reach the cluster.";
  if (pulumi.runtime.isDryRun()) {
    await pulumi.log.warn(`publicAccessCidrs holds ${placeholders.join(", ")}. ${why} Before pulumi up: ${fix}`);
    return [];
  }
  return [{ code: "not-allowed", path: "publicAccessCidrs", got: placeholders, why, fix }];
}
