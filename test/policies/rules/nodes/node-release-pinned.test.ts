import { expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { gpuNodeGroup, managedNodeGroup, nodeGroup } from "../../../../policies/facts/node-sources";
import { nodeReleasePinned as rule } from "../../../../policies/rules/nodes/node-release-pinned";
import { withTemplate } from "../../support/launch-templates";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";
import { withoutVersions } from "../../../support/wording";

const elsewhere = "unknown the instance type in a launch template outside the stack";
const gpu = { amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g5.xlarge"] };

test.for([
  ["a release", { ...gpu, releaseVersion: "1.35.8-20260930" }, []],
  ["system nodes", { amiType: "AL2023_x86_64_STANDARD", instanceTypes: ["t3.medium"] }, []],
  ["a custom AMI", { ...gpu, amiType: "CUSTOM" }, []],
  [
    "an image of a launch template outside the stack, perhaps",
    { instanceTypes: ["g5.xlarge"], launchTemplate: { id: "lt-0" } },
    ["unknown the image in a launch template outside the stack"],
  ],
  ["a template outside the stack", { launchTemplate: { id: "lt-0" }, amiType: "AL2023_x86_64_STANDARD" }, [elsewhere]],
  ["nothing", {}, []],
  ["no release", gpu, ["fail releaseVersion"]],
  ["an empty one", { ...gpu, releaseVersion: " " }, ["fail releaseVersion"]],
  ["no AMI type either", { instanceTypes: ["g5.xlarge"] }, ["fail releaseVersion"]],
  ["EKS's AMI with a launch template", { ...gpu, launchTemplate: { id: "lt-0" } }, ["fail releaseVersion"]],
  ["release unknown", { ...gpu, releaseVersion: unknown }, ["unknown releaseVersion"]],
  ["AMI unknown", { instanceTypes: ["g5.xlarge"], amiType: unknown }, ["unknown amiType"]],
  [
    "AMI unknown, and its image perhaps of a launch template outside the stack",
    { ...gpu, amiType: unknown, launchTemplate: { id: "lt-0" } },
    ["unknown amiType, the image in a launch template outside the stack"],
  ],
  ["types unknown", { instanceTypes: unknown }, ["unknown instanceTypes"]],
  ["types unknown, a release", { instanceTypes: unknown, releaseVersion: "1.35.8-20260930" }, []],
  ["launch template unknown", { instanceTypes: ["g5.xlarge"], launchTemplate: unknown }, ["unknown launchTemplate"]],
] as const)("node group: %s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

const system = { amiType: "AL2023_x86_64_STANDARD", instanceTypes: ["t3.medium"] };
test.for([
  ["a GPU fault on GPU nodes", { ...gpu, releaseVersion: "1.34.7-20260423" }, ["advise releaseVersion"]],
  ["a GPU fault on system nodes", { ...system, releaseVersion: "1.34.7-20260423" }, []],
  [
    "a GPU fault on nodes of an unknown type",
    { instanceTypes: unknown, releaseVersion: "1.35.4-20260818" },
    ["unknown instanceTypes"],
  ],
  ["a fault of every node", { ...system, releaseVersion: "1.33.11-20260409" }, ["advise releaseVersion"]],
  ["a fault of every node, on GPU nodes", { ...gpu, releaseVersion: "1.35.4-20260505" }, ["advise releaseVersion"]],
  ["a later release", { ...gpu, releaseVersion: "1.35.8-20260930" }, []],
  ["a release of Bottlerocket", { ...system, releaseVersion: "1.61.0-8ef015e0" }, []],
  ["a name that objects have", { ...system, releaseVersion: "constructor" }, []],
] as const)("a reported fault of a release: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(nodeGroup, properties)])).toEqual(expected);
});

test("the advice names the fault and its issue", () => {
  const [found] = findings(rule, [resource(nodeGroup, { ...gpu, releaseVersion: "1.34.7-20260423" })]);
  expect(found?.message).toContain("The NVIDIA device plugin crashes");
  expect(found?.message).toContain("https://github.com/awslabs/amazon-eks-ami/issues/2706");
});

test.for([
  ["a GPU type, and no image", {}, { instanceType: "g5.xlarge" }, ["fail releaseVersion"]],
  ["a GPU, EKS's AMI", { amiType: "AL2023_x86_64_STANDARD" }, { instanceType: "g5.xlarge" }, ["fail releaseVersion"]],
  ["a GPU type, and its image", {}, { instanceType: "g5.xlarge", imageId: "ami-0" }, []],
  ["a GPU type, and a custom AMI", { amiType: "CUSTOM" }, { instanceType: "g5.xlarge" }, []],
  ["another type", {}, { instanceType: "t3.medium" }, []],
  ["a type unknown", {}, { instanceType: unknown }, ["unknown instanceType"]],
] as const)("by the launch template: %s", ([, group, template, expected]) => {
  expect(verdicts(rule, withTemplate(nodeGroup, group, template))).toEqual(expected);
});

const eks = "resolve:ssm:/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/nvidia";

test.for([
  ["ami-0123456789abcdef0", []],
  [`${eks}/amazon-eks-node-al2023-x86_64-nvidia-1.35-v20260930/image_id`, []],
  ["resolve:ssm:golden-gpu:7", []],
  ["resolve:ssm:golden-gpu:12", []],
  ["resolve:ssm:/golden-gpu/20260930", []],
  ["resolve:ssm:/golden-gpu/20260930/image", []],
  ["my-resolve:ssm:golden-gpu", []],
  ["resolve:ssm:/golden-gpu/202609301", ["fail imageId"]],
  ["resolve:ssm:/123456789012/golden-gpu", ["fail imageId"]],
  ["", []],
  [undefined, []],
  [`${eks}/recommended/image_id`, ["fail imageId"]],
  ["resolve:ssm:golden-gpu", ["fail imageId"]],
  ["resolve:ssm:golden-gpu:prod", ["fail imageId"]],
  ["resolve:ssm:arn:aws:ssm:eu-west-1:123456789012:parameter/golden-gpu", ["fail imageId"]],
  [unknown, ["unknown imageId"]],
] as const)("launch template: %s", ([imageId, expected]) => {
  expect(verdicts(rule, [resource(launchTemplate, { imageId })])).toEqual(expected);
});

test("the group that a component makes is judged", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge" });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu");
  expect(verdicts(rule, [component, resource(nodeGroup, gpu, { urn, parent: component.urn })])).toEqual([
    "fail releaseVersion",
  ]);
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const named = (name: string) => verdicts(rule, [resource(nodeGroup, gpu, { name })], { policyConfig });
  expect(named("old-gpu")).toEqual([]);
  expect(named("gpu")).toEqual(["fail releaseVersion"]);
});

test("messages, without the secret in place of a name", () => {
  const message = (type: string, properties: object) =>
    findings(rule, [resource(type, { ...properties })]).map((finding) => withoutVersions(finding.message));
  expect(message(nodeGroup, gpu)).toMatchInlineSnapshot(`
    [
      "releaseVersion: got nothing. EKS uses its newest AMI when it creates the group. The AMI contains the NVIDIA driver.
    fix: set releaseVersion to a release such as "VERSION"",
    ]
  `);
  expect(message(launchTemplate, { imageId: "resolve:ssm:hunter2" })).toMatchInlineSnapshot(`
    [
      "imageId: got a parameter without a version. Each new node resolves the parameter again, so the nodes of one group can have different images and drivers.
    fix: set imageId to an image id, or add the version of the parameter: resolve:ssm:<name>:<version>",
    ]
  `);
});

test("advice on a reported release shows the release", () => {
  const group = resource("aws:eks/nodeGroup:NodeGroup", {
    ...{ amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g6.xlarge"], releaseVersion: "1.35.3-20260423" },
  });
  expect(findings(rule, [group])[0]?.message).toContain('releaseVersion: got "1.35.3-20260423". Reported for');
});
