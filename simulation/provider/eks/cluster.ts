import { clusterArguments, clusterInputs, requireSupported } from "./cluster-inputs";
import { clusterOutputs, credentialsOf, kubeconfigFor, versions } from "./cluster-outputs";
import { derived, known, toWire, type Construct, type Monitor, type RegisteredResource } from "./component";

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
