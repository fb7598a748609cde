import type { Dump, Subject } from "./dump";
import { advertisesAllGpus, gpuNodeEvidence, hostPluginOf } from "./nodes";
import type {
  ClusterPolicy,
  DaemonSet,
  Deployment,
  Event,
  Job,
  Meta,
  Node,
  Pod,
  ReplicaSet,
  Resource,
} from "./objects/resources";
import { isPodReady, requestsGpu, selectsNode } from "./pods";

export const devicePluginName = "nvidia-device-plugin-daemonset";
export const defaultOperatorNamespace = "gpu-operator";

/** A dump with the lookups that the checks need. */
export interface ClusterSnapshot extends Omit<Dump, "takenAt" | "context" | "read" | "unread"> {
  readonly nodeLogs: readonly string[];
  /** The time that ages are relative to; NaN if it is not known. */
  readonly now: number;
  readonly gpuNodes: readonly Node[];
  /** GPU nodes that get their device plugin from a DaemonSet. */
  readonly pluginNodes: readonly Node[];
  /** GPU nodes whose GPUs pods get through ResourceClaims (DRA), without a device plugin. */
  readonly draNodes: readonly Node[];
  /** GPU nodes that advertise fewer GPUs than they have. Those of DRA advertise none. */
  readonly lackingNodes: readonly Node[];
  /** DaemonSets of the device plugin: the operator's, or one that was installed on its own. */
  readonly devicePlugins: readonly DaemonSet[];
  readonly operator?: Deployment | undefined;
  /** The ClusterPolicies that the operator follows. It follows one and marks all others as ignored. */
  readonly policies: readonly ClusterPolicy[];
  readonly operatorNamespace: string;
  /** The name of the EKS cluster for commands; `CLUSTER` if the context does not show it. */
  readonly clusterName: string;
  readonly podsOn: (node: string) => readonly Pod[];
  /** Events of a pod, the latest last. */
  readonly eventsOf: (pod: Pick<Meta, "name" | "namespace">) => readonly Event[];
  /** Whether a resource was read. Objects of a resource that was not read do not count as missing. */
  readonly wasRead: (resource: Resource) => boolean;
}

export function clusterSnapshot(dump: Dump): ClusterSnapshot {
  const { objects, logs, journal, nodeLogs = [], subject, namespace } = dump;
  const operator = objects.deployments.find(isOperator);
  const devicePlugins = objects.daemonsets.filter(isDevicePlugin);
  const gpuNodes = objects.nodes.filter((node) => gpuNodeEvidence(node) !== undefined);
  const isSelected = (node: Node) => (set: DaemonSet) => selectsNode(set.spec.template.spec, node);
  const drivers = objects.daemonsets.filter(isGpuDraDriver);
  const draNodes = gpuNodes.filter((node) => drivers.some(isSelected(node)) && !devicePlugins.some(isSelected(node)));
  const podsByNode = groupBy(objects.pods, ({ spec }) => spec.nodeName ?? "");
  return {
    ...{ objects, logs, journal, nodeLogs, subject, namespace, operator, devicePlugins },
    now: Date.parse(dump.takenAt ?? ""),
    ...{ gpuNodes, draNodes },
    lackingNodes: gpuNodes.filter((node) => !advertisesAllGpus(node) && !draNodes.includes(node)),
    pluginNodes: gpuNodes.filter((node) => hostPluginOf(node) === undefined && !draNodes.includes(node)),
    policies: objects.clusterpolicies.filter(({ status }) => status.state !== "ignored"),
    operatorNamespace: operator?.metadata.namespace ?? devicePlugins[0]?.metadata.namespace ?? defaultOperatorNamespace,
    clusterName: /\bcluster\/([\w-]+)$/.exec(dump.context ?? "")?.[1] ?? "CLUSTER",
    podsOn: (node) => podsByNode.get(node) ?? [],
    eventsOf: eventLookup(objects.events),
    wasRead: (resource) => dump.read.includes(resource),
  };
}

function eventLookup(events: readonly Event[]): ClusterSnapshot["eventsOf"] {
  const ofPods = events.filter(({ involvedObject }) => involvedObject.kind === "Pod");
  const byPod = groupBy(ofPods, ({ involvedObject: { namespace = "", name } }) => `${namespace}/${name}`);
  return ({ namespace = "", name }) => (byPod.get(`${namespace}/${name}`) ?? []).toSorted(byTime);
}

/** Orders events, the latest last. */
export function byTime({ lastTimestamp: one = "" }: Event, { lastTimestamp: other = "" }: Event): number {
  return one < other ? -1 : 1;
}

/** The object with a name in a namespace. */
export function named<T extends { readonly metadata: Meta }>(
  objects: readonly T[],
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): T | undefined {
  return objects.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

export function nodeNamed({ objects }: ClusterSnapshot, name: string | undefined): Node | undefined {
  return objects.nodes.find(({ metadata }) => metadata.name === name);
}

/** Whether the user asks about this pod. */
export function isSubject(subject: Subject | undefined, { metadata }: Pod): boolean {
  return subject?.kind === "pod" && metadata.name === subject.name && metadata.namespace === subject.namespace;
}

/** The pod that the user asks about, if it was read. */
export function subjectPod({ subject, objects }: ClusterSnapshot): Pod | undefined {
  return objects.pods.find((pod) => isSubject(subject, pod));
}

function isOperator({ metadata }: Deployment): boolean {
  return metadata.name === "gpu-operator" || metadata.labels["app.kubernetes.io/component"] === "gpu-operator";
}

/** The operator's DaemonSet, or one for the plugin alone, by its name or image. Other parts use the same image. */
function isDevicePlugin({ metadata, spec }: DaemonSet): boolean {
  if (/mps|config|feature-discovery|validator/.test(metadata.name)) return false;
  const hasImage = spec.template.spec.containers.some(({ image }) => /\/k8s-device-plugin\b/.test(image ?? ""));
  return hasImage || /nvidia-(?:gpu-)?device-?plugin/.test(metadata.name);
}

/** NVIDIA's DRA driver, if it offers GPUs: the one for compute domains alone runs next to a device plugin. */
function isGpuDraDriver({ metadata, spec }: DaemonSet): boolean {
  return draDriverName.test(metadata.name) && spec.template.spec.containers.some(({ name }) => name === "gpus");
}

/** E.g. `nvidia-dra-driver-gpu-kubelet-plugin-x7k2p`; the driver of another vendor can be named `resource-driver`. */
export const draDriverName = /(?:^|-)dra(?:-|net\b)|resource-driver/;

/** What the operator runs, device plugins of EFA, Neuron and HAMi, and schedulers and queues of GPU pods. */
const componentName =
  /nvidia|gpu-operator|dcgm|gpu-feature-discovery|node-feature-discovery|^nfd-|mig-manager|k8s-driver-manager|efa-k8s-device-plugin|^neuron-|^hami-|^kueue-|^volcano-|^kai-|^network-operator|rdma-shared-dp/;
const componentNamespace = /^(?:kai-scheduler|kai-resource-reservation|hami-system|kueue-system|volcano-system|runai)$/;

function hasComponentName({ metadata: { namespace = "", name } }: DaemonSet | Deployment | Pod): boolean {
  return componentName.test(name) || componentNamespace.test(namespace);
}

/** Whether a DaemonSet or Deployment belongs to the GPU stack. */
export function isGpuStack({ operatorNamespace }: Pick<ClusterSnapshot, "operatorNamespace">) {
  return (object: DaemonSet | Deployment) =>
    object.metadata.namespace === operatorNamespace || hasComponentName(object);
}

/** Whether a pod belongs to the GPU stack, in any namespace: the operator and what it runs, or a chart of its own. */
export function isGpuComponent(pod: Pod, { operatorNamespace }: Pick<ClusterSnapshot, "operatorNamespace">): boolean {
  const { namespace, ownerReferences } = pod.metadata;
  if (namespace === operatorNamespace) return true;
  const isManaged = ownerReferences.some(({ kind }) => kind === "DaemonSet" || kind === "ReplicaSet");
  return isManaged && hasComponentName(pod) && !requestsGpu(pod);
}

/** The operator itself rather than a component that it runs. */
export function isOperatorPod({ metadata }: Pod): boolean {
  return metadata.labels["app"] === "gpu-operator" || /^gpu-operator-[a-z0-9]{5,10}-[a-z0-9]{5}$/.test(metadata.name);
}

/** The DaemonSets of the GPU Operator other than the device plugin. */
export function otherOperatorDaemonSets(snapshot: ClusterSnapshot): readonly DaemonSet[] {
  const { objects, devicePlugins, operatorNamespace } = snapshot;
  return objects.daemonsets.filter(
    (one) => one.metadata.namespace === operatorNamespace && !devicePlugins.includes(one),
  );
}

/**
 * Whether new nodes get a device plugin. The operator creates its DaemonSets with the first GPU node, and none while the
 * plugin is disabled. Resources that were not read do not count as missing.
 *
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go DaemonSet
 */
export function expectsDevicePlugin({ devicePlugins, operator, policies, wasRead }: ClusterSnapshot): boolean {
  if (policies.some(({ spec }) => spec.devicePlugin.enabled === false)) return false;
  if (devicePlugins.length > 0 || !wasRead("daemonsets")) return true;
  const operatorRuns = operator ? operator.status.readyReplicas > 0 : !wasRead("deployments");
  return operatorRuns && (policies.length > 0 || !wasRead("clusterpolicies"));
}

export function devicePluginPods(snapshot: ClusterSnapshot): readonly Pod[] {
  return podsOfDaemonSets(snapshot.devicePlugins, snapshot);
}

export function podsOfDaemonSets(sets: readonly DaemonSet[], { objects }: ClusterSnapshot): readonly Pod[] {
  return objects.pods.filter((pod) => sets.some((set) => isPodOf(pod, set)));
}

/** Whether a DaemonSet owns a pod. Another namespace can have a DaemonSet of the same name. */
export function isPodOf({ metadata: own }: Pod, { metadata: set }: DaemonSet): boolean {
  const isOwner = ({ kind, name }: Meta["ownerReferences"][number]) => kind === "DaemonSet" && name === set.name;
  return own.namespace === set.namespace && own.ownerReferences.some(isOwner);
}

/** GPU nodes without a ready pod of the device plugin. */
export function nodesWithoutPlugin(snapshot: ClusterSnapshot): readonly Node[] {
  const { pluginNodes, wasRead } = snapshot;
  const ready = devicePluginPods(snapshot).filter(isPodReady);
  const covered = new Set(ready.map(({ spec }) => spec.nodeName));
  return wasRead("pods") ? pluginNodes.filter(({ metadata }) => !covered.has(metadata.name)) : pluginNodes;
}

/** The Deployment of a pod, and the ReplicaSet that the pod belongs to. */
export function deploymentOf(
  pod: Pod,
  { objects }: ClusterSnapshot,
): { deployment: Deployment; replicaSet: string } | undefined {
  const owner = pod.metadata.ownerReferences.find(({ kind }) => kind === "ReplicaSet");
  if (!owner) return undefined;
  const { namespace } = pod.metadata;
  const replicaSet = named(objects.replicasets, { namespace, name: owner.name });
  const deployment = named(objects.deployments, { namespace, name: deploymentName(pod, replicaSet, owner.name) });
  return deployment && { deployment, replicaSet: owner.name };
}

/** If the ReplicaSet was not read, its name gives the Deployment: the name of a ReplicaSet ends with the template hash. */
function deploymentName(pod: Pod, replicaSet: ReplicaSet | undefined, replicaSetName: string): string | undefined {
  const known = replicaSet?.metadata.ownerReferences.find(({ kind }) => kind === "Deployment")?.name;
  const hash = pod.metadata.labels["pod-template-hash"];
  if (known !== undefined || hash === undefined || !replicaSetName.endsWith(`-${hash}`)) return known;
  return replicaSetName.slice(0, -hash.length - 1);
}

export function jobOf(pod: Pod, { objects }: ClusterSnapshot): Job | undefined {
  const owner = pod.metadata.ownerReferences.find(({ kind }) => kind === "Job");
  return named(objects.jobs, { namespace: pod.metadata.namespace, name: owner?.name });
}

/** The owner of a pod: `Deployment tracker`, `Job nccl-test` or `no owner`. */
export function ownerText(pod: Pod, snapshot: ClusterSnapshot): string {
  const found = deploymentOf(pod, snapshot);
  if (found) return `Deployment ${found.deployment.metadata.name}`;
  const owner = pod.metadata.ownerReferences[0];
  return owner ? `${owner.kind} ${owner.name}` : "no owner";
}
