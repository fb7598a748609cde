import { any, equals, not, Reading, type Reader, type Truth } from "../engine/values";
import { ownValue } from "../../components/core/reader/records";
import { texts } from "../engine/parameters";
import { isPattern, objectsIn } from "../engine/objects";
import { withPatch, type Resource } from "../engine/resource";
import type { Check } from "../engine/rule";
import { blocks, each, filtered, isBlock, someOf } from "./lists";
import { ofKeys, otherContainers, type ContainersIn } from "./other-containers";

export const barePod = "kubernetes:core/v1:Pod";
export const deployment = "kubernetes:apps/v1:Deployment";
export const daemonSet = "kubernetes:apps/v1:DaemonSet";
export const statefulSet = "kubernetes:apps/v1:StatefulSet";
export const replicaSet = "kubernetes:apps/v1:ReplicaSet";
export const replicationController = "kubernetes:core/v1:ReplicationController";
export const job = "kubernetes:batch/v1:Job";

/** The types with a pod template. */
const templated = [deployment, daemonSet, statefulSet, replicaSet, replicationController, job];

/** The path of the pod specification, by type. */
const specOf: Readonly<Record<string, string>> = {
  [barePod]: "spec",
  ...Object.fromEntries(templated.map((type) => [type, "spec.template.spec"])),
  "kubernetes:batch/v1:CronJob": "spec.jobTemplate.spec.template.spec",
};

/**
 * The types that can contain pods: those of Kubernetes, their patches, and any other type, because custom resources and lists
 * contain pods, too. Charts and YAML files that Pulumi renders have these types.
 */
export const podTypes: readonly string[] = [...Object.keys(specOf).flatMap(withPatch), "kubernetes:*"];

/** A pod template, as Kubernetes reads it. */
export class PodTemplate {
  readonly containers: Reading<readonly Reader[]>;
  readonly initContainers: Reading<readonly Reader[]>;
  readonly volumes: Reading<readonly Reader[]>;
  readonly tolerations: Reading<readonly Reader[]>;
  private readonly lists: readonly Reading<readonly Reader[]>[];

  /**
   * @param namespace `default` without a value, although the provider may have another one
   * @param others containers that are in no list, or in a list of their own
   */
  constructor(
    readonly spec: Reader,
    private readonly namespace: Reading<string>,
    readonly others: readonly Reader[] = [],
  ) {
    const list = (key: string) => blocks(spec.list(key));
    this.containers = list("containers");
    this.initContainers = list("initContainers");
    this.volumes = list("volumes");
    this.tolerations = list("tolerations");
    const inNoList = Reading.known(spec.path, others, "containers");
    this.lists = [this.initContainers, this.containers, list("ephemeralContainers"), inNoList];
  }

  /** Whether the pods run in none of these namespaces. */
  isOutside(namespaces: readonly string[]): Truth {
    return not(equals(this.namespace, ...namespaces));
  }

  /** Whether a container meets a condition, including init and ephemeral containers. */
  someContainer(condition: (container: Reader) => Truth): Truth {
    return any(...this.lists.map((list) => someOf(list, condition)));
  }

  *eachContainer(judge: (container: Reader) => Iterable<Check>): Iterable<Check> {
    for (const list of this.lists) yield* each(list, judge);
  }
}

const found = new WeakMap<Resource, readonly PodTemplate[]>();

/** The pod templates in a resource: one for each type of Kubernetes, any number in others. All rules share them. */
export function podsIn(resource: Resource): readonly PodTemplate[] {
  const pods = found.get(resource) ?? find(resource);
  found.set(resource, pods);
  return pods;
}

/** The checks of every container in a resource. */
export function* eachContainerOf(resource: Resource, judge: (container: Reader) => Iterable<Check>): Iterable<Check> {
  for (const pod of podsIn(resource)) yield* pod.eachContainer(judge);
}

/** The pod template of a workload of Kubernetes. */
export function podTemplate(workload: Resource): PodTemplate {
  return podsIn(workload)[0] ?? new PodTemplate(workload.at("spec"), namespaceOf(workload));
}

/** The pod template at a block of a resource. */
export function podTemplateAt(resource: Resource, block: Reader): PodTemplate {
  const known = podsIn(resource).find(({ spec }) => spec.path === block.path);
  return known ?? new PodTemplate(block, namespaceOf(resource));
}

function namespaceOf(object: Reader): Reading<string> {
  return object.text("metadata.namespace").or("default");
}

function find(resource: Resource): readonly PodTemplate[] {
  const namespace = namespaceOf(resource);
  const path = specOf[resource.type.replace(/Patch$/, "")];
  if (path !== undefined) return [new PodTemplate(resource.at(path), namespace)];
  if (isPattern(resource.type)) return [];
  const [, group = ""] = /^kubernetes:([^/:]+)[/:]/.exec(resource.type) ?? [];
  const apart = new Set(objectsIn(resource).map(({ path: one }) => one));
  return [...nested(resource, { namespace, apart, containersIn: ownValue(otherContainers, group) ?? ofKeys() })];
}

interface Place {
  readonly namespace: Reading<string>;
  /** Paths of objects that are judged as their own. */
  readonly apart: ReadonlySet<string>;
  readonly containersIn: ContainersIn;
  /** What a pod template has without a value of its own: those of a Workflow of Argo. */
  readonly under?: Reader;
}

/** Paths at which an unknown value may be, or contain, a pod template. */
const mayHold =
  /(^|\.)(\w*(specs?|templates?|jobs|tasks)|containers|items|predictors?)$|(specs|containers|items|jobs|tasks|templates)(\.\w+|\[\d+\])$/i;

/** Deeper objects of Kubernetes do not exist. */
const deepest = 16;

/** The pod templates of a custom resource are recognised by their containers, wherever they are. */
function* nested(node: Reader, place: Place, depth = 0): Iterable<PodTemplate> {
  if (depth > deepest || place.apart.has(node.path)) return;
  if (node.entries().isUnknown) {
    if (mayHold.test(node.path)) yield new PodTemplate(node, place.namespace);
    return;
  }
  const others = isBlock(node) ? place.containersIn(node, place.under) : [];
  if (others.length > 0 || hasContainers(node)) {
    yield new PodTemplate(place.under ? node.over(place.under) : node, place.namespace, others);
  }
  for (const [child, at] of childrenOf(node, place)) yield* nested(child, at, depth + 1);
}

function childrenOf(node: Reader, place: Place): (readonly [Reader, Place])[] {
  const items = node.list().value;
  if (items) return items.map((item) => [item, place]);
  const entries = (node.entries().value ?? []).filter(([key]) => !inPod.includes(key));
  return entries.map(([key, value]) => {
    const under = ownValue(inherited, key)?.(node);
    return [value, { ...place, ...(under && { under }) }];
  });
}

/** Keys of a pod template with blocks that are not pod templates. */
const inPod = ["containers", "initContainers", "ephemeralContainers", "volumes"];

/** What the pod templates below a key inherit: those of a Workflow of Argo, and of a service of Dynamo. */
const inherited: Readonly<Record<string, (node: Reader) => Reader>> = {
  templates: (workflow) => workflow.at("templateDefaults").over(workflow),
  containerSet: (template) => template,
  extraPodSpec: (service) => service,
};

function hasContainers(node: Reader): boolean {
  if (!isBlock(node)) return false;
  const isContainer = (item: Reader) =>
    item.entries().isUnknown || (isBlock(item) && marks.some((key) => item.text(key).isAbsent !== true));
  const lists = [node.list("containers"), node.list("initContainers")];
  return lists.some(({ isUnknown, value = [] }) => isUnknown || value.some(isContainer));
}

const marks = ["image", "command", "resources"];

/** Namespaces with system pods: by default those of the GPU Operator, Kubernetes and the monitoring. */
export const systemNamespaces = texts(
  ["gpu-operator", "kube-system", "monitoring"],
  "Namespaces whose pods the rule ignores.",
);

/** The resources of NVIDIA's device plugin: GPUs, shared GPUs, and MIG partitions such as `nvidia.com/mig-1g.5gb`. */
const gpuResource = /^nvidia\.com\/(gpu(\.shared)?|mig-.+)$/;

/** A resource of a container, by its name. */
export type Entry = readonly [name: string, amount: Reader];

/** The GPUs in the limits or requests of a container. An amount of null does not count. */
export function gpuEntries(container: Reader, kind: "limits" | "requests"): Reading<readonly Entry[]> {
  const counts = ([name, amount]: Entry) => gpuResource.test(name) && quantity(amount).isAbsent !== true;
  return filtered(container.entries(`resources.${kind}`), counts);
}

/** Whether a container of these pods has a GPU limit above 0. Without a limit it gets no GPU. */
export function requestsGpu(pod: PodTemplate): Truth {
  return pod.someContainer(containerRequestsGpu);
}

export function containerRequestsGpu(container: Reader): Truth {
  return someOf(gpuEntries(container, "limits"), ([, amount]) => quantity(amount).is((number) => number > 0));
}

const suffixes: Readonly<Record<string, number>> = { "": 1, m: 0.001, k: 1e3, Ki: 1024, M: 1e6, Mi: 1024 ** 2 };

/**
 * A Kubernetes quantity: 1, "1", "0.5", or with a suffix, "1000m". Amounts of devices have no other suffixes.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantity(amount: Reader): Reading<number> {
  const whole = amount.integer();
  const written = amount.text().map((text) => {
    const [, digits, suffix = ""] = /^(\d{1,15}(?:\.\d{1,6})?)([a-zA-Z]{0,2})$/.exec(text) ?? [];
    const factor = ownValue(suffixes, suffix);
    return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
  }, String);
  return written.is(() => true) === true ? written : whole;
}
