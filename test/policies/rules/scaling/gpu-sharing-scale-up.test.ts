import { expect, test } from "vitest";
import { gpuSharingScaleUp as rule } from "../../../../policies/rules/scaling/gpu-sharing-scale-up";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const at = "spec.template.spec.requirements";
const requirement = (...values: unknown[]) => ({ key: "node.kubernetes.io/instance-type", operator: "In", values });
const pool = (requirements: unknown = [requirement("g5.xlarge")], more: object = {}) =>
  resource("kubernetes:karpenter.sh/v1:NodePool", { spec: { template: { spec: { requirements } }, ...more } });
const operator = (more: Record<string, unknown>) => resource("eks-gpu-lab:index:GpuOperator", more);
const file = (way: string, replicas: number) =>
  `sharing: { ${way}: { resources: [{ name: nvidia.com/gpu, replicas: ${replicas} }] } }`;
const plugin = (text: unknown) =>
  resource("kubernetes:helm.sh/v3:Release", {
    chart: "nvidia-device-plugin",
    values: { config: { map: { "hunter2.yaml": text } } },
  });

test.for([
  ["a pool alone", [pool()], []],
  ["whole GPUs", [pool(), operator({})], []],
  ["one pod per GPU", [pool(), operator({ timeSlicing: { replicas: 1 } })], []],
  ["time slicing of the operator", [pool(), operator({ timeSlicing: { replicas: 2 } })], [`fail ${at}`]],
  ["MPS of the operator", [pool(), operator({ mps: { replicas: 4 } })], [`fail ${at}`]],
  ["time slicing of the plugin", [pool(), plugin(file("timeSlicing", 4))], [`fail ${at}`]],
  ["MPS of the plugin", [pool(), plugin(file("mps", 2))], [`fail ${at}`]],
  ["one replica", [pool(), plugin(file("mps", 1))], []],
  ["a ConfigMap", [pool(), resource("kubernetes:core/v1:ConfigMap", { data: { a: file("mps", 2) } })], [`fail ${at}`]],
  ["a fixed number of nodes", [pool(undefined, { replicas: 1 }), operator({ mps: { replicas: 4 } })], []],
  [
    "a limit of 0 GPUs",
    [pool(undefined, { limits: { "nvidia.com/gpu": "0" } }), operator({ mps: { replicas: 4 } })],
    [],
  ],
  [
    "an unknown limit",
    [pool(undefined, { limits: { "nvidia.com/gpu": unknown } }), operator({ mps: { replicas: 4 } })],
    ['unknown spec.limits["nvidia.com/gpu"]'],
  ],
  ["nodes without GPUs", [pool([requirement("m7i.large")]), operator({ mps: { replicas: 4 } })], []],
  ["no pool", [operator({ mps: { replicas: 4 } })], []],
  ["nothing", [], []],
  ["unknown replicas", [pool(), operator({ timeSlicing: { replicas: unknown } })], ["unknown timeSlicing.replicas"]],
  ["unknown replicas of MPS", [pool(), operator({ mps: { replicas: unknown } })], ["unknown mps.replicas"]],
  ["an unknown file", [pool(), plugin(unknown)], ['unknown values.config.map["hunter2.yaml"]']],
  ["unknown requirements", [pool(unknown), operator({ mps: { replicas: 2 } })], [`unknown ${at}`]],
  [
    "an unknown label",
    [pool([{ ...requirement("g5.xlarge"), key: unknown }]), plugin(file("mps", 2))],
    [`unknown ${at}[0].key`],
  ],
  [
    "an unknown operator",
    [pool([{ ...requirement("g5.xlarge"), operator: unknown }]), plugin(file("mps", 2))],
    [`unknown ${at}[0].operator`],
  ],
  ["an unknown type", [pool([requirement(unknown)]), plugin(file("mps", 2))], [`unknown ${at}[0].values[0]`]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

const group = (more: object = {}) =>
  resource("aws:eks/nodeGroup:NodeGroup", {
    instanceTypes: ["g5.12xlarge"],
    scalingConfig: { minSize: 0, maxSize: 2 },
    ...more,
  });
const autoscaler = resource("eks-gpu-lab:index:ClusterAutoscaler", {});
const shared = operator({ timeSlicing: { replicas: 2 } });
const key = "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu";
const tag = (value: unknown, itsKey: unknown = key) =>
  resource(
    "aws:autoscaling/tag:Tag",
    { autoscalingGroupName: unknown, tag: { key: itsKey, value } },
    { propertyDependencies: { autoscalingGroupName: [group().urn] } },
  );
const min = "scalingConfig.minSize";

test.for([
  ["a group", [group(), autoscaler, shared], [`fail ${min}`]],
  ["a group and MPS", [group(), autoscaler, operator({ mps: { replicas: 4 } })], [`fail ${min}`]],
  ["a group with a tag for an autoscaler", [group({ tags: { [key]: "4" } }), shared], [`fail ${min}`]],
  ["whole GPUs", [group(), autoscaler, operator({})], []],
  ["no autoscaler", [group(), shared], []],
  ["a group that never is empty", [group({ scalingConfig: { minSize: 1, maxSize: 2 } }), autoscaler, shared], []],
  ["a group that never has a node", [group({ scalingConfig: { minSize: 0, maxSize: 0 } }), autoscaler, shared], []],
  ["nodes without GPUs", [group({ instanceTypes: ["m7i.large"] }), autoscaler, shared], []],
  ["a tag with the replicas", [group(), autoscaler, tag("8"), shared], []],
  ["a tag with the GPUs of the machine", [group(), autoscaler, tag("4"), shared], [`fail ${min}`]],
  ["a tag with more GPUs than the machine has", [group(), autoscaler, tag("5"), shared], []],
  ["a tag for another resource", [group(), autoscaler, tag("8", `${key}x`), shared], [`fail ${min}`]],
  ["a tag of the node group", [group({ tags: { [key]: "8" } }), autoscaler, shared], []],
  ["an unknown tag", [group(), autoscaler, tag(unknown), shared], ["unknown tag.value"]],
  ["the unknown key of a tag", [group(), autoscaler, tag("8", unknown), shared], ["unknown tag.key"]],
  [
    "an unknown type and a tag",
    [group({ instanceTypes: [unknown] }), autoscaler, tag("8"), shared],
    ["unknown instanceTypes[0]"],
  ],
  ["an unknown tag of the node group", [group({ tags: { [key]: unknown } }), shared], [`unknown tags["${key}"]`]],
  ["unknown tags", [group({ tags: unknown }), autoscaler, shared], ["unknown tags"]],
  ["unknown sizes", [group({ scalingConfig: unknown }), autoscaler, shared], ["unknown scalingConfig"]],
  [
    "an unknown minimum",
    [group({ scalingConfig: { minSize: unknown, maxSize: 2 } }), autoscaler, shared],
    [`unknown ${min}`],
  ],
  [
    "an unknown maximum",
    [group({ scalingConfig: { minSize: 0, maxSize: unknown } }), autoscaler, shared],
    ["unknown scalingConfig.maxSize"],
  ],
  ["unknown types", [group({ instanceTypes: [unknown] }), autoscaler, shared], ["unknown instanceTypes[0]"]],
  [
    "unknown replicas",
    [group(), autoscaler, operator({ timeSlicing: { replicas: unknown } })],
    ["unknown timeSlicing.replicas"],
  ],
  [
    "an unknown chart",
    [group(), resource("kubernetes:helm.sh/v3:Release", { chart: unknown }), shared],
    ["unknown chart"],
  ],
] as const)("the Cluster Autoscaler: %s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("an exempt pool", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["it"] } } };
  expect(verdicts(rule, [pool(), operator({ mps: { replicas: 2 } })], options)).toEqual([]);
});

test("the message", () => {
  expect(findings(rule, [pool(), operator({ mps: { replicas: 2 } })])[0]?.message).toMatchSnapshot();
  expect(findings(rule, [group(), autoscaler, shared])[0]?.message).toMatchSnapshot();
});
