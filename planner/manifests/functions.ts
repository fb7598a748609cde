import { unknownOutput, type Properties } from "../../components/core/wire";
import { isFirstChange } from "../program/first-change";
import { kustomization } from "./kustomization";
import { ofText, type Manifests } from "./manifest";

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
