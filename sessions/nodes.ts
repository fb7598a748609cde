import { Unreachable, type Get } from "../components/core/kubernetes-api/api";
import { isRecord } from "../components/core/reader/records";
import { clusterSnapshot, defaultOperatorNamespace, expectsDevicePlugin } from "../triage/snapshot/cluster-snapshot";
import { Collector } from "../triage/snapshot/live/collector";
import { advertisesGpus, isGpuResource, isNodeReady } from "../triage/snapshot/nodes";
import type { Node } from "../triage/snapshot/objects/cluster";
import type { Pod } from "../triage/snapshot/objects/pod";
import { groupByResource, resourceNames } from "../triage/snapshot/objects/resources";
import { gpuRequest, holdsResources, podKey, requestsGpu } from "../triage/snapshot/pods";
import { numberOf } from "../triage/snapshot/requests";

/** A pod that holds GPUs of a node. */
export interface Holder {
  /** `namespace/name` */
  readonly pod: string;
  readonly gpus: number;
}

/** A node of the group, as Kubernetes shows it. */
export interface GroupNode {
  readonly name: string;
  readonly ready: boolean;
  /** GPUs that the node advertises, of any kind: shares and partitions count as GPUs. */
  readonly gpus: number;
  readonly holders: readonly Holder[];
}

/** The nodes of the group, or why Kubernetes was not read. */
export type NodesReading =
  | {
      readonly nodes: readonly GroupNode[];
      /** Whether a device plugin will advertise the GPUs of new nodes. False if that could not be read. */
      readonly expectsGpus: boolean;
      /** Why the pods are not known; missing if they are. */
      readonly podsUnread?: string;
    }
  | { readonly unread: string; readonly fix: string };

/** For more nodes, one list of all pods is cheaper than a list per node. */
const maxNodesOneByOne = 20;

/** Reads the nodes of a managed node group and the pods that hold their GPUs. */
export async function readNodes(get: Get, group: string): Promise<NodesReading> {
  const cluster = new Collector(get);
  const operator = { labelSelector: "app.kubernetes.io/component=gpu-operator" };
  try {
    const [found] = await Promise.all([
      cluster.list("nodes", { labelSelector: `eks.amazonaws.com/nodegroup=${group}` }),
      cluster.list("daemonsets", {}, [defaultOperatorNamespace, "kube-system"]),
      cluster.list("deployments", operator, [defaultOperatorNamespace]),
      cluster.list("clusterpolicies"),
    ]);
    const nodes = found.filter((object): object is Node => object.kind === "Node");
    const denied = cluster.unread.find(({ what }) => what === "nodes");
    if (denied) return { unread: `The nodes cannot be read: ${denied.why}.`, fix: rightsFix };
    const pods = await readPods(cluster, nodes);
    const podsUnread = cluster.unread.find(({ what }) => what === "pods")?.why;
    return {
      nodes: nodes.map((node) => groupNode(node, pods)),
      expectsGpus: expectsGpus(cluster),
      ...(podsUnread !== undefined && { podsUnread }),
    };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { unread: error.why, fix: error.fix };
  }
}

/** For nodes or pods that may not be read. */
export const rightsFix = "ask your administrator for the role in docs/triage.md";

async function readPods(cluster: Collector, nodes: readonly Node[]): Promise<Pod[]> {
  const queries =
    nodes.length > maxNodesOneByOne
      ? [{}]
      : nodes.map(({ metadata }) => ({ fieldSelector: `spec.nodeName=${metadata.name}` }));
  const lists = await Promise.all(queries.map((query) => cluster.list("pods", query)));
  return lists.flat().filter((object): object is Pod => object.kind === "Pod");
}

/** The running pods of a cluster that hold GPUs, as `namespace/name`; or why they are not known. */
export async function readGpuPods(get: Get): Promise<{ readonly pods: readonly string[]; readonly why?: string }> {
  // What answers in the place of the API server, such as a proxy, says nothing about pods.
  const getList: Get = async (path) => {
    const answer = await get(path);
    const isOfApi = answer.ok ? isRecord(answer.body) && Array.isArray(answer.body["items"]) : answer.status !== 404;
    return isOfApi ? answer : { ok: false, status: 0, why: "the answer is no list of pods" };
  };
  const cluster = new Collector(getList);
  const found = (await cluster.list("pods", {})).filter((object): object is Pod => object.kind === "Pod");
  const holders = found.filter((pod) => pod.spec.nodeName !== undefined && holdsResources(pod) && requestsGpu(pod));
  const why = cluster.unread.find(({ what }) => what === "pods")?.why;
  return { pods: holders.map(podKey), ...(why !== undefined && { why }) };
}

function groupNode(node: Node, pods: readonly Pod[]): GroupNode {
  const { name } = node.metadata;
  const own = pods.filter((pod) => pod.spec.nodeName === name && holdsResources(pod) && requestsGpu(pod));
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
  return expectsDevicePlugin(
    clusterSnapshot({
      read: resourceNames.filter((name) => cluster.read.has(name)),
      unread: cluster.unread,
      objects: groupByResource(cluster.objects),
      logs: [],
      journal: [],
    }),
  );
}
