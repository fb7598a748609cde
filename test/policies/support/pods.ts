import type { AnalyzedResource } from "../../../policies/engine/judge";
import { resource } from "./verdicts";

export const podType = "kubernetes:core/v1:Pod";
export const deploymentType = "kubernetes:apps/v1:Deployment";

/** A pod of a specification; its namespace is `lab` unless given. */
export function pod(spec: unknown, namespace: unknown = "lab"): AnalyzedResource {
  return resource(podType, { metadata: { name: "it", namespace }, spec });
}

/** A pod with one container. */
export function podOf(container: unknown, spec: object = {}): AnalyzedResource {
  return pod({ ...spec, containers: [container] });
}

/** The same as a patch of an object that another program created. */
export function patched(of: AnalyzedResource): AnalyzedResource {
  return resource(`${of.type}Patch`, of.properties, { name: of.name });
}

/** The same specification in every kind that makes pods, with the path where the kind keeps it. */
export function everyKind(spec: unknown): [path: string, of: AnalyzedResource][] {
  const inTemplate = { spec: { template: { spec } } };
  return [
    ["spec", resource(podType, { spec })],
    ...["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"].map((kind): [string, AnalyzedResource] => [
      "spec.template.spec",
      resource(`kubernetes:apps/v1:${kind}`, inTemplate),
    ]),
    ["spec.template.spec", resource("kubernetes:core/v1:ReplicationController", inTemplate)],
    ["spec.template.spec", resource("kubernetes:batch/v1:Job", inTemplate)],
    [
      "spec.jobTemplate.spec.template.spec",
      resource("kubernetes:batch/v1:CronJob", { spec: { jobTemplate: inTemplate } }),
    ],
  ];
}
