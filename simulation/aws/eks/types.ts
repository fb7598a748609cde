import { CloudError } from "../../world/cloud-error";
import type { Hold, Reference, WorldObject } from "../../world/kind";
import type { World } from "../../world/world";
import { types } from "../types";
import { shown } from "../values";

/** Type tokens of EKS and of what comes into the world with its objects. */
export const eksTypes = {
  cluster: types.cluster,
  nodeGroup: types.nodeGroup,
  addon: "aws:eks/addon:Addon",
  accessEntry: "aws:eks/accessEntry:AccessEntry",
  accessPolicyAssociation: "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
  podIdentityAssociation: "aws:eks/podIdentityAssociation:PodIdentityAssociation",
  openIdConnectProvider: "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
  autoscalingGroup: types.autoscalingGroup,
  instance: "aws:ec2/instance:Instance",
} as const;

/** The cluster of that name, which is its id. */
export function clusterNamed(world: World, name: unknown): WorldObject | undefined {
  return world.get(eksTypes.cluster, shown(name));
}

/** The objects of a type that belong to a cluster. */
export function ofCluster(world: World, type: string, clusterName: string): WorldObject[] {
  return world.find(type, { clusterName });
}

/** The input that names a cluster. @param held what keeps the cluster, or "goes-along" */
export function toCluster(held: Hold): Reference {
  return { path: "clusterName", to: eksTypes.cluster, missing: noCluster, held };
}

function noCluster(name: string): CloudError {
  return new CloudError("ResourceNotFoundException", `No cluster found for name: ${name}.`);
}
