import { expect, test } from "vitest";
import { podResources } from "../../../policies/rules/pods/pod-resources";
import { gpuPodShape } from "../../../policies/rules/workloads/gpu-pod-shape";
import { resource, unknown, verdicts } from "../support/verdicts";

const mainContainer = { image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.0" };
const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists" }];

/** A service named `decode`, whose pod seeks GPU nodes. */
const graph = (service: object, container: object = mainContainer, type = "DynamoGraphDeployment") => {
  const decode = { extraPodSpec: { mainContainer: container, tolerations }, ...service };
  const spec = type === "DynamoGraphDeployment" ? { services: { decode } } : decode;
  return resource(`kubernetes:nvidia.com/v1alpha1:${type}`, { metadata: { namespace: "lab" }, spec });
};
const limits = (given: unknown) => ({ resources: { limits: given } });
const own = { ...mainContainer, ...limits({ "nvidia.com/gpu": 1 }) };
const at = "spec.services.decode";
const noLimit = [`advise ${at}.extraPodSpec.containers`];

test.for([
  ["a number of GPUs", graph(limits({ gpu: "1" })), []],
  ["several GPUs of a kind", graph(limits({ gpu: "8", gpuType: "nvidia.com/gpu" })), []],
  ["a partition", graph(limits({ gpu: "1", gpuType: "nvidia.com/mig-1g.10gb" })), []],
  ["a limit and an equal request", graph({ resources: { limits: { gpu: "2" }, requests: { gpu: "2" } } }), []],
  ["a limit of the container", graph({}, own), []],
  ["a limit of the container, and memory of the service", graph(limits({ memory: "8Gi" }), own), []],
  ["no resources", graph({}), noLimit],
  ["only memory", graph(limits({ memory: "8Gi" })), noLimit],
  ["the GPUs of another maker", graph(limits({ gpu: "1", gpuType: "gpu.intel.com/xe" })), noLimit],
  ["an unknown number", graph(limits({ gpu: unknown })), [`unknown ${at}.resources.limits["nvidia.com/gpu"]`]],
  ["unknown limits", graph(limits(unknown)), [`unknown ${at}.resources.limits`]],
  ["unknown resources", graph({ resources: unknown }), [`unknown ${at}.resources.limits, ${at}.resources.requests`]],
  ["a bare number", graph(limits({ gpu: 1 })), []],
  ["half a GPU", graph(limits({ gpu: "0.5" })), [`fail ${at}.resources.limits["nvidia.com/gpu"]`]],
  [
    "a request that differs",
    graph({ resources: { limits: { gpu: "2" }, requests: { gpu: "1" } } }),
    [`fail ${at}.resources.requests["nvidia.com/gpu"]`],
  ],
  [
    "a partition without a toleration",
    graph({ ...limits({ gpu: "1", gpuType: "nvidia.com/mig-1g.10gb" }), extraPodSpec: { mainContainer } }),
    [`fail ${at}.extraPodSpec.tolerations`],
  ],
  ["a component of its own", graph(limits({ gpu: "1" }), mainContainer, "DynamoComponentDeployment"), []],
  [
    "a component of its own without a limit",
    graph({}, mainContainer, "DynamoComponentDeployment"),
    ["advise spec.extraPodSpec.containers"],
  ],
] as const)("a service of Dynamo with %s", ([, given, expected]) => {
  expect(verdicts(gpuPodShape, [given])).toEqual(expected);
});

test("its memory and CPU count, too", () => {
  const whole = { limits: { gpu: "1", memory: "8Gi" }, requests: { cpu: "2" } };
  expect(verdicts(podResources, [graph({ resources: whole })])).toEqual([]);
  expect(verdicts(podResources, [graph({ resources: { limits: { gpu: "1" } } })])).not.toEqual([]);
});
