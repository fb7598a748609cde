import type { Cluster } from "@aws-sdk/client-eks";
import { resolve } from "node:path";
import { nodePoolLabel } from "../../components/core/instance-tags";
import { caughtAwsError } from "../../aws/aws-error";
import type { GpuOptions } from "./gpu-options";
import type { GroupApi } from "./group-api";
import { awsOptions, type Unread, type GroupReference } from "./group";
import { callerFor, getterFor, Unreachable, type Call, type Get } from "../../components/core/kubernetes-api/api";
import { connect, isSameServer } from "../../components/core/kubernetes-api/connect";
import { InputError, refuse } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import { shellText } from "../../components/core/text";
import { clusterSnapshot, expectsDevicePlugin } from "../../triage/snapshot/cluster-snapshot";
import { Collector } from "../../triage/snapshot/live/collector";
import { advertisesGpus, isGpuResource, isNodeReady } from "../../triage/snapshot/nodes";
import type { Node, Pod } from "../../triage/snapshot/objects/resources";
import { gpuRequest, holdsResources, isPending, podKey, requestsGpu } from "../../triage/snapshot/pods";
import { numberOf } from "../../triage/snapshot/requests";

/** A node of the group, as Kubernetes shows it. */
export interface GroupNode {
  readonly name: string;
  readonly ready: boolean;
  /** GPUs that the node advertises, of any kind: shares and partitions count as GPUs. */
  readonly gpus: number;
  /** The pods that hold GPUs, as `namespace/name`. */
  readonly holders: readonly { readonly pod: string; readonly gpus: number }[];
}

export interface NodesReading {
  /** Undefined if they could not be read. */
  readonly nodes?: readonly GroupNode[];
  /** The pods that wait for a node with GPUs, as `namespace/name`. @default not read, as for a node group */
  readonly waiting?: readonly string[];
  /** Whether a device plugin will advertise the GPUs of new nodes. @default false - that could not be read */
  readonly expectsGpus?: boolean;
  /** Why the nodes or their pods are not known; missing if they are. */
  readonly unread?: Unread;
}

/** For more nodes, one list of all pods is cheaper than a list per node. */
const maxNodesOneByOne = 20;

/** The label of the nodes of a group or of a NodePool. */
export function nodeLabel({ group, isPool }: Pick<GroupReference, "group" | "isPool">): string {
  return `${isPool ? nodePoolLabel : "eks.amazonaws.com/nodegroup"}=${group}`;
}

/** Reads the nodes of a group and the pods that hold their GPUs, and those that wait for a NodePool. @throws Unreachable */
async function readNodes(get: Get, at: GroupReference): Promise<NodesReading> {
  const cluster = new Collector(get);
  const [found] = await Promise.all([cluster.list("nodes", { labelSelector: nodeLabel(at) }), cluster.listOperator()]);
  const nodes = found.filter((object): object is Node => object.kind === "Node");
  const fix = "ask your administrator for the role in docs/triage.md";
  const denied = whyUnread(cluster, "nodes");
  if (denied !== undefined) return { unread: { what: "nodes", why: `The nodes cannot be read: ${denied}.`, fix } };
  const isMany = at.isPool === true || nodes.length > maxNodesOneByOne;
  const queries = nodes.map(({ metadata }) => ({ fieldSelector: `spec.nodeName=${metadata.name}` }));
  const pods = await gpuPods(cluster, isMany ? [{}] : queries);
  const why = whyUnread(cluster, "pods");
  return {
    nodes: nodes.map((node) => groupNode(node, pods.filter(holdsResources))),
    ...(at.isPool && { waiting: pods.filter(isPending).map(podKey) }),
    expectsGpus: expectsGpus(cluster),
    ...(why !== undefined && { unread: { what: "pods", why, fix } }),
  };
}

/** The pods that request GPUs. */
async function gpuPods(cluster: Collector, queries: readonly object[]): Promise<Pod[]> {
  const lists = await Promise.all(queries.map((query) => cluster.list("pods", query)));
  const pods = lists.flat().filter((object): object is Pod => object.kind === "Pod");
  return pods.filter(requestsGpu);
}

function whyUnread({ unread }: Collector, resource: "nodes" | "pods"): string | undefined {
  return unread.find(({ what }) => what === resource)?.why;
}

/** The running pods of a cluster that hold GPUs, as `namespace/name`; or why they are not known. */
async function readGpuPods(get: Get): Promise<{ readonly pods: readonly string[]; readonly why?: string }> {
  // What answers in the place of the API server, such as a proxy, says nothing about pods.
  const getList: Get = async (path) => {
    const answer = await get(path);
    const isOfApi = answer.ok ? isRecord(answer.body) && Array.isArray(answer.body["items"]) : answer.status !== 404;
    return isOfApi ? answer : { ok: false, status: 0, why: "the response is not a list of pods" };
  };
  const cluster = new Collector(getList);
  const pods = (await gpuPods(cluster, [{}])).filter(holdsResources).map(podKey);
  const why = whyUnread(cluster, "pods");
  return { pods, why };
}

function groupNode(node: Node, pods: readonly Pod[]): GroupNode {
  const { name } = node.metadata;
  const own = pods.filter((pod) => pod.spec.nodeName === name);
  const amounts = Object.entries(node.status.allocatable).filter(([resource]) => isGpuResource(resource));
  return {
    name,
    ready: isNodeReady(node),
    gpus: advertisesGpus(node) ? amounts.reduce((sum, [, amount]) => sum + numberOf(amount), 0) : 0,
    holders: own.map((pod) => ({
      pod: podKey(pod),
      gpus: [...gpuRequest(pod.spec).values()].reduce((sum, amount) => sum + amount, 0),
    })),
  };
}

/** Whether the cluster has a device plugin for new nodes. What could not be read is not waited for. */
function expectsGpus(cluster: Collector): boolean {
  if (cluster.unread.some(({ what }) => what === "daemonsets" || what === "deployments")) return false;
  return expectsDevicePlugin(clusterSnapshot(cluster.dump));
}

const responseMs = 10_000;

/** A token of EKS is valid for 15 minutes, and a session waits longer. */
const signInMs = 10 * 60_000;

type ConnectOptions = Pick<GpuOptions, "context" | "kubeconfig">;

/**
 * Signs in to the cluster's own API. The context of the kubeconfig is the one of the cluster, not the current one: nodes of
 * another cluster would be wrong without a sign of it. A NodePool is changed there, so its context must be of the cluster.
 */
export function clusterCaller(
  api: Pick<GroupApi, "endpoint">,
  at: GroupReference,
  { context, kubeconfig }: ConnectOptions,
  cwd: string,
): () => Promise<Call> {
  let signedIn: { readonly call: Call; readonly at: number } | undefined;
  const kubeconfigFix = `run aws eks update-kubeconfig ${awsOptions(at)} --name ${shellText([at.cluster])}`;
  const signIn = async () => {
    const server = context === undefined || at.isPool ? await api.endpoint() : undefined;
    const connection = await connect({
      ...(kubeconfig !== undefined && { kubeconfig: resolve(cwd, kubeconfig) }),
      ...(context === undefined ? { server } : { context }),
      kubeconfigFix,
    });
    if (server !== undefined && !isSameServer(server, connection.server)) {
      const why = `The context does not belong to the cluster ${at.cluster}, whose API server is ${server}.`;
      const fix = `remove --context, or ${kubeconfigFix}`;
      refuse("the command line", [{ code: "not-allowed", path: "--context", got: context, why, fix }]);
    }
    return { call: callerFor(connection, responseMs), at: Date.now() };
  };
  return async () => {
    if (!signedIn || Date.now() - signedIn.at > signInMs) signedIn = await signIn();
    return signedIn.call;
  };
}

/** Reads the nodes of a group with the cluster's own API. */
export function nodesReader(
  caller: () => Promise<Call>,
  at: GroupReference,
  options: ConnectOptions,
): () => Promise<NodesReading> {
  return async () => {
    try {
      const call = await caller();
      return await readNodes((path) => call({ method: "GET", path }), at);
    } catch (error) {
      return unreadOf(error, options);
    }
  };
}

/** A missing kubeconfig is not a reason to keep nodes running. One that the user chose must work. */
function unreadOf(error: unknown, { context, kubeconfig }: ConnectOptions) {
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
  if (why !== undefined) return `the cluster ${name} has running GPU nodes, and its pods cannot be read: ${why}`;
  return pods.length === 0 ? undefined : `pods of the cluster ${name} hold GPUs: ${pods.join(", ")}`;
}
