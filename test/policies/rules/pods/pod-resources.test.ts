import { expect, test } from "vitest";
import { podResources as rule } from "../../../../policies/rules/pods/pod-resources";
import { everyKind, patched, podOf } from "../../support/pods";
import { findings, unknown, verdicts } from "../../support/verdicts";

const gpu = { "nvidia.com/gpu": 1 };
const at = "spec.containers[0].resources";
const whole = { limits: { ...gpu, memory: "8Gi" }, requests: { cpu: "2" } };

test.for([
  ["all of it", whole, []],
  ["limits for requests", { limits: { ...gpu, memory: "8Gi", cpu: 2 } }, []],
  ["no GPU", { limits: { cpu: 1 } }, []],
  ["a GPU limit of 0", { limits: { "nvidia.com/gpu": 0 } }, []],
  ["nothing", undefined, []],
  ["a GPU alone", { limits: gpu }, [`fail ${at}.limits.memory`, `fail ${at}.requests.cpu`]],
  ["a request of memory", { ...whole, limits: gpu, requests: { cpu: 1, memory: "8Gi" } }, [`fail ${at}.limits.memory`]],
  ["no CPU", { limits: whole.limits }, [`fail ${at}.requests.cpu`]],
  ["null", { limits: { ...gpu, memory: null }, requests: { cpu: 1 } }, [`fail ${at}.limits.memory`]],
  ["a GPU part", { limits: { "nvidia.com/mig-1g.5gb": 1 } }, [`fail ${at}.limits.memory`, `fail ${at}.requests.cpu`]],
  ["memory unknown", { ...whole, limits: { ...gpu, memory: unknown } }, [`unknown ${at}.limits.memory`]],
  ["requests unknown", { limits: whole.limits, requests: unknown }, [`unknown ${at}.requests`]],
  ["requests unknown, a limit stands for it", { limits: { ...whole.limits, cpu: 1 }, requests: unknown }, []],
  ["GPUs unknown", { limits: { "nvidia.com/gpu": unknown } }, [`unknown ${at}.limits["nvidia.com/gpu"]`]],
  ["part open", { limits: { "nvidia.com/mig-1g.5gb": unknown } }, [`unknown ${at}.limits["nvidia.com/mig-1g.5gb"]`]],
  ["limits unknown", { limits: unknown }, [`unknown ${at}.limits`]],
  ["all unknown", unknown, [`unknown ${at}`]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, [podOf({ resources })])).toEqual(expected);
});

test("the pods of every kind", () => {
  for (const [path, of] of everyKind({ containers: [{ resources: { limits: { ...gpu, cpu: 1 } } }] })) {
    expect(verdicts(rule, [of])).toEqual([`fail ${path}.containers[0].resources.limits.memory`]);
  }
});

test("a patch may leave the rest to others", () => {
  expect(verdicts(rule, [patched(podOf({ resources: { limits: gpu } }))])).toEqual([]);
  expect(verdicts(rule, [patched(podOf({ resources: { limits: unknown } }))])).toEqual([`unknown ${at}.limits`]);
});

test("what is asked for, and of whom, can be configured", () => {
  const said = (config: object) =>
    verdicts(rule, [podOf({ resources: { limits: gpu } })], { policyConfig: { [rule.id]: { ...config } } });
  expect(said({ limits: ["memory", "cpu"] })).toEqual([`fail ${at}.limits.memory`, `fail ${at}.limits.cpu`]);
  expect(said({ limits: [], requests: [] })).toEqual([]);
  expect(said({ exempt: ["*"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [podOf({ image: "hunter2", resources: { limits: { ...gpu, cpu: "hunter2" } } })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const said = findings(rule, [podOf({ resources: { limits: gpu } })]);
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.containers[0].resources.limits.memory: got nothing. Without a limit, the container can exhaust the node, which also stops the kubelet and the GPU Operator's pods.
    fix: set resources.limits.memory",
      "spec.containers[0].resources.requests.cpu: got nothing. The scheduler counts the request as 0 and places more pods on the node than fit.
    fix: set resources.requests.cpu",
    ]
  `);
});
