import { resolve } from "node:path";
import type { Cluster } from "@aws-sdk/client-eks";
import { caughtAwsError } from "../../aws/aws-error";
import { getterFor, Unreachable, type Get } from "../../components/core/kubernetes-api/api";
import { connect } from "../../components/core/kubernetes-api/connect";
import { InputError } from "../../components/core/problems";
import { shellText } from "../../components/core/text";
import { awsOptions, type GroupReference } from "./group";
import type { GroupApi } from "./group-api";
import { readGpuPods, readNodes, type NodesReading } from "./nodes";
import type { GpuOptions } from "./gpu-options";

const responseMs = 10_000;

/** A token of EKS is valid for 15 minutes, and a session waits longer. */
const signInMs = 10 * 60_000;

/**
 * Reads the nodes of a group in the cluster's own API. The context of the kubeconfig is the one of the cluster, not the
 * current one: nodes of another cluster would be wrong without a sign of it.
 */
export function nodesReader(
  api: GroupApi,
  at: GroupReference,
  options: Pick<GpuOptions, "context" | "kubeconfig">,
  cwd: string,
): () => Promise<NodesReading> {
  let signedIn: { readonly get: Get; readonly at: number } | undefined;
  const signIn = async () => {
    const { context, kubeconfig } = options;
    const connection = await connect({
      ...(kubeconfig !== undefined && { kubeconfig: resolve(cwd, kubeconfig) }),
      ...(context === undefined ? { server: await api.endpoint() } : { context }),
      kubeconfigFix: `run aws eks update-kubeconfig ${awsOptions(at)} --name ${shellText([at.cluster])}`,
    });
    return { get: getterFor(connection, responseMs), at: Date.now() };
  };
  return async () => {
    try {
      if (!signedIn || Date.now() - signedIn.at > signInMs) signedIn = await signIn();
      return await readNodes(signedIn.get, at.group);
    } catch (error) {
      return unreadOf(error, options);
    }
  };
}

/** A missing kubeconfig is no reason to keep nodes running. One that the user chose must work. */
function unreadOf(error: unknown, { context, kubeconfig }: Pick<GpuOptions, "context" | "kubeconfig">) {
  const isOptional = InputError.is(error) && (context ?? kubeconfig) === undefined;
  const [problem] = isOptional
    ? error.problems
    : [error instanceof Unreachable ? error : caughtAwsError(error, "denied")];
  if (!problem) throw error;
  return { unread: { what: "nodes", why: problem.why, fix: problem.fix } } as const;
}

/** Why the pods of a cluster may hold GPUs; undefined if none does. */
export async function gpuPodsOf({ name = "", endpoint = "" }: Cluster): Promise<string | undefined> {
  const kubeconfigFix = `run aws eks update-kubeconfig --name ${shellText([name])}`;
  const { pods, why } = await connect({ server: endpoint, kubeconfigFix })
    .then((connection) => readGpuPods(getterFor(connection, responseMs)))
    .catch((error: unknown) => {
      const [found] = InputError.is(error) ? error.problems : error instanceof Unreachable ? [error] : [];
      if (!found) throw error;
      return { pods: [], why: found.why.replace(/\.$/, "") };
    });
  if (why !== undefined) return `the pods of the cluster ${name}, whose GPU nodes run, cannot be read: ${why}`;
  return pods.length === 0 ? undefined : `pods of the cluster ${name} hold GPUs: ${pods.join(", ")}`;
}
