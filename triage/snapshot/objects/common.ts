import type { LabelRequirement } from "../../../components/core/kubernetes";
import { withoutUndefined } from "../../../components/core/reader/records";
import { type ObjectReader } from "./object-reader";

/**
 * Readers of the parts that several kinds share. A snapshot keeps only the fields that triage uses; values of
 * environment variables, commands, annotations and volume contents are dropped here.
 */

export function readMeta(meta: ObjectReader) {
  return withoutUndefined({
    name: meta.at("name").name() ?? "",
    namespace: meta.at("namespace").name(),
    ...meta.texts("uid", "creationTimestamp", "deletionTimestamp"),
    labels: meta.at("labels").stringMap(),
    annotations: meta.at("annotations").stringMap(["deployment.kubernetes.io/revision"]),
    ownerReferences: meta.each("ownerReferences", (owner) => ({
      ...{ kind: "", ...owner.texts("kind", "uid") },
      name: owner.at("name").name() ?? "",
    })),
  });
}
export type Meta = ReturnType<typeof readMeta>;

export function readConditions(conditions: ObjectReader) {
  return conditions.items().map((one) => ({
    ...{ type: "", status: "" },
    ...one.texts("type", "status", "reason", "message", "lastTransitionTime", "lastHeartbeatTime"),
  }));
}
export type Condition = ReturnType<typeof readConditions>[number];

export function readTolerations(tolerations: ObjectReader) {
  return tolerations.items().map((one) => one.texts("key", "operator", "value", "effect"));
}
export type Toleration = ReturnType<typeof readTolerations>[number];

/** Environment variables that configure the device plugin. All others are dropped, including their names. */
const keptVariables = ["FAIL_ON_INIT_ERROR"];

export function readEnvironment(env: ObjectReader) {
  return env
    .items()
    .filter((one) => keptVariables.includes(one.at("name").string() ?? ""))
    .map((one) => ({ name: "", ...one.texts("name", "value") }));
}

/** The terms of a required node affinity. */
export function readNodeAffinity(affinity: ObjectReader) {
  const terms = affinity
    .at("nodeAffinity")
    .at("requiredDuringSchedulingIgnoredDuringExecution")
    .at("nodeSelectorTerms");
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.items().map((term) => ({
          matchExpressions: term.each("matchExpressions", readRequirement),
          matchFields: term.each("matchFields", readRequirement),
        })),
      },
    },
  };
}

function readRequirement(requirement: ObjectReader): LabelRequirement {
  return { key: "", operator: "", ...requirement.texts("key", "operator"), values: requirement.at("values").strings() };
}
