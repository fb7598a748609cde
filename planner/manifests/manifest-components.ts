import { isRecord } from "../../components/core/reader/records";
import { isUnknown } from "../../components/core/reader/truth";
import { hasUnknown, unwrap, unknownOutput, type Properties } from "../../components/core/wire";
import { kustomization } from "./kustomization";
import { isUrl, matchingFiles, joined, listOf, ofFile, ofObjects, ofText, type Manifests } from "./manifest";
import { isFirstChange } from "../program/sdk-changes";

type Read = (inputs: Properties, name: string) => Manifests;

/** The components that register the objects of YAML. Their files are relative to the folder of the program. */
const readers: Readonly<Record<string, Read>> = {
  // The SDK of the program registers a ConfigFile for each file of a group.
  "kubernetes:yaml:ConfigGroup": ({ yaml, objs }) =>
    joined([...listOf(yaml).map((text) => ofText(text)), withoutNameless(ofObjects(objs))]),
  "kubernetes:yaml:ConfigFile": ({ file }, name) => ofFile(file ?? name),
  "kubernetes:kustomize:Directory": ({ directory }) => kustomization(directory),
  "kubernetes:yaml/v2:ConfigGroup": ({ files, yaml, objs }) =>
    joined([...listOf(files).map(ofFiles), ...listOf(yaml).map((text) => ofText(text)), ofObjects(objs)]),
  "kubernetes:yaml/v2:ConfigFile": ({ file }) => ofFile(file),
  "kubernetes:kustomize/v2:Directory": ({ directory }) => kustomization(directory),
};

/** What a component of this type registers; undefined for another type. Its inputs are in wire form. */
export function manifestsOf(type: string, name: string, inputs: Properties): Manifests | undefined {
  const { properties } = unwrap(inputs);
  // Objects keep their wire form, because they may have secrets.
  const objs = Array.isArray(inputs["objs"]) ? inputs["objs"] : properties["objs"];
  return readers[type]?.({ ...properties, objs }, name);
}

/** The SDK of the program registers an object once its name is known. */
function withoutNameless({ objects, unread }: Manifests): Manifests {
  const nameless = objects.filter(({ object }) => hasUnknown(unwrap({ name: nameIn(object) }).properties));
  const why = "the name of an object of objs is known only after the update";
  return {
    objects: objects.filter((object) => !nameless.includes(object)),
    unread: [...unread, ...nameless.map(() => why)],
  };
}

function nameIn({ metadata }: Properties): unknown {
  return isRecord(metadata) && Object.hasOwn(metadata, "name") ? [metadata["name"], metadata["namespace"]] : metadata;
}

function ofFiles(pattern: unknown): Manifests {
  if (typeof pattern !== "string" || isUnknown(pattern) || isUrl(pattern) || !/[*?[]/.test(pattern))
    return ofFile(pattern);
  return joined(matchingFiles(pattern).map(ofFile));
}

/** The functions by which components of the SDK for Kubernetes read their objects. */
export const manifestFunctions: Readonly<Record<string, (args: Properties) => Properties>> = {
  "kubernetes:yaml:decode": ({ text }) => resultOf(text === notLoaded ? undefined : ofText(text)),
  "kubernetes:kustomize:directory": ({ directory }) => resultOf(kustomization(directory)),
  "kubernetes:helm:template": () => resultOf(undefined),
};

/** The objects that are read, and one without a known name if there are others: then the SDK registers those that it knows. */
function resultOf(manifests: Manifests | undefined): Properties {
  const read = manifests?.objects.map(({ object }) => object) ?? [];
  return { result: manifests && manifests.unread.length === 0 ? read : [...read, unknownObject] };
}

const unknownObject = { apiVersion: "unknown/v1", kind: "Unknown", metadata: { name: unknownOutput } };

const notLoaded = "# An offline plan does not load this address.";

/** The SDK for Kubernetes loads the files of `yaml.ConfigFile` that are addresses. */
const loader = /@pulumi[\\/]kubernetes[\\/]yaml[\\/]yaml\.js/;

/** Keeps the SDK for Kubernetes of this process from loading files from a network. */
export function keepManifestsOffline(): void {
  const { fetch } = globalThis;
  if (!isFirstChange(globalThis, "offline-manifests")) return;
  globalThis.fetch = (...args) =>
    loader.test(new Error().stack ?? "") ? Promise.resolve(new Response(notLoaded)) : fetch(...args);
}
