import type { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
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

/** Where each kind keeps the specification of its pods. */
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
 * The kinds of Kubernetes that make pods, and what changes one of them. Charts and YAML files that Pulumi renders
 * arrive as these too.
 */
export const podKinds: readonly string[] = Object.keys(specOf).flatMap((kind) => [kind, patchOf(kind)]);

/** The pods that a resource makes, as Kubernetes reads them. */
export class PodTemplate {
  readonly spec: Reader;
  /** Without one the provider's default applies, which hardly anybody changes. */
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

  /** Whether they run in none of these namespaces. */
  isOutside(namespaces: readonly string[]): Truth {
    return not(this.namespace.is((name) => namespaces.includes(name)));
  }

  /** Whether a container meets a condition, those that start before the others included. */
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

/** The pods that a resource makes; rules that ask for the same resource share the answer. */
export function podTemplate(resource: Resource): PodTemplate {
  const template = templates.get(resource) ?? new PodTemplate(resource);
  templates.set(resource, template);
  return template;
}

/** Namespaces whose pods run the node itself: by default those of the GPU Operator, Kubernetes and the monitoring. */
export const systemNamespaces = texts(
  ["gpu-operator", "kube-system", "monitoring"],
  "Namespaces whose pods the rule leaves alone.",
);

/** What NVIDIA's device plugin offers: whole GPUs, GPUs shared in time, and partitions such as `nvidia.com/mig-1g.5gb`. */
const gpuResource = /^nvidia\.com\/(gpu(\.shared)?|mig-.+)$/;

/** A resource of a container, by its name. */
export type Entry = readonly [name: string, amount: Reader];

/** The GPUs among a container's limits or requests; an amount of null is none. */
export function gpuEntries(container: Reader, kind: "limits" | "requests"): Reading<readonly Entry[]> {
  const entries = container.entries(`resources.${kind}`);
  return entries.map(
    (given) => given.filter(([name, amount]) => gpuResource.test(name) && quantity(amount).isAbsent !== true),
    () => entries.shown,
  );
}

/** Whether a container of these pods has a limit of GPUs above 0: without one it gets none. */
export function asksForGpu(pod: PodTemplate): Truth {
  return pod.someContainer(containerAsksForGpu);
}

export function containerAsksForGpu(container: Reader): Truth {
  return someOf(gpuEntries(container, "limits"), ([, amount]) => quantity(amount).is((number) => number > 0));
}

const suffixes: Readonly<Record<string, number>> = { "": 1, m: 0.001, k: 1e3, Ki: 1024, M: 1e6, Mi: 1024 ** 2 };

/**
 * An amount as Kubernetes writes it: 1, "1", or with a suffix, "1000m". Amounts of devices have no other suffixes.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantity(amount: Reader): Reading<number> {
  const whole = amount.integer();
  const written = amount.text().map((text) => {
    const [, digits, suffix = ""] = /^(\d{1,15})([a-zA-Z]{0,2})$/.exec(text) ?? [];
    const factor = Object.hasOwn(suffixes, suffix) ? suffixes[suffix] : undefined;
    return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
  }, String);
  return written.is(() => true) === true ? written : whole;
}

/** Whether an amount is there and no whole number of `least` or more. */
export function isNoCount(amount: Reading<number>, least: number): Truth {
  return any(
    amount.isMalformed,
    amount.is((number) => !Number.isSafeInteger(number) || number < least),
  );
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

/**
 * Whether pods bear a taint that keeps others off GPU nodes. Its value and whether it evicts stand in the node group,
 * so any value counts, and each effect but the one that keeps nobody away.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export function toleratesTaint(pod: PodTemplate, taintKey: string): Truth {
  return someOf(pod.tolerations, (toleration) => {
    const key = toleration.text("key").or("");
    const effect = toleration.text("effect").or("");
    const exists = toleration.text("operator").is((operator) => operator === "Exists");
    return all(
      any(
        key.is((name) => name === taintKey),
        all(
          exists,
          key.is((name) => name === ""),
        ),
      ),
      effect.is((word) => ["", "NoSchedule", "NoExecute"].includes(word)),
    );
  });
}

/** Whether the node selector of pods names such a label. */
export function selectsBy(pod: PodTemplate, isMeant: (label: string) => boolean): Truth {
  return someOf(pod.spec.entries("nodeSelector"), ([label, value]) => all(isMeant(label), not(value.text().isAbsent)));
}

/** Whether the node affinity of pods demands such a label. */
export function demands(pod: PodTemplate, isMeant: (label: string) => boolean): Truth {
  return someOf(requiredTerms(pod), (term) => termSelects(term, isMeant));
}

/** The terms of the node affinity that pods demand; one of them is enough. */
export function requiredTerms(pod: PodTemplate) {
  return blocks(pod.spec.list(["affinity", "nodeAffinity", required, "nodeSelectorTerms"]));
}

function termSelects(term: Reader, isMeant: (label: string) => boolean): Truth {
  return someOf(blocks(term.list("matchExpressions")), (expression) =>
    all(
      expression.text("key").is(isMeant),
      expression.text("operator").is((operator) => operator === "In" || operator === "Exists"),
    ),
  );
}
