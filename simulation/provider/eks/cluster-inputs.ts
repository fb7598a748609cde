import type { ClusterArguments } from "./cluster-arguments";
import { bundled, derived, known, type Value, type Values } from "./value";

/**
 * The inputs of the `aws:eks/cluster:Cluster` that the component makes.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts createCore
 */
export function clusterInputs(name: string, args: ClusterArguments, roleArn: Value): Values {
  return {
    name: args.name,
    roleArn,
    bootstrapSelfManagedAddons: given(args.bootstrapSelfManagedAddons, true),
    vpcConfig: bundled({
      subnetIds: subnetIdsOf(args),
      endpointPrivateAccess: args.endpointPrivateAccess,
      endpointPublicAccess: args.endpointPublicAccess,
      publicAccessCidrs: derived([args.publicAccessCidrs, given(args.endpointPublicAccess, true)], publicOnly),
    }),
    version: args.version,
    enabledClusterLogTypes: args.enabledClusterLogTypes,
    tags: derived([args.tags, args.clusterTags], (tags, clusterTags) => ({
      Name: `${name}-eksCluster`,
      ...(clusterTags as object | undefined),
      ...(tags as object | undefined),
    })),
    encryptionConfig: encryptionConfigOf(args),
    accessConfig: known({ authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: true }),
    upgradePolicy: args.upgradePolicy,
    deletionProtection: args.deletionProtection,
  };
}

/** The subnets of the control plane: those given as such, or the public and then the private ones. */
export function subnetIdsOf({ subnetIds, publicSubnetIds, privateSubnetIds }: ClusterArguments): Value {
  if (subnetIds.value !== undefined) return subnetIds;
  const list = (ids: unknown) => (ids ?? []) as unknown[];
  return derived([publicSubnetIds, privateSubnetIds], (some, others) => [...list(some), ...list(others)]);
}

/** Envelope encryption of Kubernetes Secrets; of nothing without a key. */
export function encryptionConfigOf({ encryptionConfigKeyArn }: ClusterArguments): Value {
  if (encryptionConfigKeyArn.value === undefined) return known(undefined);
  return derived([encryptionConfigKeyArn], (keyArn) => ({ provider: { keyArn }, resources: ["secrets"] }));
}

function publicOnly(cidrs: unknown, isPublic: unknown): unknown {
  if (cidrs !== undefined && isPublic === false) {
    throw new Error("`publicAccessCidrs` can only be set when `endpointPublicAccess` is true");
  }
  return cidrs;
}

function given(value: Value, otherwise: unknown): Value {
  return value.value === undefined ? known(otherwise) : value;
}
