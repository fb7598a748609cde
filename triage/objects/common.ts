import { defined, type Cursor } from "./cursor";

/**
 * Kubernetes objects, cut down to the fields that triage reads. Everything else is left behind at once: values of
 * environment variables, commands, annotations, contents of volumes.
 */

/** What holds for every object. */
export function readMeta(meta: Cursor) {
  return defined({
    name: meta.at("name").name() ?? "",
    namespace: meta.at("namespace").name(),
    uid: meta.at("uid").text(),
    creationTimestamp: meta.at("creationTimestamp").text(),
    deletionTimestamp: meta.at("deletionTimestamp").text(),
    labels: meta.at("labels").texts(),
    annotations: meta.at("annotations").texts(["deployment.kubernetes.io/revision"]),
    ownerReferences: meta
      .at("ownerReferences")
      .each()
      .map((owner) =>
        defined({
          kind: owner.at("kind").text() ?? "",
          name: owner.at("name").name() ?? "",
          uid: owner.at("uid").text(),
        }),
      ),
  });
}
export type Meta = ReturnType<typeof readMeta>;

export function readConditions(conditions: Cursor) {
  return conditions.each().map((condition) =>
    defined({
      type: condition.at("type").text() ?? "",
      status: condition.at("status").text() ?? "",
      reason: condition.at("reason").text(),
      message: condition.at("message").text(),
      lastTransitionTime: condition.at("lastTransitionTime").text(),
    }),
  );
}
export type Condition = ReturnType<typeof readConditions>[number];

export function readTolerations(tolerations: Cursor) {
  return tolerations.each().map((toleration) =>
    defined({
      key: toleration.at("key").text(),
      operator: toleration.at("operator").text(),
      value: toleration.at("value").text(),
      effect: toleration.at("effect").text(),
    }),
  );
}
export type Toleration = ReturnType<typeof readTolerations>[number];

/** The environment variables that say how the device plugin behaves. Of all others not even the name is kept. */
const telling = ["FAIL_ON_INIT_ERROR"];

export function readEnvironment(env: Cursor) {
  return env
    .each()
    .filter((one) => telling.includes(one.at("name").text() ?? ""))
    .map((one) => defined({ name: one.at("name").text() ?? "", value: one.at("value").text() }));
}

/** Terms of a required node affinity. */
export function readNodeAffinity(affinity: Cursor) {
  const terms = affinity
    .at("nodeAffinity")
    .at("requiredDuringSchedulingIgnoredDuringExecution")
    .at("nodeSelectorTerms");
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.each().map((term) => ({
          matchExpressions: term.at("matchExpressions").each().map(readRequirement),
          matchFields: term.at("matchFields").each().map(readRequirement),
        })),
      },
    },
  };
}

function readRequirement(requirement: Cursor) {
  return {
    key: requirement.at("key").text() ?? "",
    operator: requirement.at("operator").text() ?? "",
    values: requirement
      .at("values")
      .each()
      .flatMap((value) => value.text() ?? []),
  };
}
export type Requirement = ReturnType<typeof readRequirement>;
