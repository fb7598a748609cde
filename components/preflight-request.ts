import { eksClusterDefaults } from "./cluster/eks-cluster-args";
import type { GpuEnvironmentArgs } from "./gpu-environment-args";
import { capacityRequest } from "./gpu-environment-plan";
import { gpuNodeGroupDefaults } from "./nodes/gpu-node-group-settings";
import type { Sizes } from "./nodes/scaling";
import { systemNodeGroupDefaults } from "./nodes/system-node-group";
import type { CapacityRequest, ScaledGroup } from "./preflight-rules";

/**
 * What an environment asks of region and account, with what may be there already; undefined when the arguments are too
 * wrong to tell, which `gpuEnvironmentProblems` reports.
 */
export function preflightRequest(args: GpuEnvironmentArgs): CapacityRequest | undefined {
  const capacity = capacityRequest(args);
  if (!capacity) return undefined;
  const { controlPlaneLogs = eksClusterDefaults.controlPlaneLogs, secretsKey } = args;
  return {
    ...capacity,
    ...(Array.isArray(controlPlaneLogs) &&
      controlPlaneLogs.length > 0 && { logGroupName: `/aws/eks/${capacity.clusterName}/cluster` }),
    ...(String(secretsKey).startsWith("arn:") && { secretsKeyArn: String(secretsKey) }),
    scaledGroups: [
      ...scaledGroup(args, "systemNodes", `${capacity.clusterName}-system-`, systemNodeGroupDefaults),
      ...scaledGroup(args, "gpuNodes", `${capacity.clusterName}-gpu-`, gpuNodeGroupDefaults),
    ],
  };
}

/** The group of a section, unless Pulumi sets its size: then every update sends the configured one, as it should. */
function scaledGroup(
  args: GpuEnvironmentArgs,
  section: ScaledGroup["section"],
  namePrefix: string,
  defaults: Sizes & { readonly owner: string },
): ScaledGroup[] {
  const { owner, minSize = defaults.minSize, maxSize = defaults.maxSize } = args[section] ?? {};
  const resized = args.controllers?.clusterAutoscaler?.install === true;
  const counts = Number.isInteger(minSize) && Number.isInteger(maxSize);
  if (!counts || (owner ?? (resized ? "autoscaler" : defaults.owner)) === "pulumi") return [];
  return [{ section, namePrefix, minSize, maxSize }];
}
