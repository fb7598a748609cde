import type { GpuEnvironmentArgs } from "../environment/gpu-environment-schema";
import { gpuEnvironmentProblems } from "../environment/gpu-environment-schema";
import { environmentSettings, type EnvironmentSettings } from "../environment/gpu-environment-plan";
import { instanceType, type InstanceType } from "../nodes/machine/instance-types";
import type { Sizes } from "../nodes/scaling";
import type { CapacityRequest, ScaledGroup } from "./preflight-facts";
import type { ChangeOptions } from "./running-environment";

/**
 * What an environment requests of region and account, with what may exist already; undefined when the arguments are
 * wrong, which `gpuEnvironmentProblems` reports.
 */
export function preflightRequest(args: GpuEnvironmentArgs, options: ChangeOptions = {}): CapacityRequest | undefined {
  return gpuEnvironmentProblems(args).length === 0 ? capacityRequest(environmentSettings(args), options) : undefined;
}

/** What an environment requests of region and account, with what may exist already. */
export function capacityRequest(settings: EnvironmentSettings, options: ChangeOptions = {}): CapacityRequest {
  const { clusterName, systemNodes, gpuNodes, controlPlaneLogs, secretsKey } = settings;
  const type = instanceType(gpuNodes.instanceType) as InstanceType;
  const zones = settings.network.existing?.zones ?? settings.network.zones;
  return {
    clusterName,
    admins: settings.admins,
    ...(isStrings(zones) && { zones }),
    systemInstanceType: systemNodes.instanceType,
    instanceType: type.name,
    azIndex: gpuNodes.azIndex,
    maxSize: gpuNodes.maxSize,
    vcpusPerNode: type.vcpus,
    ...quotaCodeOf(type, gpuNodes.capacityType),
    ...(controlPlaneLogs.length > 0 && { logGroupName: `/aws/eks/${clusterName}/cluster` }),
    ...(secretsKey.startsWith("arn:") && { secretsKeyArn: secretsKey }),
    scaledGroups: [
      ...scaledGroup("systemNodes", `${clusterName}-system-`, systemNodes),
      ...scaledGroup("gpuNodes", `${clusterName}-gpu-`, gpuNodes),
    ],
    change: { settings, ...options },
  };
}

/** The group of a section, unless Pulumi sets its size: then every update sends the configured one, as it should. */
function scaledGroup(
  section: ScaledGroup["section"],
  namePrefix: string,
  { minSize, maxSize, owner }: Sizes & { readonly owner: string },
): ScaledGroup[] {
  return owner === "pulumi" ? [] : [{ section, namePrefix, minSize, maxSize }];
}

/** Capacity Blocks are bought in advance and count against no vCPU quota. */
function quotaCodeOf({ quotaCodes }: InstanceType, capacityType: string): { quotaCode?: string } {
  if (capacityType === "CAPACITY_BLOCK") return {};
  return { quotaCode: capacityType === "SPOT" ? quotaCodes.spot : quotaCodes.onDemand };
}

/** Zones of an existing network may be Outputs. */
function isStrings(value: readonly unknown[] | undefined): value is readonly string[] {
  return value !== undefined && value.every((item) => typeof item === "string");
}
