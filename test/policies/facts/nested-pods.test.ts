import { expect, test } from "vitest";
import { Resource } from "../../../policies/engine/resource";
import { podsIn } from "../../../policies/facts/pods";
import { resource, unknown } from "../support/verdicts";

const container = { name: "main", image: "nvcr.io/nvidia/pytorch:24.10-py3" };
const pathsIn = (type: string, properties: Record<string, unknown>) =>
  podsIn(new Resource(resource(`kubernetes:${type}`, properties))).map(({ spec }) => spec.path);

test.each<[string, string, Record<string, unknown>, string[]]>([
  [
    "each replica of a training job",
    "kubeflow.org/v1:PyTorchJob",
    {
      spec: {
        pytorchReplicaSpecs: {
          Master: { template: { spec: { containers: [container] } } },
          Worker: { template: { spec: { containers: [container] } } },
        },
      },
    },
    ["spec.pytorchReplicaSpecs.Master.template.spec", "spec.pytorchReplicaSpecs.Worker.template.spec"],
  ],
  [
    "the head and each group of workers",
    "ray.io/v1:RayCluster",
    {
      spec: {
        headGroupSpec: { template: { spec: { containers: [container] } } },
        workerGroupSpecs: [1, 2].map(() => ({ template: { spec: { containers: [container] } } })),
      },
    },
    [
      "spec.headGroupSpec.template.spec",
      "spec.workerGroupSpecs[0].template.spec",
      "spec.workerGroupSpecs[1].template.spec",
    ],
  ],
  [
    "a container that is in no list",
    "argoproj.io/v1alpha1:Workflow",
    { spec: { templates: [{ name: "dag", dag: { tasks: [] } }, { name: "train", container }, { script: container }] } },
    ["spec.templates[1]", "spec.templates[2]"],
  ],
  [
    "a model without an image",
    "serving.kserve.io/v1beta1:InferenceService",
    { spec: { predictor: { model: { modelFormat: { name: "huggingface" } }, nodeSelector: {} } } },
    ["spec.predictor"],
  ],
  [
    "the pods beside a model, and its workers",
    "serving.kserve.io/v1alpha1:LLMInferenceService",
    {
      spec: {
        model: { uri: "hf://meta/llama" },
        template: { containers: [container] },
        worker: { containers: [container] },
      },
    },
    ["spec", "spec.template", "spec.worker"],
  ],
  [
    "the workers of a model on several nodes",
    "serving.kserve.io/v1beta1:InferenceService",
    { spec: { predictor: { model: { modelFormat: { name: "vllm" } }, workerSpec: { containers: [container] } } } },
    ["spec.predictor", "spec.predictor.workerSpec"],
  ],
  [
    "all objects of a list",
    "core/v1:List",
    { items: [1, 2].map(() => ({ spec: { containers: [container] } })) },
    ["items[0].spec", "items[1].spec"],
  ],
  ["a whole specification that is unknown", "ray.io/v1:RayCluster", { spec: unknown }, ["spec"]],
  ["containers that are unknown", "x.example/v1:Y", { spec: { pod: { containers: unknown } } }, ["spec.pod"]],
])("finds %s", (_, type, properties, paths) => {
  expect(pathsIn(type, properties)).toEqual(paths);
});

test.each<[string, string, Record<string, unknown>]>([
  [
    "a pattern of a policy",
    "kyverno.io/v1:ClusterPolicy",
    { spec: { rules: [{ validate: { pattern: { spec: { containers: [{ image: "*:*" }] } } } }] } },
  ],
  ["values of a chart", "helm.toolkit.fluxcd.io/v2:HelmRelease", { spec: { values: { containers: [container] } } }],
  ["a schema", "apiextensions.k8s.io/v1:CustomResourceDefinition", { spec: { containers: [container] } }],
  ["names of containers", "autoscaling.k8s.io/v1:VerticalPodAutoscaler", { spec: { containers: ["main"] } }],
  ["an image of an operator's object", "nvidia.com/v1:ClusterPolicy", { spec: { devicePlugin: { image: "x" } } }],
  ["an unknown name of a role", "karpenter.k8s.aws/v1:EC2NodeClass", { spec: { role: unknown } }],
  ["configuration", "core/v1:ConfigMap", { data: { containers: "[]" } }],
])("takes %s for no pod", (_, type, properties) => {
  expect(pathsIn(type, properties)).toEqual([]);
});

test("an object in a list has its own namespace, and what a Workflow sets for all its pods counts for each", () => {
  const [own, common] = podsIn(
    new Resource(
      resource("kubernetes:core/v1:List", {
        metadata: { namespace: "lab" },
        items: [
          { metadata: { namespace: "gpu-operator" }, spec: { containers: [container] } },
          { spec: { containers: [container] } },
        ],
      }),
    ),
  );
  expect([own?.isOutside(["gpu-operator"]), common?.isOutside(["gpu-operator"])]).toEqual([false, true]);
  const [pod] = podsIn(
    new Resource(
      resource("kubernetes:argoproj.io/v1alpha1:Workflow", {
        spec: { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }], templates: [{ container }] },
      }),
    ),
  );
  expect(pod?.tolerations.value).toHaveLength(1);
});
