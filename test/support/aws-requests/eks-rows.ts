import type { Row } from "./row";

export const eksRows: Readonly<Record<string, Row>> = {
  "aws:eks/cluster:Cluster": {
    requests: [
      { service: "eks", operation: "CreateCluster", members: { vpcConfig: "resourcesVpcConfig" }, computed: [logs()] },
    ],
  },
  "aws:eks/nodeGroup:NodeGroup": {
    requests: [
      { service: "eks", operation: "CreateNodegroup", members: { nodeRoleArn: "nodeRole", subnetIds: "subnets" } },
    ],
  },
  "aws:eks/addon:Addon": {
    requests: [
      { service: "eks", operation: "CreateAddon", members: { resolveConflictsOnCreate: "resolveConflicts" } },
      {
        ...{ service: "eks", operation: "UpdateAddon", only: ["resolveConflictsOnUpdate"] },
        members: { resolveConflictsOnUpdate: "resolveConflicts" },
        computed: [{ from: [], params: ({ clusterName, addonName }) => ({ clusterName, addonName }) }],
      },
      {
        ...{ service: "eks", operation: "DeleteAddon", only: ["preserve"] },
        computed: [{ from: [], params: ({ clusterName, addonName }) => ({ clusterName, addonName }) }],
      },
    ],
  },
  "aws:eks/accessEntry:AccessEntry": { requests: [{ service: "eks", operation: "CreateAccessEntry" }] },
  "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": {
    requests: [{ service: "eks", operation: "AssociateAccessPolicy" }],
  },
  "aws:eks/podIdentityAssociation:PodIdentityAssociation": {
    requests: [{ service: "eks", operation: "CreatePodIdentityAssociation" }],
  },
};

/** The types of logs that are on. */
function logs() {
  return {
    from: ["enabledClusterLogTypes"],
    params: ({ enabledClusterLogTypes: types }: Readonly<Record<string, unknown>>) => ({
      logging: { clusterLogging: [{ types, enabled: true }] },
    }),
  };
}
