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
  const kubeconfig = kubeconfigFor(cluster, credentialsOf(args, config["aws:profile"]));
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
  };
}

/** The subnets of the control plane: `subnetIds`, or the public and private subnets. */
export function subnetIdsOf({ subnetIds, publicSubnetIds, privateSubnetIds }: ClusterArguments): OutputValue {
  if (subnetIds.value !== undefined) return subnetIds;
  const list = (ids: unknown) => (ids ?? []) as unknown[];
  return derived([publicSubnetIds, privateSubnetIds], (some, others) => [...list(some), ...list(others)]);
}

/** Envelope encryption of Kubernetes Secrets, if a key is set. */
export function encryptionConfigOf({ encryptionConfigKeyArn }: ClusterArguments): OutputValue {
  if (encryptionConfigKeyArn.value === undefined) return known(undefined);
  return derived([encryptionConfigKeyArn], (keyArn) => ({ provider: { keyArn }, resources: ["secrets"] }));
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

/** Arguments of eks.Cluster that the simulation supports. */
const supportedArguments = [
  "name",
  "version",
  "vpcId",
  "subnetIds",
  "publicSubnetIds",
  "privateSubnetIds",
  "endpointPrivateAccess",
  "endpointPublicAccess",
  "publicAccessCidrs",
  "serviceRole",
  "encryptionConfigKeyArn",
  "enabledClusterLogTypes",
  "upgradePolicy",
  "deletionProtection",
  "createOidcProvider",
  "bootstrapSelfManagedAddons",
  "providerCredentialOpts",
  "tags",
  "clusterTags",
] as const;

export type ClusterArguments = Readonly<Record<(typeof supportedArguments)[number], OutputValue>>;

/** Required values of other arguments: with them, the component creates only the children that are simulated. */
const fixedArguments: Readonly<Record<string, unknown>> = {
  authenticationMode: "API",
  skipDefaultNodeGroup: true,
  skipDefaultSecurityGroups: true,
  createInstanceRole: false,
  useDefaultVpcCni: true,
  "corednsAddonOptions.enabled": false,
  "kubeProxyAddonOptions.enabled": false,
};

const requiredArguments = ["vpcId", "serviceRole"] as const;

/** The arguments that the simulation supports. */
export function clusterArguments(inputs: OutputValues): ClusterArguments {
  const entries = supportedArguments.map((key) => [key, inputs[key] ?? known(undefined)] as const);
  return Object.fromEntries(entries) as ClusterArguments;
}

/** @throws Error that lists every argument whose effect is not simulated */
function requireSupported(name: string, inputs: OutputValues): void {
  const handled = [...supportedArguments, ...Object.keys(fixedArguments).map(argumentOf)];
  const problems = [
    ...Object.keys(inputs)
      .filter((key) => !handled.includes(key))
      .map((key) => `${key} is set`),
    ...Object.entries(fixedArguments)
      .filter(([path, value]) => at(inputs, path) !== value)
      .map(([path, value]) => `${path} is not ${String(value)}`),
    ...requiredArguments.filter((key) => inputs[key] === undefined).map((key) => `${key} is not set`),
  ];
  if (problems.length > 0) {
    throw new Error(`The simulation does not support these arguments of eks.Cluster "${name}": ${problems.join("; ")}`);
  }
}

function argumentOf(path: string): string {
  return path.split(".")[0] ?? path;
}

function at(inputs: OutputValues, path: string): unknown {
  const [key = "", inner] = path.split(".");
  const value = inputs[key]?.value;
  return inner === undefined ? value : (value as Record<string, unknown> | undefined)?.[inner];
}
