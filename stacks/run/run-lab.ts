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
import { withoutUndefined } from "../../components/core/reader/records";
import { withDefaults } from "../../components/core/parse";
import { resolved } from "../../components/core/schema";
import { stackTagValue } from "../../components/core/stack-tags";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { capacityRequest } from "../../components/preflight/preflight-request";
import { assumedRoles } from "./assumed-roles";
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
  const request = capacityRequest(settings, changeOptions(former, config, stackTag));
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

/** The description of the lab that its stack exports. */
function describeLab(config: LabConfig): pulumi.Inputs {
  const { lab, isFaulty, expires } = config;
  const { question, hypothesis, watch, restore, fault }: Lab = labs[lab];
  const state = fault && { fault: isFaulty ? `${fault.name}, until ${expires}` : "off" };
  const { minutes, gpuNodes } = sessionOf(config);
  return { question, hypothesis, ...state, watch, restore, duration: `${minutes} minutes`, gpuNodes };
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
