import { AccessEntry, AccessPolicyAssociation } from "@pulumi/aws/eks";
import * as iam from "@pulumi/aws/iam";
import * as pulumi from "@pulumi/pulumi";
import { instanceClusterTag, nodePoolTags } from "../core/instance-tags";
import { withoutUndefined } from "../core/reader/records";
import { named } from "../core/tokens";
import { transformed } from "../core/transform";
import type { ClusterParts } from "./cluster-parts";
import { makeNodeRole } from "./identity/node-role";
import { iamNamePrefix, policyDocument, type PolicyStatement } from "./identity/policy-document";

// What EKS Auto Mode needs of IAM, and the role of the nodes that it starts.

/**
 * Policies of the cluster's role, in addition to that of every cluster.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auto-cluster-iam-role.html
 */
export const autoModePolicies = {
  "compute-policy": "AmazonEKSComputePolicy",
  "block-storage-policy": "AmazonEKSBlockStoragePolicy",
  "load-balancing-policy": "AmazonEKSLoadBalancingPolicy",
  "networking-policy": "AmazonEKSNetworkingPolicy",
} as const;

/**
 * Compute, load balancing and block storage: `eks.Cluster` enables all three, because EKS rejects one without the others.
 * The built-in NodePools stay off: they have no limit, and would start nodes for pods of the system nodes. EKS rejects a
 * node role without them.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/set-builtin-node-pools.html
 */
export const autoMode = { autoMode: { enabled: true, createNodeRole: false, computeConfig: { nodePools: [] } } };

/** Policies of the nodes' role: EKS itself assigns addresses to pods, and the nodes accept no sessions. */
const nodePolicies = {
  worker: "AmazonEKSWorkerNodeMinimalPolicy",
  registry: "AmazonEC2ContainerRegistryPullOnly",
} as const;

/** The role of the nodes with its access entry, which EKS creates only for built-in NodePools. Nothing without Auto Mode. */
export function makeAutoModeNodes(
  parent: pulumi.ComponentResource,
  { name, settings, transform, partition, options }: ClusterParts,
  clusterName: pulumi.Output<string>,
) {
  if (!settings.autoMode) return { roleName: undefined, ready: [] };
  const nodes = `${name}-auto-nodes`;
  const tags = named(`${settings.clusterName}-auto-nodes`, settings.tags);
  const naming = { prefix: pulumi.output(iamNamePrefix(settings.clusterName, "auto-nodes")), tags };
  const ofRole = withoutUndefined({ role: transform.nodeRole, rolePolicyAttachment: transform.rolePolicyAttachment });
  const about = "Nodes that EKS Auto Mode starts";
  const { role, attachments } = makeNodeRole(parent, nodes, naming, ofRole, options, about, nodePolicies);
  const entryArgs = { clusterName, principalArn: role.arn, type: "EC2", tags };
  const entry = new AccessEntry(...transformed(transform.accessEntry, `${nodes}-access`, entryArgs, options));
  const policyArgs = {
    clusterName,
    principalArn: role.arn,
    policyArn: pulumi.interpolate`arn:${partition}:eks::aws:cluster-access-policy/AmazonEKSAutoNodePolicy`,
    accessScope: { type: "cluster" },
  };
  const policy = new AccessPolicyAssociation(
    ...transformed(
      transform.accessPolicy,
      `${nodes}-access-policy`,
      policyArgs,
      pulumi.mergeOptions(options, { dependsOn: entry }),
    ),
  );
  return { roleName: role.name, ready: [...attachments, entry, policy] };
}

/** Allows Auto Mode to tag instances and their network interfaces: the managed policies accept its own tags only. */
export function allowTags({ name, transform, options }: ClusterParts, role: iam.Role): pulumi.Resource {
  const policy = JSON.stringify(
    policyDocument(
      create("Compute", ["ec2:CreateFleet", "ec2:RunInstances", "ec2:CreateLaunchTemplate"], {
        "aws:RequestTag/eks:kubernetes-node-class-name": "*",
        [`aws:RequestTag/${nodePoolTags.autoMode}`]: "*",
      }),
      create("Networking", ["ec2:CreateNetworkInterface"], { "aws:RequestTag/eks:kubernetes-cni-node-name": "*" }),
    ),
  );
  return new iam.RolePolicy(
    ...transformed(transform.tagPolicy, `${name}-role-tags`, { role: role.name, policy }, options),
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/auto-cluster-iam-role.html#tag-prop */
function create(sid: string, actions: readonly string[], ownTags: Readonly<Record<string, string>>): PolicyStatement {
  const ofCluster = { [`aws:RequestTag/${instanceClusterTag}`]: `\${aws:PrincipalTag/${instanceClusterTag}}` };
  const Condition = { StringEquals: ofCluster, StringLike: ownTags };
  return { Sid: sid, Effect: "Allow", Action: actions, Resource: "*", Condition };
}
