import { step } from "../../components/core/reader/paths";
import { isRecord, plainValue } from "../../components/core/reader/records";
import { Resource, type AnalyzedResource } from "./resource";

/** Groups whose objects describe other objects, or contain values of charts. The objects of `yaml` are resources, too. */
const patterns =
  /^kubernetes:(yaml|(admissionregistration|apiextensions)\.k8s\.io|.*(kyverno\.io|gatekeeper\.sh|fluxcd\.io)|helm\.(sh|cattle\.io))[/:]/;

/** Whether the objects in a resource are only patterns, such as those of an admission policy. */
export function isPattern(type: string): boolean {
  return patterns.test(type);
}

/** Lists, and the types of other groups than those of Kubernetes. */
const holder = /^kubernetes:([^:]+:\w*List$|[^/:]+\.(?!k8s\.io))/;

/** A resource, and the objects of Kubernetes in it: those of a list, and those that a controller creates from it. */
export function resourcesOf(analyzed: AnalyzedResource): Resource[] {
  return withObjects(new Resource(analyzed));
}

function withObjects(resource: Resource): Resource[] {
  return [resource, ...objectsIn(resource).flatMap(withObjects)];
}

/** Whether a resource of a type can hold objects. */
export function holdsObjects(type: string): boolean {
  return holder.test(type) && !isPattern(type);
}

const found = new WeakMap<Resource, readonly Resource[]>();

/** The objects of Kubernetes in a resource, without those in these objects. Rules judge each as its own. */
export function objectsIn(resource: Resource): readonly Resource[] {
  const objects = found.get(resource) ?? (holdsObjects(resource.type) ? search(resource) : []);
  found.set(resource, objects);
  return objects;
}

/** Deeper objects of Kubernetes do not exist. */
const deepest = 16;

function search(resource: Resource): Resource[] {
  const itemType = /^(.+:\w+)List$/.exec(resource.type)?.[1];
  const within = (value: unknown, path: string, depth: number): Resource[] => {
    if (depth > deepest || typeof value !== "object" || value === null) return [];
    const type = typeOf(value) ?? (depth === 2 && /items\[\d+\]$/.test(path) ? itemType : undefined);
    if (type !== undefined) return [resource.inner(type, placed(value, resource), path)];
    const inside = (key: string) =>
      within(plainValue(value, key), step(path, Array.isArray(value) ? Number(key) : key), depth + 1);
    return Object.keys(value).flatMap(inside);
  };
  return (resource.entries().value ?? []).flatMap(([key, { path }]) => within(resource.inputs(key), path, 1));
}

/** The type of an object; undefined for a reference to one, which has neither metadata nor a spec. */
function typeOf(value: object): string | undefined {
  const [version, kind, ...parts] = ["apiVersion", "kind", "metadata", "spec"].map((key) => plainValue(value, key));
  const isObject = parts.some(isRecord) && typeof version === "string" && typeof kind === "string";
  return isObject && /^([\w.-]+\/)?v\d\w*$/.test(version) ? typeToken(version, kind) : undefined;
}

/** The token of a type of Kubernetes in Pulumi. */
export function typeToken(apiVersion: string, kind: string): string {
  return `kubernetes:${apiVersion.includes("/") ? "" : "core/"}${apiVersion}:${kind}`;
}

/** The rows of custom resources in a table by type, such as "karpenter.sh/v1,v1beta1:NodePool". */
export function custom<Row>(row: Row, ...names: readonly string[]): (readonly [type: string, row: Row])[] {
  return names.flatMap((name) => {
    const [group = "", versions = "", kind = ""] = name.split(/[/:]/);
    return versions.split(",").map((version) => [typeToken(`${group}/${version}`, kind), row] as const);
  });
}

/** An object without a namespace is in that of the resource. */
function placed(value: object, resource: Resource): Record<string, unknown> {
  const metadata = plainValue(value, "metadata");
  const namespace = resource.text("metadata.namespace").value;
  return namespace === undefined
    ? { ...value }
    : { ...value, metadata: { namespace, ...(isRecord(metadata) && metadata) } };
}
