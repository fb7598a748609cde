import { expect, test } from "vitest";
import { gpuNodeGroup, managedNodeGroup, nodeGroup, nodeGroupV2 } from "../../../../policies/facts/node-sources";
import {
  amiArchitecture,
  amiTypes,
  architectureOf,
  gpuAmiFamily as rule,
  isAccelerated,
} from "../../../../policies/rules/nodes/gpu-ami-family";
import { withTemplate } from "../../support/launch-templates";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const nodes = (amiType: unknown, ...instanceTypes: unknown[]) => ({ amiType, instanceTypes });

test.for([
  ["x86 with a GPU", nodes("AL2023_x86_64_NVIDIA", "g5.xlarge"), []],
  ["Arm with a GPU", nodes("AL2023_ARM_64_NVIDIA", "g5g.xlarge"), []],
  ["x86 without", nodes("AL2023_x86_64_STANDARD", "t3.medium", "m5.large"), []],
  ["Arm without", nodes("BOTTLEROCKET_ARM_64", "m7g.large"), []],
  ["AWS's own accelerators on AL2", nodes("AL2_x86_64_GPU", "trn1.2xlarge"), []],
  ["a new GPU type that no table has", nodes("AL2023_x86_64_NVIDIA", "g9.xlarge"), []],
  ["a custom AMI", nodes("CUSTOM", "g5.xlarge"), []],
  ["a custom AMI, its type unknown", nodes("CUSTOM", unknown), []],
  ["no types", { amiType: "AL2023_x86_64_NVIDIA" }, []],
  [
    "neither, but a launch template outside the stack",
    { launchTemplate: { id: "lt-0" }, instanceTypes: ["g5.xlarge"] },
    ["unknown the image in a launch template outside the stack"],
  ],
  [
    "an AMI for a launch template outside the stack",
    { launchTemplate: { id: "lt-0" }, amiType: "AL2023_x86_64_STANDARD" },
    ["unknown the instance type in a launch template outside the stack"],
  ],
  ["AMD's GPU on an AMI for NVIDIA's", nodes("AL2023_x86_64_NVIDIA", "g4ad.xlarge"), ["fail amiType"]],
  ["AMD's GPU on another", nodes("AL2023_x86_64_STANDARD", "g4ad.xlarge"), []],
  ["nothing", {}, []],
  ["a GPU without the driver", nodes("AL2023_x86_64_STANDARD", "g5.xlarge"), ["fail amiType"]],
  ["one GPU of several types", nodes("BOTTLEROCKET_x86_64", "t3.large", "g6.xlarge"), ["fail amiType"]],
  ["a driver without a GPU", nodes("AL2023_x86_64_NVIDIA", "t3.medium"), ["fail amiType"]],
  ["a driver without a GPU that no table has", nodes("AL2023_x86_64_NVIDIA", "c9i.large"), ["fail amiType"]],
  ["Arm's AMI on x86", nodes("AL2023_ARM_64_NVIDIA", "g5.xlarge"), ["fail amiType"]],
  ["x86's AMI on Arm", nodes("AL2023_x86_64_NVIDIA", "g5g.xlarge"), ["fail amiType"]],
  ["Arm's AMI on x86, no GPU", nodes("AL2023_ARM_64_STANDARD", "t3.medium"), ["fail amiType"]],
  ["the wrong processor, no driver", nodes("AL2023_x86_64_STANDARD", "g5g.xlarge"), ["fail amiType", "fail amiType"]],
  ["EKS chooses for a GPU", { instanceTypes: ["g5.xlarge"] }, ["advise amiType"]],
  ["EKS chooses for others", { instanceTypes: ["t3.medium"] }, []],
  ["AMI unknown", nodes(unknown, "g5.xlarge"), ["unknown amiType"]],
  ["types unknown", { amiType: "AL2023_x86_64_NVIDIA", instanceTypes: unknown }, ["unknown instanceTypes"]],
  ["one type unknown, one wrong", nodes("AL2023_x86_64_NVIDIA", unknown, "t3.medium"), ["fail amiType"]],
  ["one type unknown, one right", nodes("AL2023_x86_64_NVIDIA", "g5.xlarge", unknown), ["unknown instanceTypes[1]"]],
] as const)("%s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

test.for([
  ["a GPU without the driver", { amiType: "AL2023_x86_64_STANDARD" }, { instanceType: "g5.xlarge" }, ["fail amiType"]],
  ["a driver without a GPU", { amiType: "AL2023_x86_64_NVIDIA" }, { instanceType: "t3.medium" }, ["fail amiType"]],
  ["the right one", { amiType: "AL2023_x86_64_NVIDIA" }, { instanceType: "g5.xlarge" }, []],
  ["an image of one's own", {}, { instanceType: "g5.xlarge", imageId: "ami-0" }, []],
  ["EKS chooses", {}, { instanceType: "g5.xlarge" }, ["advise amiType"]],
  ["an image unknown", {}, { instanceType: "g5.xlarge", imageId: unknown }, ["unknown imageId"]],
  ["a type unknown", { amiType: "AL2023_x86_64_STANDARD" }, { instanceType: unknown }, ["unknown instanceType"]],
] as const)("by the launch template: %s", ([, group, template, expected]) => {
  expect(verdicts(rule, withTemplate(nodeGroup, group, template))).toEqual(expected);
});

test.for([
  ["the wrong AMI", { instanceType: "g5.xlarge", amiType: "AL2023_x86_64_STANDARD" }, ["fail amiType"]],
  ["the right one", { instanceType: "g5.xlarge", amiType: "AL2023_x86_64_NVIDIA" }, []],
  ["the one for GPUs", { instanceType: "g5.xlarge", gpu: true }, []],
  ["an image of its own", { instanceType: "g5.xlarge", amiId: "ami-0" }, []],
  ["an own image, on Arm", { instanceType: "g5g.xlarge", amiId: "ami-0", amiType: "AL2023_ARM_64_STANDARD" }, []],
  ["AMI unknown", { instanceType: "g5.xlarge", amiType: unknown }, ["unknown amiType"]],
] as const)("self-managed nodes of @pulumi/eks: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(nodeGroupV2, properties)])).toEqual(expected);
});

test("who asks @pulumi/eks for GPUs need name no AMI", () => {
  const asks = (gpu: unknown) => verdicts(rule, [resource(managedNodeGroup, { instanceTypes: ["g5.xlarge"], gpu })]);
  expect(asks(true)).toEqual([]);
  expect(asks(false)).toEqual(["advise amiType"]);
  expect(asks(unknown)).toEqual(["unknown gpu"]);
  const named = { instanceTypes: ["g5.xlarge"], amiId: "ami-0" };
  expect(verdicts(rule, [resource(managedNodeGroup, named)])).toEqual([]);
});

test.for([
  ["g5.xlarge", "amd64"],
  ["t4g.medium", "arm64"],
  ["im4gn.large", "arm64"],
  ["m10g.large", "arm64"],
  ["m10i.large", "amd64"],
  ["c8gd.metal-24xl", "arm64"],
  ["a1.large", "arm64"],
  ["r5dn.large", "amd64"],
  ["mac2.metal", undefined],
  ["p6e-gb200.36xlarge", undefined],
  ["u-6tb1.metal", undefined],
  ["g5", undefined],
  ["", undefined],
] as const)("the processor of %s: %s", ([name, expected]) => expect(architectureOf(name)).toBe(expected));

test("every AMI type but CUSTOM says what it is built for", () => {
  expect(amiTypes.filter((type) => amiArchitecture(type) === undefined)).toEqual(["CUSTOM"]);
});

test("what cannot be determined may have an accelerator", () => {
  const some = ["g5.xlarge", "inf2.xlarge", "trn9.large", "x", "p6e-gb200.36xlarge", "-c9i.large", "c9.", "C9i.large"];
  expect(some.filter(isAccelerated)).toEqual(some.filter((name) => name !== "c9."));
  expect(["t3.medium", "c9i.large", "g4ad.xlarge", "im4gn.large", "xinf9.large"].filter(isAccelerated)).toEqual([]);
});

test("the group that a component makes is judged", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge" });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu");
  const child = resource(nodeGroup, nodes("AL2023_x86_64_STANDARD", "g5.xlarge"), { urn, parent: component.urn });
  expect(findings(rule, [component, child]).map((finding) => finding.urn)).toEqual([urn]);
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const wrong = nodes("AL2023_x86_64_STANDARD", "g5.xlarge");
  const named = (name: string) => verdicts(rule, [resource(nodeGroup, wrong, { name })], { policyConfig });
  expect(named("old-gpu")).toEqual([]);
  expect(named("gpu")).toEqual(["fail amiType"]);
});

test("messages, without the secret in place of a type", () => {
  const message = (properties: object) =>
    findings(rule, [resource(nodeGroup, { ...properties })]).map((finding) => finding.message);
  expect(message(nodes("hunter2", "g5.xlarge"))).toMatchInlineSnapshot(`
    [
      "amiType: got a string for instanceTypes[0] g5.xlarge. The instance has an NVIDIA GPU, but the AMI has no driver and no runtime for it. No pod gets the GPU, and pods that use the NVIDIA runtime do not start.
    fix: set amiType to "AL2023_x86_64_NVIDIA", or to "AL2023_ARM_64_NVIDIA" for Arm instances",
    ]
  `);
  expect(message(nodes("AL2023_x86_64_NVIDIA", "m5.hunter2"))).toMatchInlineSnapshot(`
    [
      "amiType: got AL2023_x86_64_NVIDIA for instanceTypes[0]. The instance has no NVIDIA GPU, so the NVIDIA services of this AMI fail at each boot.
    fix: choose a type with an NVIDIA GPU for instanceTypes[0], or an AMI type without NVIDIA",
    ]
  `);
  expect(message(nodes("AL2023_ARM_64_NVIDIA", "g5.xlarge"))).toMatchInlineSnapshot(`
    [
      "amiType: got AL2023_ARM_64_NVIDIA for instanceTypes[0] g5.xlarge. The AMI is built for another processor architecture. EKS rejects the group during the update.
    fix: choose an AMI type with x86_64 in its name",
    ]
  `);
  const byTemplate = withTemplate(nodeGroup, { amiType: "AL2023_x86_64_STANDARD" }, { instanceType: "g5.xlarge" });
  expect(findings(rule, byTemplate).map((finding) => finding.message)).toMatchInlineSnapshot(`
    [
      "amiType: got AL2023_x86_64_STANDARD for instanceType of the launch template g5.xlarge. The instance has an NVIDIA GPU, but the AMI has no driver and no runtime for it. No pod gets the GPU, and pods that use the NVIDIA runtime do not start.
    fix: set amiType to "AL2023_x86_64_NVIDIA", or to "AL2023_ARM_64_NVIDIA" for Arm instances",
    ]
  `);
  expect(message(nodes("AL2023_x86_64_STANDARD", "m7g.large"))[0]).toContain(
    "choose an AMI type with ARM_64 in its name",
  );
  expect(message({ instanceTypes: ["g5.xlarge"] })).toMatchInlineSnapshot(`
    [
      "amiType: got nothing. EKS then chooses the AMI, and the program does not show whether it has the driver.
    fix: set amiType to "AL2023_x86_64_NVIDIA", or to "AL2023_ARM_64_NVIDIA" for Arm instances",
    ]
  `);
});
