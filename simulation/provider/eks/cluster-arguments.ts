import { derived, known, type OutputValue, type OutputValues } from "./component";

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
  "autoMode",
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
export function requireSupported(name: string, inputs: OutputValues): void {
  const handled = [...supportedArguments, ...Object.keys(fixedArguments).map(argumentOf)];
  const problems = [
    ...Object.keys(inputs)
      .filter((key) => !handled.includes(key))
      .map((key) => `${key} is set`),
    ...Object.entries(fixedArguments)
      .filter(([path, value]) => at(inputs, path) !== value)
      .map(([path, value]) => `${path} is not ${String(value)}`),
    ...(inputs["autoMode"] && at(inputs, "autoMode.createNodeRole") !== false
      ? ["autoMode.createNodeRole is not false"]
      : []),
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

/** EKS Auto Mode: the component enables its three parts together. */
export function autoModeOf({ autoMode }: ClusterArguments): OutputValues {
  if (autoMode.value === undefined) return {};
  const computeConfig = derived([autoMode], (mode) => {
    const { computeConfig: given } = mode as { readonly computeConfig?: object };
    return { enabled: true, nodePools: ["general-purpose", "system"], ...given };
  });
  return {
    computeConfig,
    storageConfig: known({ blockStorage: { enabled: true } }),
    kubernetesNetworkConfig: known({ ipFamily: "ipv4", elasticLoadBalancing: { enabled: true } }),
    bootstrapSelfManagedAddons: known(false),
  };
}
