import { resourceReference } from "../../../components/core/wire";
import { encryptionConfigOf, subnetIdsOf, type ClusterArguments } from "./cluster-arguments";
import { derived, known, type OutputValue, type OutputValues, type RegisteredResource } from "./component";

/**
 * Version 4.3 of the component was built with these package versions, and registers its children with them.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/package.json
 */
export const versions = { aws: "7.25.0", kubernetes: "4.19.0" } as const;

/** The resources that the component consists of or uses. */
interface ClusterParts {
  readonly role: RegisteredResource;
  readonly cluster: RegisteredResource;
  readonly provider: RegisteredResource;
  readonly oidcProvider: RegisteredResource | undefined;
}

/** The outputs of the component. As in the real component, outputs of children that it does not create are empty. */
export function clusterOutputs(args: ClusterArguments, parts: ClusterParts, kubeconfig: OutputValue): OutputValues {
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
  { role, cluster, provider, oidcProvider }: ClusterParts,
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

/** The credentials in the kubeconfig: the given ones, or the AWS profile of the stack. */
export function credentialsOf({ providerCredentialOpts }: ClusterArguments, profile: string | undefined): OutputValue {
  if (providerCredentialOpts.value !== undefined || profile === undefined) return providerCredentialOpts;
  return known({ profileName: profile });
}

/** The kubeconfig of a cluster, with or without the AWS profile. */
export function kubeconfigFor(
  cluster: RegisteredResource,
  credentials: OutputValue,
  withProfile: boolean,
): OutputValue {
  const outputs = ["name", "endpoint", "certificateAuthority", "arn"].map((path) => cluster.output(path));
  return derived([...outputs, credentials], (clusterName, endpoint, authority, arn, given) => {
    const { data: certificate } = authority as { data: string };
    const facts = { clusterName, endpoint, certificate, arn, credentials: given } as KubeconfigFacts;
    return kubeconfigOf(facts, withProfile);
  });
}

/** What a kubeconfig contains. */
interface KubeconfigFacts {
  readonly clusterName: string;
  readonly endpoint: string;
  readonly certificate: string;
  readonly arn: string;
  readonly credentials: { readonly profileName?: string; readonly roleArn?: string } | undefined;
}

/**
 * A kubeconfig that gets tokens with the AWS CLI.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts generateKubeconfig
 */
export function kubeconfigOf(
  { clusterName, endpoint, certificate, arn, credentials }: KubeconfigFacts,
  profile: boolean,
) {
  const region = arn.split(":")[3] ?? "";
  const { roleArn, profileName } = credentials ?? {};
  const args = [
    ...["--region", region, "eks", "get-token", "--cluster-name", clusterName, "--output", "json"],
    ...(roleArn ? ["--role", roleArn] : []),
    ...(profile && profileName ? ["--profile", profileName] : []),
  ];
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  const env = [{ name: "KUBERNETES_EXEC_INFO", value: `{"apiVersion": "${apiVersion}"}` }];
  return {
    apiVersion: "v1",
    clusters: [{ cluster: { server: endpoint, "certificate-authority-data": certificate }, name: "kubernetes" }],
    contexts: [{ context: { cluster: "kubernetes", user: "aws" }, name: "aws" }],
    "current-context": "aws",
    kind: "Config",
    users: [{ name: "aws", user: { exec: { apiVersion, command: "aws", args, env } } }],
  };
}
