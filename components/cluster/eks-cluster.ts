import { LogGroup } from "@pulumi/aws/cloudwatch/logGroup";
import * as iam from "@pulumi/aws/iam";
import { Cluster } from "@pulumi/eks/cluster";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { AccessEntry, AccessPolicyAssociation } from "@pulumi/aws/eks";
import { accountIdOf, partitionOf } from "../core/lookups";
import { childOptions } from "../core/options";
import { resolveArgs } from "../core/schema";
import { named, token } from "../core/tokens";
import { transformed } from "../core/transform";
import { adminName } from "./access/admins";
import { allowTags, autoMode, autoModePolicies, makeAutoModeNodes } from "./auto-mode";
import type { ClusterParts } from "./cluster-parts";
import { eksClusterSchema, type EksClusterArgs, type TokenCredentials } from "./eks-cluster-schema";
import { iamNamePrefix, trust } from "./identity/policy-document";
import { makeSecretsKey } from "./secrets-key";

/**
 * Creates the control plane of an EKS cluster: without nodes, add-ons or additional security groups, with access
 * entries instead of the aws-auth ConfigMap, an OIDC provider, logs that expire, and encrypted Secrets.
 *
 * The principal that creates the cluster is always an admin, in addition to `admins`.
 *
 * After it created the cluster, `pulumi up` waits up to five minutes for the public endpoint, and then continues. From
 * an address outside `publicAccessCidrs` the wait times out, and the first Kubernetes object fails.
 *
 * @cost 0.10 USD an hour in standard support of the Kubernetes version, also without nodes; when that ends, EKS
 * upgrades the cluster instead of charging 0.60 USD. A key that the component creates costs 1 USD a month. CloudWatch
 * charges 0.76 USD a GB of logs in ap-northeast-2, October 2026; the audit log is most of it.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class EksCluster extends pulumi.ComponentResource {
  /** Known in a plan. Resources that use it are created after the cluster, and deleted before it. */
  readonly clusterName: pulumi.Output<string>;
  readonly endpoint: pulumi.Output<string>;
  /** The group that EKS creates for the control plane. */
  readonly clusterSecurityGroupId: pulumi.Output<string>;
  readonly oidcProviderArn: pulumi.Output<string>;
  /** Without `https://`. */
  readonly oidcIssuer: pulumi.Output<string>;
  /** Kubeconfig for kubectl, as JSON; a secret. The AWS CLI gets the tokens with the credentials of its user. */
  readonly kubeconfig: pulumi.Output<string>;
  /** For every Kubernetes object of this cluster. */
  readonly provider: Provider;
  /** The component that creates the cluster: use it for `dependsOn` and `deletedWith`. */
  readonly core: Cluster;
  /**
   * For `deletedWith` of what is in the cluster: Pulumi does not delete such objects, because they go with the cluster.
   * Undefined with deletion protection: a destroy would remove them from the state, fail at the cluster, and leave them.
   */
  readonly deletedWith: Cluster | undefined;
  /** Undefined when Secrets use the key that EKS owns. */
  readonly secretsKeyArn: pulumi.Output<string> | undefined;
  /** The entries of `admins` and of Auto Mode's nodes, and their policies. */
  readonly accessEntries: pulumi.Resource[];
  /** The role of Auto Mode's nodes, for a GpuNodePool. Undefined without `autoMode`. */
  readonly autoModeNodeRoleName: pulumi.Output<string> | undefined;

  constructor(name: string, args: EksClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform = {}, ...settings } = resolveArgs(`EksCluster "${name}"`, eksClusterSchema, args);
    super(token("EksCluster"), name, settings, opts);
    const { partition } = partitionOf(this);
    const accountId = accountIdOf(this);
    const accountRootArn = pulumi.interpolate`arn:${partition}:iam::${accountId}:root`;
    const options = childOptions(this, opts);
    const credentials = settings.credentials ?? ambientCredentials();
    const parts: ClusterParts = { name, settings, transform, credentials, partition, accountRootArn, options };

    const logs = makeLogGroup(parts);
    const role = makeRole(parts);
    const policies = attachPolicies(parts, role);
    const key = makeSecretsKey(parts, role);
    this.core = makeCluster(parts, role, key?.arn, [...logs, role, ...policies, ...(key?.ready ?? [])]);

    this.deletedWith = settings.deletionProtection ? undefined : this.core;

    // The URN is known in a plan and carries the dependency on the cluster.
    this.clusterName = this.core.urn.apply(() => settings.clusterName);
    // The endpoint is not a secret; the rest of the kubeconfig is.
    this.endpoint = pulumi.unsecret(this.core.kubeconfigJson.apply(serverOf));
    this.clusterSecurityGroupId = this.core.clusterSecurityGroupId;
    this.oidcProviderArn = this.core.oidcProviderArn;
    this.oidcIssuer = this.core.oidcIssuer;
    this.kubeconfig = pulumi.secret(this.core.kubeconfigJson);
    this.secretsKeyArn = key?.arn;
    const admins = settings.admins.flatMap((admin) => makeAdmin(parts, this.clusterName, admin));
    const autoNodes = makeAutoModeNodes(this, parts, this.clusterName);
    this.accessEntries = [...admins, ...autoNodes.ready];
    this.autoModeNodeRoleName = autoNodes.roleName;
    this.provider = makeProvider(parts, this.kubeconfig);
    this.registerOutputs({
      clusterName: this.clusterName,
      endpoint: this.endpoint,
      clusterSecurityGroupId: this.clusterSecurityGroupId,
      oidcProviderArn: this.oidcProviderArn,
      oidcIssuer: this.oidcIssuer,
      kubeconfig: this.kubeconfig,
      secretsKeyArn: this.secretsKeyArn,
      autoModeNodeRoleName: this.autoModeNodeRoleName,
    });
  }
}

/** EKS would create the group itself, without a retention period, and a destroy would leave it behind. */
function makeLogGroup({ name, settings, transform, options }: ClusterParts): pulumi.Resource[] {
  const { clusterName, controlPlaneLogs, logRetentionDays, tags } = settings;
  if (controlPlaneLogs.length === 0) return [];
  const logGroupName = `/aws/eks/${clusterName}/cluster`;
  const args = { name: logGroupName, retentionInDays: logRetentionDays, tags: named(logGroupName, tags) };
  return [new LogGroup(...transformed(transform.logGroup, `${name}-logs`, args, options))];
}

function makeRole({ name, settings, transform, options }: ClusterParts): iam.Role {
  const { clusterName, tags } = settings;
  const args = {
    namePrefix: iamNamePrefix(clusterName, "cluster"),
    description: `Control plane of the EKS cluster ${clusterName}`,
    assumeRolePolicy: JSON.stringify(trust("EKSClusterAssumeRole", "eks.amazonaws.com")),
    forceDetachPolicies: true,
    tags: named(`${clusterName}-cluster`, tags),
  };
  return new iam.Role(...transformed(transform.role, `${name}-role`, args, options));
}

/** The policies of the control plane, before which it cannot be created. */
function attachPolicies(parts: ClusterParts, role: iam.Role): pulumi.Resource[] {
  const { name, settings, transform, partition, options } = parts;
  const names = { "cluster-policy": "AmazonEKSClusterPolicy", ...(settings.autoMode && autoModePolicies) };
  const attachments = Object.entries(names).map(([part, policy]) => {
    const args = { role: role.name, policyArn: pulumi.interpolate`arn:${partition}:iam::aws:policy/${policy}` };
    return new iam.RolePolicyAttachment(
      ...transformed(transform.rolePolicyAttachment, `${name}-role-${part}`, args, options),
    );
  });
  return settings.autoMode ? [...attachments, allowTags(parts, role)] : attachments;
}

/** @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts for what each argument does */
function makeCluster(
  { name, settings, transform, credentials: { profile, roleArn }, options }: ClusterParts,
  role: iam.Role,
  secretsKeyArn: pulumi.Output<string> | undefined,
  first: pulumi.Resource[],
): Cluster {
  const args = {
    name: settings.clusterName,
    version: settings.kubernetesVersion,
    vpcId: settings.vpcId,
    privateSubnetIds: settings.subnetIds as pulumi.Input<string>[],
    endpointPrivateAccess: true,
    endpointPublicAccess: true,
    publicAccessCidrs: [...settings.publicAccessCidrs],
    authenticationMode: "API" as const,
    serviceRole: role,
    encryptionConfigKeyArn: secretsKeyArn,
    enabledClusterLogTypes: [...settings.controlPlaneLogs],
    // With EXTENDED, its default, the cluster would cost six times as much once standard support ends.
    upgradePolicy: { supportType: "STANDARD" },
    deletionProtection: settings.deletionProtection,
    createOidcProvider: true,
    // A secret here makes every kubeconfig in the state a secret, including that of the component's own provider.
    providerCredentialOpts: pulumi.secret({ ...(profile && { profileName: profile }), ...(roleArn && { roleArn }) }),
    ...withoutParts,
    ...(settings.autoMode && autoMode),
    tags: named(settings.clusterName, settings.tags),
  };
  return new Cluster(...transformed(transform.cluster, name, args, pulumi.mergeOptions(options, { dependsOn: first })));
}

/** Other components create nodes, their roles and firewall, and all add-ons, in their own order. */
const withoutParts = {
  skipDefaultNodeGroup: true,
  skipDefaultSecurityGroups: true,
  createInstanceRole: false,
  bootstrapSelfManagedAddons: false,
  useDefaultVpcCni: true,
  corednsAddonOptions: { enabled: false },
  kubeProxyAddonOptions: { enabled: false },
} as const;

/** Makes one principal an admin of the whole cluster. */
function makeAdmin(
  { name, settings, transform, partition, options }: ClusterParts,
  clusterName: pulumi.Output<string>,
  principalArn: string,
): pulumi.Resource[] {
  const entryName = `${name}-admin-${adminName(principalArn)}`;
  const entryArgs = { clusterName, principalArn, type: "STANDARD", tags: named(entryName, settings.tags) };
  const entry = new AccessEntry(...transformed(transform.accessEntry, entryName, entryArgs, options));
  const policyArgs = {
    clusterName,
    principalArn,
    policyArn: pulumi.interpolate`arn:${partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`,
    accessScope: { type: "cluster" },
  };
  const policyOptions = pulumi.mergeOptions(options, { dependsOn: entry });
  const policy = new AccessPolicyAssociation(
    ...transformed(transform.accessPolicy, `${entryName}-policy`, policyArgs, policyOptions),
  );
  return [entry, policy];
}

/** The credentials that `eks.Cluster` would use by default. */
function ambientCredentials(): TokenCredentials {
  const profile = process.env["AWS_PROFILE"] || new pulumi.Config("aws").get("profile");
  return profile ? { profile } : {};
}

/**
 * Without a `clusterIdentifier` Pulumi would replace every Kubernetes object whenever the kubeconfig is unknown in a
 * preview. The drawback: objects of a cluster that is replaced under the same name stay in the state until a refresh.
 */
function makeProvider(
  { name, settings, transform, credentials, options }: ClusterParts,
  kubeconfig: pulumi.Output<string>,
): Provider {
  const args = {
    kubeconfig: kubeconfig.apply((json) => withProfile(json, credentials.profile)),
    clusterIdentifier: settings.clusterName,
  };
  return new Provider(...transformed(transform.kubernetesProvider, `${name}-k8s`, args, options));
}

/** The part of a kubeconfig that this library reads or changes. */
interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  readonly users: readonly { readonly user: { readonly exec: { readonly args: readonly string[] } } }[];
}

/** The address of the Kubernetes API, from the JSON kubeconfig of one cluster. */
export function serverOf(kubeconfigJson: string): string {
  return (JSON.parse(kubeconfigJson) as Kubeconfig).clusters[0]?.cluster.server ?? "";
}

/** The same kubeconfig, with tokens fetched by a named profile of the AWS CLI instead of the ambient credentials. */
export function withProfile(kubeconfigJson: string, profile: string | undefined): string {
  if (profile === undefined) return kubeconfigJson;
  const kubeconfig = JSON.parse(kubeconfigJson) as Kubeconfig;
  const users = kubeconfig.users.map(({ user, ...rest }) => ({
    ...rest,
    user: { ...user, exec: { ...user.exec, args: [...user.exec.args, "--profile", profile] } },
  }));
  return JSON.stringify({ ...kubeconfig, users });
}
