import { load } from "js-yaml";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { principalOf } from "../aws/eks/access";
import { authenticationMode } from "../aws/eks/cluster-rules";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import type { Operation } from "../cloud/faults";
import type { CloudObject, CloudState, ApiCall } from "../cloud/model";

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
function unreachableReason(cloud: CloudState, provider: Properties): string | undefined {
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

/** Messages of the provider when the API server is unreachable. */
type Messages = Readonly<Record<Exclude<Operation, "read">, (reason: string) => string>>;

const readMessage =
  "failed to read resource state due to unreachable cluster. If the cluster was deleted, you can remove this resource " +
  'from Pulumi state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"';

const objectMessages: Messages = {
  create: (reason) => `configured Kubernetes cluster is unreachable: ${reason}`,
  update: (reason) => `configured Kubernetes cluster is unreachable: ${reason}`,
  delete: () =>
    "configured Kubernetes cluster is unreachable. If the cluster was deleted, you can remove this resource from Pulumi " +
    'state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"',
};

const releaseMessages: Messages = {
  create: (reason) => `can't create Helm Release with unreachable cluster: ${reason}`,
  update: (reason) => `can't update Helm Release with unreachable cluster: ${reason}`,
  delete: (reason) => `can't delete Helm Release with unreachable cluster. Reason: ${JSON.stringify(reason)}`,
};

/** For objects. With `deleteUnreachable`, the objects of a deleted cluster count as deleted. */
export function connectForObject(call: ApiCall): CloudError | undefined {
  const isDeleted = connectionOf(call.cloud, call.provider)?.cluster === undefined;
  const ignored = isDeleted && isEnabled(call.provider, "deleteUnreachable");
  if (ignored && (call.operation === "read" || call.operation === "delete")) return undefined;
  return connect(call, objectMessages);
}

/** For Helm releases, which `deleteUnreachable` does not affect. @see https://github.com/pulumi/pulumi-kubernetes/issues/2675 */
export function connectForRelease(call: ApiCall): CloudError | undefined {
  return connect(call, releaseMessages);
}

function connect({ cloud, operation, provider }: ApiCall, messages: Messages): CloudError | undefined {
  const reason = unreachableReason(cloud, provider);
  if (reason === undefined) return undefined;
  return new CloudError("Unreachable", operation === "read" ? readMessage : messages[operation](reason));
}

/** Whether a setting of the provider is on. The engine may send it as a string. */
export function isEnabled(provider: Properties, name: string): boolean {
  return provider[name] === true || provider[name] === "true";
}
