import { callerFor, Unreachable, type Call } from "../core/kubernetes-api/api";
import { connect, type Connected } from "../core/kubernetes-api/connect";
import { InputError, refuse, type Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { valueAt } from "../core/reader/paths";

/** How long the API server may take to respond, in milliseconds. */
const timeoutMs = 10_000;

/**
 * Where a node's machine comes from, as the scheme of its provider ID. Cloud providers set it, and so do tools
 * for clusters on this machine. Nodes of KWOK have none, unless an autoscaler created them.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/#NodeSpec
 */
const localProviders: readonly string[] = ["kind", "k3s", "kwok"];

/** Which cluster, and where the user states it. */
interface LocalClusterChoice {
  /** Name of a context. */
  readonly context: string;
  /** The context's name again, where its API server is not on this machine. @default none */
  readonly confirm?: string | undefined;
  /** Path of a kubeconfig. @default KUBECONFIG or ~/.kube/config - as for kubectl */
  readonly kubeconfig?: string;
  /** What the problems belong to: `the command line`, or a stack. */
  readonly subject: string;
  /** What the user sets to choose the context, e.g. `--context`. */
  readonly contextPath: string;
  /** What the user runs or adds to confirm the context. */
  readonly confirmFix: string;
}

/** A cluster that may have simulated GPUs, and in which failures may be injected. */
export interface LocalCluster extends Pick<LocalClusterChoice, "context" | "confirm" | "kubeconfig"> {
  readonly server: string;
  readonly call: Call;
}

/**
 * Connects to a cluster and checks that it is one for labs: its API server is on this machine or its context is confirmed
 * by name, and no node belongs to a cloud.
 *
 * @throws InputError if the kubeconfig or the context cannot be used, the cluster does not respond, or it is not local
 */
export async function connectLocal(choice: LocalClusterChoice): Promise<LocalCluster> {
  const { context, confirm, kubeconfig, subject, contextPath } = choice;
  const shown = { context, confirm, kubeconfig };
  const kubeconfigFix = "create a cluster as docs/laptop.md describes";
  const chosen = { context, kubeconfig, subject, contextPath, kubeconfigFix };
  const connection = await connect(chosen);
  refuse(subject, addressProblems(connection, choice));
  const call = callerFor(connection, timeoutMs);
  refuse(subject, await nodeProblems(call, choice));
  return { ...shown, server: connection.server, call };
}

/** Whether an address is that of the machine that the program runs on. */
export function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function addressProblems({ server }: Connected, { context, confirm, contextPath, confirmFix }: LocalClusterChoice) {
  if (isLoopback(server) || confirm === context) return [];
  const other = confirm === undefined ? "" : ` The confirmation names another context: ${confirm}.`;
  const why = `The address of its API server, ${server}, is not a loopback address, so others may use the cluster.${other}`;
  const fix = `choose the context of a local cluster; or, if this cluster is only for labs, ${confirmFix}`;
  return [{ code: "not-allowed", path: contextPath, got: context, why, fix } satisfies Problem];
}

async function nodeProblems(call: Call, { context, contextPath, subject }: LocalClusterChoice): Promise<Problem[]> {
  const nodes = await nodesIn(call, (why, fix) => {
    throw new InputError(subject, [{ code: "missing", path: contextPath, got: context, why, fix }]);
  });
  for (const node of nodes) {
    const id = valueAt(node, ["spec", "providerID"]);
    if (typeof id !== "string" || id === "" || localProviders.includes(id.split(":")[0] ?? "")) continue;
    const name = String(valueAt(node, ["metadata", "name"]));
    const why = `Its node ${name} belongs to a cloud: its provider ID is ${id}.`;
    const fix = "choose the context of a cluster on this machine, such as kind or KWOK";
    return [{ code: "not-allowed", path: contextPath, got: context, why, fix }];
  }
  return [];
}

async function nodesIn(call: Call, fail: (why: string, fix: string) => never): Promise<readonly unknown[]> {
  try {
    const answer = await call({ method: "GET", path: "/api/v1/nodes" });
    if (!answer.ok)
      return fail(`Its nodes cannot be read: ${answer.why}.`, "use a context with administrator permissions");
    const items = isRecord(answer.body) ? answer.body["items"] : undefined;
    return Array.isArray(items) ? (items as unknown[]) : [];
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return fail(error.why, "start the cluster, and check that kubectl get nodes works with this context");
  }
}
