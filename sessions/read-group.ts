import type { Nodegroup } from "@aws-sdk/client-eks";
import { sentence } from "./aws-error";
import type { Group, GroupReference, HealthIssue } from "./group";

/** A node group in the words of this project. */
export function readGroup(at: GroupReference, nodegroup: Nodegroup = {}): Group {
  const { scalingConfig = {}, resources } = nodegroup;
  const { minSize = 0, maxSize = 0, desiredSize = 0 } = scalingConfig;
  return {
    ...at,
    status: nodegroup.status ?? "unknown",
    sizes: { min: minSize, max: maxSize, desired: desiredSize },
    capacityType: capacityTypeOf(nodegroup),
    instanceTypes: nodegroup.instanceTypes ?? [],
    subnetIds: nodegroup.subnets ?? [],
    ...machineOf(nodegroup),
    autoScalingGroups: (resources?.autoScalingGroups ?? []).flatMap(({ name }) => name ?? []),
    issues: issuesOf(nodegroup),
  };
}

function machineOf({ nodegroupArn: arn, amiType, diskSize, launchTemplate: { id, version } = {} }: Nodegroup) {
  return {
    ...(arn !== undefined && { arn }),
    ...(amiType !== undefined && { amiType }),
    ...(diskSize !== undefined && { diskSizeGiB: diskSize }),
    ...(id !== undefined && version !== undefined && { launchTemplate: { id, version } }),
  };
}

function issuesOf({ health }: Nodegroup): HealthIssue[] {
  return (health?.issues ?? []).map(({ code, message, resourceIds }) => ({
    code: code ?? "Unknown",
    message: sentence(message ?? ""),
    resources: resourceIds ?? [],
  }));
}

function capacityTypeOf({ capacityType }: Nodegroup): Group["capacityType"] {
  return capacityType === "SPOT" || capacityType === "CAPACITY_BLOCK" ? capacityType : "ON_DEMAND";
}
