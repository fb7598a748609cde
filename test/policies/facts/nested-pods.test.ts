import { expect, test } from "vitest";
import { resourcesOf } from "../../../policies/engine/objects";
import { Resource } from "../../../policies/engine/resource";
import { podsIn } from "../../../policies/facts/pods";
import { podHostAccess } from "../../../policies/rules/pods/pod-host-access";
import { podResources } from "../../../policies/rules/pods/pod-resources";
import { podSensitiveHostPath } from "../../../policies/rules/pods/pod-sensitive-host-path";
import { imageTagPinned } from "../../../policies/rules/pods/image-tag-pinned";
import { gpuPodShape } from "../../../policies/rules/workloads/gpu-pod-shape";
import { resource, unknown, verdicts } from "../support/verdicts";

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
    "the workers of a runtime",
    "serving.kserve.io/v1alpha1:ServingRuntime",
    { spec: { containers: [container], workerSpec: { containers: [container] } } },
    ["spec", "spec.workerSpec"],
  ],
  [
    "a service of NIM",
    "apps.nvidia.com/v1alpha1:NIMService",
    { spec: { image: { repository: "nvcr.io/nim/llama", tag: "1.0.3" }, resources: {} } },
    ["spec"],
  ],
  [
    "the services of a pipeline",
    "apps.nvidia.com/v1alpha1:NIMPipeline",
    { spec: { services: [{ name: "llm", spec: { image: { repository: "nvcr.io/nim/llama", tag: "1" } } }] } },
    ["spec.services[0].spec"],
  ],
  [
    "the executors of Spark",
    "sparkoperator.k8s.io/v1beta2:SparkApplication",
    { spec: { driver: { cores: 1 }, executor: { gpu: { name: "nvidia.com/gpu", quantity: 1 } } } },
    ["spec", "spec.driver", "spec.executor"],
  ],
  [
    "the scheduled executors of Spark",
    "sparkoperator.k8s.io/v1beta2:ScheduledSparkApplication",
    { spec: { template: { image: "spark:3.5.1", volumes: [], executor: { cores: 1 } } } },
    ["spec.template", "spec.template.executor"],
  ],
  ["the steps of a task", "tekton.dev/v1:Task", { spec: { steps: [container], volumes: [] } }, ["spec"]],
  [
    "the tasks of a run",
    "tekton.dev/v1:PipelineRun",
    {
      spec: { pipelineSpec: { tasks: [{ taskSpec: { steps: [container], sidecars: [container] } }, { taskRef: {} }] } },
    },
    ["spec.pipelineSpec.tasks[0].taskSpec"],
  ],
  [
    "the trainer of a job",
    "trainer.kubeflow.org/v1alpha1:TrainJob",
    { spec: { runtimeRef: { name: "torch" }, trainer: { numNodes: 2 } } },
    ["spec"],
  ],
  [
    "all objects of a list",
    "core/v1:List",
    { items: [1, 2].map(() => ({ spec: { containers: [container] } })) },
    ["items[0].spec", "items[1].spec"],
  ],
  ["a whole specification that is unknown", "ray.io/v1:RayCluster", { spec: unknown }, ["spec"]],
  ["a container that is unknown", "x.example/v1:Y", { spec: { pod: { containers: [unknown] } } }, ["spec.pod"]],
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
  const [own, common] = resourcesOf(
    resource("kubernetes:core/v1:PodList", {
      metadata: { namespace: "lab" },
      items: [
        { metadata: { namespace: "gpu-operator" }, spec: { containers: [container] } },
        { spec: { containers: [container] } },
      ],
    }),
  ).flatMap(podsIn);
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

const mig = (amount: unknown) => ({ limits: { "nvidia.com/mig-1g.5gb": amount } });
const anyTaint = { tolerations: [{ operator: "Exists" }] };
const nim = (more: object = {}) => ({
  spec: { image: { repository: "nvcr.io/nim/llama", tag: "1.0.3" }, resources: mig(1), ...more },
});
const runtime = (name: unknown) => ({ spec: { deploymentConfig: { image: { registry: "docker.io", name } } } });
const spark = (quantity: unknown, more: object = {}) => ({
  spec: { executor: { gpu: { name: "nvidia.com/gpu", quantity }, ...more } },
});
const trainer = (given: object) => ({ spec: { trainer: given } });
const flow = (template: object, more: object = {}) => ({ spec: { templates: [template], ...more } });

test.each<[string, string, Record<string, unknown>, string[], string[]]>([
  ["a service", "apps.nvidia.com/v1alpha1:NIMService", nim(anyTaint), [], []],
  ["a service without a toleration", "apps.nvidia.com/v1alpha1:NIMService", nim(), ["fail spec.tolerations"], []],
  [
    "half a device of a service",
    "apps.nvidia.com/v1alpha1:NIMService",
    nim({ ...anyTaint, resources: mig("0.5"), image: { repository: "nvcr.io/nim/llama", tag: "latest" } }),
    ['fail spec.resources.limits["nvidia.com/mig-1g.5gb"]'],
    ["fail spec.image.tag"],
  ],
  [
    "an unknown tag",
    "apps.nvidia.com/v1alpha1:NIMService",
    nim({ ...anyTaint, image: { repository: "nvcr.io/nim/llama", tag: unknown } }),
    [],
    ["unknown spec.image.tag"],
  ],
  [
    "an image with a registry apart",
    "production-stack.vllm.ai/v1alpha1:VLLMRuntime",
    runtime("lmcache/vllm-openai:v0.3.9"),
    [],
    [],
  ],
  [
    "an image of the day with a registry apart",
    "production-stack.vllm.ai/v1alpha1:VLLMRuntime",
    runtime("lmcache/vllm-openai"),
    [],
    ["fail spec.deploymentConfig.image.name"],
  ],
  [
    "an unknown image with a registry apart",
    "production-stack.vllm.ai/v1alpha1:VLLMRuntime",
    runtime(unknown),
    ["unknown spec.deploymentConfig.image.name"],
    ["unknown spec.deploymentConfig.image.name"],
  ],
  ["a model", "kubeai.org/v1:Model", { spec: { engine: "VLLM", image: "vllm/vllm-openai:v0.11.0" } }, [], []],
  ["a model of the day", "kubeai.org/v1:Model", { spec: { image: "vllm/vllm-openai" } }, [], ["fail spec.image"]],
  ["a model without an image", "kubeai.org/v1:Model", { spec: { engine: "VLLM" } }, [], []],
  ["executors", "sparkoperator.k8s.io/v1beta2:SparkApplication", spark(1, anyTaint), [], []],
  [
    "an unknown number of an executor",
    "sparkoperator.k8s.io/v1beta2:SparkApplication",
    spark(unknown, anyTaint),
    ['unknown spec.executor.gpu.limits["nvidia.com/gpu"]'],
    [],
  ],
  [
    "a trainer, whose tolerations are in a runtime",
    "trainer.kubeflow.org/v1alpha1:TrainJob",
    trainer({ image: "pytorch:2.5", resourcesPerNode: mig(1) }),
    [],
    [],
  ],
  [
    "half a device of a trainer",
    "trainer.kubeflow.org/v1alpha1:TrainJob",
    trainer({ image: "pytorch", resourcesPerNode: mig("0.5") }),
    ['fail spec.trainer.resourcesPerNode.limits["nvidia.com/mig-1g.5gb"]'],
    ["fail spec.trainer.image"],
  ],
  [
    "a sidecar",
    "argoproj.io/v1alpha1:Workflow",
    flow({ container, sidecars: [{ image: "x", resources: mig(1) }] }),
    ["fail spec.templates[0].tolerations"],
    ["fail spec.templates[0].sidecars[0].image"],
  ],
  [
    "a set of containers, whose template has the tolerations",
    "argoproj.io/v1alpha1:Workflow",
    flow({ containerSet: { containers: [{ ...container, resources: mig(1) }] }, ...anyTaint }),
    [],
    [],
  ],
  [
    "the defaults of templates",
    "argoproj.io/v1alpha1:Workflow",
    flow({ container: { ...container, resources: mig(1) } }, { templateDefaults: anyTaint }),
    [],
    [],
  ],
  [
    "a step",
    "tekton.dev/v1:Task",
    {
      spec: { steps: [{ image: "x:latest", computeResources: mig("0.5") }], sidecars: [{ image: "y:1" }], ...anyTaint },
    },
    ['fail spec.steps[0].computeResources.limits["nvidia.com/mig-1g.5gb"]'],
    ["fail spec.steps[0].image"],
  ],
  [
    "a task, whose tolerations are in its runs",
    "tekton.dev/v1:Task",
    { spec: { steps: [{ ...container, computeResources: mig(1) }] } },
    [],
    [],
  ],
  [
    "the image of a parameter",
    "tekton.dev/v1:Task",
    { spec: { steps: [{ image: "$(params.image)" }, { image: "a" }] } },
    [],
    ["fail spec.steps[1].image"],
  ],
  [
    "the image of an input",
    "argoproj.io/v1alpha1:Workflow",
    flow({ container: { image: "{{inputs.parameters.image}}" } }),
    [],
    [],
  ],
  [
    "the image of an instance",
    "kro.run/v1alpha1:ResourceGraphDefinition",
    { spec: { pod: { containers: [{ image: "${schema.spec.image}" }] } } },
    [],
    [],
  ],
  [
    "a run whose pods have tolerations",
    "tekton.dev/v1:TaskRun",
    { spec: { taskSpec: { steps: [{ ...container, computeResources: mig(1) }] }, podTemplate: anyTaint } },
    [],
    [],
  ],
  [
    "the template of steps in a run of a pipeline",
    "tekton.dev/v1:PipelineRun",
    {
      spec: {
        pipelineSpec: {
          tasks: [{ taskSpec: { stepTemplate: { computeResources: mig(1) }, steps: [{ image: "a:1" }] } }],
        },
        taskRunTemplate: { podTemplate: anyTaint },
      },
    },
    [],
    [],
  ],
  [
    "the image of an application of Spark",
    "sparkoperator.k8s.io/v1beta2:SparkApplication",
    { spec: { image: "spark:latest", driver: { cores: 1 }, executor: { image: "spark", cores: 1 } } },
    [],
    ["fail spec.image", "fail spec.executor.image"],
  ],
])("judges %s", (_, type, properties, ofShape, ofImage) => {
  const one = resource(`kubernetes:${type}`, properties);
  expect(verdicts(gpuPodShape, [one])).toEqual(ofShape);
  expect(verdicts(imageTagPinned, [one])).toEqual(ofImage);
});

test.each<[string, string, object, string[]]>([
  [
    "steps",
    "tekton.dev/v1:Task",
    { steps: [{ ...container, securityContext: { privileged: true } }] },
    ["fail spec.steps[0].securityContext.privileged"],
  ],
  [
    "what all steps have",
    "tekton.dev/v1beta1:ClusterTask",
    { stepTemplate: { securityContext: { privileged: true } }, steps: [container] },
    ["fail spec.steps[0].securityContext.privileged"],
  ],
  [
    "a run",
    "tekton.dev/v1:TaskRun",
    { taskSpec: { steps: [container] }, podTemplate: { hostNetwork: true } },
    ["fail spec.podTemplate.hostNetwork"],
  ],
  [
    "a driver",
    "sparkoperator.k8s.io/v1beta2:SparkApplication",
    { driver: { hostNetwork: true } },
    ["fail spec.driver.hostNetwork"],
  ],
])("the access of %s to the host", (_, type, spec, expected) => {
  expect(verdicts(podHostAccess, [resource(`kubernetes:${type}`, { metadata: { namespace: "a" }, spec })])).toEqual(
    expected,
  );
});

test.each<[string, string, object, string[]]>([
  ["Tekton", "tekton.dev/v1:Task", { steps: [container] }, ["fail spec.volumes[0].hostPath.path"]],
  [
    "Spark",
    "sparkoperator.k8s.io/v1beta2:SparkApplication",
    { executor: { cores: 1, gpu: { name: "nvidia.com/gpu", quantity: 1 } } },
    ["fail spec.volumes[0].hostPath.path"],
  ],
])("the volumes of %s", (_, type, spec, expected) => {
  const volumes = [{ name: "etc", hostPath: { path: "/etc" } }];
  const given = { metadata: { namespace: "a" }, spec: { ...spec, volumes } };
  expect(verdicts(podSensitiveHostPath, [resource(`kubernetes:${type}`, given)])).toEqual(expected);
  expect(verdicts(podResources, [resource(`kubernetes:${type}`, given)])).toEqual([]);
});
