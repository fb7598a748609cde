import { AccessEntry, AccessPolicyAssociation } from "@pulumi/aws/eks";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { named } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { adminName } from "./admins";
import type { ClusterParts } from "../cluster-parts";
import type { TokenCredentials } from "../eks-cluster-schema";
import { withProfile } from "../kubeconfig";

/** Makes one principal an admin of the whole cluster. */
export function makeAdmin(
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
export function ambientCredentials(): TokenCredentials {
  const profile = process.env["AWS_PROFILE"] || new pulumi.Config("aws").get("profile");
  return profile ? { profile } : {};
}

/**
 * Without a `clusterIdentifier` Pulumi would replace every Kubernetes object whenever the kubeconfig is unknown in a
 * preview. The drawback: objects of a cluster that is replaced under the same name stay in the state until a refresh.
 */
export function makeProvider(
  { name, settings, transform, credentials, options }: ClusterParts,
  kubeconfig: pulumi.Output<string>,
): Provider {
  const args = {
    kubeconfig: kubeconfig.apply((json) => withProfile(json, credentials.profile)),
    clusterIdentifier: settings.clusterName,
  };
  return new Provider(...transformed(transform.kubernetesProvider, `${name}-k8s`, args, options));
}
