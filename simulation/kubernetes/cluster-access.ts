import { load } from "js-yaml";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { principalOf } from "../aws/eks/access/principals";
import { authenticationMode } from "../aws/eks/cluster/cluster-rules";
import { eksTypes } from "../aws/eks/types";
import { shown } from "../aws/values";
import type { WorldObject } from "../world/kind";
import { valuesAt } from "../world/paths";
import type { World } from "../world/world";

/** Where a provider's kubeconfig leads, and as whom. */
export interface Destination {
  readonly server: string;
  /** Undefined when there is no cluster at that address. */
  readonly cluster: WorldObject | undefined;
  /** The IAM principal whose token the kubeconfig fetches. */
  readonly principalArn: string;
}

/** Undefined for a provider without a kubeconfig. */
export function destinationOf(world: World, provider: Properties): Destination | undefined {
  const kubeconfig = kubeconfigOf(provider);
  const server = kubeconfig && valuesAt(kubeconfig, "clusters[*].cluster.server")[0];
  if (!kubeconfig || typeof server !== "string") return undefined;
  const args = valuesAt(kubeconfig, "users[*].user.exec.args[*]").map(shown);
  const role = ["--role", "--role-arn"].map((flag) => args.indexOf(flag)).find((index) => index >= 0);
  return {
    server,
    cluster: world.find(eksTypes.cluster, { endpoint: server })[0],
    principalArn: principalOf(role === undefined ? world.account.caller : shown(args[role + 1])),
  };
}

/** A kubeconfig is text in JSON or YAML. */
function kubeconfigOf({ kubeconfig }: Properties): Properties | undefined {
  const read: unknown = typeof kubeconfig === "string" ? load(kubeconfig) : kubeconfig;
  return isRecord(read) ? read : undefined;
}

/** Whether an API server knows who comes, and lets them do everything. */
export type Standing = "stranger" | "limited" | "admin";

/** @see https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html */
export function standingOf(world: World, cluster: WorldObject, principalArn: string): Standing {
  if (authenticationMode(cluster.inputs) === "CONFIG_MAP") {
    return principalArn === principalOf(world.account.caller) ? "admin" : "stranger";
  }
  const who = { clusterName: cluster.id, principalArn };
  const entries = world.find(eksTypes.accessEntry, who);
  if (entries.length === 0) return "stranger";
  const ofGroups = entries.some(({ inputs }) => valuesAt(inputs, "kubernetesGroups[*]").length > 0);
  const policies = world.find(eksTypes.accessPolicyAssociation, who);
  const admin = policies.some(
    ({ inputs }) =>
      shown(inputs["policyArn"]).endsWith("/AmazonEKSClusterAdminPolicy") &&
      valuesAt(inputs, "accessScope.type")[0] === "cluster",
  );
  return admin || ofGroups ? "admin" : "limited";
}

/**
 * Why the API server cannot be asked, in the words of the provider; undefined when it can.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/provider.go Configure
 */
export function whyUnreachable(world: World, provider: Properties): string | undefined {
  const destination = destinationOf(world, provider);
  if (!destination) {
    return (
      "unable to load Kubernetes client configuration from kubeconfig file. " +
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable"
    );
  }
  const answer = answerOf(world, destination);
  return answer === undefined ? undefined : `unable to load schema information from the API server: ${answer}`;
}

/** What becomes of the first request; undefined when it is answered. */
function answerOf(world: World, { server, cluster, principalArn }: Destination): string | undefined {
  const request = `Get "${server}/openapi/v2?timeout=32s"`;
  if (!cluster) return `${request}: dial tcp: lookup ${new URL(server).host}: no such host`;
  if (valuesAt(cluster.computed, "vpcConfig.endpointPublicAccess")[0] === false) {
    return `${request}: dial tcp: i/o timeout`;
  }
  if (standingOf(world, cluster, principalArn) !== "stranger") return undefined;
  return "the server has asked for the client to provide credentials";
}
