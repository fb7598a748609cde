import * as pulumi from "@pulumi/pulumi";
import {
  GpuEnvironment,
  InputError,
  isDocumentationCidr,
  preflightProblems,
  preflightWarnings,
  readPreflightFacts,
  refuse,
  zonesFor,
  type Problem,
} from "../../components";
import { withoutUndefined, isRecord } from "../../components/core/reader/records";
import { withDefaults } from "../../components/core/parse";
import { s, resolved, parse, type Schema } from "../../components/core/schema";
import { stackTagValue } from "../../components/core/stack-tags";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { capacityRequest } from "../../components/preflight/preflight-request";
import {
  abandonedCluster,
  changeOptions,
  isLeaseStated,
  otherLab,
  readFormerUpdate,
  strayGroups,
  unstatedLease,
} from "./former-cluster";
import { failedCreates, sessionGuard, stackTags } from "./hooks";
import type { Lab } from "./lab";
import { readLabConfig, type LabConfig } from "./lab-config";
import { localPlace } from "./local-place";
import { sharedPlace, ownPlace } from "./place";
import { onDemandLab } from "./lab-values";
import { labs } from "../labs";
import { sessionOf, sessionOutputs } from "./session";
import type { types } from "@pulumi/aws";
import { roleArn } from "../../components/cluster/access/admins";
import { parseJson } from "../../components/core/json-text";
import { step } from "../../components/core/reader/paths";

/**
 * Builds the lab of a stack.
 *
 * @returns the stack's outputs
 * @throws InputError with every problem of the configuration and of the account, before any resource is made
 */
export async function runLab(all: Readonly<Record<string, string>>, stack: string): Promise<pulumi.Inputs> {
  const { config, problems } = readLabConfig(all, stack);
  const roles = assumedRoles(all);
  if (!config || roles.problems.length > 0) throw new InputError(`stack ${stack}`, [...problems, ...roles.problems]);
  const { lab, cluster, confirm } = config;
  const former = await readFormerUpdate();
  if ("reference" in cluster) {
    refuse(`stack ${stack}`, abandonedCluster(former, confirm, "environment", cluster.reference));
    const { place, shared } = await sharedPlace(config, cluster);
    return { ...describeLab(config), ...shared, ...labs[lab].add?.(place) };
  }
  if ("context" in cluster) {
    refuse(`stack ${stack}`, abandonedCluster(former, confirm, "localCluster", cluster.context));
    const place = await localPlace(config, cluster);
    return { ...describeLab(config), cluster: cluster.context, ...labs[lab].add?.(place) };
  }
  const { settings } = cluster;
  const stackTag = stackTagValue(pulumi.getOrganization(), pulumi.getProject(), stack);
  const request = capacityRequest(settings, { ...changeOptions(former, config, stackTag), name: lab });
  const facts = await readPreflightFacts(request);
  refuse(`stack ${stack}`, [
    ...otherLab(former, lab, confirm),
    ...unstatedLease(former, settings, isLeaseStated(all)),
    ...strayGroups(lab, facts.own),
    ...withDefaults(preflightProblems(request, facts), { ...config.environment, confirm }),
    ...(await placeholderProblems(settings.publicAccessCidrs)),
  ]);
  for (const warning of preflightWarnings(request, facts)) await pulumi.log.warn(warning);

  const profile = all["aws:profile"] || undefined;
  const credentials = withoutUndefined({ profile, roleArn: roles.last });
  const complete = completed(settings, zonesFor(request, facts), credentials);
  const environment = new GpuEnvironment(lab, resolved<EnvironmentSettings>(complete), {
    transformations: [stackTags(stackTag), sessionGuard(config, settings), failedCreates(facts.region, profile)],
  });
  const added = labs[lab].add?.(ownPlace(config, complete, environment));
  const session = sessionOutputs(config, complete, environment);
  return { ...describeLab(config), ...environment.outputs, ...session, ...monitoringCommands(environment), ...added };
}

/** Commands that open Prometheus, Alertmanager and Grafana, where they are installed. */
function monitoringCommands({ monitoring }: GpuEnvironment): pulumi.Inputs {
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

/** The description of the lab that its stack exports, without the cause of its fault. */
function describeLab(config: LabConfig): pulumi.Inputs {
  const { lab, isFaulty, expires } = config;
  const { question, hypothesis, watch, restore, fault }: Lab = labs[lab];
  const state = fault && { fault: isFaulty ? `on, until ${expires}` : "off" };
  const { minutes, gpuNodes } = sessionOf(config);
  const secret = pulumi.secret(hypothesis);
  const restoring = onDemandLab(lab, config.environment)?.restore ?? restore;
  return {
    question,
    hypothesis: secret,
    ...state,
    watch,
    restore: restoring,
    duration: `${minutes} minutes`,
    gpuNodes,
  };
}

/**
 * Zones known here are plain values, which checks, plan and diagram can read; those that the VPC reads itself are
 * Outputs. Kubernetes objects are created with the credentials that create the cluster: its profile, and the role that is
 * assumed.
 */
function completed(
  settings: EnvironmentSettings,
  zones: readonly string[] | undefined,
  credentials: NonNullable<EnvironmentSettings["credentials"]>,
): EnvironmentSettings {
  return {
    ...settings,
    ...(zones && !settings.network.existing && { network: { ...settings.network, zones } }),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
}

/**
 * Pulumi.yaml cannot contain its user's address, so it has one that is reserved for documentation. A preview
 * continues with a warning; an update would create a cluster that you cannot reach.
 */
async function placeholderProblems(cidrs: readonly string[]): Promise<Problem[]> {
  const placeholders = cidrs.filter((cidr) => isDocumentationCidr(cidr));
  if (placeholders.length === 0) return [];
  const fix = `pulumi config set --path 'publicAccessCidrs[0]' "$(curl -s https://checkip.amazonaws.com)/32"`;
  const why = "This range is reserved for documentation, so you could not reach the cluster.";
  if (pulumi.runtime.isDryRun()) {
    await pulumi.log.warn(`publicAccessCidrs contains ${placeholders.join(", ")}. ${why} Before pulumi up: ${fix}`);
    return [];
  }
  return [{ code: "not-allowed", path: "publicAccessCidrs", got: placeholders, why, fix }];
}

/**
 * A role of the AWS provider. Only its ARN is read here.
 * @see https://www.pulumi.com/registry/packages/aws/installation-configuration/
 */
const role = s.section({
  roleArn: s.optional(roleArn()),
  duration: s.optional(s.anything()),
  externalId: s.optional(s.anything()),
  policy: s.optional(s.anything()),
  policyArns: s.optional(s.anything()),
  sessionName: s.optional(s.anything()),
  sourceIdentity: s.optional(s.anything()),
  tags: s.optional(s.anything()),
  transitiveTagKeys: s.optional(s.anything()),
} satisfies Record<keyof types.input.ProviderAssumeRole, Schema>);

/** The role that the AWS provider assumes last, and every problem of its roles. */
interface AssumedRoles {
  readonly last: string | undefined;
  readonly problems: readonly Problem[];
}

/** Reads `aws:assumeRoles`, a chain of roles, and `aws:assumeRole`, its older form for one role. */
function assumedRoles(all: Readonly<Record<string, string>>): AssumedRoles {
  const single = rolesIn("aws:assumeRole", all["aws:assumeRole"]);
  const chain = rolesIn("aws:assumeRoles", all["aws:assumeRoles"]);
  return { last: chain.last ?? single.last, problems: [...single.problems, ...chain.problems] };
}

function rolesIn(path: string, got: string | undefined): AssumedRoles {
  if (got === undefined) return { last: undefined, problems: [] };
  const value = parseJson(got);
  const roles: unknown[] = Array.isArray(value) ? value : [value];
  if (!roles.every(isRecord)) {
    const first = path === "aws:assumeRole" ? `${path}.roleArn` : `'${path}[0].roleArn'`;
    const why = "Must be an object with the role's ARN in roleArn, or a list of such objects.";
    const fix = `pulumi config rm ${path} && pulumi config set --path ${first} arn:aws:iam::ACCOUNT:role/NAME`;
    return { last: undefined, problems: [{ code: "wrong-type", path, got, why, fix }] };
  }
  const parsed = roles.map((one, index) => parse(role, one, Array.isArray(value) ? step(path, index) : path));
  return { last: parsed.at(-1)?.value?.roleArn, problems: parsed.flatMap(({ problems }) => problems) };
}
