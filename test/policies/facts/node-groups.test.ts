import { expect, test } from "vitest";
import { Undetermined } from "../../../components/core/reader/truth";
import { Resource, Stack } from "../../../policies/engine/resource";
import { launchTemplate } from "../../../policies/facts/launch-templates";
import { groupsOf, isGpuGroup, machineTypes, nodeGroupsIn } from "../../../policies/facts/node-groups";
import {
  gpuNodeGroup,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
  scalingGroup,
} from "../../../policies/facts/node-sources";
import type { Rule } from "../../../policies/engine/rule";
import { gpuDesiredZero } from "../../../policies/rules/cost/gpu-desired-zero";
import { gpuTaintPresent } from "../../../policies/rules/nodes/gpu-taint-present";
import { nodegroupScalingOrder } from "../../../policies/rules/scaling/nodegroup-scaling-order";
import { resource, unknown, urnOf, verdicts } from "../support/verdicts";

const overrides = (...types: unknown[]) => ({
  mixedInstancesPolicy: { launchTemplate: { overrides: types.map((instanceType) => ({ instanceType })) } },
});

test.for([
  ["by its type", nodeGroup, { instanceTypes: ["g5.xlarge"] }, true],
  ["by one of several types", nodeGroup, { instanceTypes: ["t3.medium", "p5.48xlarge"] }, true],
  ["by its AMI", nodeGroup, { amiType: "BOTTLEROCKET_x86_64_NVIDIA" }, true],
  ["by the AMI of Amazon Linux 2", nodeGroup, { amiType: "AL2_x86_64_GPU" }, true],
  ["by its AMI, types unknown", nodeGroup, { amiType: "AL2023_x86_64_NVIDIA", instanceTypes: unknown }, true],
  ["a text in place of the list", nodeGroup, { instanceTypes: "g5.xlarge" }, true],
  ["a wish for GPUs", managedNodeGroup, { gpu: true }, true],
  ["self-managed", nodeGroupV2, { instanceType: "g6.xlarge" }, true],
  ["mixed instances", scalingGroup, overrides("t3.large", "g6.xlarge"), true],
  ["the component", gpuNodeGroup, {}, true],
  ["system nodes", nodeGroup, { amiType: "AL2023_x86_64_STANDARD", instanceTypes: ["t3.medium"] }, false],
  ["unknown overrides", scalingGroup, { mixedInstancesPolicy: { launchTemplate: { overrides: unknown } } }, "unknown"],
  ["by the AMI, self-managed", nodeGroupV2, { amiType: "AL2023_x86_64_NVIDIA" }, true],
  ["an instance", "aws:ec2/instance:Instance", { instanceType: "g5.xlarge" }, true],
  ["an AMI of a name like that", nodeGroup, { amiType: "AL2_GPU_NONE" }, false],
  ["mixed instances without", scalingGroup, overrides("t3.large"), false],
  ["nothing", nodeGroup, {}, false],
  ["wrong types", nodeGroup, { amiType: 1, instanceTypes: [null, {}, 3] }, false],
] as const)("%s", ([, type, properties, expected]) => {
  const isGpu = isGpuGroup(new Resource(resource(type, properties)));
  expect(isGpu instanceof Undetermined ? "unknown" : isGpu).toBe(expected);
});

test.for([
  [nodeGroup, { instanceTypes: unknown }, ["instanceTypes"]],
  [nodeGroup, { instanceTypes: ["t3.medium", unknown] }, ["instanceTypes[1]"]],
  [nodeGroup, { amiType: unknown, instanceTypes: ["t3.medium"] }, ["amiType"]],
  [nodeGroupV2, { instanceType: unknown }, ["instanceType"]],
  [scalingGroup, { mixedInstancesPolicy: unknown }, ["mixedInstancesPolicy"]],
] as const)("%s with %j cannot be determined", ([type, properties, paths]) => {
  expect(isGpuGroup(new Resource(resource(type, properties)))).toEqual(new Undetermined(paths));
});

test.for([
  ["g5.xlarge", true],
  ["t3.medium", false],
  [unknown, new Undetermined(["instanceType"])],
])("by the launch template: %s", ([instanceType, expected]) => {
  const template = resource(launchTemplate, { instanceType }, { name: "template" });
  for (const type of [nodeGroup, scalingGroup]) {
    const group = resource(type, {}, { propertyDependencies: { launchTemplate: [template.urn] } });
    const stack = new Stack([template, group].map((one) => new Resource(one)));
    const seen = stack.ofType(type)[0] as Resource;
    expect(isGpuGroup(seen, stack)).toEqual(expected);
    expect(isGpuGroup(seen)).toBe(false);
  }
});

const elsewhere = new Undetermined(["the instance type in a launch template outside the stack"]);

test.for([
  ["a node group", nodeGroup, { launchTemplate: { id: "lt-0" } }, elsewhere],
  ["a block in a list", managedNodeGroup, { launchTemplate: [{ id: "lt-0" }] }, elsewhere],
  ["an Auto Scaling group", scalingGroup, { launchTemplate: { id: "lt-0" } }, elsewhere],
  [
    "mixed instances that name no type",
    scalingGroup,
    { mixedInstancesPolicy: { launchTemplate: { launchTemplateSpecification: { launchTemplateId: "lt-0" } } } },
    elsewhere,
  ],
  ["a launch configuration", scalingGroup, { launchConfiguration: "nodes" }, elsewhere],
  ["a type of its own", nodeGroup, { launchTemplate: { id: "lt-0" }, instanceTypes: ["t3.medium"] }, false],
  ["a GPU type of its own", nodeGroup, { launchTemplate: { id: "lt-0" }, instanceTypes: ["g5.xlarge"] }, true],
  ["an AMI for GPUs", nodeGroup, { launchTemplate: { id: "lt-0" }, amiType: "AL2023_x86_64_NVIDIA" }, true],
  ["whether there is one is unknown", nodeGroup, { launchTemplate: unknown }, elsewhere],
  ["none", scalingGroup, { launchTemplate: null }, false],
] as const)("a launch template outside the stack: %s", ([, type, properties, expected]) => {
  const stack = new Stack([new Resource(resource(type, properties))]);
  expect(isGpuGroup(stack.resources[0] as Resource, stack)).toEqual(expected);
});

test("the launch template of a mix, and one that names no type", () => {
  const seen = (template: object) => {
    const made = resource(launchTemplate, { ...template }, { name: "template" });
    const group = resource(
      scalingGroup,
      { mixedInstancesPolicy: { launchTemplate: { launchTemplateSpecification: { launchTemplateId: unknown } } } },
      { propertyDependencies: { mixedInstancesPolicy: [made.urn] } },
    );
    const stack = new Stack([made, group].map((one) => new Resource(one)));
    const [asg] = stack.ofType(scalingGroup) as [Resource];
    return [isGpuGroup(asg, stack), machineTypes(asg, stack).length];
  };
  expect(seen({ instanceType: "g5.xlarge" })).toEqual([true, 1]);
  expect(seen({})).toEqual([false, 0]);
});

test("the types of a component are those that it states", () => {
  const types = (properties: object) =>
    machineTypes(new Resource(resource(gpuNodeGroup, { ...properties }))).map(({ value }) => value);
  expect(types({ instanceType: "g5.xlarge" })).toEqual(["g5.xlarge"]);
  expect(types({})).toEqual([]);
});

test("a component that shows its arguments stands for its group, if both are asked for", () => {
  const urn = urnOf(`${managedNodeGroup}$${nodeGroup}`, "gpu");
  const groups = (component: object, name = "gpu") => {
    const all = [
      resource(managedNodeGroup, { ...component }, { name: "gpu" }),
      resource(nodeGroup, { amiType: "CUSTOM" }, { name, urn }),
    ];
    return new Stack(all.map((one) => new Resource(one)));
  };
  const types = (stack: Stack, ...asked: string[]) => groupsOf(stack, asked).map(({ type }) => type);
  expect(types(groups({ amiType: "CUSTOM" }), nodeGroup, managedNodeGroup)).toEqual([managedNodeGroup]);
  expect(types(groups({ amiType: "CUSTOM" }), nodeGroup)).toEqual([nodeGroup]);
  expect(types(groups({ amiType: "CUSTOM" }, "other"), nodeGroup, managedNodeGroup)).toHaveLength(2);
  expect(types(groups({}), nodeGroup, managedNodeGroup)).toHaveLength(2);
});

const taint = (effect: string) => [{ key: "nvidia.com/gpu", value: "true", effect }];
const scaled = (desiredSize: number) => ({ minSize: 0, desiredSize, maxSize: 2 });
const ofEks = (desired: number, effect?: string) => ({
  instanceTypes: ["g5.xlarge"],
  labels: { "nvidia.com/gpu": "true" },
  scalingConfig: scaled(desired),
  ...(effect !== undefined && { taints: taint(effect) }),
});
const ofProvider = (desired: number, effect?: string) => {
  const { taints, ...group } = { taints: undefined, ...ofEks(desired, effect) };
  return { spec: { forProvider: { ...group, scalingConfig: [scaled(desired)], taint: taints } } };
};
const ofPool = (desired: number, effect?: string) => ({
  spec: {
    ...{ instanceType: "g5.xlarge", labels: { "nvidia.com/gpu": "true" }, scaling: { minSize: desired, maxSize: 2 } },
    ...(effect !== undefined && { taints: taint(effect) }),
  },
});

test.for([
  ["aws-native:eks:Nodegroup", ofEks, "NO_SCHEDULE", "scalingConfig.desiredSize"],
  [
    "kubernetes:eks.services.k8s.aws/v1alpha1:Nodegroup",
    (desired: number, effect?: string) => ({ spec: ofEks(desired, effect) }),
    "NO_SCHEDULE",
    "spec.scalingConfig.desiredSize",
  ],
  [
    "kubernetes:eks.aws.crossplane.io/v1alpha1:NodeGroup",
    (desired: number, effect?: string) => ({ spec: { forProvider: ofEks(desired, effect) } }),
    "NO_SCHEDULE",
    "spec.forProvider.scalingConfig.desiredSize",
  ],
  [
    "kubernetes:eks.aws.upbound.io/v1beta1:NodeGroup",
    ofProvider,
    "NO_SCHEDULE",
    "spec.forProvider.scalingConfig.desiredSize",
  ],
  [
    "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSManagedMachinePool",
    ofPool,
    "no-schedule",
    "spec.scaling.minSize",
  ],
] as const)("a group of %s is a group of nodes", ([type, of, effect, size]) => {
  const judged = (rule: Rule, desired: number, ...effects: [string?]) =>
    verdicts(rule, [resource(type, of(desired, ...effects))]);
  expect(judged(gpuTaintPresent, 0, effect)).toEqual([]);
  expect(judged(gpuTaintPresent, 0)).toHaveLength(1);
  expect(judged(gpuTaintPresent, 0, "NoSchedule")).toHaveLength(1);
  expect(judged(gpuDesiredZero, 0)).toEqual([]);
  expect(judged(gpuDesiredZero, 1)).toEqual([`fail ${size}`]);
  expect(judged(nodegroupScalingOrder, 2)).toEqual([]);
  expect(judged(nodegroupScalingOrder, 3)).toHaveLength(1);
  expect(nodeGroupsIn(new Stack([new Resource(resource(type, { spec: unknown }))]), [type])).toHaveLength(1);
});
