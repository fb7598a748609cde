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
} from "../../components";
import { isRecord } from "../../components/core/reader/records";
import { parseJson } from "./json-texts";
import type { Lab } from "./lab";
import { readLabConfig, type LabConfig } from "./lab-config";
import { borrowedPlace, ownPlace } from "./lab-place";
import { labs } from "../labs";
import { sessionOf, sessionOutputs } from "./session";

/**
 * Builds the lab of a stack.
 *
 * @returns the stack's outputs
 * @throws InputError with every problem of the configuration and of the account, before any resource is made
 */
export async function runLab(all: Readonly<Record<string, string>>, stack: string): Promise<pulumi.Inputs> {
  const { config, problems } = readLabConfig(all, stack);
  const roles = assumedRoles(all);
  const { lab, borrowed } = config;
  if (borrowed !== undefined) {
    refuse(`stack ${stack}`, [...problems, ...roles.problems]);
    const { place, lent } = await borrowedPlace(config, borrowed);
    return { ...told(config), ...lent, ...labs[lab].add?.(place) };
  }
  const request = preflightRequest(config.environment);
  const facts = request ? await readPreflightFacts(request) : {};
  refuse(`stack ${stack}`, [
    ...problems,
    ...roles.problems,
    ...(request ? preflightProblems(request, facts) : []),
    ...(await placeholderProblems(config.environment.publicAccessCidrs)),
  ]);
  for (const warning of request ? preflightWarnings(request, facts) : []) await pulumi.log.warn(warning);

  const zones = request && zonesFor(request, facts);
  const args = withCredentials(withZones(config.environment, zones), all["aws:profile"], roles.last);
  const environment = new GpuEnvironment(lab, args);
  const added = labs[lab].add?.(ownPlace(config, environment));
  const session = sessionOutputs(config, environment);
  return { ...told(config), ...environment.outputs, ...session, ...opened(environment), ...added };
}

/** The commands that open what watches the cluster, where it is installed. */
function opened({ monitoring }: GpuEnvironment): pulumi.Inputs {
  if (!monitoring) return {};
  const { prometheusCommand, alertmanagerCommand, grafanaCommand, grafanaPasswordCommand } = monitoring;
  return {
    monitoring: {
      prometheus: prometheusCommand,
      alertmanager: alertmanagerCommand,
      grafana: grafanaCommand,
      grafanaPassword: grafanaPasswordCommand,
    },
  };
}

/** What a stack tells its learner of the lab. */
function told(config: LabConfig): pulumi.Inputs {
  const { lab, isFaulty, expires } = config;
  const { question, hypothesis, watch, restore, fault }: Lab = labs[lab];
  const state = fault && { fault: isFaulty ? `${fault.name}, until ${expires}` : "off" };
  const { minutes, gpuNodes } = sessionOf(config);
  return { question, hypothesis, ...state, watch, restore, duration: `${minutes} minutes`, gpuNodes };
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
function withCredentials(
  args: GpuEnvironmentArgs,
  profile: string | undefined,
  roleArn: string | undefined,
): GpuEnvironmentArgs {
  if (profile === undefined && roleArn === undefined) return args;
  return {
    ...args,
    credentials: { ...(profile !== undefined && { profile }), ...(roleArn !== undefined && { roleArn }) },
  };
}

/** The last role of the AWS provider's chain, and what cannot be read of it; `aws:assumeRole` is its older, single form. */
function assumedRoles(all: Readonly<Record<string, string>>): { last: string | undefined; problems: Problem[] } {
  const problems: Problem[] = [];
  const chain = (["aws:assumeRole", "aws:assumeRoles"] as const).flatMap((path): unknown[] => {
    const got = all[path];
    if (got === undefined) return [];
    const value = parseJson(got);
    const roles: unknown[] = Array.isArray(value) ? value : [value];
    if (roles.every(isRecord)) return roles;
    const first = path === "aws:assumeRole" ? `${path}.roleArn` : `'${path}[0].roleArn'`;
    const why = "It must be an object with the role's ARN in roleArn, or a list of such objects.";
    const fix = `pulumi config rm ${path} && pulumi config set --path ${first} arn:aws:iam::ACCOUNT:role/NAME`;
    problems.push({ code: "wrong-type", path, got, why, fix });
    return [];
  });
  const last = chain.at(-1);
  return { last: isRecord(last) && "roleArn" in last ? String(last["roleArn"]) : undefined, problems };
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
