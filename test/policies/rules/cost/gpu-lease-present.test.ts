import { expect, test } from "vitest";
import { scaleInput, scaleTarget } from "../../../../components/lease/lease-documents";
import { nodeGroup, nodeGroupV2, scalingGroup } from "../../../../policies/facts/node-sources";
import { gpuLeasePresent as rule } from "../../../../policies/rules/cost/gpu-lease-present";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const schedule = "aws:scheduler/schedule:Schedule";
const max = "scalingConfig.maxSize";
const group = (more: object = {}) =>
  resource(nodeGroup, {
    clusterName: "shop",
    nodeGroupName: "gpu",
    instanceTypes: ["g5.xlarge"],
    scalingConfig: { minSize: 0, maxSize: 2 },
    ...more,
  });
const input = { clusterName: "shop", nodeGroupName: "gpu", maxSize: 2 };
const ending = (more: object = {}, target: object = {}) =>
  resource(schedule, { target: { arn: scaleTarget("aws"), input: scaleInput(input), ...target }, ...more });
/** A schedule whose input contains the output of a group, as a program writes it. */
const dependent = (target: object) => ({
  ...ending({}, target),
  propertyDependencies: { target: [urnOf(nodeGroup, "it")] },
});

const leaseOf = (name: string) => ({
  ...resource("eks-gpu-lab:index:LabLease", { nodeGroups: { gpu: { nodeGroupName: unknown, maxSize: 2 } } }),
  propertyDependencies: { nodeGroups: [urnOf(nodeGroup, name)] },
});

test.for([
  ["no schedule", [group()], [`fail ${max}`]],
  ["system nodes", [group({ instanceTypes: ["t3.medium"] })], []],
  ["a lease by name", [group(), ending()], []],
  ["a lease by the prefix of the name", [group({ nodeGroupName: undefined, nodeGroupNamePrefix: "gp" }), ending()], []],
  ["a lease in China", [group(), ending({}, { arn: scaleTarget("aws-cn") })], []],
  ["a lease of another group", [group({ nodeGroupName: "other" }), ending()], [`fail ${max}`]],
  ["a lease of another cluster", [group({ clusterName: "other" }), ending()], [`fail ${max}`]],
  ["a schedule that is off", [group(), ending({ state: "DISABLED" })], [`fail ${max}`]],
  ["a schedule of something else", [group(), ending({}, { arn: "arn:aws:sqs:eu-west-1:1:q" })], [`fail ${max}`]],
  [
    "a schedule that starts nodes",
    [group(), ending({}, { input: scaleInput(input).replace('"DesiredSize":0', '"DesiredSize":1') })],
    [`fail ${max}`],
  ],
  ["an input that is no JSON", [group(), ending({}, { input: "gpu" })], [`fail ${max}`]],
  ["no target", [group(), resource(schedule, {})], [`fail ${max}`]],
  ["a LabLease with the group, in a first preview", [group(), leaseOf("it")], []],
  ["a LabLease with another group", [group(), leaseOf("other")], [`fail ${max}`]],
  ["a dependent schedule in a first preview", [group(), dependent({ input: unknown })], ["unknown target.input"]],
  ["a dependent schedule that keeps nodes", [group(), dependent({ input: "{}" })], [`fail ${max}`]],
  ["an unknown input of an unrelated schedule", [group(), ending({}, { input: unknown })], ["unknown target.input"]],
  ["an unknown target", [group(), ending({}, { arn: unknown })], ["unknown target.arn"]],
  ["an unknown state", [group(), ending({ state: unknown })], ["unknown state"]],
  ["an unknown maximum", [group({ scalingConfig: { maxSize: unknown } })], [`unknown ${max}`]],
  ["unknown types", [group({ instanceTypes: unknown })], ["unknown instanceTypes"]],
  ["unknown types, and a lease", [group({ instanceTypes: unknown }), ending()], []],
  ["no maximum", [group({ scalingConfig: {} })], []],
  ["nothing", [], []],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

const asg = (more: object = {}) =>
  resource(scalingGroup, {
    ...{
      name: "gpu",
      maxSize: 2,
      mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: "g6.xlarge" }] } },
    },
    ...more,
  });
const action = (more: object = {}) =>
  resource("aws:autoscaling/schedule:Schedule", { autoscalingGroupName: "gpu", desiredCapacity: 0, ...more });
const call = (name: string, request: object) =>
  ending({}, { arn: `arn:aws:scheduler:::aws-sdk:autoscaling:${name}`, input: JSON.stringify(request) });
const ofGroup = { AutoScalingGroupName: "gpu", DesiredCapacity: 0 };
const dependentAction = {
  ...action({ autoscalingGroupName: unknown }),
  propertyDependencies: { autoscalingGroupName: [urnOf(nodeGroupV2, "it")] },
};

test.for([
  ["no schedule", [asg()], ["fail maxSize"]],
  ["no GPUs", [asg({ mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: "c7i.large" }] } } })], []],
  ["a maximum of 0", [asg({ maxSize: 0 })], []],
  ["an unknown maximum", [asg({ maxSize: unknown })], ["unknown maxSize"]],
  [
    "an unknown type",
    [asg({ mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: unknown }] } } })],
    ["unknown mixedInstancesPolicy.launchTemplate.overrides[0].instanceType"],
  ],
  ["a scheduled action", [asg(), action()], []],
  ["a scheduled action that starts nodes", [asg(), action({ desiredCapacity: 2 })], ["fail maxSize"]],
  ["a scheduled action without a size", [asg(), action({ desiredCapacity: undefined, minSize: 0 })], ["fail maxSize"]],
  ["a scheduled action of another group", [asg(), action({ autoscalingGroupName: "web" })], ["fail maxSize"]],
  ["a scheduled action of unknown size", [asg(), action({ desiredCapacity: unknown })], ["unknown desiredCapacity"]],
  ["a schedule that calls SetDesiredCapacity", [asg(), call("setDesiredCapacity", ofGroup)], []],
  ["a schedule that calls UpdateAutoScalingGroup", [asg(), call("updateAutoScalingGroup", ofGroup)], []],
  [
    "a schedule of another group",
    [asg(), call("setDesiredCapacity", { ...ofGroup, AutoScalingGroupName: "web" })],
    ["fail maxSize"],
  ],
  [
    "a schedule that starts nodes",
    [asg(), call("setDesiredCapacity", { ...ofGroup, DesiredCapacity: 1 })],
    ["fail maxSize"],
  ],
  ["the schedule of a node group with its name", [asg(), ending()], ["fail maxSize"]],
  ["a group of @pulumi/eks with default sizes", [resource(nodeGroupV2, { gpu: true })], ["fail maxSize"]],
  ["a group of @pulumi/eks with an action", [resource(nodeGroupV2, { gpu: true }), dependentAction], []],
] as const)("self-managed nodes: %s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("a group that another stack ends can be exempt, and no name is printed", () => {
  const resources = [group({ nodeGroupName: "hunter2" }), ending({}, { input: "hunter2" })];
  expect(verdicts(rule, resources, { policyConfig: { [rule.id]: { exempt: ["it"] } } })).toEqual([]);
  expect(JSON.stringify(findings(rule, resources))).not.toContain("hunter2");
});

test("what users read", () => {
  expect(findings(rule, [group()])).toMatchSnapshot();
});

const component = resource("eks:index:ManagedNodeGroup", { instanceTypes: ["g6.xlarge"], gpu: true });
const child = { ...group({ nodeGroupName: unknown }), parent: component.urn, name: "child" };
const childLease = {
  ...leaseOf("it"),
  propertyDependencies: { nodeGroups: [child.urn] },
};

test.for([
  ["alone, as in an offline plan", [component], [`fail ${max}`]],
  ["with a lease", [component, { ...childLease, propertyDependencies: { nodeGroups: [component.urn] } }], []],
  ["with a lease of the group in it", [component, child, childLease], []],
  ["schedule by name", [{ ...component, properties: { ...component.properties, nodeGroupName: "gpu" } }, ending()], []],
] as const)("a managed group of @pulumi/eks %s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

const nodePool = "kubernetes:karpenter.sh/v1:NodePool";
const pool = (more: object = {}, gpus = "2") => ({
  ...resource(nodePool, {
    metadata: { name: "gpu" },
    spec: {
      limits: { "nvidia.com/gpu": gpus },
      template: {
        spec: {
          requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] }],
        },
      },
    },
    ...more,
  }),
});
const poolLease = (nodePools: unknown) => resource("eks-gpu-lab:index:NodePoolLease", { nodePools });
const general = { spec: { template: { spec: { requirements: [] } } } };

test.for([
  ["a NodePool without a lease", [pool()], ["fail metadata.name"]],
  [
    "a NodePool of Auto Mode without a limit",
    [pool({ spec: { ...specOfPool(pool()), limits: undefined } })],
    ["fail metadata.name"],
  ],
  ["a NodePoolLease that names it", [pool(), poolLease(["cpu", "gpu"])], []],
  ["a NodePoolLease of another pool", [pool(), poolLease(["cpu"])], ["fail metadata.name"]],
  ["a LabLease", [pool(), leaseOf("it")], ["fail metadata.name"]],
  [
    "a NodePoolLease that uses its output",
    [pool(), { ...poolLease([unknown]), propertyDependencies: { nodePools: [urnOf(nodePool, "it")] } }],
    [],
  ],
  ["a NodePoolLease of unknown names", [pool(), poolLease([unknown])], ["unknown nodePools[0]"]],
  ["unknown pools of the lease", [pool(), poolLease(unknown)], ["unknown nodePools"]],
  ["a NodePool that starts nothing", [pool({}, "0")], []],
  ["an unknown limit", [pool({}, unknown)], ['unknown spec.limits["nvidia.com/gpu"]']],
  ["nodes without GPUs", [pool(general)], []],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("the message for a NodePool", () => {
  const [{ message = "" } = {}] = findings(rule, [pool()]);
  expect(message).toMatch(/^metadata\.name: got a NodePool without a lease\. Karpenter and EKS Auto Mode replace /);
});

function specOfPool({ properties }: { readonly properties: Readonly<Record<string, unknown>> }): object {
  return properties["spec"] as object;
}
