import { expect, test } from "vitest";
import { nodegroupScalingOrder as rule } from "../../../../policies/rules/scaling/nodegroup-scaling-order";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const scalingGroup = "aws:autoscaling/group:Group";
const gpuNodes = "eks-gpu-lab:index:GpuNodeGroup";
const systemNodes = "eks-gpu-lab:index:SystemNodeGroup";

const min = "scalingConfig.minSize";
const desired = "scalingConfig.desiredSize";
const max = "scalingConfig.maxSize";

type Size = unknown;
const sizes = (minSize: Size, desiredSize: Size, maxSize: Size) => ({
  scalingConfig: { minSize, desiredSize, maxSize },
});

test.for([
  // Sizes in order.
  ["a lab at rest", sizes(0, 0, 2), []],
  ["a group in use", sizes(1, 2, 4), []],
  ["all three the same", sizes(3, 3, 3), []],
  ["the smallest group", sizes(0, 0, 1), []],
  ["texts of digits", sizes("2", "9", "10"), []],
  ["a block in a list", { scalingConfig: [{ minSize: 0, desiredSize: 1, maxSize: 2 }] }, []],
  // Sizes out of order.
  ["desired above max", sizes(0, 3, 2), [`fail ${max}`]],
  ["min above max and desired", sizes(3, 2, 2), [`fail ${max}`, `fail ${desired}`]],
  ["desired below min", sizes(2, 1, 4), [`fail ${desired}`]],
  ["texts that only look in order", sizes("2", "10", "9"), [`fail ${max}`]],
  ["a block in a list, out of order", { scalingConfig: [{ minSize: 0, desiredSize: 3, maxSize: 2 }] }, [`fail ${max}`]],
  ["one too many", sizes(0, 3, 2), [`fail ${max}`]],
  // No sizes at all.
  ["max 0, which EKS refuses", sizes(0, 0, 0), [`fail ${max}`]],
  ["a negative max says so once", sizes(0, 0, -1), [`fail ${max}`]],
  ["a negative desired", sizes(0, -1, 2), [`fail ${desired}`]],
  ["a fraction", sizes(0, 1.5, 2), [`fail ${desired}`]],
  ["a text", sizes("one", 1, 2), [`fail ${min}`]],
  ["an empty string", sizes("", 1, 2), [`fail ${min}`]],
  ["not a number", sizes(0, Number.NaN, 2), [`fail ${desired}`]],
  ["a number too large to be exact", sizes(0, 1, 1e300), [`fail ${max}`]],
  ["a list", sizes(0, [1], 2), [`fail ${desired}`]],
  ["a text for the block", { scalingConfig: "large" }, [`fail ${min}`, `fail ${max}`, `fail ${desired}`]],
  // What is not there is not judged.
  ["nothing at all", {}, []],
  ["null counts as nothing", sizes(null, null, null), []],
  ["an empty block", { scalingConfig: {} }, []],
  ["a min alone", { scalingConfig: { minSize: 5 } }, []],
  // Each pair is judged as soon as both are known.
  ["min unknown, the rest fine", sizes(unknown, 1, 2), [`unknown ${min}`]],
  ["desired unknown, the rest fine", sizes(0, unknown, 2), [`unknown ${desired}`]],
  ["max unknown, the rest fine", sizes(0, 1, unknown), [`unknown ${max}`]],
  ["min unknown, desired above max", sizes(unknown, 3, 2), [`fail ${max}`]],
  ["desired unknown, min above max", sizes(3, unknown, 2), [`fail ${max}`]],
  ["max unknown, desired below min", sizes(2, 1, unknown), [`fail ${desired}`]],
  ["everything unknown", sizes(unknown, unknown, unknown), [`unknown ${min}, ${max}, ${desired}`]],
  ["the whole block unknown", { scalingConfig: unknown }, ["unknown scalingConfig"]],
  ["an unknown block in a list", { scalingConfig: [unknown] }, ["unknown scalingConfig"]],
] as const)("EKS node group: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(nodeGroup, properties)])).toEqual(expected);
});

test.for([
  ["in order", { minSize: 1, desiredCapacity: 1, maxSize: 2 }, []],
  ["max 0 turns the group off", { minSize: 0, desiredCapacity: 0, maxSize: 0 }, []],
  ["without a desired capacity", { minSize: 1, maxSize: 2 }, []],
  ["desired above max", { minSize: 0, desiredCapacity: 3, maxSize: 2 }, ["fail maxSize"]],
  ["min above max", { minSize: 3, maxSize: 2 }, ["fail maxSize"]],
  ["a negative max", { minSize: 0, maxSize: -1 }, ["fail maxSize"]],
  ["desired unknown", { minSize: 0, desiredCapacity: unknown, maxSize: 2 }, ["unknown desiredCapacity"]],
] as const)("Auto Scaling group: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(scalingGroup, properties)])).toEqual(expected);
});

test.for([
  ["in order", { minSize: 0, desiredSize: 0, maxSize: 2 }, []],
  ["desired above max", { minSize: 0, desiredSize: 3, maxSize: 2 }, ["fail maxSize"]],
  ["max 0", { minSize: 0, desiredSize: 0, maxSize: 0 }, ["fail maxSize"]],
  ["arguments that the SDK did not send", {}, []],
] as const)("component arguments: %s", ([, properties, expected]) => {
  for (const type of [gpuNodes, systemNodes]) expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

const ofEks = ["eks:index:Cluster", "eks:index:NodeGroup", "eks:index:NodeGroupV2"];

test.for([
  ["desired above the default maximum", { desiredCapacity: 4 }, ["fail maxSize"]],
  ["min above both defaults", { minSize: 3 }, ["fail maxSize", "fail desiredCapacity"]],
  ["max below the default desired size", { maxSize: 1 }, ["fail maxSize"]],
  ["max 0 alone", { maxSize: 0 }, ["fail maxSize", "fail maxSize"]],
  ["a size that fits the defaults", { desiredCapacity: 1 }, []],
  ["a larger maximum", { maxSize: 8 }, []],
  ["desired unknown", { desiredCapacity: unknown }, ["unknown desiredCapacity"]],
] as const)("defaults of @pulumi/eks count: %s", ([, properties, expected]) => {
  for (const type of ofEks) expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  const nested = { nodeGroupOptions: properties };
  const inside = expected.map((one) => one.replace(" ", " nodeGroupOptions."));
  expect(verdicts(rule, [resource("eks:index:Cluster", nested)])).toEqual(inside);
});

test("a default is not said to be a value of the program", () => {
  const [finding] = findings(rule, [resource("eks:index:NodeGroupV2", { desiredCapacity: 4 })]);
  expect(finding?.message).toContain("got nothing, which means 2, below desiredCapacity 4");
  expect(finding?.message).toContain("raise maxSize to 4 or more, or lower desiredCapacity to 2 or less");
});

test("components of @pulumi/eks, as the offline plan and as the engine shows them", () => {
  const seen = (type: string, properties: object) => verdicts(rule, [resource(type, { ...properties })]);
  expect(seen("eks:index:ManagedNodeGroup", sizes(0, 3, 2))).toEqual([`fail ${max}`]);
  expect(seen("eks:index:NodeGroupV2", { minSize: 0, desiredCapacity: 3, maxSize: 2 })).toEqual(["fail maxSize"]);
  expect(seen("eks:index:NodeGroupV2", { minSize: 0, desiredCapacity: 0, maxSize: 0 })).toEqual([]);
  for (const type of ["eks:index:ManagedNodeGroup", "eks:index:NodeGroupV2"]) expect(seen(type, {})).toEqual([]);
});

test.for([
  [["scalingConfig.desiredSize"], sizes(0, 3, 1), [`fail ${max}`]],
  [["scalingConfig.desiredSize"], sizes(2, 1, 4), [`fail ${desired}`]],
  [["scalingConfig.desiredSize"], sizes(0, 1, 2), []],
  [["scalingConfig.desiredSize"], sizes(0, unknown, 2), [`unknown ${desired}`]],
  [['scalingConfig["desiredSize"]'], sizes(0, 3, 2), [`fail ${max}`]],
  [["scalingConfig"], sizes(0, 3, 2), [`fail ${max}`]],
  [["*"], sizes(0, 3, 2), [`fail ${max}`]],
] as const)("EKS node group: ignoreChanges %j excuses nothing: %j", ([ignoreChanges, properties, expected]) => {
  const seen = (type: string) => verdicts(rule, [resource(type, properties, { options: { ignoreChanges } })]);
  for (const type of [nodeGroup, "eks:index:ManagedNodeGroup"]) expect(seen(type)).toEqual(expected);
});

test.for([
  [["desiredCapacity"], { minSize: 0, desiredCapacity: 3, maxSize: 2 }, ["advise maxSize"]],
  [["*"], { minSize: 0, desiredCapacity: 3, maxSize: 2 }, ["advise maxSize"]],
  [["desiredCapacity"], { minSize: 2, desiredCapacity: 1, maxSize: 4 }, ["advise desiredCapacity"]],
  [["desiredCapacity"], { minSize: 0, desiredCapacity: -1, maxSize: 4 }, ["advise desiredCapacity"]],
  [["desiredCapacity"], { minSize: 0, desiredCapacity: 1, maxSize: 2 }, []],
  [["desiredCapacity"], { minSize: 3, desiredCapacity: 2, maxSize: 2 }, ["fail maxSize", "advise desiredCapacity"]],
  [["minSize", "tags"], { minSize: 0, desiredCapacity: 3, maxSize: 2 }, ["fail maxSize"]],
] as const)(
  "Auto Scaling group: ignoreChanges %j of the desired capacity is advised on: %j",
  ([ignored, group, said]) => {
    expect(verdicts(rule, [resource(scalingGroup, group, { options: { ignoreChanges: ignored } })])).toEqual(said);
  },
);

test("ignoreChanges of a component, which does not reach the groups it makes, excuses nothing", () => {
  const options = { ignoreChanges: ["desiredSize", "desiredCapacity"] };
  const seen = (type: string, properties: object) => verdicts(rule, [resource(type, { ...properties }, { options })]);
  expect(seen("eks:index:NodeGroupV2", { minSize: 0, desiredCapacity: 3, maxSize: 2 })).toEqual(["fail maxSize"]);
  expect(seen(gpuNodes, { minSize: 0, desiredSize: 3, maxSize: 2 })).toEqual(["fail maxSize"]);
});

test("the component is blamed, not the node group it makes", () => {
  const component = resource(gpuNodes, { minSize: 0, desiredSize: 3, maxSize: 2 }, { name: "gpu" });
  const child = resource(nodeGroup, sizes(0, 3, 2), { name: "gpu", parent: component.urn });
  expect(findings(rule, [component, child]).map(({ urn }) => urn)).toEqual([component.urn]);
});

test("the component's arguments are judged where ignoreChanges hides the desired size", () => {
  const component = resource(gpuNodes, { minSize: 0, desiredSize: 3, maxSize: 2 }, { name: "gpu" });
  const options = { ignoreChanges: ["scalingConfig.desiredSize"] };
  const child = resource(nodeGroup, sizes(0, 0, 2), { name: "gpu", parent: component.urn, options });
  expect(findings(rule, [component, child]).map(({ urn }) => urn)).toEqual([component.urn]);
});

test("a group whose size in Pulumi's state is above its component's new maximum is blamed", () => {
  const component = resource(gpuNodes, { minSize: 0, desiredSize: 0, maxSize: 2 }, { name: "gpu" });
  const options = { ignoreChanges: ["scalingConfig.desiredSize"] };
  const urn = urnOf(`${gpuNodes}$${nodeGroup}`, "gpu");
  const child = resource(nodeGroup, sizes(0, 3, 2), { name: "gpu", urn, parent: component.urn, options });
  expect(findings(rule, [component, child]).map((finding) => finding.urn)).toEqual([urn]);
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const named = (name: string) => verdicts(rule, [resource(nodeGroup, sizes(0, 3, 2), { name })], { policyConfig });
  expect(named("old-gpu")).toEqual([]);
  expect(named("gpu")).toEqual([`fail ${max}`]);
});

test("a secret in place of a size is not printed", () => {
  const [finding] = findings(rule, [resource(nodeGroup, sizes(0, "hunter2", 2))]);
  expect(finding?.message).toContain("scalingConfig.desiredSize: got a string.");
  expect(finding?.message).not.toContain("hunter2");
});

test("messages", () => {
  const messages = findings(rule, [resource(nodeGroup, sizes(-1, 3, 2))]).map(({ message }) => message);
  expect(messages).toMatchInlineSnapshot(`
    [
      "scalingConfig.minSize: got -1. AWS accepts whole numbers of 0 or more. It rejects the group during the update.
    fix: set scalingConfig.minSize to a whole number of 0 or more",
      "scalingConfig.maxSize: got 2, below scalingConfig.desiredSize 3. EKS rejects such a group, but only during the update, after 15 to 20 minutes.
    fix: raise scalingConfig.maxSize to 3 or more, or lower scalingConfig.desiredSize to 2 or less",
    ]
  `);
  const ofGroup = { options: { ignoreChanges: ["scalingConfig.desiredSize"] } };
  expect(findings(rule, [resource(nodeGroup, sizes(0, 3, 2), ofGroup)])[0]?.message).toMatchInlineSnapshot(`
    "scalingConfig.maxSize: got 2, below scalingConfig.desiredSize 3. EKS rejects such a group, but only during the update, after 15 to 20 minutes.
    fix: raise scalingConfig.maxSize to 3 or more, or lower scalingConfig.desiredSize to 2 or less; if the group exists, ignoreChanges keeps its desired size: scale it outside Pulumi, then run pulumi refresh"
  `);
  const held = { options: { ignoreChanges: ["desiredCapacity"] } };
  const scaling = resource(scalingGroup, { minSize: 0, desiredCapacity: 3, maxSize: 2 }, held);
  expect(findings(rule, [scaling])[0]?.message).toMatchInlineSnapshot(`
    "maxSize: got 2, below desiredCapacity 3. AWS rejects such a group when it is created. ignoreChanges helps only if the group already exists.
    fix: raise maxSize to 3 or more, or lower desiredCapacity to 2 or less"
  `);
  expect(findings(rule, [resource(nodeGroup, sizes(0, unknown, 2))])[0]?.message).toMatchInlineSnapshot(
    `"cannot be judged yet: scalingConfig.desiredSize is not known"`,
  );
});

test.for([
  ["eks-gpu-lab:index:GpuNodeGroup", { minSize: 2, desiredSize: 1, maxSize: 3 }, ["fail desiredSize"]],
  ["eks-gpu-lab:index:SystemNodeGroup", { minSize: -1, desiredSize: 1, maxSize: 3 }, ["fail minSize"]],
  ["aws:autoscaling/group:Group", { minSize: 0, desiredCapacity: 1, maxSize: 0 }, ["fail maxSize"]],
  ["aws:autoscaling/group:Group", { minSize: 0, desiredCapacity: 0, maxSize: 0 }, []],
] as const)("%s %j", ([type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test.for([
  [
    "aws:batch/computeEnvironment:ComputeEnvironment",
    { computeResources: { minVcpus: 64, maxVcpus: 16, desiredVcpus: 64 } },
    ["fail computeResources.maxVcpus"],
  ],
  [
    "aws-native:batch:ComputeEnvironment",
    { computeResources: { minvCpus: 8, maxvCpus: 4 } },
    ["fail computeResources.maxvCpus"],
  ],
  ["aws:autoscaling/schedule:Schedule", { minSize: 0, desiredCapacity: 5, maxSize: 2 }, ["fail maxSize"]],
  ["aws:autoscaling/schedule:Schedule", { minSize: -1, desiredCapacity: 5, maxSize: -1 }, []],
  ["aws-native:autoscaling:ScheduledAction", { minSize: 3, maxSize: 2 }, ["fail maxSize"]],
  [
    "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachinePool",
    { spec: { minSize: 3, maxSize: 2 } },
    ["fail spec.maxSize"],
  ],
  ["kubernetes:kops.k8s.io/v1alpha2:InstanceGroup", { spec: { minSize: 3, maxSize: 2 } }, ["fail spec.maxSize"]],
] as const)("other sizes: %s %j", ([type, properties, expected]) => {
  expect(new Set(verdicts(rule, [resource(type, properties)]))).toEqual(new Set(expected));
});

test("other groups than those of EKS are rejected at once, and 0 is the smallest size", () => {
  const message = (type: string, properties: object) => findings(rule, [resource(type, { ...properties })])[0]?.message;
  const batch = { computeResources: { minVcpus: 8, maxVcpus: 4 } };
  expect(message("aws:batch/computeEnvironment:ComputeEnvironment", batch)).toContain(
    "AWS rejects such sizes, but only during the update.\nfix: raise computeResources.maxVcpus to 8 or more, or lower computeResources.minVcpus to 4 or less",
  );
  expect(message("aws:autoscaling/group:Group", { minSize: 1, desiredCapacity: 0, maxSize: 2 })).toMatch(
    /, or lower minSize to 0$/,
  );
});
