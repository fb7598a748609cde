import { expect, test } from "vitest";
import { gpuNodeGroup, managedNodeGroup, nodeGroup } from "../../../../policies/facts/node-groups";
import { gpuTaintPresent as rule } from "../../../../policies/rules/nodes/gpu-taint-present";
import { withTemplate } from "../../support/launch-templates";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const gpu = { amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g5.xlarge"], labels: { "nvidia.com/gpu": "true" } };
const hard = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };
const tainted = { ...gpu, taints: [hard] };

test.for([
  ["the taint", tainted, []],
  ["the harder one", { ...gpu, taints: [{ ...hard, effect: "NO_EXECUTE" }] }, []],
  ["without a value", { ...gpu, taints: [{ key: "nvidia.com/gpu", effect: "NO_SCHEDULE" }] }, []],
  ["with another", { ...gpu, taints: [{ key: "team", effect: "NO_SCHEDULE" }, hard] }, []],
  ["system nodes", { instanceTypes: ["t3.medium"] }, []],
  ["nothing", {}, []],
  ["no taints", gpu, ["fail taints"]],
  ["an empty list", { ...gpu, taints: [] }, ["fail taints"]],
  ["another hard taint", { ...gpu, taints: [{ ...hard, key: "team" }] }, ["advise taints"]],
  ["another soft taint", { ...gpu, taints: [{ key: "team", effect: "PREFER_NO_SCHEDULE" }] }, ["fail taints"]],
  [
    "another hard taint with a soft one",
    {
      ...gpu,
      taints: [
        { ...hard, effect: "PREFER_NO_SCHEDULE" },
        { ...hard, key: "team" },
      ],
    },
    ["advise taints[0].effect"],
  ],
  [
    "a soft taint keeps no pod away",
    { ...gpu, taints: [{ ...hard, effect: "PREFER_NO_SCHEDULE" }] },
    ["fail taints[0].effect"],
  ],
  ["Kubernetes' spelling", { ...gpu, taints: [{ ...hard, effect: "NoSchedule" }] }, ["fail taints[0].effect"]],
  ["soft and hard", { ...gpu, taints: [{ ...hard, effect: "PREFER_NO_SCHEDULE" }, hard] }, []],
  ["a text in place of the list", { ...gpu, taints: "nvidia.com/gpu" }, ["fail taints"]],
  ["taints unknown", { ...gpu, taints: unknown }, ["unknown taints"]],
  ["a taint unknown", { ...gpu, taints: [unknown] }, ["unknown taints[0]"]],
  ["a taint unknown with the right one", { ...gpu, taints: [unknown, hard] }, []],
  ["its effect unknown", { ...gpu, taints: [{ ...hard, effect: unknown }] }, ["unknown taints[0].effect"]],
  ["its key unknown", { ...gpu, taints: [{ ...hard, key: unknown }] }, ["unknown taints[0].key"]],
  ["taints unknown, system nodes", { instanceTypes: ["t3.medium"], taints: unknown }, []],
  ["types unknown, no taint", { instanceTypes: unknown, labels: gpu.labels }, ["unknown instanceTypes"]],
  ["a label of the operator", { ...tainted, labels: { "nvidia.com/gpu.present": "true" } }, []],
  ["a label that only begins so", { ...tainted, labels: { "nvidia.com/gpus": "1" } }, ["advise labels"]],
  ["no label", { ...tainted, labels: { tier: "gpu" } }, ["advise labels"]],
  ["no labels at all", { ...tainted, labels: undefined }, ["advise labels"]],
  ["neither", { instanceTypes: ["g5.xlarge"] }, ["fail taints", "advise labels"]],
  ["labels unknown", { ...tainted, labels: unknown }, ["unknown labels"]],
  [
    "the label's value unknown",
    { ...tainted, labels: { "nvidia.com/gpu": unknown } },
    ['unknown labels["nvidia.com/gpu"]'],
  ],
] as const)("%s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

test.for([
  ["a GPU type", "g5.xlarge", {}, ["fail taints", "advise labels"]],
  ["a GPU type, tainted", "g5.xlarge", { taints: [hard], labels: gpu.labels }, []],
  ["another type", "t3.medium", {}, []],
  ["unknown", unknown, {}, ["unknown instanceType"]],
] as const)("by the launch template: %s", ([, instanceType, more, expected]) => {
  expect(verdicts(rule, withTemplate(nodeGroup, { amiType: "CUSTOM", ...more }, { instanceType }))).toEqual(expected);
});

test("a launch template outside the stack may name a GPU type", () => {
  const seen = (more: object) => verdicts(rule, [resource(nodeGroup, { launchTemplate: { id: "lt-0" }, ...more })]);
  expect(seen({})).toEqual(["unknown the instance type in a launch template outside the stack"]);
  expect(seen({ taints: [hard], labels: gpu.labels })).toEqual([]);
});

test("the group that a component makes is judged", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge" });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu");
  const child = (properties: object) => resource(nodeGroup, { ...properties }, { urn, parent: component.urn });
  expect(verdicts(rule, [component, child(tainted)])).toEqual([]);
  expect(verdicts(rule, [component, child(gpu)])).toEqual(["fail taints"]);
});

test("key and label can be configured, and a group be exempt", () => {
  const judged = (configured: object) =>
    verdicts(rule, [resource(nodeGroup, tainted, { name: "gpu" })], { policyConfig: { [rule.id]: configured } });
  expect(judged({ key: "team" })).toEqual(["advise taints"]);
  expect(judged({ label: "team" })).toEqual(["advise labels"]);
  expect(judged({ label: "" })).toEqual([]);
  expect(judged({ key: "team", exempt: ["gpu"] })).toEqual([]);
});

test("messages, without the secret in place of a word", () => {
  const message = (properties: object) =>
    findings(rule, [resource(nodeGroup, { ...properties })]).map((finding) => finding.message);
  expect(message({ ...gpu, taints: [{ ...hard, effect: "hunter2" }] })).toMatchInlineSnapshot(`
    [
      "taints[0].effect: got a string. Pods without a GPU can fill a GPU node, so pods that need the GPU find no memory or CPU. Only a taint with NO_SCHEDULE or NO_EXECUTE repels pods.
    fix: add { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" } to taints",
    ]
  `);
  expect(message({ ...gpu, labels: { hunter2: "x" }, taints: [{ ...hard, key: "hunter2" }] })).toMatchInlineSnapshot(`
    [
      "taints: got a taint with another key. GPU workloads usually tolerate only nvidia.com/gpu. The GPU Operator and most examples therefore do not run on these nodes.
    fix: add { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" } to taints, or set "key" in the policy configuration to your key, and tolerate it in every workload for these nodes",
      "labels: got labels without this key. The labels of GPU feature discovery exist only after it finds a GPU. Without a label of the node group, nothing can select a node whose GPU is missing.
    fix: add "nvidia.com/gpu": "true" to labels",
    ]
  `);
});
