import { expect, test } from "vitest";
import { planCost } from "../../../planner/cost/cost";
import { recordingOf, type ResourceSpec } from "../recordings";

const region = "us-west-2";
const now = new Date("2026-11-21T00:00:00Z");

/** What a plan of these resources says about the instances: at rest, and of the GPU nodes. */
function priced(...specs: ResourceSpec[]) {
  const { atRest, gpuGroups, sessionHour } = planCost(recordingOf(specs), region, { now });
  const quantities = (lines: typeof atRest.lines) =>
    Object.fromEntries(lines.filter(({ item }) => !item.startsWith("EBS")).map((line) => [line.item, line.quantity]));
  return {
    atRest: quantities(atRest.lines),
    session: quantities(sessionHour.lines),
    gpu: gpuGroups.map(({ name, instanceType, maxSize }) => `${name}: ${maxSize} x ${instanceType}`),
    volumes: atRest.lines.filter(({ item }) => item.startsWith("EBS")).map(({ item, quantity }) => [item, quantity]),
  };
}

const one = (type: string, inputs: Record<string, unknown>, more: Partial<ResourceSpec> = {}): ResourceSpec => {
  return { type, name: "it", inputs, ...more };
};
const requirement = (key: string, ...values: string[]) => ({ key, operator: "In", values });
const pool = (spec: Record<string, unknown>, ...requirements: object[]) =>
  one("kubernetes:karpenter.sh/v1:NodePool", { spec: { ...spec, template: { spec: { requirements } } } });
const ofType = (...names: string[]) => requirement("node.kubernetes.io/instance-type", ...names);
const p5 = { instanceType: "p5.48xlarge" };
const onDemand = (count: number) => ({ "p5.48xlarge, on demand": count });

test.for([
  ["limits of GPUs", pool({ limits: { "nvidia.com/gpu": 64 } }, ofType("p5.48xlarge")), ["it: 8 x p5.48xlarge"]],
  ["limits of vCPUs", pool({ limits: { cpu: "1000" } }, ofType("g6.12xlarge")), ["it: 20 x g6.12xlarge"]],
  ["limits of nodes", pool({ limits: { nodes: "3" } }, ofType("g6.48xlarge")), ["it: 3 x g6.48xlarge"]],
  ["limits of memory", pool({ limits: { memory: "100Gi" } }, ofType("g6.xlarge")), ["it: 6 x g6.xlarge"]],
  ["low limits", pool({ limits: { "nvidia.com/gpu": 4 } }, ofType("g6.xlarge", "g6.48xlarge")), ["it: 4 x g6.xlarge"]],
  [
    "a family, at most at the price of its most expensive type",
    pool({ limits: { nodes: 1 } }, requirement("karpenter.k8s.aws/instance-family", "gr6")),
    ["it: 1 x gr6.4xlarge, gr6.8xlarge"],
  ],
  ["no limits", pool({}, ofType("p5.48xlarge")), []],
  ["limits without GPUs", pool({ limits: { cpu: 8 } }, ofType("m7i.large")), []],
] as const)("a pool of Karpenter with %s", ([, given, gpu]) => {
  expect(priced(given)).toMatchObject({ atRest: {}, gpu });
});

test.for([
  ["kubernetes:karpenter.sh/v1:NodeClaim", { spec: { requirements: [ofType("p5.48xlarge")] } }, 1],
  [
    "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachinePool",
    { spec: { minSize: 2, awsLaunchTemplate: p5 } },
    2,
  ],
  ["kubernetes:kops.k8s.io/v1alpha2:InstanceGroup", { spec: { minSize: 2, machineType: "p5.48xlarge" } }, 2],
  ["kubernetes:ec2.services.k8s.aws/v1alpha1:CapacityReservation", { spec: { ...p5, instanceCount: 2 } }, 2],
  ["kubernetes:ec2.aws.upbound.io/v1beta2:Instance", { spec: { forProvider: p5 } }, 1],
  ["kubernetes:infrastructure.cluster.x-k8s.io/v1beta1:AWSMachine", { spec: p5 }, 1],
  ["aws-native:ec2:Instance", p5, 1],
] as const)("instances of %s", ([type, inputs, count]) => {
  expect(priced(one(type, inputs)).atRest).toEqual(onDemand(count));
});

test.for([
  ["aws:emr/cluster:Cluster", { masterInstanceGroup: { instanceType: "m5.xlarge" }, coreInstanceGroup: p5 }, 2],
  ["aws:gamelift/fleet:Fleet", { ec2InstanceType: "g4dn.xlarge" }, 1],
  ["aws-native:sagemaker:Cluster", { instanceGroups: [{ instanceType: "ml.p5.48xlarge", instanceCount: 4 }] }, 4],
  ["aws:ec2/dedicatedHost:DedicatedHost", p5, 1],
] as const)("the prices of %s are not known", ([type, inputs, count]) => {
  const { atRest, gpu } = priced(one(type, inputs));
  expect(atRest).toEqual({ [`${type} it`]: count });
  expect(gpu).toHaveLength(1);
});

const group = "aws:autoscaling/group:Group";
const template = one("aws:ec2/launchTemplate:LaunchTemplate", { name: "gpu", ...p5 }, { name: "template" });
const scaling = (inputs: Record<string, unknown>) =>
  one(group, { minSize: 0, maxSize: 3, ...inputs }, { from: { launchTemplate: ["template"] } });

test.for([
  ["runs", { poolState: "Running", minSize: 2 }, onDemand(3), onDemand(5)],
  ["runs up to its limit", { poolState: "Running", maxGroupPreparedCapacity: 1 }, onDemand(1), onDemand(3)],
  ["is stopped", { minSize: 2 }, {}, onDemand(3)],
  ["is hibernated", { poolState: "Hibernated" }, {}, onDemand(3)],
] as const)("a warm pool that %s", ([, warmPool, atRest, session]) => {
  expect(priced(template, scaling({ warmPool }))).toMatchObject({ atRest, session });
});

const ofEks = { instanceTypes: ["p5.48xlarge"], scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 3 } };

test.for([
  ["aws:eks/nodeGroup:NodeGroup", (group: object) => ({ ...group })],
  ["aws-native:eks:Nodegroup", (group: object) => ({ ...group })],
  ["kubernetes:eks.services.k8s.aws/v1alpha1:Nodegroup", (spec: object) => ({ spec })],
] as const)("a warm pool of EKS: %s", ([type, inputsOf]) => {
  const given = (warmPoolConfig: object) => one(type, inputsOf({ ...ofEks, warmPoolConfig }));
  expect(priced(given({ poolState: "RUNNING", minSize: 2 })).atRest).toEqual(onDemand(3));
  expect(priced(given({ poolState: "STOPPED", minSize: 2 })).atRest).toEqual({});
});

test("a warm pool in a resource of its own", () => {
  const native = one("aws-native:autoscaling:AutoScalingGroup", {
    ...{ autoScalingGroupName: "gpu", minSize: "0", maxSize: "2" },
    mixedInstancesPolicy: { launchTemplate: { overrides: [p5] } },
  });
  const warm = one(
    "aws-native:autoscaling:WarmPool",
    { autoScalingGroupName: "gpu", poolState: "Running" },
    { name: "warm" },
  );
  expect(priced(native, warm)).toMatchObject({ atRest: onDemand(2), session: onDemand(2) });
});

test.for([
  ["launchTemplate", group, { launchTemplate: { name: "gpu" } }],
  [
    "a node group",
    "aws:eks/nodeGroup:NodeGroup",
    { launchTemplate: { name: "gpu" }, scalingConfig: { maxSize: 3, desiredSize: 0 } },
  ],
] as const)("a launch template by its name: %s", ([, type, inputs]) => {
  const [gpu] = priced(template, one(type, { maxSize: 3, desiredCapacity: 0, ...inputs })).gpu;
  expect(gpu).toBe("it: 3 x p5.48xlarge");
});

test("a node class has sizes with units", () => {
  const spec = { blockDeviceMappings: [{ ebs: { volumeSize: "100Gi", volumeType: "gp3" } }] };
  const nodeClass = one(
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
    { metadata: { name: "gpu" }, spec },
    { name: "class" },
  );
  const given = pool({ replicas: 2 }, ofType("p5.48xlarge"));
  const template = {
    spec: {
      ...(given.inputs?.["spec"] as { template: { spec: object } }).template.spec,
      nodeClassRef: { name: "gpu" },
    },
  };
  const named = { ...given, inputs: { spec: { replicas: 2, template } } };
  expect(priced(nodeClass, named).volumes).toEqual([["EBS gp3 storage", 200]]);
});
