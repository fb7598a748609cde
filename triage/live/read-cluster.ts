import { tellingLines } from "../classify/plugin-log";
import type { Dump, LogExcerpt, Subject } from "../dump/dump";
import { grouped } from "../dump/read-dump";
import { resourceNames } from "../objects/kinds";
import type { Node } from "../objects/node";
import type { Pod } from "../objects/pod";
import { offerOf } from "../walk/node/advertised";
import { asksForGpu, isPending } from "../walk/pods";
import { startReasons } from "../walk/pod/starting";
import { stopReasons } from "../walk/pod/stopped";
import { isAsked, isReady, sceneOf, whyGpuNode } from "../walk/scene";
import type { Get } from "./api";
import { Collector } from "./collector";

export interface ReadOptions {
  readonly subject?: Subject;
  /** The only namespace whose pods are asked about. */
  readonly namespace?: string;
  readonly context?: string;
  /** Whether to read the last lines of the operator's and the plugin's logs. */
  readonly logs: boolean;
  readonly now: Date;
  readonly progress: (step: string) => void;
}

/** With more nodes to look at one list of all pods costs less than a list for each. */
const mostNodesOneByOne = 20;
const mostLogs = 5;
const logLines = 200;

/** Reads what a triage needs of a cluster: get and list, nothing else, and no more than it must. */
export async function readCluster(get: Get, options: ReadOptions): Promise<Dump> {
  const { subject, namespace, context, now, progress } = options;
  const cluster = new Collector(get);
  progress("reading nodes");
  const nodes = (await cluster.list("nodes")).filter((object): object is Node => object.kind === "Node");
  await readSubject(cluster, subject);
  progress("reading the GPU Operator");
  await readOperator(cluster);
  progress("reading pods");
  await readPods(cluster, nodes, options);
  progress("reading events");
  await readEvents(cluster, options);
  progress("reading workloads");
  await readOwners(cluster, options);
  const dump: Dump = {
    takenAt: now.toISOString(),
    ...(context !== undefined && { context }),
    ...(subject && { subject }),
    ...(namespace !== undefined && { namespace }),
    read: resourceNames.filter((name) => cluster.read.has(name)),
    unread: cluster.unread,
    objects: grouped(cluster.objects),
    logs: [],
    journal: [],
  };
  if (!options.logs) return dump;
  progress("reading logs");
  const logs = await readLogs(cluster, dump);
  return { ...dump, unread: cluster.unread, logs };
}

async function readSubject(cluster: Collector, subject: Subject | undefined): Promise<void> {
  if (subject?.kind === "pod") await cluster.one("pods", subject.name, subject.namespace);
  if (subject?.kind === "node" && !cluster.objects.some(({ metadata }) => metadata.name === subject.name)) {
    await cluster.one("nodes", subject.name);
  }
}

const usualNamespace = "gpu-operator";

async function readOperator(cluster: Collector): Promise<void> {
  await cluster.list("daemonsets", {}, [usualNamespace, "kube-system"]);
  await cluster.list("deployments", { labelSelector: "app.kubernetes.io/component=gpu-operator" }, [usualNamespace]);
  await cluster.list("clusterpolicies");
}

function podsOf(cluster: Collector): Pod[] {
  return cluster.objects.filter((object): object is Pod => object.kind === "Pod");
}

/** GPU nodes, nodes that are not Ready, and the node in question: on the last two a pod may be the culprit. */
function tellingNodes(cluster: Collector, nodes: readonly Node[], subject: Subject | undefined): ReadonlySet<string> {
  const telling = nodes.filter((node) => whyGpuNode(node) !== undefined || !isReady(node));
  const pod = podsOf(cluster).find((one) => isAsked(subject, one));
  const own = subject?.kind === "node" ? subject.name : pod?.spec.nodeName;
  return new Set([...telling.map(({ metadata }) => metadata.name), ...(own === undefined ? [] : [own])]);
}

/** Pods that wait, pods on telling nodes, and the operator's; of a large cluster's others none. */
async function readPods(cluster: Collector, nodes: readonly Node[], options: ReadOptions): Promise<void> {
  const { namespace, subject } = options;
  const operator = operatorNamespace(cluster);
  const own = namespace ?? (subject?.kind === "pod" ? subject.namespace : undefined);
  const fallback = [...(own === undefined ? [] : [own]), operator, "kube-system"];
  const names = tellingNodes(cluster, nodes, subject);
  if (names.size > mostNodesOneByOne || !cluster.read.has("nodes")) {
    await cluster.list("pods", {}, fallback);
    return;
  }
  await cluster.list("pods", { fieldSelector: "status.phase=Pending" }, fallback);
  if (cluster.unread.some(({ what, where }) => what === "pods" && where === "all namespaces")) {
    // Only some namespaces are open: then read those whole, not once more for each node.
    for (const one of new Set(fallback)) await cluster.list("pods", { namespace: one });
    return;
  }
  for (const name of names) await cluster.list("pods", { fieldSelector: `spec.nodeName=${name}` });
  await cluster.list("pods", { namespace: operator });
  if (own !== undefined) await cluster.list("pods", { namespace: own });
}

function operatorNamespace(cluster: Collector): string {
  const objects = cluster.objects.filter(({ kind }) => kind === "Deployment" || kind === "DaemonSet");
  const found = objects.find(({ metadata }) => /^(gpu-operator|nvidia-device-plugin-daemonset)$/.test(metadata.name));
  return found?.metadata.namespace ?? usualNamespace;
}

async function readEvents(cluster: Collector, { subject, namespace }: ReadOptions): Promise<void> {
  if (subject?.kind === "pod") {
    const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${subject.name}`;
    await cluster.list("events", { namespace: subject.namespace, fieldSelector });
    return;
  }
  const place = namespace === undefined ? {} : { namespace };
  for (const reason of ["FailedScheduling", "NotTriggerScaleUp", ...startReasons, ...stopReasons]) {
    await cluster.list("events", { ...place, fieldSelector: `reason=${reason}` }, [operatorNamespace(cluster)]);
    if (!cluster.read.has("events")) return;
  }
}

/**
 * What stands behind the pods that wait or hold a GPU: their Deployments and Jobs, and the claims they wait for. Of a
 * Job that ran into its deadline no pod is left to lead to it.
 */
async function readOwners(cluster: Collector, options: ReadOptions): Promise<void> {
  const { subject, namespace } = options;
  const pods = podsOf(cluster);
  const telling = pods.filter((pod) => isPending(pod) || asksForGpu(pod));
  const places = new Set(telling.flatMap(({ metadata }) => metadata.namespace ?? []));
  if (subject?.kind === "pod") places.add(subject.namespace);
  if (namespace !== undefined) places.add(namespace);
  if (subject === undefined) {
    const place = namespace === undefined ? {} : { namespace };
    await cluster.list("jobs", { ...place, fieldSelector: "status.successful=0" }, [...places]);
  }
  const owned = (place: string, kind: string) =>
    telling.some(
      ({ metadata }) => metadata.namespace === place && metadata.ownerReferences.some((one) => one.kind === kind),
    );
  const claiming = (place: string) =>
    telling.some(
      ({ metadata, spec }) =>
        metadata.namespace === place && spec.volumes.some((one) => "persistentVolumeClaim" in one),
    );
  for (const place of places) {
    if (owned(place, "ReplicaSet")) {
      await cluster.list("replicasets", { namespace: place });
      await cluster.list("deployments", { namespace: place });
    }
    await cluster.list("jobs", { namespace: place });
    if (claiming(place)) await cluster.list("persistentvolumeclaims", { namespace: place });
  }
}

/** Of the plugin's pods on nodes that offer nothing, and of the operator where the plugin is missing. */
async function readLogs(cluster: Collector, dump: Dump): Promise<LogExcerpt[]> {
  const scene = sceneOf(dump);
  const silent = scene.gpuNodes.filter((node) => offerOf(node) !== "offers").map(({ metadata }) => metadata.name);
  if (silent.length === 0) return [];
  const names = scene.devicePlugins.map(({ metadata }) => metadata.name);
  const wanted = podsOf(cluster).filter(({ metadata, spec }) => {
    const plugin = metadata.ownerReferences.some(({ kind, name }) => kind === "DaemonSet" && names.includes(name));
    const toolkit = metadata.labels["app"] === "nvidia-container-toolkit-daemonset";
    const operator = metadata.namespace === scene.operatorNamespace && metadata.labels["app"] === "gpu-operator";
    return operator || ((plugin || toolkit) && silent.includes(spec.nodeName ?? ""));
  });
  const unique = [...new Map(wanted.map((pod) => [pod.metadata.name, pod])).values()];
  const logs: LogExcerpt[] = [];
  for (const { metadata } of unique.slice(0, mostLogs)) {
    const { name, namespace = scene.operatorNamespace } = metadata;
    const lines = tellingLines(await cluster.log(namespace, name, logLines));
    if (lines.length > 0) logs.push({ namespace, pod: name, lines });
  }
  return logs;
}
