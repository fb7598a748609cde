import { known, type Value, type Values } from "./value";

/** Arguments of eks.Cluster that are passed on to its children. */
const passedOn = [
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

export type ClusterArguments = Readonly<Record<(typeof passedOn)[number], Value>>;

/** Arguments with which the component makes no more children than are simulated. */
const must: Readonly<Record<string, unknown>> = {
  authenticationMode: "API",
  skipDefaultNodeGroup: true,
  skipDefaultSecurityGroups: true,
  createInstanceRole: false,
  useDefaultVpcCni: true,
  "corednsAddonOptions.enabled": false,
  "kubeProxyAddonOptions.enabled": false,
};

const needed = ["vpcId", "serviceRole"] as const;

/** @throws Error that names every argument whose effect is not simulated */
export function clusterArguments(name: string, inputs: Values): ClusterArguments {
  const handled = [...passedOn, ...Object.keys(must).map(argumentOf)];
  const problems = [
    ...Object.keys(inputs)
      .filter((key) => !handled.includes(key))
      .map((key) => `${key} is set`),
    ...Object.entries(must)
      .filter(([path, value]) => at(inputs, path) !== value)
      .map(([path, value]) => `${path} is not ${String(value)}`),
    ...needed.filter((key) => inputs[key] === undefined).map((key) => `${key} is not set`),
  ];
  if (problems.length > 0) {
    throw new Error(`What eks.Cluster "${name}" makes from its arguments is not simulated: ${problems.join("; ")}`);
  }
  const entries = passedOn.map((key) => [key, inputs[key] ?? known(undefined)] as const);
  return Object.fromEntries(entries) as ClusterArguments;
}

function argumentOf(path: string): string {
  return path.split(".")[0] ?? path;
}

function at(inputs: Values, path: string): unknown {
  const [key = "", inner] = path.split(".");
  const value = inputs[key]?.value;
  return inner === undefined ? value : (value as Record<string, unknown> | undefined)?.[inner];
}
