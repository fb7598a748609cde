import { load } from "js-yaml";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { principalOf } from "../aws/eks/access";
import { authenticationMode } from "../aws/eks/cluster-rules";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import type { CloudObject, CloudState } from "../cloud/model";

/** The cluster and the identity that a provider's kubeconfig selects. */
interface Connection {
  readonly server: string;
  /** Undefined when no cluster has this address. */
  readonly cluster: CloudObject | undefined;
  /** The IAM principal that the kubeconfig authenticates as. */
  readonly principalArn: string;
}

/** The connection of a provider; undefined when it has no kubeconfig. */
export function connectionOf(cloud: CloudState, provider: Properties): Connection | undefined {
  const kubeconfig = kubeconfigOf(provider);
  const server = kubeconfig && valuesAt(kubeconfig, "clusters[*].cluster.server")[0];
  if (!kubeconfig || typeof server !== "string") return undefined;
  const args = valuesAt(kubeconfig, "users[*].user.exec.args[*]").map(stringOf);
  const role = ["--role", "--role-arn"].map((flag) => args.indexOf(flag)).find((index) => index >= 0);
  return {
    server,
    cluster: cloud.find(types.cluster, { endpoint: server })[0],
    principalArn: principalOf(role === undefined ? cloud.account.caller : stringOf(args[role + 1])),
  };
}

/** A kubeconfig is a string in JSON or YAML. */
function kubeconfigOf({ kubeconfig }: Properties): Properties | undefined {
  const read: unknown = typeof kubeconfig === "string" ? load(kubeconfig) : kubeconfig;
  return isRecord(read) ? read : undefined;
}

/** What a principal may do in a cluster. */
type AccessLevel = "none" | "limited" | "admin";

/** @see https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html */
export function accessLevelOf(cloud: CloudState, cluster: CloudObject, principalArn: string): AccessLevel {
  if (authenticationMode(cluster.inputs) === "CONFIG_MAP") {
    return principalArn === principalOf(cloud.account.caller) ? "admin" : "none";
  }
  const who = { clusterName: cluster.id, principalArn };
  const entries = cloud.find(types.accessEntry, who);
  if (entries.length === 0) return "none";
  const ofGroups = entries.some(({ inputs }) => valuesAt(inputs, "kubernetesGroups[*]").length > 0);
  const policies = cloud.find(types.accessPolicyAssociation, who);
  const admin = policies.some(
    ({ inputs }) =>
      stringOf(inputs["policyArn"]).endsWith("/AmazonEKSClusterAdminPolicy") &&
      valuesAt(inputs, "accessScope.type")[0] === "cluster",
  );
  return admin || ofGroups ? "admin" : "limited";
}

/**
 * The provider's message when the API server is unreachable.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/provider.go Configure
 */
export function unreachableReason(cloud: CloudState, provider: Properties): string | undefined {
  const destination = connectionOf(cloud, provider);
  if (!destination) {
    return (
      "unable to load Kubernetes client configuration from kubeconfig file. " +
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable"
    );
  }
  const answer = connectionError(cloud, destination);
  return answer === undefined ? undefined : `unable to load schema information from the API server: ${answer}`;
}

/** The error of the provider's first request, if it fails. */
function connectionError(cloud: CloudState, { server, cluster, principalArn }: Connection): string | undefined {
  const request = `Get "${server}/openapi/v2?timeout=32s"`;
  if (!cluster) return `${request}: dial tcp: lookup ${new URL(server).host}: no such host`;
  if (valuesAt(cluster.computed, "vpcConfig.endpointPublicAccess")[0] === false) {
    return `${request}: dial tcp: i/o timeout`;
  }
  if (accessLevelOf(cloud, cluster, principalArn) !== "none") return undefined;
  return "the server has asked for the client to provide credentials";
}
