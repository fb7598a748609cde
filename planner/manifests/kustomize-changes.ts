import { isRecord } from "../../components/core/reader/records";
import { yamlDocuments } from "../../policies/engine/yaml";
import { attempt } from "../program/attempt";
import { clusterKinds, isBuiltIn } from "./children";
import { listOf, type Manifest } from "./manifest";

/** The content of a kustomization. */
export type Kustomization = Readonly<Record<string, unknown>>;

/**
 * An object with the changes of a kustomization, in the order of kustomize. Annotations and references to names are not changed.
 *
 * @see https://github.com/kubernetes-sigs/kustomize/blob/kustomize/v5.7.1/api/internal/target/kusttarget_configplugin.go
 */
export function changed({ object, ...rest }: Manifest, content: Kustomization): Manifest {
  const names = namesOf({ object, ...rest });
  const named = { ...object, metadata: metadataIn(object, content) };
  const sets = [{ pairs: content["commonLabels"], includeSelectors: true }, ...listOf(content["labels"])];
  const labelled = sets.reduce<Kustomization>((under, set) => (isRecord(set) ? withLabels(under, set) : under), named);
  const scaled = withReplicas(labelled, [...names, ...namesOf({ object: named })], content["replicas"]);
  return { ...rest, names, object: withImages(scaled, content["images"]) };
}

/** The name of an object, and those that it had in other kustomizations. */
function namesOf({ object, names = [] }: Manifest): readonly string[] {
  const { name } = inner(object, "metadata");
  return typeof name === "string" ? [...names, name] : names;
}

function inner(object: unknown, key: string): Kustomization {
  const value = isRecord(object) ? object[key] : undefined;
  return isRecord(value) ? value : {};
}

/** Kinds whose names stay. */
const fixedNames = ["Namespace", "CustomResourceDefinition", "APIService"];

function metadataIn(object: Kustomization, { namespace, namePrefix, nameSuffix }: Kustomization): Kustomization {
  const metadata = inner(object, "metadata");
  const kind = String(object["kind"]);
  const parts = fixedNames.includes(kind) ? [metadata["name"]] : [namePrefix, metadata["name"], nameSuffix];
  const name = parts.filter((part) => typeof part === "string").join("");
  if (namespace === undefined) return { ...metadata, name };
  if (kind === "Namespace") return { ...metadata, name: namespace };
  return { ...metadata, name, ...(!clusterKinds.has(kind) && { namespace }) };
}

/** Labels of the object; and of its pods, and of what its selectors require, if it is of a kind of Kubernetes. */
function withLabels(object: Kustomization, { pairs, includeSelectors, includeTemplates }: Kustomization) {
  if (!isRecord(pairs)) return object;
  const metadata = inner(object, "metadata");
  const labelled = { ...object, metadata: { ...metadata, labels: { ...inner(metadata, "labels"), ...pairs } } };
  const isWhole = includeSelectors === true || includeTemplates === true;
  if (!isWhole || !isBuiltIn(String(object["apiVersion"]))) return labelled;
  const selector = object["kind"] === "Service" ? "selector" : "matchLabels";
  const isLabels = (key: string) => key === "labels" || (includeSelectors === true && key === selector);
  const change = (key: string, value: unknown) => (isLabels(key) && isRecord(value) ? { ...value, ...pairs } : value);
  return { ...labelled, spec: changedInside(object["spec"], change) };
}

/** A value in which a function changes the values of keys at any depth. */
function changedInside(value: unknown, change: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => changedInside(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(key, changedInside(one, change))]));
}

const scalable = ["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"];

function withReplicas(object: Kustomization, names: readonly string[], replicas: unknown): Kustomization {
  const found = listOf(replicas).find((one) => isRecord(one) && names.includes(String(one["name"])));
  if (!isRecord(found) || !scalable.includes(String(object["kind"]))) return object;
  return { ...object, spec: { ...inner(object, "spec"), replicas: found["count"] } };
}

function withImages(object: Kustomization, images: unknown): Kustomization {
  const changes = listOf(images).filter(isRecord);
  if (changes.length === 0 || object["kind"] === "CustomResourceDefinition") return object;
  const change = (key: string, value: unknown): unknown => {
    if (!/^(init)?containers$/i.test(key) || !Array.isArray(value)) return value;
    return value.map((one: unknown) =>
      isRecord(one) && typeof one["image"] === "string"
        ? { ...one, image: changes.reduce(withImage, one["image"]) }
        : one,
    );
  };
  return changedInside(object, change) as Kustomization;
}

/** A new tag or digest replaces both. */
function withImage(image: string, change: Kustomization): string {
  const [, own = image, tag = "", digest = ""] = /^(.+?)(:[^/:@]+)?(@.+)?$/.exec(image) ?? [];
  if (own !== change["name"]) return image;
  const part = (before: string, key: string) => (typeof change[key] === "string" ? `${before}${change[key]}` : "");
  const replaced = part(":", "newTag") + part("@", "digest");
  const suffix = part("", "tagSuffix");
  return (part("", "newName") || own) + (replaced || (suffix ? tag + suffix : tag + digest));
}

/** Whether a kustomization patches an object: one of the kind and name of a target, or of the patch itself. */
export function isPatched(manifest: Manifest, content: Kustomization, read: (path: string) => string): boolean {
  const patches = ["patches", "patchesJson6902", "patchesStrategicMerge"].flatMap((key) => listOf(content[key]));
  const names = namesOf(manifest);
  return patches
    .flatMap((patch) => targetsOf(patch, read))
    .some(
      ({ kind, name }) => isMatch(kind, String(manifest.object["kind"])) && names.some((own) => isMatch(name, own)),
    );
}

/** The objects that a patch changes. Selectors of labels are not read: they only make it fewer. */
function targetsOf(patch: unknown, read: (path: string) => string): readonly Kustomization[] {
  const { target, path, patch: text } = isRecord(patch) ? patch : { patch, path: undefined, target: undefined };
  if (isRecord(target)) return [target];
  const documents = yamlDocuments(read(String(text ?? path))) ?? [];
  const isComplete = documents.length > 0 && documents.every(isRecord);
  return isComplete ? documents.map((one) => ({ kind: one["kind"], name: inner(one, "metadata")["name"] })) : [{}];
}

/** Targets are regular expressions. */
function isMatch(pattern: unknown, text: string): boolean {
  if (typeof pattern !== "string") return true;
  return attempt(() => new RegExp(`^(?:${pattern})$`).test(text)) ?? true;
}
