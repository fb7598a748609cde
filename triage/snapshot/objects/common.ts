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
    uid: meta.at("uid").string(),
    creationTimestamp: meta.at("creationTimestamp").string(),
    deletionTimestamp: meta.at("deletionTimestamp").string(),
    labels: meta.at("labels").stringMap(),
    annotations: meta.at("annotations").stringMap(["deployment.kubernetes.io/revision"]),
    ownerReferences: meta
      .at("ownerReferences")
      .items()
      .map((owner) =>
        withoutUndefined({
          kind: owner.at("kind").string() ?? "",
          name: owner.at("name").name() ?? "",
          uid: owner.at("uid").string(),
        }),
      ),
  });
}
export type Meta = ReturnType<typeof readMeta>;

export function readConditions(conditions: ObjectReader) {
  return conditions.items().map((condition) =>
    withoutUndefined({
      type: condition.at("type").string() ?? "",
      status: condition.at("status").string() ?? "",
      reason: condition.at("reason").string(),
      message: condition.at("message").string(),
      lastTransitionTime: condition.at("lastTransitionTime").string(),
      lastHeartbeatTime: condition.at("lastHeartbeatTime").string(),
    }),
  );
}
export type Condition = ReturnType<typeof readConditions>[number];

export function readTolerations(tolerations: ObjectReader) {
  return tolerations.items().map((toleration) =>
    withoutUndefined({
      key: toleration.at("key").string(),
      operator: toleration.at("operator").string(),
      value: toleration.at("value").string(),
      effect: toleration.at("effect").string(),
    }),
  );
}
export type Toleration = ReturnType<typeof readTolerations>[number];

/** Environment variables that configure the device plugin. All others are dropped, including their names. */
const keptVariables = ["FAIL_ON_INIT_ERROR"];

export function readEnvironment(env: ObjectReader) {
  return env
    .items()
    .filter((one) => keptVariables.includes(one.at("name").string() ?? ""))
    .map((one) => withoutUndefined({ name: one.at("name").string() ?? "", value: one.at("value").string() }));
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
          matchExpressions: term.at("matchExpressions").items().map(readRequirement),
          matchFields: term.at("matchFields").items().map(readRequirement),
        })),
      },
    },
  };
}

function readRequirement(requirement: ObjectReader): LabelRequirement {
  return {
    key: requirement.at("key").string() ?? "",
    operator: requirement.at("operator").string() ?? "",
    values: requirement.at("values").strings(),
  };
}
