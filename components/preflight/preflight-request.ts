import { eksClusterDefaults } from "../cluster/eks-cluster-schema";
import type { GpuEnvironmentArgs } from "../environment/gpu-environment-args";
import { gpuFacts } from "../environment/cluster-facts";
import { environmentDefaults } from "../environment/environment-defaults";
import { settingsOf } from "../environment/gpu-environment-plan";
import type { InstanceType } from "../nodes/machine/instance-types";
import type { Sizes } from "../nodes/scaling";
import { systemNodeGroupDefaults } from "../nodes/system-node-group-schema";
import type { CapacityRequest, ScaledGroup } from "./preflight-facts";

/**
 * What an environment asks of region and account, with what may be there already; undefined when the arguments are too
 * wrong to tell, which `gpuEnvironmentProblems` reports.
 */
export function preflightRequest(args: GpuEnvironmentArgs): CapacityRequest | undefined {
  const capacity = capacityRequest(args);
  if (!capacity) return undefined;
  const { controlPlaneLogs = eksClusterDefaults.controlPlaneLogs, secretsKey } = args;
  const { systemNodes, gpuNodes } = settingsOf(args);
  return {
    ...capacity,
    ...(Array.isArray(controlPlaneLogs) &&
      controlPlaneLogs.length > 0 && { logGroupName: `/aws/eks/${capacity.clusterName}/cluster` }),
    ...(typeof secretsKey === "string" && secretsKey.startsWith("arn:") && { secretsKeyArn: secretsKey }),
    scaledGroups: [
      ...scaledGroup("systemNodes", `${capacity.clusterName}-system-`, systemNodes),
      ...scaledGroup("gpuNodes", `${capacity.clusterName}-gpu-`, gpuNodes),
    ],
  };
}

/** The group of a section, unless Pulumi sets its size: then every update sends the configured one, as it should. */
function scaledGroup(
  section: ScaledGroup["section"],
  namePrefix: string,
  { minSize, maxSize, owner }: Sizes & { readonly owner: string },
): ScaledGroup[] {
  const counts = Number.isInteger(minSize) && Number.isInteger(maxSize);
  return counts && owner !== "pulumi" ? [{ section, namePrefix, minSize, maxSize }] : [];
}

/** What an environment asks of region and account, whatever may be there already. */
function capacityRequest(args: GpuEnvironmentArgs): CapacityRequest | undefined {
  const { type, maxSize } = gpuFacts(args);
  const zones: unknown = args.network?.existing?.zones ?? args.network?.zones;
  const systemInstanceType: unknown = args.systemNodes?.instanceType ?? systemNodeGroupDefaults.instanceType;
  const azIndex: unknown = args.gpuNodes?.azIndex ?? environmentDefaults.azIndex;
  if (!type || typeof systemInstanceType !== "string" || typeof azIndex !== "number") return undefined;
  return {
    clusterName: args.clusterName ?? environmentDefaults.clusterName,
    admins: Array.isArray(args.admins) ? args.admins : [],
    ...(isTexts(zones) && { zones }),
    systemInstanceType,
    instanceType: type.name,
    azIndex,
    maxSize: Number.isInteger(maxSize) ? maxSize : 0,
    vcpusPerNode: type.vcpus,
    ...quotaCodeOf(type, args.gpuNodes?.capacityType),
  };
}

/** Capacity Blocks are bought ahead and count against no vCPU quota. */
function quotaCodeOf({ quotaCodes }: InstanceType, capacityType: unknown): { quotaCode?: string } {
  if (capacityType === "CAPACITY_BLOCK") return {};
  return { quotaCode: capacityType === "SPOT" ? quotaCodes.spot : quotaCodes.onDemand };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
