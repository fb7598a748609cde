import { expect, test } from "vitest";
import { Resource, Stack } from "../../../../policies/core/resource";
import { Undetermined } from "../../../../policies/core/unknown";
import {
  gpuNodeGroup,
  isGpuGroup,
  isGpuType,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
  scalingGroup,
} from "../../../../policies/rules/nodes/gpu-group";
import { launchTemplate } from "../../../../policies/rules/machines/launch-template";
import { resource, unknown } from "../../support/verdicts";

const overrides = (...types: unknown[]) => ({
  mixedInstancesPolicy: { launchTemplate: { overrides: types.map((instanceType) => ({ instanceType })) } },
});

test.for([
  ["g5.xlarge", true],
  ["g5g.xlarge", true],
  ["gr6f.4xlarge", true],
  ["p5en.48xlarge", true],
  ["p3.2xlarge", true],
  ["g9.xlarge", true],
  ["g4ad.xlarge", false],
  ["m6g.large", false],
  ["t3.medium", false],
  ["", false],
  ["constructor", false],
] as const)("%s: %s", ([name, expected]) => expect(isGpuType(name)).toBe(expected));

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
  ["mixed instances without", scalingGroup, overrides("t3.large"), false],
  ["nothing", nodeGroup, {}, false],
  ["wrong types", nodeGroup, { amiType: 1, instanceTypes: [null, {}, 3] }, false],
] as const)("%s", ([, type, properties, expected]) => {
  expect(isGpuGroup(new Resource(resource(type, properties)))).toBe(expected);
});

test.for([
  [nodeGroup, { instanceTypes: unknown }, ["instanceTypes"]],
  [nodeGroup, { instanceTypes: ["t3.medium", unknown] }, ["instanceTypes[1]"]],
  [nodeGroup, { amiType: unknown, instanceTypes: ["t3.medium"] }, ["amiType"]],
  [nodeGroupV2, { instanceType: unknown }, ["instanceType"]],
  [scalingGroup, { mixedInstancesPolicy: unknown }, ["mixedInstancesPolicy"]],
] as const)("%s with %j cannot be told", ([type, properties, paths]) => {
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
