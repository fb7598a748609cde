import { CloudError } from "../world/cloud-error";
import type { Call } from "../world/kind";
import type { Operation } from "../world/faults";
import { destinationOf, whyUnreachable } from "./cluster-access";
import { isOn } from "./switches";

/** What the provider says when it cannot ask the API server. */
type Words = Readonly<Record<Exclude<Operation, "read">, (reason: string) => string>>;

const unreadable =
  "failed to read resource state due to unreachable cluster. If the cluster was deleted, you can remove this resource " +
  'from Pulumi state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"';

const ofObjects: Words = {
  create: (reason) => `configured Kubernetes cluster is unreachable: ${reason}`,
  update: (reason) => `configured Kubernetes cluster is unreachable: ${reason}`,
  delete: () =>
    "configured Kubernetes cluster is unreachable. If the cluster was deleted, you can remove this resource from Pulumi " +
    'state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"',
};

const ofReleases: Words = {
  create: (reason) => `can't create Helm Release with unreachable cluster: ${reason}`,
  update: (reason) => `can't update Helm Release with unreachable cluster: ${reason}`,
  delete: (reason) => `can't delete Helm Release with unreachable cluster. Reason: ${JSON.stringify(reason)}`,
};

/** For objects. With `deleteUnreachable` those of a cluster that is gone are gone as well. */
export function reachObject(call: Call): CloudError | undefined {
  const gone = destinationOf(call.world, call.provider)?.cluster === undefined;
  const forgotten = gone && isOn(call.provider, "deleteUnreachable");
  if (forgotten && (call.operation === "read" || call.operation === "delete")) return undefined;
  return reach(call, ofObjects);
}

/** For releases, which `deleteUnreachable` does not help. @see https://github.com/pulumi/pulumi-kubernetes/issues/2675 */
export function reachRelease(call: Call): CloudError | undefined {
  return reach(call, ofReleases);
}

function reach({ world, operation, provider }: Call, words: Words): CloudError | undefined {
  const reason = whyUnreachable(world, provider);
  if (reason === undefined) return undefined;
  return new CloudError("Unreachable", operation === "read" ? unreadable : words[operation](reason));
}
