import {
  autoModeOf,
  clusterArguments,
  encryptionConfigOf,
  requireSupported,
  subnetIdsOf,
  type ClusterArguments,
} from "./cluster-arguments";
import { clusterOutputs, credentialsOf, kubeconfigFor, versions } from "./cluster-outputs";
import {
  derived,
  known,
  toWire,
  objectOf,
  type Construct,
  type Monitor,
  type RegisteredResource,
  type OutputValue,
  type OutputValues,
} from "./component";

/** Thumbprint of the certificate authority of EKS's OIDC issuers. */
const thumbprint = "9e99a48a9960b14926bb7f3b02e22da2b0ab7280";

/**
 * Constructs the component `eks.Cluster` for a control plane without nodes, with the children of the real component: the
 * cluster, a Kubernetes provider and the OIDC provider.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts
 */
export const constructCluster: Construct = async ({ name, inputs, config }, monitor) => {
  requireSupported(name, inputs);
  const args = clusterArguments(inputs);
  const urn = await monitor.component();
  const role = await monitor.existing(String(args.serviceRole.value));
  const cluster = await monitor.resource({
    type: "aws:eks/cluster:Cluster",
    name: `${name}-eksCluster`,
    parent: urn,
    version: versions.aws,
    inputs: clusterInputs(name, args, role.output("arn")),
    ignoreChanges: ["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"],
  });
  const credentials = credentialsOf(args, config["aws:profile"]);
  const kubeconfig = (withProfile: boolean) => kubeconfigFor(cluster, credentials, withProfile);
  const [provider, oidcProvider] = await Promise.all([
    monitor.resource({
      type: "pulumi:providers:kubernetes",
      name: `${name}-eks-k8s`,
      parent: urn,
      version: versions.kubernetes,
      inputs: { kubeconfig: derived([kubeconfig(true)], (value) => JSON.stringify(value)) },
    }),
    args.createOidcProvider.value === true ? registerOidcProvider(monitor, name, urn, cluster) : undefined,
  ]);
  const state = clusterOutputs(args, { role, cluster, provider, oidcProvider }, kubeconfig(false));
  await monitor.outputs(urn, toWire(state));
  return { urn, state };
};

function registerOidcProvider(
  monitor: Monitor,
  name: string,
  parent: string,
  cluster: RegisteredResource,
): Promise<RegisteredResource> {
  return monitor.resource({
    type: "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
    name: `${name}-oidcProvider`,
    parent,
    version: versions.aws,
    inputs: {
      clientIdLists: known(["sts.amazonaws.com"]),
      url: cluster.output("identities.0.oidcs.0.issuer"),
      thumbprintLists: known([thumbprint]),
    },
  });
}

/**
 * The inputs of the component's child `aws:eks/cluster:Cluster`.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts createCore
 */
export function clusterInputs(name: string, args: ClusterArguments, roleArn: OutputValue): OutputValues {
  return {
    name: args.name,
    roleArn,
    bootstrapSelfManagedAddons: withDefault(args.bootstrapSelfManagedAddons, true),
    vpcConfig: objectOf({
      subnetIds: subnetIdsOf(args),
      endpointPrivateAccess: args.endpointPrivateAccess,
      endpointPublicAccess: args.endpointPublicAccess,
      publicAccessCidrs: derived([args.publicAccessCidrs, withDefault(args.endpointPublicAccess, true)], publicOnly),
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
    ...autoModeOf(args),
  };
}

function publicOnly(cidrs: unknown, isPublic: unknown): unknown {
  if (cidrs !== undefined && isPublic === false) {
    throw new Error("`publicAccessCidrs` can only be set when `endpointPublicAccess` is true");
  }
  return cidrs;
}

function withDefault(value: OutputValue, fallback: unknown): OutputValue {
  return value.value === undefined ? known(fallback) : value;
}
