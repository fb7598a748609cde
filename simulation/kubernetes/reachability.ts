import type { Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import type { Operation } from "../cloud/faults";
import type { ApiCall } from "../cloud/model";
import { connectionOf, unreachableReason } from "./cluster-access";

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
