import {
  clusterSnapshot,
  defaultOperatorNamespace,
  devicePluginName,
  isGpuComponent,
  isSubject,
} from "../cluster-snapshot";
import { nodePoolLabel } from "../../../components/core/instance-tags";
import type { Dump, LogExcerpt, Subject } from "../dump";
import { lastLines, recognizedLines } from "../logs/known-errors";
import { gpuNodeEvidence, isNodeReady } from "../nodes";
import {
  type ContainerStatus,
  type Event,
  type KubernetesObject,
  type Node,
  type Pod,
  type Resource,
} from "../objects/resources";
import { withoutUndefined } from "../../../components/core/reader/records";
import {
  allStatuses,
  eventReasons,
  groupScaleUpReasons,
  isHeldByKueue,
  isOwnedBy,
  isPending,
  keepsEnding,
  podKey,
  requestsGpu,
} from "../pods";
import type { Get } from "../../../components/core/kubernetes-api/api";
import { Collector } from "./collector";

interface ReadOptions extends Pick<Dump, "subject" | "namespace" | "context"> {
  /** Whether to read the last log lines of the operator and the device plugin. */
  readonly logs: boolean;
  readonly now: Date;
  readonly progress: (step: string) => void;
}

/** For more nodes, one list of all pods is cheaper than a list per node. */
const maxNodesOneByOne = 20;
const maxLogs = 10;
const logLines = 200;

/** Reads what a triage needs of a cluster, with get and list requests only. Independent requests run concurrently. */
export async function readCluster(get: Get, options: ReadOptions): Promise<Dump> {
  const { subject, namespace, context, now, progress } = options;
  const cluster = new Collector(get);
  progress("reading nodes and the GPU Operator");
  const nodes = await readNodes(cluster, subject);
  progress("reading pods and events");
  await Promise.all([readPods(cluster, nodes, options), readEvents(cluster, options)]);
  progress("reading workloads");
  await Promise.all([readOwners(cluster, options), readScaleUps(cluster)]);
  const dump: Dump = {
    takenAt: now.toISOString(),
    ...withoutUndefined({ context, subject, namespace }),
    ...cluster.dump,
  };
  if (!options.logs) return dump;
  progress("reading logs");
  const logs = await readLogs(cluster, dump);
  return { ...dump, unread: cluster.unread, logs };
}

/** Reads the nodes, the object that the user asks about, and the GPU Operator. */
async function readNodes(cluster: Collector, subject: Subject | undefined): Promise<readonly Node[]> {
  const [found] = await Promise.all([
    cluster.list("nodes"),
    ...(subject?.kind === "pod" ? [cluster.getOne("pods", subject.name, subject.namespace)] : []),
    cluster.listOperator(),
  ]);
  const nodes = found.filter((object): object is Node => object.kind === "Node");
  if (subject?.kind === "node" && !nodes.some(({ metadata }) => metadata.name === subject.name)) {
    await cluster.getOne("nodes", subject.name);
  }
  return nodes;
}

function podsOf(cluster: Collector): Pod[] {
  return cluster.objects.filter((object): object is Pod => object.kind === "Pod");
}

/** GPU nodes, nodes that are not Ready, and the node in question. A pod on the last two can be the cause. */
function relevantNodes(cluster: Collector, nodes: readonly Node[], subject: Subject | undefined): ReadonlySet<string> {
  const relevant = nodes.filter((node) => gpuNodeEvidence(node) !== undefined || !isNodeReady(node));
  const pod = podsOf(cluster).find((one) => isSubject(subject, one));
  const own = subject?.kind === "node" ? subject.name : pod?.spec.nodeName;
  return new Set([...relevant.map(({ metadata }) => metadata.name), ...(own === undefined ? [] : [own])]);
}

/** Reads pending pods, pods on relevant nodes and the operator's pods. */
async function readPods(cluster: Collector, nodes: readonly Node[], options: ReadOptions): Promise<void> {
  const { namespace, subject } = options;
  const operator = operatorNamespace(cluster);
  const ownNamespace = namespace ?? (subject?.kind === "pod" ? subject.namespace : undefined);
  const fallback = [...(ownNamespace === undefined ? [] : [ownNamespace]), operator, "kube-system"];
  const names = relevantNodes(cluster, nodes, subject);
  if (names.size > maxNodesOneByOne || !cluster.read.has("nodes")) {
    await cluster.list("pods", {}, fallback);
    return;
  }
  await cluster.list("pods", { fieldSelector: "status.phase=Pending" }, fallback);
  // A user who may list pods only in some namespaces gets all pods of these, rather than a list for each node.
  const isDenied = cluster.unread.some(({ what, where }) => what === "pods" && where === "all namespaces");
  const own = isDenied ? fallback : [operator, ...(ownNamespace === undefined ? [] : [ownNamespace])];
  await Promise.all([
    ...(isDenied ? [] : [...names].map((name) => cluster.list("pods", { fieldSelector: `spec.nodeName=${name}` }))),
    ...[...new Set(own)].map((one) => cluster.list("pods", { namespace: one })),
  ]);
}

function operatorNamespace(cluster: Collector): string {
  const names = ["gpu-operator", devicePluginName];
  const found = cluster.objects.find(
    ({ kind, metadata }) => (kind === "Deployment" || kind === "DaemonSet") && names.includes(metadata.name),
  );
  return found?.metadata.namespace ?? defaultOperatorNamespace;
}

async function readEvents(cluster: Collector, { subject, namespace }: ReadOptions): Promise<void> {
  if (subject?.kind === "pod") {
    const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${subject.name}`;
    await cluster.list("events", { namespace: subject.namespace, fieldSelector });
    return;
  }
  const [first, ...others] = Object.values(eventReasons)
    .flat()
    .map((reason) => withoutUndefined({ namespace, fieldSelector: `reason=${reason}` }));
  const fallback = [operatorNamespace(cluster)];
  await cluster.list("events", first, fallback);
  if (cluster.read.has("events")) await Promise.all(others.map((query) => cluster.list("events", query, fallback)));
}

/** Reads the owners and the claims of pods that wait or hold a GPU, and the Jobs, each list once. */
async function readOwners(cluster: Collector, { subject, namespace }: ReadOptions): Promise<void> {
  const pods = podsOf(cluster).filter((pod) => isPending(pod) || requestsGpu(pod));
  const namespaces = new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []));
  if (subject?.kind === "pod") namespaces.add(subject.namespace);
  if (namespace !== undefined) namespaces.add(namespace);
  const readsAllJobs = subject === undefined && namespace === undefined;
  const withoutPods = cluster.objects
    .filter((object): object is Event => object.kind === "Event" && object.reason === "FailedCreate")
    .filter(({ involvedObject }) => involvedObject.kind === "ReplicaSet")
    .map(({ involvedObject }) => involvedObject.namespace ?? "default");
  for (const one of withoutPods) namespaces.add(one);
  // Kubernetes deletes the pods of a Job that exceeds its deadline, so no pod refers to such a Job. No field selects
  // failed Jobs: a Job that failed in one index has succeeded in others.
  const jobs = readsAllJobs ? [cluster.list("jobs", {}, [...namespaces])] : [];
  const owners = [...namespaces].flatMap((one) => {
    const own = pods.filter(({ metadata }) => metadata.namespace === one);
    const hasClaim = own.some(({ spec }) => spec.volumes.some((volume) => "persistentVolumeClaim" in volume));
    const wanted: readonly Resource[] = [
      ...(withoutPods.includes(one) || own.some((pod) => isOwnedBy(pod, "ReplicaSet"))
        ? (["replicasets", "deployments"] as const)
        : []),
      ...(readsAllJobs ? [] : (["jobs"] as const)),
      ...(hasClaim ? (["persistentvolumeclaims"] as const) : []),
    ];
    return wanted.map((resource) => cluster.list(resource, { namespace: one }));
  });
  const held = pods.filter(isHeldByKueue).map(({ metadata }) => metadata.namespace ?? "default");
  const runs = held.length > 0 ? [cluster.list("workloads", {}, held)] : [];
  await Promise.all([...jobs, ...owners, ...runs]);
}

/** Reads what autoscalers report about node groups, if a pod waits for a GPU. */
async function readScaleUps(cluster: Collector): Promise<void> {
  const isWaiting = podsOf(cluster).some((pod) => isPending(pod) && requestsGpu(pod));
  if (!isWaiting || !cluster.read.has("events")) return;
  await Promise.all([
    ...(cluster.objects.some(isFromKarpenter) ? [cluster.list("nodeclaims")] : []),
    ...groupScaleUpReasons.map((reason) => cluster.list("events", { fieldSelector: `reason=${reason}` })),
  ]);
}

function isFromKarpenter(object: KubernetesObject): boolean {
  if (object.kind === "Node") return object.metadata.labels[nodePoolLabel] !== undefined;
  return object.kind === "Event" && /\bnodeclaim\/|^Failed to schedule pod, /.test(object.message);
}

/**
 * Reads the logs of the operator, of device plugins and toolkits on nodes that advertise too few GPUs, of containers of
 * the operator and of GPU pods that keep ending, and of init containers for which a component waits.
 */
async function readLogs(cluster: Collector, dump: Dump): Promise<LogExcerpt[]> {
  const queries = logQueries(podsOf(cluster), dump);
  const logs = queries.slice(0, maxLogs).map(async (query): Promise<LogExcerpt> => {
    const { namespace, pod, container, hasEnded } = query;
    const log = await cluster.log(query);
    return { namespace, pod, container, lines: hasEnded ? lastLines(log) : recognizedLines(log) };
  });
  return (await Promise.all(logs)).filter(({ lines }) => lines.length > 0);
}

/** A log to read, and whether its container keeps ending. */
type Query = Parameters<Collector["log"]>[0] & { readonly hasEnded: boolean };

function logQueries(all: readonly Pod[], dump: Dump): Query[] {
  const { lackingNodes, devicePlugins, operatorNamespace: ownNamespace } = clusterSnapshot(dump);
  const pods = [...new Map(all.map((pod) => [podKey(pod), pod])).values()];
  const nodes = lackingNodes.map(({ metadata }) => metadata.name);
  const plugins = devicePlugins.map(({ metadata }) => metadata.name);
  const wanted = pods.filter(({ metadata, spec }) => {
    const isOperator = metadata.namespace === ownNamespace && metadata.labels["app"] === "gpu-operator";
    const isPlugin = metadata.ownerReferences.some(({ kind, name }) => kind === "DaemonSet" && plugins.includes(name));
    const isToolkit = metadata.labels["app"] === "nvidia-container-toolkit-daemonset";
    return nodes.length > 0 && (isOperator || ((isPlugin || isToolkit) && nodes.includes(spec.nodeName ?? "")));
  });
  const components = pods.filter((pod) => isGpuComponent(pod, { operatorNamespace: ownNamespace }));
  const ending = pods
    .filter((pod) => requestsGpu(pod) || components.includes(pod))
    .flatMap((pod) => allStatuses(pod).flatMap((status) => (keepsEnding(status) ? [{ pod, status }] : [])));
  const starting = components
    .flatMap((pod) => pod.status.initContainerStatuses.map((status) => ({ pod, status })))
    .filter(({ status }) => status.state.running && !keepsEnding(status));
  const isEnding = (pod: Pod) => ending.some((one) => one.pod === pod);
  return [
    ...wanted.filter((pod) => !isEnding(pod)).map((pod) => logOf(pod)),
    ...[...ending, ...starting].map(({ pod, status }) => logOf(pod, status)),
  ];
}

/** The log of a container of a pod, or of the first one. */
function logOf({ metadata: { name: pod, namespace = "default" }, spec }: Pod, status?: ContainerStatus): Query {
  const { name: container = "", restartCount } = status ?? { ...spec.containers[0], restartCount: 0 };
  const hasEnded = status !== undefined && keepsEnding(status);
  return { namespace, pod, container, isPrevious: restartCount > 0, lines: logLines, hasEnded };
}
