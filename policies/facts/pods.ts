import type { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { ownValue } from "../../components/core/reader/records";
import { all, any, not, type Truth } from "../../components/core/reader/truth";
import { texts } from "../engine/parameters";
import { patchOf, type Resource } from "../engine/resource";
import type { Check } from "../engine/rule";
import { blocks, each, someOf } from "./lists";

export const barePod = "kubernetes:core/v1:Pod";
export const deployment = "kubernetes:apps/v1:Deployment";
export const daemonSet = "kubernetes:apps/v1:DaemonSet";
export const statefulSet = "kubernetes:apps/v1:StatefulSet";
export const replicaSet = "kubernetes:apps/v1:ReplicaSet";
export const replicationController = "kubernetes:core/v1:ReplicationController";
export const job = "kubernetes:batch/v1:Job";

/** The path of the pod specification, by type. */
const specOf: Readonly<Record<string, string>> = {
  [barePod]: "spec",
  [deployment]: "spec.template.spec",
  [daemonSet]: "spec.template.spec",
  [statefulSet]: "spec.template.spec",
  [replicaSet]: "spec.template.spec",
  [replicationController]: "spec.template.spec",
  [job]: "spec.template.spec",
  "kubernetes:batch/v1:CronJob": "spec.jobTemplate.spec.template.spec",
};

/**
 * The Kubernetes types that create pods, and their patches. Charts and YAML files that Pulumi renders have these types
 * too.
 */
export const podTypes: readonly string[] = Object.keys(specOf).flatMap((kind) => [kind, patchOf(kind)]);

/** The pod template of a resource, as Kubernetes reads it. */
export class PodTemplate {
  readonly spec: Reader;
  /** `default` without a value, although the provider may have another one. */
  readonly namespace: Reading<string>;
  readonly containers: Reading<readonly Reader[]>;
  readonly initContainers: Reading<readonly Reader[]>;
  readonly volumes: Reading<readonly Reader[]>;
  readonly tolerations: Reading<readonly Reader[]>;
  private readonly lists: readonly Reading<readonly Reader[]>[];

  constructor(resource: Resource) {
    this.spec = resource.at(specOf[resource.type.replace(/Patch$/, "")] ?? "spec");
    this.namespace = resource.text("metadata.namespace").or("default");
    const list = (key: string) => blocks(this.spec.list(key));
    this.containers = list("containers");
    this.initContainers = list("initContainers");
    this.volumes = list("volumes");
    this.tolerations = list("tolerations");
    this.lists = [this.initContainers, this.containers, list("ephemeralContainers")];
  }

  /** Whether the pods run in none of these namespaces. */
  isOutside(namespaces: readonly string[]): Truth {
    return not(this.namespace.is((name) => namespaces.includes(name)));
  }

  /** Whether a container meets a condition, including init and ephemeral containers. */
  someContainer(condition: (container: Reader) => Truth): Truth {
    return any(...this.lists.map((list) => someOf(list, condition)));
  }

  *eachContainer(judge: (container: Reader) => Iterable<Check>): Iterable<Check> {
    for (const list of this.lists) yield* each(list, judge);
  }
}

/** The pods that a controller keeps. A bare pod has no replicas and counts as one. */
export function replicasOf(workload: Resource): Reading<number> {
  return workload.integer("spec.replicas").or(1);
}

const templates = new WeakMap<Resource, PodTemplate>();

/** The pod template of a resource. All rules share it. */
export function podTemplate(resource: Resource): PodTemplate {
  const template = templates.get(resource) ?? new PodTemplate(resource);
  templates.set(resource, template);
  return template;
}

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
  const entries = container.entries(`resources.${kind}`);
  return entries.map(
    (given) => given.filter(([name, amount]) => gpuResource.test(name) && quantity(amount).isAbsent !== true),
    () => entries.shown,
  );
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
 * A Kubernetes quantity: 1, "1", or with a suffix, "1000m". Amounts of devices have no other suffixes.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantity(amount: Reader): Reading<number> {
  const whole = amount.integer();
  const written = amount.text().map((text) => {
    const [, digits, suffix = ""] = /^(\d{1,15})([a-zA-Z]{0,2})$/.exec(text) ?? [];
    const factor = ownValue(suffixes, suffix);
    return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
  }, String);
  return written.is(() => true) === true ? written : whole;
}

/** Whether an amount exists but is not a whole number of `least` or more. */
export function isNotCount(amount: Reading<number>, least: number): Truth {
  return any(
    amount.isMalformed,
    amount.is((number) => !Number.isSafeInteger(number) || number < least),
  );
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** Whether the node selector of pods has such a label. */
export function selectsBy(pod: PodTemplate, isLabel: (label: string) => boolean): Truth {
  return someOf(pod.spec.entries("nodeSelector"), ([label, value]) => all(isLabel(label), not(value.text().isAbsent)));
}

/** Whether the required node affinity of pods has such a label. */
export function requires(pod: PodTemplate, isLabel: (label: string) => boolean): Truth {
  return someOf(requiredTerms(pod), (term) => termSelects(term, isLabel));
}

/** The terms of the required node affinity. One of them is enough. */
export function requiredTerms(pod: PodTemplate) {
  return blocks(pod.spec.list(["affinity", "nodeAffinity", required, "nodeSelectorTerms"]));
}

function termSelects(term: Reader, isLabel: (label: string) => boolean): Truth {
  return someOf(blocks(term.list("matchExpressions")), (expression) =>
    all(
      expression.text("key").is(isLabel),
      expression.text("operator").is((operator) => operator === "In" || operator === "Exists"),
    ),
  );
}
