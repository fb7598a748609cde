import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { clusterKey } from "../aws/eks/cluster/cluster-parts";
import { uuidFor } from "../aws/eks/hashes";
import { canSchedule, nodesOf } from "../aws/eks/nodes/nodes";
import { shown } from "../aws/values";
import { CloudError } from "../world/cloud-error";
import type { Asked, AskedOf, Kind, Proposed } from "../world/kind";
import { touches, valuesAt } from "../world/paths";
import { bringsKind } from "./charts";
import { reachObject } from "./errors";
import { namespacesOf } from "./namespaces";
import { podNeeds } from "./pods";
import { clusterOf, namesake, refuseLimited, residentsOf, resides } from "./residents";
import { isOn } from "./switches";
import { kubernetesTypes } from "./types";

/** In what the kinds of Kubernetes objects differ. */
export interface Nature {
  /** `apps/v1`, or `core/v1` for what has no group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** @default true */
  readonly namespaced?: boolean;
  /** Whether a custom resource definition must be there first. @default false */
  readonly custom?: boolean;
  /** Where its pod's specification stands, when Pulumi waits for its pods. */
  readonly pod?: string;
  /** What cannot be changed beside name and namespace. */
  readonly immutable?: readonly string[];
  /** What can be changed only where a switch of the provider says so, and the object does not call itself immutable. */
  readonly mutableWith?: { readonly switch: string; readonly paths: readonly string[] };
}

/** By which Kubernetes tells objects of a kind apart. */
const identity = ["metadata.name", "metadata.namespace"];

/** The kind of one sort of Kubernetes objects. */
export function objectKind(nature: Nature): Kind {
  const { apiVersion, kind, namespaced = true, immutable = [] } = nature;
  const type = `kubernetes:${apiVersion}:${kind}`;
  return {
    type,
    autoname: { property: "metadata.name" },
    refine: (inputs) => (namespaced ? withNamespace(inputs) : inputs),
    immutable: [...identity, ...immutable],
    identity,
    replaces: (path, _, proposed) => isGuarded(nature, path, proposed),
    id: ({ inputs }) => idOf(inputs),
    computes: ["metadata.uid"],
    computed: (asked, id, old) => ({
      ...resides(asked),
      metadata: { uid: valuesAt(old ?? {}, "metadata.uid")[0] ?? uuidFor(asked.world, `${type} ${id}`) },
    }),
    reach: reachObject,
    create: (asked) =>
      refuseLimited(asked, pluralOf(kind)) ??
      (nature.custom ? refuseUndefined(asked, nature) : undefined) ??
      (namespaced ? refuseNamespace(asked) : undefined) ??
      refuseName(asked, type, kind),
    update: (asked) => refuseLimited(asked, pluralOf(kind)),
    remove: (asked) => refuseLimited(asked, pluralOf(kind)),
    settle: (asked) => (nature.pod === undefined ? undefined : waitFor(asked, nature.pod)),
    ...(type === kubernetesTypes.namespace && { afterRemove: emptyNamespace, seconds: { delete: 10 } }),
  };
}

/** @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/diff.go forceNewProperties */
function isGuarded({ mutableWith }: Nature, path: string, { inputs, provider }: Proposed): boolean {
  if (!mutableWith?.paths.some((part) => touches(path, part))) return false;
  return inputs["immutable"] === true || !isOn(provider, mutableWith.switch);
}

function withNamespace(inputs: Properties): Properties {
  const metadata = isRecord(inputs["metadata"]) ? inputs["metadata"] : {};
  return { ...inputs, metadata: { namespace: "default", ...metadata } };
}

/** `namespace/name`, and the name alone of what belongs to no namespace. */
function idOf(inputs: Properties): string {
  const [namespace] = valuesAt(inputs, "metadata.namespace");
  const name = shown(valuesAt(inputs, "metadata.name")[0]);
  return namespace === undefined ? name : `${shown(namespace)}/${name}`;
}

function refuseNamespace(asked: Asked): CloudError | undefined {
  const namespace = shown(valuesAt(asked.inputs, "metadata.namespace")[0]);
  if (namespacesOf(asked.world, clusterOf(asked).id).includes(namespace)) return undefined;
  return notCreated("NotFound", `namespaces "${namespace}" not found`);
}

function refuseName(asked: Asked, type: string, kind: string): CloudError | undefined {
  if (!namesake(asked, type, idOf(asked.inputs))) return undefined;
  const name = shown(valuesAt(asked.inputs, "metadata.name")[0]);
  return notCreated("AlreadyExists", `${pluralOf(kind)} "${name}" already exists`);
}

/** A custom resource needs its definition, which comes by itself or with a chart. */
function refuseUndefined(asked: Asked, { apiVersion, kind }: Nature): CloudError | undefined {
  const { world } = asked;
  const { id } = clusterOf(asked);
  const group = apiVersion.split("/")[0] ?? apiVersion;
  const defined = residentsOf(world, kubernetesTypes.customResourceDefinition, id).some(
    ({ inputs }) => valuesAt(inputs, "spec.group")[0] === group && valuesAt(inputs, "spec.names.kind")[0] === kind,
  );
  const brought = residentsOf(world, kubernetesTypes.release, id).some(({ inputs }) =>
    bringsKind(shown(inputs["chart"]), `${group}/${kind}`),
  );
  if (defined || brought) return undefined;
  return new CloudError(
    "NoMatch",
    `creation of resource with kind ${apiVersion}/${kind} failed because the Kubernetes API server reported that the ` +
      "apiVersion for this resource does not exist. Verify that any required CRDs have been created: " +
      `no matches for kind "${kind}" in version "${apiVersion}"`,
  );
}

function notCreated(code: string, answer: string): CloudError {
  return new CloudError(code, `resource was not successfully created by the Kubernetes API server: ${answer}`);
}

/** As the API has it: `configmaps`, `networkpolicies`, `storageclasses`. */
function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (word.endsWith("y")) return `${word.slice(0, -1)}ies`;
  return word.endsWith("s") ? `${word}es` : `${word}s`;
}

/** Pulumi waits until the pods run, unless an annotation says otherwise. */
function waitFor(asked: AskedOf, path: string): string | undefined {
  const annotations = valuesAt(asked.inputs, "metadata.annotations")[0];
  if (isRecord(annotations) && annotations["pulumi.com/skipAwait"] === "true") return undefined;
  // Every object has its identity as soon as it is made.
  if (isRecord(annotations) && annotations["pulumi.com/waitFor"] === "jsonpath={.metadata.uid}") return undefined;
  const cluster = clusterOf(asked).id;
  const needs = podNeeds(asked.world, cluster, valuesAt(asked.inputs, path)[0]);
  if (needs && canSchedule(nodesOf(asked.world, cluster), needs)) return undefined;
  const name = shown(valuesAt(asked.inputs, "metadata.name")[0]);
  return (
    `resource "${asked.object.id}" was successfully created, but the Kubernetes API server reported that it failed to ` +
    `fully initialize or become live: '${name}' timed out waiting to be Ready`
  );
}

/** What is in a namespace goes with it. */
function emptyNamespace({ world, object }: AskedOf): void {
  const inside = world.objects.filter(
    ({ inputs, computed }) =>
      computed[clusterKey] === object.computed[clusterKey] &&
      (inputs["namespace"] === object.id || valuesAt(inputs, "metadata.namespace")[0] === object.id),
  );
  for (const { type, id } of inside) world.lose(type, id);
}
