import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { patchOf, type Resource } from "../../engine/resource";
import type { Check } from "../../engine/rule";
import { any, not, type Truth } from "../../../components/core/reader/truth";
import { blocks, each, someOf } from "./each";

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

const templates = new WeakMap<Resource, PodTemplate>();

/** The pods that a resource makes; rules that ask for the same resource share the answer. */
export function podTemplate(resource: Resource): PodTemplate {
  const template = templates.get(resource) ?? new PodTemplate(resource);
  templates.set(resource, template);
  return template;
}
