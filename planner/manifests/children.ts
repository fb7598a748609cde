import { isRecord, optionalProperty } from "../../components/core/reader/records";
import { Reader } from "../../components/core/reader/reader";
import { secretValue, unwrap, type Properties } from "../../components/core/wire";
import { typeToken } from "../../policies/engine/objects";
import type { Manifest } from "./manifest";

/** A resource that a component of YAML registers. */
export interface Child {
  readonly type: string;
  readonly name: string;
  /** In wire form. */
  readonly inputs: Properties;
  readonly file?: string;
}

/** The kinds of Kubernetes that have no namespace, without those of its own components. */
export const clusterKinds: ReadonlySet<string> = new Set([
  ...["Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition"],
  ...["APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy"],
  ...["ValidatingAdmissionPolicyBinding", "StorageClass", "CSIDriver", "VolumeAttachment", "PriorityClass"],
  ...["RuntimeClass", "IngressClass", "DeviceClass", "ResourceSlice", "FlowSchema", "PriorityLevelConfiguration"],
]);

/**
 * The resources of objects, named as the provider names them.
 *
 * @param component whose name begins that of a resource, unless it has a prefix
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/yaml/v2/yaml.go
 */
export function childrenOf(manifests: readonly Manifest[], component: string, inputs: Properties): Child[] {
  const settings = new Reader(unwrap(inputs).properties);
  const skipsAwait = settings.boolean("skipAwait").value === true;
  const prefix = settings.text("resourcePrefix").value ?? component;
  const custom = customKinds(manifests);
  return manifests.map(({ object, ...rest }, index) => {
    const read = new Reader(unwrap(object).properties);
    const [apiVersion, kind] = [read.text("apiVersion").value ?? "", read.text("kind").value ?? ""];
    const type = typeToken(apiVersion, kind);
    const isPlaced = custom.get(kind) ?? (isBuiltIn(apiVersion) && !clusterKinds.has(kind));
    const isOpen = isPlaced && read.text("metadata.namespace").isAbsent === true;
    const added = isOpen ? (settings.text("namespace").value ?? "default") : undefined;
    return {
      ...rest,
      type,
      name: `${prefix}:${nameOf(read, added, index)}`,
      inputs: withSecrets(kind, withMetadata(object, added, skipsAwait)),
    };
  });
}

function nameOf(object: Reader, added: string | undefined, index: number): string {
  const namespace = object.text("metadata.namespace").value ?? added;
  const name = object.text("metadata.name").value ?? `object ${index + 1}`;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The object with a namespace, and with the annotation not to await it. Unknown metadata stay unknown. */
function withMetadata(object: Properties, namespace: string | undefined, skipsAwait: boolean): Properties {
  const { metadata } = unwrap(object).properties;
  if (!isRecord(metadata)) return object;
  const { annotations = {} } = metadata;
  const changed = skipsAwait && isRecord(annotations) && { ...annotations, "pulumi.com/skipAwait": "true" };
  return {
    ...object,
    metadata: { ...metadata, ...optionalProperty("namespace", namespace), ...(changed && { annotations: changed }) },
  };
}

/** Whether a version is one of Kubernetes' own groups. */
export function isBuiltIn(apiVersion: string): boolean {
  return /^(v1|[^./]+\/.+|[\w.]+\.k8s\.io\/.+)$/.test(apiVersion);
}

/** Whether a kind has a namespace, as the definitions among the objects state. */
function customKinds(manifests: readonly Manifest[]): ReadonlyMap<string, boolean> {
  return new Map(
    manifests.flatMap(({ object: { kind, spec } }) => {
      if (kind !== "CustomResourceDefinition" || !isRecord(spec) || !isRecord(spec["names"])) return [];
      return [[String(spec["names"]["kind"]), spec["scope"] === "Namespaced"] as const];
    }),
  );
}

function withSecrets(kind: string, object: Properties): Properties {
  if (kind !== "Secret") return object;
  const data = ["data", "stringData"].filter((key) => object[key] !== undefined);
  return { ...object, ...Object.fromEntries(data.map((key) => [key, secretValue(object[key])])) };
}
