import { statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../components/core/reader/records";
import { isUnknown } from "../../components/core/reader/truth";
import { yamlDocuments } from "../../policies/engine/yaml";
import { changed, isPatched, type Kustomization } from "./kustomize-changes";
import { isUrl, listOf, readText, joined, ofFile, unreadable, type Manifests } from "./manifest";

/** Fields of a kustomization that change nothing that rules judge. */
const harmless = [
  ...["apiVersion", "kind", "metadata", "configMapGenerator", "secretGenerator", "generatorOptions"],
  ...["commonAnnotations", "buildMetadata", "sortOptions", "crds", "openapi", "validators", "helmGlobals"],
];

/** Fields that are read. */
const applied = [
  ...["resources", "bases", "components", "patches", "patchesStrategicMerge", "patchesJson6902", "namespace"],
  ...["namePrefix", "nameSuffix", "labels", "commonLabels", "replicas", "images"],
];

/** Fields that add objects, which a plan does not have, and change no other. */
const generators = ["generators", "helmCharts", "helmChartInflationGenerator"];

const fileNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** Whether a resource is not local: an address such as `https://…` or `github.com/owner/name`. */
function isRemote(path: string): boolean {
  return isUrl(path) || /^git@|^[\w-]+(\.[\w-]+)*\.(com|org|io)\/|[?&]ref=/i.test(path);
}

/**
 * The objects of a kustomization. Patches are not applied, so what they change is not read.
 *
 * @param base what a component changes
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/
 */
export function kustomization(directory: unknown, depth = 0, base: Manifests = joined([])): Manifests {
  if (typeof directory !== "string" || isUnknown(directory))
    return unreadable("its folder is known only after the update");
  if (isRemote(directory)) return unreadable(`${directory} is not loaded`);
  const found = contentIn(directory);
  if (!found) return unreadable(`${directory} has no kustomization that can be read`);
  const { file, content } = found;
  const others = Object.keys(content).filter((key) => ![...harmless, ...applied, ...generators].includes(key));
  if (others.length > 0) return notApplied(file, others.join(", "));
  if (depth > deepest) return unreadable(`${file} contains itself`);
  const own = joined([
    base,
    ...[content["resources"], content["bases"]].flatMap(listOf).map((one) => ofResource(directory, one, depth)),
    ...generators.filter((key) => key in content).map((key) => notApplied(file, key)),
  ]);
  const whole = listOf(content["components"]).reduce<Manifests>(
    (under, component) => kustomization(inFolder(directory, component), depth + 1, under),
    own,
  );
  return withChanges(whole, content, directory, file);
}

function contentIn(directory: string): { readonly file: string; readonly content: Kustomization } | undefined {
  const file = fileNames.map((name) => join(directory, name)).find((path) => readText(path) !== undefined);
  const content = file !== undefined && yamlDocuments(readText(file) ?? "")?.[0];
  return file !== undefined && isRecord(content) ? { file, content } : undefined;
}

/** Deeper kustomizations are circles. */
const deepest = 16;

function notApplied(file: string, fields: string): Manifests {
  return unreadable(`${file} has ${fields}, which an offline plan does not apply`);
}

function inFolder(directory: string, path: unknown): unknown {
  return typeof path === "string" && !isRemote(path) ? join(directory, path) : path;
}

function ofResource(directory: string, resource: unknown, depth: number): Manifests {
  const path = inFolder(directory, resource);
  if (typeof path !== "string") return unreadable(`a resource of ${directory} is not a path`);
  if (isRemote(path)) return unreadable(`${path} is not loaded`);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? kustomization(path, depth + 1) : ofFile(path);
}

/** The objects with the changes of a kustomization, without those that it patches. */
function withChanges(whole: Manifests, content: Kustomization, directory: string, file: string): Manifests {
  const read = (path: string) => readText(join(directory, path)) ?? path;
  const parts = whole.objects.map((manifest) => {
    const { kind, metadata } = manifest.object;
    if (!isPatched(manifest, content, read)) return { objects: [changed(manifest, content)], unread: [] };
    const name = isRecord(metadata) ? String(metadata["name"]) : "without a name";
    return unreadable(`${file} patches ${String(kind)} ${name}, and an offline plan applies no patch`);
  });
  return joined([{ objects: [], unread: whole.unread }, ...parts]);
}
