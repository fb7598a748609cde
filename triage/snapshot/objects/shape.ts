import type { WithoutUndefined } from "../../../components/core/reader/records";
import type { ObjectReader } from "./object-reader";

/** Reads one value; undefined if it is missing. */
type Read<T> = (value: ObjectReader) => T;

type Shape = Readonly<Record<string, Read<unknown>>>;
type ObjectOf<S extends Shape> = WithoutUndefined<{ readonly [K in keyof S]: ReturnType<S[K]> }>;

export const text = (value: ObjectReader) => value.string();
export const name = (value: ObjectReader) => value.name();
export const number = (value: ObjectReader) => value.number();
export const flag = (value: ObjectReader) => value.boolean();
export const amount = (value: ObjectReader) => value.numberOrString();
export const map = (value: ObjectReader) => value.stringMap();
export const texts = (value: ObjectReader) => value.strings();

/** A value that has a default. */
export function withDefault<T>(read: Read<T | undefined>, missing: T): Read<T> {
  return (value) => read(value) ?? missing;
}
export const textOrEmpty = withDefault(text, "");
export const nameOrEmpty = withDefault(name, "");
export const numberOrZero = withDefault(number, 0);

export function listOf<T>(read: Read<T>): Read<T[]> {
  return (value) => value.items().map(read);
}

/** Keys whose values are all read in the same way. */
export function each<T, Key extends string>(read: Read<T>, ...keys: readonly Key[]) {
  return Object.fromEntries(keys.map((key) => [key, read])) as Readonly<Record<Key, Read<T>>>;
}

export function optional<T>(read: Read<T>): Read<T | undefined> {
  return (value) => (value.exists ? read(value) : undefined);
}

/** An object with these keys. All other keys are dropped, and so are those whose value is missing. */
export function objectOf<S extends Shape>(shape: S): Read<ObjectOf<S>> {
  const keys = Object.entries(shape);
  // Written as a loop: a large cluster has hundreds of thousands of objects.
  return (value) => {
    const found: Record<string, unknown> = {};
    for (const [key, read] of keys) {
      const one = read(value.at(key));
      if (one !== undefined) found[key] = one;
    }
    return found as ObjectOf<S>;
  };
}

/**
 * The parts that several kinds share. A snapshot keeps only the fields that triage uses; values of environment variables,
 * commands, annotations and volume contents are dropped here.
 */

export const readMeta = objectOf({
  name: nameOrEmpty,
  namespace: name,
  ...each(text, "uid", "creationTimestamp", "deletionTimestamp"),
  labels: map,
  annotations: (annotations) => annotations.stringMap(["deployment.kubernetes.io/revision"]),
  ownerReferences: listOf(objectOf({ kind: textOrEmpty, uid: text, name: nameOrEmpty })),
});

/** An object of a kind, with its metadata. */
export function kindOf<Kind extends string, S extends Parameters<typeof objectOf>[0]>(
  kind: Kind,
  shape: S,
): Read<{ readonly kind: Kind; readonly metadata: ReturnType<typeof readMeta> } & ObjectOf<S>> {
  const read = objectOf(shape);
  return (value: ObjectReader) => ({ kind, metadata: readMeta(value.at("metadata")), ...read(value) });
}

export const readConditions = listOf(
  objectOf({
    ...each(textOrEmpty, "type", "status"),
    ...each(text, "reason", "message", "lastTransitionTime", "lastHeartbeatTime"),
  }),
);

const readTolerations = listOf(objectOf(each(text, "key", "operator", "value", "effect")));

/** Environment variables that configure the device plugin. All others are dropped, including their names. */
const keptVariables = ["FAIL_ON_INIT_ERROR"];
const readVariable = objectOf({ name: textOrEmpty, value: text });

export function readEnvironment(env: ObjectReader) {
  const kept = env.items().filter((one) => keptVariables.includes(one.at("name").string() ?? ""));
  return kept.map(readVariable);
}

const readRequirements = listOf(objectOf({ key: textOrEmpty, operator: textOrEmpty, values: texts }));

/** The terms of a required node affinity. */
const readNodeAffinity = objectOf({
  nodeAffinity: objectOf({
    requiredDuringSchedulingIgnoredDuringExecution: objectOf({
      nodeSelectorTerms: listOf(objectOf({ matchExpressions: readRequirements, matchFields: readRequirements })),
    }),
  }),
});

/** A claim by its name, or by the template that it is created from. */
const readResourceClaim = objectOf({
  name: textOrEmpty,
  resourceClaimName: name,
  resourceClaimTemplateName: name,
});

const readContainers = listOf(
  objectOf({
    name: nameOrEmpty,
    ...each(text, "image", "restartPolicy"),
    resources: objectOf({ requests: map, limits: map }),
    env: readEnvironment,
  }),
);

type Volume =
  | { readonly name: string; readonly persistentVolumeClaim: { readonly claimName: string } }
  | { readonly name: string; readonly hostPath: { readonly path: string; readonly type?: string } };

const readClaimVolume = objectOf({ name: textOrEmpty, persistentVolumeClaim: objectOf({ claimName: nameOrEmpty }) });
const readHostVolume = objectOf({ name: textOrEmpty, hostPath: objectOf({ path: textOrEmpty, type: text }) });

/** Keeps claims and host paths. Other volumes, such as Secrets, are dropped. */
function readVolume(volume: ObjectReader): Volume[] {
  if (volume.at("persistentVolumeClaim").exists) return [readClaimVolume(volume)];
  return volume.at("hostPath").exists ? [readHostVolume(volume)] : [];
}

/** The spec of a pod, or of the pod template of a DaemonSet or Job. */
export const readPodSpec = objectOf({
  nodeName: name,
  nodeSelector: map,
  affinity: readNodeAffinity,
  tolerations: readTolerations,
  priority: number,
  ...each(text, "priorityClassName", "restartPolicy"),
  schedulingGates: listOf(objectOf({ name: textOrEmpty })),
  resourceClaims: optional(listOf(readResourceClaim)),
  ...each(readContainers, "initContainers", "containers"),
  volumes: (volumes) => volumes.items().flatMap(readVolume),
});
