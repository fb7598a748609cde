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

/** Kinds of controllers that others wrote: where each keeps the specification of its pods. */
const custom: readonly (readonly [type: string, path: string])[] = [
  ["kubeflow.org/v1:PyTorchJob", "spec.pytorchReplicaSpecs.Worker.template.spec"],
  ["kubeflow.org/v1:TFJob", "spec.tfReplicaSpecs.Chief.template.spec"],
  ["kubeflow.org/v2beta1:MPIJob", "spec.mpiReplicaSpecs.Worker.template.spec"],
  ["kubeflow.org/v1:Notebook", "spec.template.spec"],
  ["trainer.kubeflow.org/v1alpha1:TrainingRuntime", "spec.template.spec.replicatedJobs[0].template.spec.template.spec"],
  ["ray.io/v1:RayCluster", "spec.headGroupSpec.template.spec"],
  ["ray.io/v1alpha1:RayCluster", "spec.workerGroupSpecs[0].template.spec"],
  ["ray.io/v1:RayJob", "spec.rayClusterSpec.workerGroupSpecs[0].template.spec"],
  ["ray.io/v1:RayService", "spec.rayClusterConfig.workerGroupSpecs[0].template.spec"],
  ["leaderworkerset.x-k8s.io/v1:LeaderWorkerSet", "spec.leaderWorkerTemplate.workerTemplate.spec"],
  ["leaderworkerset.x-k8s.io/v1:LeaderWorkerSet", "spec.leaderWorkerTemplate.leaderTemplate.spec"],
  ["jobset.x-k8s.io/v1alpha2:JobSet", "spec.replicatedJobs[0].template.spec.template.spec"],
  ["serving.kserve.io/v1beta1:InferenceService", "spec.predictor"],
  ["serving.kserve.io/v1alpha1:LLMInferenceService", "spec.template"],
  ["serving.knative.dev/v1:Service", "spec.template.spec"],
  ["argoproj.io/v1alpha1:Rollout", "spec.template.spec"],
  ["argoproj.io/v1alpha1:Workflow", "spec.templates[0].containerSet"],
  ["batch.volcano.sh/v1alpha1:Job", "spec.tasks[0].template.spec"],
  ["keda.sh/v1alpha1:ScaledJob", "spec.jobTargetRef.template.spec"],
  ["apps.kruise.io/v1alpha1:CloneSet", "spec.template.spec"],
  ["machinelearning.seldon.io/v1:SeldonDeployment", "spec.predictors[0].componentSpecs[0].spec"],
  ["workload.codeflare.dev/v1beta2:AppWrapper", "spec.components[0].template.spec.template.spec"],
  ["core/v1:List", "items[0].spec.template.spec"],
  ["apps/v1:DeploymentList", "items[0].spec.template.spec"],
  ["core/v1:PodTemplate", "template.spec"],
];

function nestedAt(path: string, value: unknown): object {
  const keys = path.split(/\.|(?=\[)/).reverse();
  return keys.reduce((inner, key) => (key === "[0]" ? [inner] : { [key]: inner }), value) as object;
}

/** Containers are what shows that a custom resource contains pods. */
function withContainer(spec: unknown): unknown {
  const isPod = typeof spec === "object" && spec !== null && ("containers" in spec || "initContainers" in spec);
  return isPod ? spec : { containers: [{ image: "app:1" }], ...(spec as object) };
}

/** The same specification in every kind that makes pods, with the path where the kind keeps it. */
export function everyKind(spec: unknown): [path: string, of: AnalyzedResource][] {
  const of = (type: string, path: string): [string, AnalyzedResource] => [
    path,
    resource(`kubernetes:${type}`, nestedAt(path, withContainer(spec)) as Record<string, unknown>),
  ];
  return [
    of("core/v1:Pod", "spec"),
    ...["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"].map((kind) =>
      of(`apps/v1:${kind}`, "spec.template.spec"),
    ),
    ...["core/v1:ReplicationController", "batch/v1:Job"].map((type) => of(type, "spec.template.spec")),
    of("batch/v1:CronJob", "spec.jobTemplate.spec.template.spec"),
    ...custom.map(([type, path]) => of(type, path)),
  ];
}
