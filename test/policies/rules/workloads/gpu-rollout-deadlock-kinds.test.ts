import { describe, expect, test } from "vitest";
import { gpuRolloutDeadlock as rule } from "../../../../policies/rules/workloads/gpu-rollout-deadlock";
import { group, podSpec, workload } from "../../support/gpu-workloads";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const pod = podSpec();
const gpu = { resources: { limits: { "nvidia.com/gpu": 1 } } };
const custom = (type: string, spec: object, name = "it") => resource(`kubernetes:${type}`, { spec }, { name });

const inference = (component: string, more: object) =>
  custom("serving.kserve.io/v1beta1:InferenceService", {
    [component]: { nodeSelector: { tier: "gpu" }, model: gpu, ...more },
  });
const llm = (spec: object) => custom("serving.kserve.io/v1alpha2:LLMInferenceService", spec);
const knative = (annotations: object) =>
  custom("serving.knative.dev/v1:Service", { template: { metadata: { annotations }, spec: pod } });
const lws = (template: object, rollingUpdateConfiguration: object | undefined, replicas = 1) =>
  custom("leaderworkerset.x-k8s.io/v1:LeaderWorkerSet", {
    replicas,
    rolloutStrategy: { type: "RollingUpdate", rollingUpdateConfiguration },
    leaderWorkerTemplate: { workerTemplate: { spec: pod }, ...template },
  });
const seldon = (...predictors: object[]) => custom("machinelearning.seldon.io/v1:SeldonDeployment", { predictors });
const component = { componentSpecs: [{ spec: pod }] };
const surgeOnly = { maxSurge: 1, maxUnavailable: 0 };

/** Each on so many nodes of one GPU. */
describe("a custom resource that replaces pods", () => {
  const [predictor, explainer] = ["spec.predictor.deploymentStrategy", "spec.explainer.deploymentStrategy"];
  const prefill = "spec.prefill.rolloutStrategy";
  const rollout = "spec.rolloutStrategy";
  test.for([
    ["KServe by default", inference("predictor", {}), 1, [`fail ${predictor}`]],
    ["KServe with a free GPU", inference("predictor", {}), 2, []],
    ["KServe with more replicas", inference("explainer", { minReplicas: 2 }), 2, [`fail ${explainer}`]],
    ["KServe that scales to zero", inference("predictor", { minReplicas: 0 }), 1, []],
    ["KServe with Recreate", inference("predictor", { deploymentStrategy: { type: "Recreate" } }), 1, []],
    ["KServe, pod first", inference("explainer", { deploymentStrategy: { rollingUpdate: { maxSurge: 0 } } }), 1, []],
    [
      "KServe with what Kubernetes refuses",
      inference("predictor", { deploymentStrategy: { rollingUpdate: { maxSurge: "some" } } }),
      1,
      [],
    ],
    [
      "KServe with an unknown type",
      inference("predictor", { deploymentStrategy: { type: unknown } }),
      1,
      [`unknown ${predictor}.type`],
    ],
    ["KServe, containers", inference("predictor", { model: undefined, containers: [gpu] }), 1, [`fail ${predictor}`]],
    ["an LLM by default", llm({ template: pod }), 1, [`fail ${rollout}`]],
    ["an LLM that ends a pod", llm({ template: pod, rolloutStrategy: { maxSurge: 0, maxUnavailable: 1 } }), 1, []],
    ["the prefill of an LLM", llm({ prefill: { replicas: 2, template: pod } }), 2, [`fail ${prefill}`]],
    ["an LLM of several nodes", llm({ template: pod, worker: pod }), 1, []],
    ["an LLM with other objects", llm({ template: pod, baseRefs: [{ name: "base" }] }), 1, []],
    ["Knative that keeps a pod", knative({ "autoscaling.knative.dev/min-scale": "1" }), 1, ["fail spec.template"]],
    ["Knative that keeps two", knative({ "autoscaling.knative.dev/min-scale": "2" }), 2, ["fail spec.template"]],
    ["Knative that scales to zero", knative({}), 1, []],
    ["groups of pods by default", lws({ size: 2 }, undefined), 2, []],
    ["groups of pods that surge", lws({ size: 2 }, surgeOnly), 2, [`fail ${rollout}`]],
    ["groups of pods that surge, with a free GPU too few", lws({ size: 3 }, surgeOnly), 5, [`fail ${rollout}`]],
    ["groups of pods that surge, with room", lws({ size: 3 }, surgeOnly), 6, []],
    [
      "groups with a leader without a GPU",
      lws({ size: 3, leaderTemplate: { spec: { containers: [{ image: "app:1" }] } } }, surgeOnly),
      4,
      [],
    ],
    ["groups with own leaders", lws({ size: 3, leaderTemplate: { spec: pod } }, surgeOnly), 4, [`fail ${rollout}`]],
    ["groups of unknown size", lws({ size: unknown }, surgeOnly), 9, ["unknown spec.leaderWorkerTemplate.size"]],
    ["Seldon", seldon(component), 1, ["fail spec.predictors[0].componentSpecs[0].spec"]],
    ["Seldon, the second predictor", seldon({}, component), 1, ["fail spec.predictors[1].componentSpecs[0].spec"]],
    ["Seldon without replicas", seldon({ ...component, replicas: 0 }), 1, []],
    ["Seldon with a free GPU", seldon({ ...component, replicas: 2 }), 3, []],
    ["a NIMService: it ends pods first", custom("apps.nvidia.com/v1alpha1:NIMService", { image: {}, ...gpu }), 1, []],
  ] as const)("%s", ([, one, nodes, expected]) => {
    expect(verdicts(rule, [one, group(nodes)])).toEqual(expected);
  });
});

test("a custom resource uses GPUs that another rollout lacks", () => {
  const deployment = workload({ replicas: 1 }, pod, undefined, "other");
  const fail = ["fail spec.strategy"];
  const still = { deploymentStrategy: { type: "Recreate" } };
  expect(verdicts(rule, [deployment, group(2), inference("predictor", still)])).toEqual(fail);
  expect(verdicts(rule, [deployment, group(2), inference("predictor", { minReplicas: 0 })])).toEqual([]);
  expect(verdicts(rule, [deployment, group(4), lws({ size: 3 }, undefined)])).toEqual(fail);
  expect(verdicts(rule, [deployment, group(5), lws({ size: 3 }, undefined)])).toEqual([]);
});

test("two kinds of pods of one resource", () => {
  const both = llm({ template: pod, prefill: { template: pod } });
  expect(verdicts(rule, [both, group(2)])).toEqual(["fail spec.rolloutStrategy", "fail spec.prefill.rolloutStrategy"]);
  expect(verdicts(rule, [both, group(3)])).toEqual([]);
});

test("messages", () => {
  const message = (one: ReturnType<typeof resource>) => findings(rule, [one, group(1)])[0]?.message;
  expect(message(inference("predictor", {}))).toMatchInlineSnapshot(`
    "spec.predictor.deploymentStrategy: got nothing, which means a rollout that starts new pods before it stops old ones, with replicas 1. Its GPU nodes have capacity for at most 1 of these pods, so the new pod stays Pending, and the old pod keeps the GPU forever.
    fix: set spec.predictor.deploymentStrategy.type to Recreate, or spec.predictor.deploymentStrategy.rollingUpdate to maxSurge 0 and maxUnavailable 1; if time-slicing is configured outside the stack, set "timeSlicing" in the policy configuration"
  `);
  expect(message(knative({ "autoscaling.knative.dev/min-scale": "1" }))).toMatchInlineSnapshot(`
    "spec.template: got a rollout that starts new pods before it stops old ones, with replicas 1. Its GPU nodes have capacity for at most 1 of these pods, so the new pod stays Pending, and the old pod keeps the GPU forever.
    fix: raise the maximum size of the GPU node group; if time-slicing is configured outside the stack, set "timeSlicing" in the policy configuration"
  `);
});
