import { expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { gpuNodeGroup, managedNodeGroup, nodeGroup, scalingGroup } from "../../../../policies/facts/node-sources";
import { gpuNodeDisk as rule } from "../../../../policies/rules/machines/gpu-node-disk";
import { withTemplate } from "../../support/launch-templates";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const gpu = { instanceTypes: ["g5.xlarge"] };

test.for([
  ["enough", { ...gpu, diskSize: 100 }, []],
  ["a text of digits", { ...gpu, diskSize: "200" }, []],
  ["system nodes", { instanceTypes: ["t3.medium"], diskSize: 20 }, []],
  ["a launch template outside the stack", { ...gpu, launchTemplate: { id: "lt-0" } }, []],
  ["nothing", {}, []],
  ["one GiB short", { ...gpu, diskSize: 99 }, ["fail diskSize"]],
  ["EKS's own size", gpu, ["fail diskSize"]],
  ["by the AMI", { amiType: "AL2023_x86_64_NVIDIA", diskSize: 30 }, ["fail diskSize"]],
  ["unknown", { ...gpu, diskSize: unknown }, ["unknown diskSize"]],
  ["types unknown", { instanceTypes: unknown, diskSize: 30 }, ["unknown instanceTypes"]],
  ["AMI unknown", { amiType: unknown, diskSize: 30 }, ["unknown amiType"]],
  ["types unknown, enough", { instanceTypes: unknown, diskSize: 300 }, []],
  ["launch template unknown", { ...gpu, launchTemplate: unknown }, ["unknown launchTemplate"]],
] as const)("without a launch template: %s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

const volume = (volumeSize: unknown, deviceName = "/dev/xvda") => ({ deviceName, ebs: { volumeSize } });
const size = "blockDeviceMappings[0].ebs.volumeSize";

test.for([
  ["enough", { blockDeviceMappings: [volume(100)] }, []],
  ["enough on Bottlerocket's second", { blockDeviceMappings: [volume(2), volume(100, "/dev/xvdb")] }, []],
  ["too small", { blockDeviceMappings: [volume(30)] }, [`fail ${size}`]],
  ["no size", { blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { encrypted: "true" } }] }, [`fail ${size}`]],
  ["no volume", {}, [`fail ${size}`]],
  ["unknown", { blockDeviceMappings: unknown }, ["unknown blockDeviceMappings"]],
  ["open", { blockDeviceMappings: [volume(2), volume(unknown)] }, ["unknown blockDeviceMappings[1].ebs.volumeSize"]],
  ["one unknown, one large", { blockDeviceMappings: [volume(unknown), volume(200)] }, []],
] as const)("launch template: %s", ([, properties, expected]) => {
  const template = resource(launchTemplate, { ...properties, instanceType: "g5.xlarge" }, { name: "template" });
  const links = { propertyDependencies: { launchTemplate: [template.urn] } };
  for (const type of [nodeGroup, scalingGroup]) {
    const group = resource(type, { launchTemplate: { id: unknown } }, links);
    expect(verdicts(rule, [template, group])).toEqual(expected);
  }
  const system = resource(nodeGroup, { instanceTypes: ["t3.medium"], launchTemplate: { id: unknown } }, links);
  expect(verdicts(rule, [template, system])).toEqual([]);
});

test.for([
  ["of GPUs", "g5.xlarge", 30, [`fail ${size}`]],
  ["without GPUs", "t3.medium", 30, []],
  ["unknown", unknown, 30, ["unknown instanceType"]],
  ["unknown, enough", unknown, 100, []],
] as const)("machines in the launch template: %s", ([, instanceType, gib, expected]) => {
  const stack = withTemplate(nodeGroup, {}, { instanceType, blockDeviceMappings: [volume(gib)] });
  expect(verdicts(rule, stack)).toEqual(expected);
});

test("an Auto Scaling group has no disk size of its own, and may take its template for a mix", () => {
  const mix = { mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: "g5.xlarge" }] } } };
  expect(verdicts(rule, [resource(scalingGroup, mix)])).toEqual([]);
  const template = resource(launchTemplate, { blockDeviceMappings: [volume(30)] }, { name: "template" });
  const links = { propertyDependencies: { mixedInstancesPolicy: [template.urn] } };
  expect(verdicts(rule, [template, resource(scalingGroup, mix, links)])).toEqual([`fail ${size}`]);
});

test.for([
  ["the only one", [volume(30)], `${size}: got 30.`],
  ["the larger, first", [volume(50), volume(30)], `${size}: got 50.`],
  ["the larger, last", [volume(30), volume(50)], "blockDeviceMappings[1].ebs.volumeSize: got 50."],
  ["the one with a size", [volume(undefined), volume(2)], "blockDeviceMappings[1].ebs.volumeSize: got 2."],
  ["what is no size, and is not printed", [volume("hunter2")], `${size}: got a string.`],
  ["none has a size", [volume(undefined)], `${size}: got nothing, which means 20.`],
] as const)("which volume of a template a message is about: %s", ([, blockDeviceMappings, expected]) => {
  const said = findings(rule, withTemplate(nodeGroup, gpu, { blockDeviceMappings }));
  expect(said.map(({ message }) => message.split(" Images")[0])).toEqual([expected]);
});

test("the launch template that a component makes is judged", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge", diskSizeGiB: 30 });
  const template = resource(
    launchTemplate,
    { blockDeviceMappings: [volume(30)] },
    { urn: urnOf(`${gpuNodeGroup}$${launchTemplate}`, "template"), name: "template", parent: component.urn },
  );
  const links = { propertyDependencies: { launchTemplate: [template.urn] } };
  const group = resource(nodeGroup, { ...gpu, launchTemplate: { id: unknown } }, links);
  expect(verdicts(rule, [component, template, group])).toEqual([`fail ${size}`]);
});

test("the size can be configured, and a group be exempt", () => {
  const judged = (configured: object) =>
    verdicts(rule, [resource(nodeGroup, { ...gpu, diskSize: 50 }, { name: "gpu" })], {
      policyConfig: { [rule.id]: configured },
    });
  expect(judged({ minGiB: 50 })).toEqual([]);
  expect(judged({ minGiB: 51 })).toEqual(["fail diskSize"]);
  expect(judged({ exempt: ["gpu"] })).toEqual([]);
});

test("messages, without a secret", () => {
  const message = (properties: object) =>
    findings(rule, [resource(nodeGroup, { ...gpu, ...properties })]).map((finding) => finding.message);
  expect(message({ diskSize: "hunter2" })).toEqual([]);
  expect(message({ diskSize: 30 })).toMatchInlineSnapshot(`
    [
      "diskSize: got 30. Images with CUDA and a framework need tens of GiB when unpacked. A node with a full disk evicts its pods.
    fix: set diskSize to 100 or more",
    ]
  `);
  expect(message({})).toMatchInlineSnapshot(`
    [
      "diskSize: got nothing, which means 20. Images with CUDA and a framework need tens of GiB when unpacked. A node with a full disk evicts its pods.
    fix: set diskSize to 100 or more",
    ]
  `);
});
