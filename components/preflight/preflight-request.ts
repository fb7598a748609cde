import { eksClusterDefaults } from "../cluster/eks-cluster-args";
import type { GpuEnvironmentArgs } from "../environment/gpu-environment-args";
import { gpuFacts } from "../environment/cluster-facts";
import { environmentDefaults } from "../environment/environment-defaults";
import { settingsOf } from "../environment/gpu-environment-plan";
import type { InstanceType } from "../nodes/machine/instance-types";
import type { Sizes } from "../nodes/scaling";
import { systemNodeGroupDefaults } from "../nodes/system-node-group";
import type { CapacityRequest, ScaledGroup } from "./preflight-facts";

/**
 * The capacity that an environment needs, and its resources that may exist already; undefined for invalid arguments,
 * which `gpuEnvironmentProblems` reports.
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

/** The group of a section, unless Pulumi manages its size: then each update sets the configured one. */
function scaledGroup(
  section: ScaledGroup["section"],
  namePrefix: string,
  { minSize, maxSize, owner }: Sizes & { readonly owner: string },
): ScaledGroup[] {
  const counts = Number.isInteger(minSize) && Number.isInteger(maxSize);
  return counts && owner !== "pulumi" ? [{ section, namePrefix, minSize, maxSize }] : [];
}

/** The capacity that an environment needs. */
function capacityRequest(args: GpuEnvironmentArgs): CapacityRequest | undefined {
  const { type, maxSize } = gpuFacts(args);
  const systemInstanceType: unknown = args.systemNodes?.instanceType ?? systemNodeGroupDefaults.instanceType;
  const azIndex: unknown = args.gpuNodes?.azIndex ?? environmentDefaults.azIndex;
  if (!type || typeof systemInstanceType !== "string" || typeof azIndex !== "number") return undefined;
  return {
    clusterName: args.clusterName ?? environmentDefaults.clusterName,
    admins: Array.isArray(args.admins) ? args.admins : [],
    ...zonesOf(args),
    systemInstanceType,
    instanceType: type.name,
    azIndex,
    maxSize: Number.isInteger(maxSize) ? maxSize : 0,
    vcpusPerNode: type.vcpus,
    ...quotaCodeOf(type, args.gpuNodes?.capacityType),
  };
}

function zonesOf({ network }: GpuEnvironmentArgs): { zones?: readonly string[] } {
  const zones: unknown = network?.existing?.zones ?? network?.zones;
  return isStringList(zones) ? { zones } : {};
}

/** Capacity Blocks do not count against a vCPU quota. */
function quotaCodeOf({ quotaCodes }: InstanceType, capacityType: unknown): { quotaCode?: string } {
  if (capacityType === "CAPACITY_BLOCK") return {};
  return { quotaCode: capacityType === "SPOT" ? quotaCodes.spot : quotaCodes.onDemand };
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
