import type { ObjectReader } from "./object-reader";
import {
  each,
  listOf,
  map,
  name,
  nameOrEmpty,
  objectOf,
  text,
  textOrEmpty,
  texts,
  type ObjectOf,
  type Read,
} from "./shape";

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
export type Meta = ReturnType<typeof readMeta>;

/** An object of a kind, with its metadata. */
export function kindOf<Kind extends string, S extends Parameters<typeof objectOf>[0]>(
  kind: Kind,
  shape: S,
): Read<{ readonly kind: Kind; readonly metadata: Meta } & ObjectOf<S>> {
  const read = objectOf(shape);
  return (value: ObjectReader) => ({ kind, metadata: readMeta(value.at("metadata")), ...read(value) });
}

export const readConditions = listOf(
  objectOf({
    ...each(textOrEmpty, "type", "status"),
    ...each(text, "reason", "message", "lastTransitionTime", "lastHeartbeatTime"),
  }),
);
export type Condition = ReturnType<typeof readConditions>[number];

export const readTolerations = listOf(objectOf(each(text, "key", "operator", "value", "effect")));
export type Toleration = ReturnType<typeof readTolerations>[number];

/** Environment variables that configure the device plugin. All others are dropped, including their names. */
const keptVariables = ["FAIL_ON_INIT_ERROR"];
const readVariable = objectOf({ name: textOrEmpty, value: text });

export function readEnvironment(env: ObjectReader) {
  const kept = env.items().filter((one) => keptVariables.includes(one.at("name").string() ?? ""));
  return kept.map(readVariable);
}

const readRequirements = listOf(objectOf({ key: textOrEmpty, operator: textOrEmpty, values: texts }));

/** The terms of a required node affinity. */
export const readNodeAffinity = objectOf({
  nodeAffinity: objectOf({
    requiredDuringSchedulingIgnoredDuringExecution: objectOf({
      nodeSelectorTerms: listOf(objectOf({ matchExpressions: readRequirements, matchFields: readRequirements })),
    }),
  }),
});
