import fields from "./immutable-fields.json";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord, ownValue } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { overlaps, within } from "../../planner/diff/property-changes";
import { uuidFor } from "../aws/eks/common";
import { canSchedule, nodesOf, type PodRequirements } from "../aws/eks/nodes/nodes";
import { clusterKey } from "../aws/eks/owned-objects";
import { stringOf } from "../aws/values";
import { changesOf, type Change } from "../cloud/changes";
import { CloudError } from "../cloud/errors";
import type { ObjectRequest, ProposedInputs, Request, ResourceModel, CloudState } from "../cloud/model";
import { chartName, chartNamed } from "./charts";
import { connectForObject, isEnabled } from "./cluster-access";
import {
  clusterOf,
  clusterOutput,
  existingObject,
  kubernetesTypes,
  namespacesOf,
  objectsInCluster,
  rejectUnauthorized,
} from "./cluster-objects";

/** A kind of Kubernetes object. */
export interface KubernetesKind {
  /** E.g. `apps/v1`; `core/v1` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** @default true */
  readonly namespaced?: boolean;
  /** Whether the kind needs a CustomResourceDefinition. @default false */
  readonly custom?: boolean;
  /** The path of the pod specification, if Pulumi waits for the pods. */
  readonly podSpecPath?: string;
  /** Fields that are mutable only if a setting of the provider allows it and the object is not `immutable`. */
  readonly mutableWhen?: { readonly setting: string; readonly paths: readonly string[] };
}

/** Fields that identify an object of a kind. */
const identity = ["metadata.name", "metadata.namespace"];

/** The model of a kind. */
export function objectModel(spec: KubernetesKind): ResourceModel {
  const { apiVersion, kind, namespaced = true } = spec;
  const type = `kubernetes:${apiVersion}:${kind}`;
  return {
    type,
    autoname: { property: "metadata.name" },
    normalize: (inputs) => (namespaced ? withNamespace(inputs) : inputs),
    immutable: identity,
    identity,
    requiresReplace: (path, proposed) => isReplaced(`${apiVersion}:${kind}`, path) || isImmutable(spec, path, proposed),
    id: ({ inputs }) => idOf(inputs),
    computed: (request, id, old) => ({
      ...clusterOutput(request),
      metadata: { uid: valuesAt(old ?? {}, "metadata.uid")[0] ?? uuidFor(request.cloud, `${type} ${id}`) },
    }),
    connect: connectForObject,
    validateCreate: (request) =>
      rejectUnauthorized(request, pluralOf(kind)) ??
      (spec.custom ? rejectMissingDefinition(request, spec) : undefined) ??
      (namespaced ? rejectNamespace(request) : undefined) ??
      rejectName(request, type, kind),
    validateUpdate: (request) => rejectUnauthorized(request, pluralOf(kind)) ?? rejectImmutable(request, spec),
    validatePreview: (request) => rejectImmutable(request, spec),
    validateDelete: (request) => rejectUnauthorized(request, pluralOf(kind)),
    createFailure: (request) =>
      spec.podSpecPath === undefined ? undefined : readinessFailure(request, spec.podSpecPath),
    ...(type === kubernetesTypes.namespace && { afterDelete: deleteNamespaceContents, seconds: { delete: 10 } }),
  };
}

/** @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/diff.go forceNewProperties */
function isImmutable({ mutableWhen }: KubernetesKind, path: string, { inputs, provider }: ProposedInputs): boolean {
  if (!mutableWhen?.paths.some((part) => overlaps(path, part))) return false;
  return inputs["immutable"] === true || !isEnabled(provider, mutableWhen.setting);
}

function withNamespace(inputs: Properties): Properties {
  const metadata = isRecord(inputs["metadata"]) ? inputs["metadata"] : {};
  return { ...inputs, metadata: { namespace: "default", ...metadata } };
}

/** `namespace/name`, or the name of a cluster-scoped object. */
function idOf(inputs: Properties): string {
  const [namespace] = valuesAt(inputs, "metadata.namespace");
  const name = stringOf(valuesAt(inputs, "metadata.name")[0]);
  return namespace === undefined ? name : `${stringOf(namespace)}/${name}`;
}

function rejectNamespace(request: Request): CloudError | undefined {
  const namespace = stringOf(valuesAt(request.inputs, "metadata.namespace")[0]);
  if (namespacesOf(request.cloud, clusterOf(request).id).includes(namespace)) return undefined;
  return notCreated("NotFound", `namespaces "${namespace}" not found`);
}

function rejectName(request: Request, type: string, kind: string): CloudError | undefined {
  if (!existingObject(request, type, idOf(request.inputs))) return undefined;
  const name = stringOf(valuesAt(request.inputs, "metadata.name")[0]);
  return notCreated("AlreadyExists", `${pluralOf(kind)} "${name}" already exists`);
}

/** The API server refuses to change an immutable field, also in the dry run of a preview. */
function rejectImmutable({ object, inputs }: ObjectRequest, { apiVersion, kind }: KubernetesKind) {
  const reason = immutableFieldReason(`${apiVersion}:${kind}`, object.inputs, inputs);
  if (reason === undefined) return undefined;
  const name = JSON.stringify(valuesAt(inputs, "metadata.name")[0]);
  const [group = ""] = apiVersion.split("/");
  const qualified = group === "core" ? kind : `${kind}.${group}`;
  return new CloudError(
    "Invalid",
    `the Kubernetes API server reported that ${JSON.stringify(object.id)} failed to fully initialize or become live: ` +
      `${qualified} ${name} is invalid: ${reason}`,
  );
}

/** A custom resource needs its definition, from a program or from a chart. */
function rejectMissingDefinition(request: Request, { apiVersion, kind }: KubernetesKind): CloudError | undefined {
  const { cloud } = request;
  const { id } = clusterOf(request);
  const group = apiVersion.split("/")[0] ?? apiVersion;
  const defined = objectsInCluster(cloud, kubernetesTypes.customResourceDefinition, id).some(
    ({ inputs }) => valuesAt(inputs, "spec.group")[0] === group && valuesAt(inputs, "spec.names.kind")[0] === kind,
  );
  const installed = objectsInCluster(cloud, kubernetesTypes.release, id).some(({ inputs }) =>
    chartNamed(stringOf(inputs["chart"])).customKinds?.includes(`${group}/${kind}`),
  );
  if (defined || installed) return undefined;
  return new CloudError(
    "NoMatch",
    `creation of resource with kind ${apiVersion}/${kind} failed because the Kubernetes API server reported that the ` +
      "apiVersion for this resource does not exist. Verify that any required CRDs have been created: " +
      `no matches for kind "${kind}" in version "${apiVersion}"`,
  );
}

function notCreated(code: string, message: string): CloudError {
  return new CloudError(code, `resource was not successfully created by the Kubernetes API server: ${message}`);
}

/** The resource name in the API: `configmaps`, `networkpolicies`, `storageclasses`. */
function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (word.endsWith("y")) return `${word.slice(0, -1)}ies`;
  return word.endsWith("s") ? `${word}es` : `${word}s`;
}

/** Pulumi waits until the pods run, unless an annotation disables it. */
function readinessFailure(request: ObjectRequest, path: string): string | undefined {
  const annotations = valuesAt(request.inputs, "metadata.annotations")[0];
  if (isRecord(annotations) && annotations["pulumi.com/skipAwait"] === "true") return undefined;
  // Every object has a uid as soon as it exists.
  const waitFor = isRecord(annotations) ? annotations["pulumi.com/waitFor"] : undefined;
  if (waitFor === "jsonpath={.metadata.uid}") return undefined;
  const cluster = clusterOf(request).id;
  const requirements = podRequirements(request.cloud, cluster, valuesAt(request.inputs, path)[0]);
  if (requirements && canSchedule(nodesOf(request.cloud, cluster), requirements)) return undefined;
  const name = stringOf(valuesAt(request.inputs, "metadata.name")[0]);
  return (
    `resource "${request.object.id}" was successfully created, but the Kubernetes API server reported that it failed to ` +
    `fully initialize or become live: ${waitFor === undefined ? `'${name}' timed out waiting to be Ready` : customTimeout}`
  );
}

/** The error of a wait for a condition of the program. */
const customTimeout = "timed out waiting for the condition";

/** Deletes the objects and releases in a namespace. */
function deleteNamespaceContents({ cloud, object }: ObjectRequest): void {
  const inside = cloud.objects.filter(
    ({ inputs, computed }) =>
      computed[clusterKey] === object.computed[clusterKey] &&
      (inputs["namespace"] === object.id || valuesAt(inputs, "metadata.namespace")[0] === object.id),
  );
  for (const { type, id } of inside) cloud.remove(type, id);
}

const gpu = "nvidia.com/gpu";

/** The node requirements of a pod; undefined when no node can meet them, because no device plugin advertises GPUs. */
function podRequirements(cloud: CloudState, clusterName: string, spec: unknown): PodRequirements | undefined {
  if (!isRecord(spec)) return {};
  const limits = valuesAt(spec, "containers[*].resources.limits").filter(isRecord);
  const gpus = limits.reduce((sum, limit) => sum + Number(limit[gpu] ?? 0), 0);
  if (gpus > 0 && !hasDevicePlugin(cloud, clusterName)) return undefined;
  return { tolerations: spec["tolerations"], nodeSelector: spec["nodeSelector"], gpus };
}

/** The device plugin is part of the GPU Operator, unless its values disable it. It also has its own chart. */
function hasDevicePlugin(cloud: CloudState, clusterName: string): boolean {
  return objectsInCluster(cloud, kubernetesTypes.release, clusterName).some(({ inputs }) => {
    const chart = chartName(stringOf(inputs["chart"]));
    if (chart === "nvidia-device-plugin") return true;
    return chart === "gpu-operator" && valuesAt(inputs, "values.devicePlugin.enabled")[0] !== false;
  });
}

/** Fields that the API server does not change in an existing object. */
interface RefusedFields {
  readonly fields: readonly string[];
  /** Fields below them that are mutable. */
  readonly mutable?: readonly string[];
  /** Lists below them that may get more items. */
  readonly extendable?: readonly string[];
  /** The flag of the object that makes the fields immutable. @default none - they always are */
  readonly onlyIf?: string;
  /** The API server's reason, with `{field}` for the first such field and `…` for values. */
  readonly message: string;
}

const replaced: Readonly<Record<string, readonly string[]>> = fields.replacedByProvider;
const refused: Readonly<Record<string, readonly RefusedFields[]>> = fields.refusedByApiServer;

/** Whether the provider replaces an object of a kind, e.g. `apps/v1:Deployment`, for a change at this path. */
export function isReplaced(kind: string, path: string): boolean {
  return (ownValue(replaced, kind) ?? []).some((field) => overlaps(anyItem(path), field));
}

/** The API server's reason not to update an object of a kind; undefined if it accepts the update. */
export function immutableFieldReason(kind: string, olds: Properties, news: Properties): string | undefined {
  const changes = changesOf({ type: kind }, olds, news);
  for (const rule of ownValue(refused, kind) ?? []) {
    if (rule.onlyIf !== undefined && olds[rule.onlyIf] !== true) continue;
    const field = rule.fields.find((one) => changes.some((change) => isRefused(rule, one, change)));
    if (field !== undefined) return rule.message.replaceAll("{field}", field);
  }
  return undefined;
}

function isRefused({ mutable = [], extendable = [] }: RefusedFields, field: string, { path, kind }: Change): boolean {
  const at = anyItem(path);
  if (!overlaps(at, field) || mutable.some((one) => within(at, one))) return false;
  return kind !== "add" || !extendable.some((one) => within(at, one));
}

/** `spec.containers[*].image` for `spec.containers[0].image`. */
function anyItem(path: string): string {
  return path.replace(/\[\d+\]/g, "[*]");
}
