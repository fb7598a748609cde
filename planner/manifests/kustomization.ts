import { statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../components/core/reader/records";
import { isUnknown } from "../../components/core/reader/truth";
import { yamlDocuments } from "../../policies/engine/yaml";
import { isUrl, readText, joined, ofFile, unreadable, type Manifest, type Manifests } from "./manifest";

/** Fields of a kustomization that change nothing that rules judge. */
const harmless = [
  ...["apiVersion", "kind", "metadata", "resources", "bases", "namespace", "namePrefix", "nameSuffix"],
  ...["configMapGenerator", "secretGenerator", "generatorOptions", "commonAnnotations", "buildMetadata", "sortOptions"],
];

const fileNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** Whether a resource is not local: an address such as `https://…` or `github.com/owner/name`. */
function isRemote(path: string): boolean {
  return isUrl(path) || /^git@|^[\w-]+(\.[\w-]+)*\.(com|org|io)\/|[?&]ref=/i.test(path);
}

/**
 * The objects of a kustomization that only lists its resources. Patches, images and other transformations could change what a
 * rule judges, so that such a kustomization is not read.
 *
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/
 */
export function kustomization(directory: unknown, depth = 0): Manifests {
  if (typeof directory !== "string" || isUnknown(directory))
    return unreadable("its folder is known only after the update");
  if (isRemote(directory)) return unreadable(`${directory} is not loaded`);
  const file = fileNames.map((name) => join(directory, name)).find((path) => readText(path) !== undefined);
  const content = yamlDocuments(readText(file ?? "") ?? "")?.[0];
  if (file === undefined || !isRecord(content)) return unreadable(`${directory} has no kustomization that can be read`);
  const others = Object.keys(content).filter((key) => !harmless.includes(key));
  if (others.length > 0) return unreadable(`${file} has ${others.join(", ")}, which an offline plan does not apply`);
  if (depth > deepest) return unreadable(`${file} contains itself`);
  const resources = [content["resources"], content["bases"]].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const parts = resources.map((resource) => ofResource(directory, resource, depth));
  const { objects, unread } = joined(parts);
  return { unread, objects: objects.map((manifest) => changed(manifest, content)) };
}

/** Deeper kustomizations are circles. */
const deepest = 16;

function ofResource(directory: string, resource: unknown, depth: number): Manifests {
  if (typeof resource !== "string") return unreadable(`a resource of ${directory} is not a path`);
  if (isRemote(resource)) return unreadable(`${resource} is not loaded`);
  const path = join(directory, resource);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? kustomization(path, depth + 1) : ofFile(path);
}

function changed(
  { object, ...rest }: Manifest,
  { namespace, namePrefix, nameSuffix }: Readonly<Record<string, unknown>>,
): Manifest {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const name = [namePrefix, metadata["name"], nameSuffix].filter((part) => typeof part === "string").join("");
  const placed = namespace === undefined ? {} : { namespace };
  return { ...rest, object: { ...object, metadata: { ...metadata, name, ...placed } } };
}
