import { resourceReference } from "../../../components/core/wire";
import {
  clusterArguments,
  type ClusterArguments,
  clusterInputs,
  encryptionConfigOf,
  subnetIdsOf,
} from "./cluster-inputs";
import {
  type Construct,
  derived,
  known,
  type Monitor,
  type OutputValue,
  type OutputValues,
  type RegisteredResource,
  toWire,
} from "./component";
import { type KubeconfigFacts, kubeconfigOf } from "./kubeconfig";

/**
 * What version 4.3 of the component was built with: it registers its children with these versions, not the program's.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/package.json
 */
const versions = { aws: "7.25.0", kubernetes: "4.19.0" } as const;

/** Of the certificate authority that signs for the OIDC issuers of EKS. */
const thumbprint = "9e99a48a9960b14926bb7f3b02e22da2b0ab7280";

/**
 * Makes the component `eks.Cluster` for a control plane alone, with the children that the real one has: the cluster,
 * a Kubernetes provider and the OIDC provider. It does not wait for the endpoint, and asks no certificate of an issuer.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts
 */
export const constructCluster: Construct = async ({ name, inputs, config }, monitor) => {
  const args = clusterArguments(name, inputs);
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
    args.createOidcProvider.value === true ? makeOidcProvider(monitor, name, urn, cluster) : undefined,
  ]);
  const state = stateOf(args, { role, cluster, provider, oidcProvider }, kubeconfig(false));
  await monitor.outputs(urn, toWire(state));
  return { urn, state };
};

function makeOidcProvider(
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

/** The AWS CLI's credentials in a kubeconfig: those stated, else the profile of the stack. */
function credentialsOf({ providerCredentialOpts }: ClusterArguments, profile: string | undefined): OutputValue {
  if (providerCredentialOpts.value !== undefined || profile === undefined) return providerCredentialOpts;
  return known({ profileName: profile });
}

function kubeconfigFor(cluster: RegisteredResource, credentials: OutputValue): (withProfile: boolean) => OutputValue {
  const facts = [
    cluster.output("name"),
    cluster.output("endpoint"),
    cluster.output("certificateAuthority"),
    cluster.output("arn"),
    credentials,
  ];
  return (withProfile) =>
    derived(facts, (clusterName, endpoint, authority, arn, given) => {
      const certificate = (authority as { data: string }).data;
      return kubeconfigOf(
        { clusterName, endpoint, certificate, arn, credentials: given } as KubeconfigFacts,
        withProfile,
      );
    });
}

interface Parts {
  readonly role: RegisteredResource;
  readonly cluster: RegisteredResource;
  readonly provider: RegisteredResource;
  readonly oidcProvider: RegisteredResource | undefined;
}

/** The component's outputs. Those that belong to parts it was told not to make are empty, as the real one's are. */
function stateOf(args: ClusterArguments, parts: Parts, kubeconfig: OutputValue): OutputValues {
  const { cluster, oidcProvider } = parts;
  const securityGroup = cluster.output("vpcConfig.clusterSecurityGroupId");
  const issuer = cluster.output("identities.0.oidcs.0.issuer");
  return {
    kubeconfig,
    kubeconfigJson: derived([kubeconfig], (value) => JSON.stringify(value)),
    instanceRoles: known([]),
    eksCluster: referenceTo(cluster, versions.aws),
    core: coreOf(args, parts, kubeconfig),
    clusterSecurityGroupId: securityGroup,
    nodeSecurityGroupId: securityGroup,
    clusterIngressRuleId: known(""),
    defaultNodeGroupAsgName: known(""),
    fargateProfileId: known(""),
    fargateProfileStatus: known(""),
    oidcProviderArn: oidcProvider?.output("arn") ?? known(""),
    oidcProviderUrl: issuer,
    oidcIssuer: derived([issuer], (url) => String(url).replace("https://", "")),
    autoModeNodeRoleName: known(""),
  };
}

function coreOf(
  args: ClusterArguments,
  { role, cluster, provider, oidcProvider }: Parts,
  kubeconfig: OutputValue,
): OutputValue {
  const parts: OutputValues = {
    vpcId: args.vpcId,
    subnetIds: subnetIdsOf(args),
    publicSubnetIds: args.publicSubnetIds,
    privateSubnetIds: args.privateSubnetIds,
    cluster: referenceTo(cluster, versions.aws),
    endpoint: cluster.output("endpoint"),
    nodeGroupOptions: derived([args.version], (version) => ({ version })),
    kubeconfig,
    provider: referenceTo(provider, versions.kubernetes),
    instanceRoles: known([]),
    tags: args.tags,
    storageClasses: known({}),
    oidcProvider: oidcProvider ? referenceTo(oidcProvider, versions.aws) : known(undefined),
    encryptionConfig: encryptionConfigOf(args),
    clusterIamRole: referenceTo(role, versions.aws),
    accessEntries: known([]),
    autoModeNodeRoleName: known(""),
  };
  const names = Object.keys(parts);
  return derived(Object.values(parts), (...values) =>
    Object.fromEntries(names.map((name, index) => [name, values[index]])),
  );
}

function referenceTo({ urn, id }: RegisteredResource, version: string): OutputValue {
  return { value: resourceReference(urn, version, id), secret: false, dependencies: [urn] };
}
