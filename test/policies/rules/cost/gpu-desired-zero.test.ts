import { describe, expect, test } from "vitest";
import {
  gpuNodeGroup,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
  scalingGroup,
} from "../../../../policies/facts/node-sources";
import { gpuDesiredZero as rule } from "../../../../policies/rules/cost/gpu-desired-zero";
import { withTemplate } from "../../support/launch-templates";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const desired = "scalingConfig.desiredSize";
const min = "scalingConfig.minSize";
const gpu = { instanceTypes: ["g5.xlarge"] };
const overrides = "mixedInstancesPolicy.launchTemplate.overrides";
const mixOf = (...types: readonly string[]) => ({
  mixedInstancesPolicy: { launchTemplate: { overrides: types.map((instanceType) => ({ instanceType })) } },
});
const sizes = (minSize: unknown, desiredSize: unknown) => ({ scalingConfig: { minSize, desiredSize, maxSize: 9 } });

test.for([
  ["at rest", { ...gpu, ...sizes(0, 0) }, []],
  ["system nodes", { instanceTypes: ["t3.medium"], ...sizes(1, 2) }, []],
  ["no sizes", gpu, []],
  ["nothing", {}, []],
  ["a size of a wrong type is another rule's", { ...gpu, ...sizes("x", {}) }, []],
  ["one node", { ...gpu, ...sizes(0, 1) }, [`fail ${desired}`]],
  ["by the AMI", { amiType: "AL2023_x86_64_NVIDIA", ...sizes(0, 2) }, [`fail ${desired}`]],
  ["a minimum", { ...gpu, ...sizes(1, 1) }, [`fail ${min}`, `fail ${desired}`]],
  ["a text of digits", { ...gpu, ...sizes("0", "2") }, [`fail ${desired}`]],
  ["desired unknown", { ...gpu, ...sizes(0, unknown) }, [`unknown ${desired}`]],
  ["desired unknown, a minimum", { ...gpu, ...sizes(1, unknown) }, [`fail ${min}`]],
  ["minimum unknown", { ...gpu, ...sizes(unknown, 0) }, [`unknown ${min}`]],
  ["types unknown", { instanceTypes: unknown, ...sizes(0, 1) }, ["unknown instanceTypes"]],
  ["types unknown, at rest", { instanceTypes: unknown, ...sizes(0, 0) }, []],
  ["AMI unknown", { amiType: unknown, ...sizes(0, 1) }, ["unknown amiType"]],
  ["AMI unknown, GPU type", { ...gpu, amiType: unknown, ...sizes(0, 1) }, [`fail ${desired}`]],
] as const)("EKS node group: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(nodeGroup, properties)])).toEqual(expected);
});

test.for([
  [gpuNodeGroup, { desiredSize: 0, minSize: 0 }, []],
  [gpuNodeGroup, {}, []],
  [gpuNodeGroup, { desiredSize: 0, minSize: 1 }, ["fail minSize"]],
  [gpuNodeGroup, { desiredSize: 1, minSize: 0 }, ["fail desiredSize"]],
  [gpuNodeGroup, { desiredSize: unknown, minSize: 0 }, ["unknown desiredSize"]],
  [gpuNodeGroup, { desiredSize: 0, minSize: unknown }, ["unknown minSize"]],
  [gpuNodeGroup, { desiredSize: 1, minSize: unknown }, ["fail desiredSize"]],
  [managedNodeGroup, { ...gpu, ...sizes(0, 0) }, []],
  [managedNodeGroup, {}, []],
  [managedNodeGroup, gpu, [`fail ${min}`, `fail ${desired}`]],
  [nodeGroupV2, { gpu: true, minSize: 0, desiredCapacity: 0 }, []],
  [nodeGroupV2, { gpu: true }, ["fail minSize", "fail desiredCapacity"]],
  [nodeGroupV2, { gpu: unknown, minSize: 0, desiredCapacity: 1 }, ["unknown gpu"]],
  [nodeGroupV2, { gpu: unknown, minSize: 0, desiredCapacity: 0 }, []],
  [nodeGroupV2, { gpu: true, minSize: 0, desiredCapacity: unknown }, ["unknown desiredCapacity"]],
  [scalingGroup, { minSize: 1, desiredCapacity: 1 }, []],
  [scalingGroup, { minSize: 1, ...mixOf("g5.xlarge") }, ["fail minSize"]],
  [scalingGroup, { desiredCapacity: 1, ...mixOf("g5.xlarge") }, ["fail desiredCapacity"]],
  [scalingGroup, { desiredCapacity: 1, ...mixOf(unknown) }, [`unknown ${overrides}[0].instanceType`]],
  [scalingGroup, { desiredCapacity: 1, ...mixOf(unknown, "g5.xlarge") }, ["fail desiredCapacity"]],
  [scalingGroup, { desiredCapacity: 0, ...mixOf(unknown) }, []],
] as const)("%s %j", ([type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

const template = (instanceType: unknown) => ({ instanceType });

test.for([
  ["node group", nodeGroup, sizes(0, 2), template("g5.xlarge"), [`fail ${desired}`]],
  ["with a custom AMI", nodeGroup, { amiType: "CUSTOM", ...sizes(0, 2) }, template("g5.xlarge"), [`fail ${desired}`]],
  ["node group at rest", nodeGroup, sizes(0, 0), template("g5.xlarge"), []],
  ["node group without GPUs", nodeGroup, sizes(2, 2), template("t3.medium"), []],
  ["node group, type unknown", nodeGroup, sizes(0, 2), template(unknown), ["unknown instanceType"]],
  ["node group, type unknown, at rest", nodeGroup, sizes(0, 0), template(unknown), []],
  ["Auto Scaling group without GPUs", scalingGroup, { minSize: 2, desiredCapacity: 2 }, template("m5.large"), []],
] as const)("by the launch template: %s", ([, type, properties, ofTemplate, expected]) => {
  expect(verdicts(rule, withTemplate(type, properties, ofTemplate))).toEqual(expected);
});

test("a launch template outside the stack may name a GPU type", () => {
  const elsewhere = { launchTemplate: { id: "lt-123" } };
  const open = ["unknown the instance type in a launch template outside the stack"];
  expect(verdicts(rule, [resource(nodeGroup, { ...elsewhere, ...sizes(0, 3) })])).toEqual(open);
  expect(verdicts(rule, [resource(nodeGroup, { ...elsewhere, ...sizes(0, 0) })])).toEqual([]);
  expect(verdicts(rule, [resource(scalingGroup, { ...elsewhere, desiredCapacity: 1 })])).toEqual(open);
  expect(verdicts(rule, [resource(scalingGroup, { launchConfiguration: "gpu", minSize: 1 })])).toEqual(open);
});

test.for([
  ["lab-kim", { "lab-*": 2 }, 2, []],
  ["lab-kim", { "lab-*": 2 }, 3, [`fail ${desired}`]],
  ["prod", { "lab-*": 2 }, 1, [`fail ${desired}`]],
  ["lab-kim", { "*": 1, "lab-ki?": 3 }, 3, []],
  ["lab-kim", { __proto__: 9 }, 1, [`fail ${desired}`]],
] as const)("stack %s, allowStacks %j, desired %i", ([stack, allowStacks, size, expected]) => {
  const policyConfig = { [rule.id]: { allowStacks } };
  const group = resource(nodeGroup, { ...gpu, ...sizes(0, size) });
  expect(verdicts(rule, [group], { stack, policyConfig })).toEqual(expected);
});

test("a size that ignoreChanges holds is advised on, for a session may run", () => {
  const options = { ignoreChanges: [desired] };
  const seen = (properties: object) => verdicts(rule, [resource(nodeGroup, { ...gpu, ...properties }, { options })]);
  expect(seen(sizes(0, 2))).toEqual([`advise ${desired}`]);
  expect(seen(sizes(0, 0))).toEqual([]);
  expect(seen(sizes(1, 2))).toEqual([`fail ${min}`, `advise ${desired}`]);
});

test("of a component the argument counts, not the running session", () => {
  const child = (parent: string) =>
    resource(
      nodeGroup,
      { ...gpu, ...sizes(0, 2) },
      {
        urn: urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu"),
        name: "gpu",
        parent,
        options: { ignoreChanges: [desired] },
      },
    );
  const atRest = resource(gpuNodeGroup, { desiredSize: 0, minSize: 0 });
  expect(verdicts(rule, [atRest, child(atRest.urn)])).toEqual([]);
  const running = resource(gpuNodeGroup, { desiredSize: 2, minSize: 0 });
  expect(findings(rule, [running, child(running.urn)]).map(({ urn }) => urn)).toEqual([running.urn]);
});

test("a size that only the group of a component has is blamed on the group", () => {
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu");
  const atRest = resource(gpuNodeGroup, { desiredSize: 0, minSize: 0 });
  const child = resource(nodeGroup, { ...gpu, ...sizes(0, 2) }, { urn, name: "gpu", parent: atRest.urn });
  expect(findings(rule, [atRest, child]).map((finding) => finding.urn)).toEqual([urn]);
});

test("the component is blamed, not the group it makes", () => {
  const component = resource(gpuNodeGroup, { desiredSize: 2, minSize: 0 });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "it");
  const child = resource(nodeGroup, { ...gpu, ...sizes(0, 2) }, { urn, parent: component.urn });
  expect(findings(rule, [component, child]).map(({ urn }) => urn)).toEqual([component.urn]);
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["demo-*"] } };
  const named = (name: string) =>
    verdicts(rule, [resource(nodeGroup, { ...gpu, ...sizes(0, 1) }, { name })], { policyConfig });
  expect(named("demo-gpu")).toEqual([]);
  expect(named("gpu")).toEqual([`fail ${desired}`]);
});

test("messages, without the secret in place of a type", () => {
  const group = resource(nodeGroup, { instanceTypes: ["g5.hunter2"], ...sizes(1, 2) });
  const messages = findings(rule, [group]).map(({ message }) => message);
  expect(messages.join()).not.toContain("hunter2");
  expect(messages).toMatchInlineSnapshot(`
    [
      "scalingConfig.minSize: got 1. This number of GPU nodes runs permanently, even if you scale the group down. This stack may keep 0.
    fix: set scalingConfig.minSize to 0, and start nodes for a session: aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP --scaling-config desiredSize=1",
      "scalingConfig.desiredSize: got 2. This number of GPU nodes starts with the next update and costs money until you stop them. This stack may keep 0.
    fix: set scalingConfig.desiredSize to 0, and start nodes for a session: aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP --scaling-config desiredSize=1",
    ]
  `);
  const options = { ignoreChanges: [desired] };
  const held = resource(nodeGroup, { ...gpu, ...sizes(0, 2) }, { options });
  expect(findings(rule, [held])[0]?.message).toMatchInlineSnapshot(`
    "scalingConfig.desiredSize: got 2. This number of GPU nodes runs, or starts when the group is created; ignoreChanges keeps the number of an existing group. This stack may keep 0.
    fix: set scalingConfig.desiredSize to 0, and start nodes for a session: aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP --scaling-config desiredSize=1"
  `);
});

test("a component's own size is no running session, whatever it ignores", () => {
  const options = { ignoreChanges: ["desiredSize"] };
  expect(verdicts(rule, [resource(gpuNodeGroup, { desiredSize: 2 }, { options })])).toEqual(["fail desiredSize"]);
});

test.for([
  [
    nodeGroup,
    { ...gpu, ...sizes(0, 1), clusterName: "myeks", nodeGroupName: "gpu-1" },
    "aws eks update-nodegroup-config --cluster-name myeks --nodegroup-name gpu-1 --scaling-config desiredSize=1",
  ],
  [
    nodeGroup,
    { ...gpu, ...sizes(0, 1), clusterName: "a; rm -rf /", nodeGroupName: unknown },
    "aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP --scaling-config desiredSize=1",
  ],
  [
    scalingGroup,
    { desiredCapacity: 1, ...mixOf("g5.xlarge"), name: "gpu-asg" },
    "aws autoscaling set-desired-capacity --auto-scaling-group-name gpu-asg --desired-capacity 1",
  ],
  [
    "kubernetes:eks.aws.upbound.io/v1beta1:NodeGroup",
    {
      metadata: { annotations: { "crossplane.io/external-name": "train" } },
      spec: { forProvider: { ...gpu, ...sizes(0, 1), clusterName: "myeks" } },
    },
    "aws eks update-nodegroup-config --cluster-name myeks --nodegroup-name train --scaling-config desiredSize=1",
  ],
  [
    nodeGroupV2,
    { gpu: true, minSize: 0, desiredCapacity: 1 },
    "aws autoscaling set-desired-capacity --auto-scaling-group-name GROUP --desired-capacity 1",
  ],
  [
    scalingGroup,
    { desiredCapacity: 1, ...mixOf("g5.xlarge") },
    "aws autoscaling set-desired-capacity --auto-scaling-group-name GROUP --desired-capacity 1",
  ],
] as const)("how nodes of %s are started", ([type, properties, command]) => {
  expect(findings(rule, [resource(type, properties)])[0]?.message).toContain(`for a session: ${command}`);
});

const spec = (properties: object) => ({ spec: properties });
const forProvider = (properties: object) => spec({ forProvider: properties });
const gpuType = { instanceType: "p5.48xlarge" };
const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["p5.48xlarge"] }];

/** What other controllers and services start. */
const controllers = [
  ["kubernetes:karpenter.sh/v1:NodeClaim", spec({ requirements }), "spec.requirements"],
  [
    "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachinePool",
    spec({ minSize: 1, awsLaunchTemplate: gpuType }),
    "spec.minSize",
  ],
  ["kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachine", spec(gpuType), "spec.instanceType"],
  ["kubernetes:kops.k8s.io/v1alpha2:InstanceGroup", spec({ minSize: 1, machineType: "g6.xlarge" }), "spec.minSize"],
  [
    "kubernetes:kops.k8s.io/v1alpha2:InstanceGroup",
    spec({ minSize: 1, mixedInstancesPolicy: { instances: ["g6.xlarge"] } }),
    "spec.minSize",
  ],
  ["kubernetes:ec2.services.k8s.aws/v1alpha1:Instance", spec({ ...gpuType, maxCount: 2 }), "spec.maxCount"],
  [
    "kubernetes:ec2.services.k8s.aws/v1alpha1:CapacityReservation",
    spec({ ...gpuType, instanceCount: 2 }),
    "spec.instanceCount",
  ],
  ["kubernetes:ec2.aws.upbound.io/v1beta1:Instance", forProvider(gpuType), "spec.forProvider.instanceType"],
  [
    "kubernetes:ec2.aws.m.upbound.io/v1beta1:SpotInstanceRequest",
    forProvider(gpuType),
    "spec.forProvider.instanceType",
  ],
  [
    "kubernetes:autoscaling.aws.upbound.io/v1beta3:AutoscalingGroup",
    forProvider({ desiredCapacity: 1, ...mixOf("g6.xlarge") }),
    "spec.forProvider.desiredCapacity",
  ],
  [
    "aws:emr/cluster:Cluster",
    { masterInstanceGroup: { instanceType: "m5.xlarge" }, coreInstanceGroup: { ...gpuType, instanceCount: 2 } },
    "coreInstanceGroup.instanceCount",
  ],
  ["aws:emr/cluster:Cluster", { masterInstanceGroup: gpuType }, "masterInstanceGroup.instanceType"],
  ["aws:emr/instanceGroup:InstanceGroup", { ...gpuType, instanceCount: 1 }, "instanceCount"],
  [
    "aws:emr/instanceFleet:InstanceFleet",
    { instanceTypeConfigs: [gpuType], targetSpotCapacity: 1 },
    "targetSpotCapacity",
  ],
  [
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration",
    { productionVariants: [], shadowProductionVariants: [{ instanceType: "ml.g5.xlarge", initialInstanceCount: 1 }] },
    "shadowProductionVariants[0].initialInstanceCount",
  ],
  [
    "aws-native:sagemaker:Cluster",
    {
      instanceGroups: [
        { instanceType: "ml.m5.large", instanceCount: 1 },
        { instanceType: "ml.p5.48xlarge", instanceCount: 2 },
      ],
    },
    "instanceGroups[1].instanceCount",
  ],
  ["aws:gamelift/fleet:Fleet", { ec2InstanceType: "g4dn.xlarge" }, "ec2InstanceType"],
  [
    "aws:appstream/fleet:Fleet",
    { instanceType: "stream.graphics.g4dn.xlarge", computeCapacity: { desiredInstances: 1 } },
    "computeCapacity.desiredInstances",
  ],
  [
    "aws-native:ec2:SpotFleet",
    { spotFleetRequestConfigData: { targetCapacity: 1, launchSpecifications: [gpuType] } },
    "spotFleetRequestConfigData.targetCapacity",
  ],
  [
    "aws-native:batch:ComputeEnvironment",
    { computeResources: { type: "EC2", instanceTypes: ["g5"], minvCpus: 4 } },
    "computeResources.minvCpus",
  ],
] as const;

describe("what costs money without a running node", () => {
  const reservation = "aws:ec2/capacityReservation:CapacityReservation";
  const block = "aws:ec2/capacityBlockReservation:CapacityBlockReservation";
  const nodePool = "kubernetes:karpenter.sh/v1:NodePool";
  const reserved = (instanceType: unknown, instanceCount: unknown) => ({ instanceType, instanceCount });
  const pool = (replicas: unknown, ...requirements: readonly (readonly [string, string, readonly unknown[]])[]) => ({
    spec: {
      replicas,
      template: { spec: { requirements: requirements.map(([key, operator, values]) => ({ key, operator, values })) } },
    },
  });
  const host = "aws:ec2/dedicatedHost:DedicatedHost";
  const batch = "aws:batch/computeEnvironment:ComputeEnvironment";
  const endpoint = "aws:sagemaker/endpointConfiguration:EndpointConfiguration";
  const notebook = "aws:sagemaker/notebookInstance:NotebookInstance";
  const ofBatch = (instanceTypes: unknown, minVcpus: unknown, desiredVcpus?: unknown) => ({
    computeResources: { type: "EC2", instanceTypes, minVcpus, desiredVcpus, maxVcpus: 64 },
  });
  const variant = (instanceType: string, initialInstanceCount: number) => ({
    productionVariants: [{ instanceType, initialInstanceCount }],
  });
  const types = (...values: readonly unknown[]) => ["node.kubernetes.io/instance-type", "In", values] as const;
  const warm = (warmPool: unknown, more: object = {}) => ({
    ...{ ...mixOf("g6.2xlarge"), minSize: 0, desiredCapacity: 0, maxSize: 3, warmPool, ...more },
  });

  test.for([
    ["a reservation", reservation, reserved("p5.48xlarge", 2), ["fail instanceCount"]],
    [
      "a reservation of a family that the table does not list",
      reservation,
      reserved("p6-b300.48xlarge", 1),
      ["fail instanceCount"],
    ],
    ["a reservation that ends", reservation, { ...reserved("p5.48xlarge", 2), endDate: "2026-12-01T00:00:00Z" }, []],
    [
      "a reservation, end unknown",
      reservation,
      { ...reserved("p5.48xlarge", 2), endDate: unknown },
      ["unknown endDate"],
    ],
    ["a reservation without a GPU", reservation, reserved("m7i.large", 5), []],
    ["a reservation with GPUs of AMD", reservation, reserved("g4ad.xlarge", 1), []],
    ["a reservation of an unknown type", reservation, reserved(unknown, 1), ["unknown instanceType"]],
    ["a reservation of an unknown size", reservation, reserved("g6.xlarge", unknown), ["unknown instanceCount"]],
    ["a Capacity Block", block, { capacityBlockOfferingId: "cb-1" }, ["advise capacityBlockOfferingId"]],
    ["a Dedicated Host", host, { instanceType: "g5.12xlarge" }, ["fail instanceType"]],
    ["a Dedicated Host of a family", host, { instanceFamily: "g4dn" }, ["fail instanceType"]],
    ["a Dedicated Host without a GPU", host, { instanceFamily: "r5" }, []],
    ["a Dedicated Host of an unknown family", host, { instanceFamily: unknown }, ["unknown instanceFamily"]],
    ["AWS Batch at rest", batch, ofBatch(["g5"], 0), []],
    ["AWS Batch with a minimum", batch, ofBatch(["p4d.24xlarge"], 1), ["fail computeResources.minVcpus"]],
    ["AWS Batch with jobs", batch, ofBatch(["g5"], 0, 8), ["fail computeResources.desiredVcpus"]],
    ["AWS Batch without GPUs", batch, ofBatch(["optimal", "m7i.large"], 64), []],
    ["AWS Batch, unknown", batch, ofBatch(["g5"], unknown), ["unknown computeResources.minVcpus"]],
    ["AWS Batch on Fargate", batch, { computeResources: { type: "FARGATE", maxVcpus: 64 } }, []],
    ["an endpoint", endpoint, variant("ml.g5.2xlarge", 1), ["fail productionVariants[0].initialInstanceCount"]],
    ["an endpoint without a GPU", endpoint, variant("ml.m5.large", 2), []],
    ["an endpoint that is serverless", endpoint, { productionVariants: [{ serverlessConfig: {} }] }, []],
    ["a notebook", notebook, { instanceType: "ml.p3.2xlarge" }, ["fail instanceType"]],
    ["a notebook without a GPU", notebook, { instanceType: "ml.t3.medium" }, []],
    ["a static pool", nodePool, pool(2, types("g6.xlarge")), ["fail spec.replicas"]],
    ["a static pool of 0", nodePool, pool(0, types("g6.xlarge")), []],
    ["a pool that Karpenter scales", nodePool, pool(undefined, types("g6.xlarge")), []],
    ["a static pool without GPUs", nodePool, pool(2, types("m7i.large")), []],
    ["a static pool without requirements", nodePool, pool(2), []],
    [
      "a static pool of an unknown type",
      nodePool,
      pool(1, types(unknown)),
      ["unknown spec.template.spec.requirements[0].values[0]"],
    ],
    ["by a family", nodePool, pool(1, ["karpenter.k8s.aws/instance-family", "In", ["g6e"]]), ["fail spec.replicas"]],
    [
      "by a family of Auto Mode",
      nodePool,
      pool(1, ["eks.amazonaws.com/instance-family", "In", ["p4d"]]),
      ["fail spec.replicas"],
    ],
    ["category", nodePool, pool(1, ["karpenter.k8s.aws/instance-category", "In", ["m", "g"]]), ["fail spec.replicas"]],
    ["by GPU count", nodePool, pool(1, ["karpenter.k8s.aws/instance-gpu-count", "Gt", ["1"]]), ["fail spec.replicas"]],
    ["by GPU name", nodePool, pool(1, ["eks.amazonaws.com/instance-gpu-name", "In", ["l4"]]), ["fail spec.replicas"]],
    ["without GPUs, as stated", nodePool, pool(1, ["karpenter.k8s.aws/instance-gpu-count", "DoesNotExist", []]), []],
    ["not of a family", nodePool, pool(1, ["karpenter.k8s.aws/instance-family", "NotIn", ["g5"]]), []],
    ["of another maker", nodePool, pool(1, ["karpenter.k8s.aws/instance-gpu-manufacturer", "In", ["amd"]]), []],
    ["a warm pool that runs", scalingGroup, warm({ poolState: "Running" }), ["fail warmPool.poolState"]],
    ...controllers.map(([type, properties, path]) => [type, type, properties, [`fail ${path}`]] as const),
    ["a warm pool that is stopped", scalingGroup, warm({ poolState: "Stopped" }), []],
    ["a warm pool without a state", scalingGroup, warm({}), []],
    ["a warm pool without room", scalingGroup, warm({ poolState: "Running" }, { maxSize: 0 }), []],
    ["a warm pool with a limit of 0", scalingGroup, warm({ poolState: "Running", maxGroupPreparedCapacity: 0 }), []],
    [
      "a warm pool with a minimum",
      scalingGroup,
      warm({ poolState: "Running", maxGroupPreparedCapacity: 0, minSize: 1 }),
      ["fail warmPool.poolState"],
    ],
    [
      "a warm pool without a limit",
      scalingGroup,
      warm({ poolState: "Running", maxGroupPreparedCapacity: -1 }),
      ["fail warmPool.poolState"],
    ],
    ["a warm pool of an unknown state", scalingGroup, warm({ poolState: unknown }), ["unknown warmPool.poolState"]],
    ["a warm pool without GPUs", scalingGroup, { ...warm({ poolState: "Running" }), ...mixOf("c7i.large") }, []],
  ] as const)("%s", ([, type, properties, expected]) => {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  });

  test("a stack may keep some", () => {
    const policyConfig = { [rule.id]: { allowStacks: { prod: 2 } } };
    const judged = (type: string, properties: Record<string, unknown>) =>
      verdicts(rule, [resource(type, properties)], { stack: "prod", policyConfig });
    expect(judged(reservation, reserved("g6.xlarge", 2))).toEqual([]);
    expect(judged(reservation, reserved("g6.xlarge", 3))).toEqual(["fail instanceCount"]);
    expect(judged(nodePool, pool(2, types("g6.xlarge")))).toEqual([]);
    expect(judged(batch, ofBatch(["g5.xlarge"], 8))).toEqual([]);
    expect(judged(batch, ofBatch(["g5.xlarge"], 12))).toEqual(["fail computeResources.minVcpus"]);
    expect(judged(scalingGroup, warm({ poolState: "Running" }, { maxSize: 2 }))).toEqual([]);
  });

  test("messages", () => {
    const messages = [
      resource(reservation, reserved("p5.48xlarge", 2)),
      resource(block, {}),
      resource(nodePool, pool(2, types("g6.xlarge"))),
      resource(batch, ofBatch(["p4d.24xlarge"], 96)),
      resource(scalingGroup, warm({ poolState: "Running" })),
    ].flatMap((one) => findings(rule, [one]).map(({ message }) => message));
    expect(messages).toMatchInlineSnapshot(`
      [
        "instanceCount: got 2. A reservation without an end date costs the same as its GPU instances, whether they run or not, until you cancel it. This stack may keep 0.
      fix: set endDateType to limited and endDate to the end of the session, or remove the resource",
        "capacityBlockOfferingId: got an offering. A Capacity Block is paid in full when the next update creates it, and cannot be cancelled. This stack may keep 0.
      fix: remove the resource, and buy the block when you need it",
        "spec.replicas: got 2. Karpenter starts this number of GPU nodes with the next update, with or without pods. This stack may keep 0.
      fix: remove spec.replicas: Karpenter then starts nodes for pods, and terminates them after the pods",
        "computeResources.minVcpus: got 96 vCPUs. These GPU instances start with the next update and cost money until you remove them. This stack may keep 0.
      fix: set computeResources.minVcpus to 0",
        "warmPool.poolState: got Running, with maxSize 3. The GPU instances of the warm pool run and cost money, although the desired size does not count them. This stack may keep 0.
      fix: set warmPool.poolState to Stopped: stopped instances cost only their volumes",
      ]
    `);
  });
});

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceRequirementsRequest.html */
test.for([
  [{ acceleratorNames: ["h100"] }, true],
  [{ acceleratorNames: ["inferentia"] }, false],
  [{ acceleratorTypes: ["gpu"] }, true],
  [{ acceleratorTypes: ["inference"] }, false],
  [{ acceleratorTypes: ["gpu"], acceleratorManufacturers: ["amd"] }, false],
  [{ acceleratorTypes: ["gpu"], acceleratorNames: ["radeon-pro-v520"] }, false],
  [{ allowedInstanceTypes: ["m7i.*", "g6e.*"] }, true],
  [{ allowedInstanceTypes: ["m7i.*"] }, false],
  [{ excludedInstanceTypes: ["g*", "p*"] }, false],
  [{ acceleratorCount: { max: 0 } }, false],
] as const)("a group of any instance type with %j has GPUs: %s", ([instanceRequirements, hasGpus]) => {
  const fleet = {
    targetCapacitySpecification: { totalTargetCapacity: 1 },
    launchTemplateConfigs: [{ overrides: [{ instanceRequirements }] }],
  };
  const said = verdicts(rule, [resource("aws:ec2/fleet:Fleet", fleet)]);
  expect(said).toEqual(hasGpus ? ["fail targetCapacitySpecification.totalTargetCapacity"] : []);
});

describe("instances without a group", () => {
  const instance = "aws:ec2/instance:Instance";
  const spotInstance = "aws:ec2/spotInstanceRequest:SpotInstanceRequest";
  const fleet = "aws:ec2/fleet:Fleet";
  const spotFleet = "aws:ec2/spotFleetRequest:SpotFleetRequest";
  const capacity = "targetCapacitySpecification.totalTargetCapacity";
  const target = (totalTargetCapacity: unknown, types: readonly unknown[] = ["g5.xlarge"]) => ({
    targetCapacitySpecification: { defaultTargetCapacityType: "spot", totalTargetCapacity },
    launchTemplateConfigs: [{ overrides: types.map((instanceType) => ({ instanceType })) }],
  });
  const requirements = (maker: string) => ({ acceleratorManufacturers: [maker], acceleratorCount: { min: 1 } });
  test.for([
    ["an instance", instance, { instanceType: "g5.xlarge" }, ["fail instanceType"]],
    ["an instance without a GPU", instance, { instanceType: "t3.medium" }, []],
    ["an unknown instance", instance, { instanceType: unknown }, ["unknown instanceType"]],
    ["a spot request", spotInstance, { instanceType: "g5.xlarge" }, ["fail instanceType"]],
    ["a fleet", fleet, target(2), [`fail ${capacity}`]],
    ["a fleet with one GPU type", fleet, target(1, ["t3.medium", "g5.xlarge"]), [`fail ${capacity}`]],
    ["an empty fleet", fleet, target(0), []],
    ["a fleet without GPUs", fleet, target(2, ["t3.medium"]), []],
    ["a fleet of unknown size", fleet, target(unknown), [`unknown ${capacity}`]],
    ["a fleet, unknown", fleet, target(2, [unknown]), ["unknown launchTemplateConfigs[0].overrides[0].instanceType"]],
    ["unknown templates", fleet, { ...target(2), launchTemplateConfigs: unknown }, ["unknown launchTemplateConfigs"]],
    [
      "a fleet of any type with a GPU",
      fleet,
      { ...target(1), launchTemplateConfigs: [{ overrides: [{ instanceRequirements: requirements("nvidia") }] }] },
      [`fail ${capacity}`],
    ],
    [
      "a fleet with a template outside the stack",
      fleet,
      { ...target(1), launchTemplateConfigs: [{ launchTemplateSpecification: { launchTemplateId: "lt-0" } }] },
      ["unknown the instance type in a launch template outside the stack"],
    ],
    [
      "a group of any type with a GPU",
      scalingGroup,
      {
        minSize: 0,
        maxSize: 1,
        desiredCapacity: 1,
        mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceRequirements: requirements("nvidia") }] } },
      },
      ["fail desiredCapacity"],
    ],
    [
      "a spot fleet",
      spotFleet,
      { targetCapacity: 1, launchSpecifications: [{ instanceType: "p5.48xlarge" }] },
      ["fail targetCapacity"],
    ],
  ] as const)("%s", ([, type, properties, expected]) => {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  });

  test("a fleet whose template has the type", () => {
    const template = resource("aws:ec2/launchTemplate:LaunchTemplate", { instanceType: "g5.xlarge" }, { name: "lt" });
    const properties = { ...target(1, []), launchTemplateConfigs: [{ launchTemplateSpecification: { version: "1" } }] };
    const one = resource(fleet, properties, { propertyDependencies: { launchTemplateConfigs: [template.urn] } });
    expect(verdicts(rule, [template, one])).toEqual([`fail ${capacity}`]);
  });
});

describe("a schedule", () => {
  const group = resource(scalingGroup, {
    name: "gpu",
    minSize: 0,
    desiredCapacity: 0,
    maxSize: 2,
    ...mixOf("g5.xlarge"),
  });
  const at = (properties: object, name = "morning", behind: readonly string[] = [group.urn]) =>
    resource(
      "aws:autoscaling/schedule:Schedule",
      { scheduledActionName: name, autoscalingGroupName: unknown, ...properties },
      { name, propertyDependencies: { autoscalingGroupName: behind } },
    );
  const evening = at({ desiredCapacity: 0 }, "evening");
  test.for([
    ["that starts nodes", [at({ desiredCapacity: 2 })], ["fail desiredCapacity"]],
    ["that raises the minimum", [at({ minSize: 1, desiredCapacity: -1 })], ["fail minSize"]],
    ["that stops nodes", [evening], []],
    ["that changes no size", [at({ minSize: -1, maxSize: -1, desiredCapacity: -1 })], []],
    ["that another one ends", [at({ desiredCapacity: 2 }), evening], ["advise desiredCapacity"]],
    [
      "that another one of another group does not end",
      [at({ desiredCapacity: 2 }), at({ desiredCapacity: 0 }, "evening", [])],
      ["fail desiredCapacity"],
    ],
    [
      "that another one may end",
      [at({ desiredCapacity: 2 }), at({ desiredCapacity: unknown }, "evening")],
      ["unknown desiredCapacity"],
    ],
    ["of the group", [at({ autoscalingGroupName: "gpu", desiredCapacity: 2 }, "x", [])], ["fail desiredCapacity"]],
    ["that names another group", [at({ autoscalingGroupName: "web", desiredCapacity: 2 }, "x", [])], []],
    ["of unknown size", [at({ desiredCapacity: unknown })], ["unknown desiredCapacity"]],
  ] as const)("%s", ([, schedules, expected]) => {
    const said = verdicts(rule, [group, ...schedules]);
    expect([...new Set(said)]).toEqual(expected);
  });

  test("messages", () => {
    expect(findings(rule, [group, at({ desiredCapacity: 2 })])[0]?.message).toMatchInlineSnapshot(`
      "desiredCapacity: got 2. This number of GPU nodes starts at the scheduled time, with or without work. No other schedule of the group stops them. This stack may keep 0.
      fix: set desiredCapacity to 0, or let another schedule set desiredCapacity to 0 if the group must scale on a schedule"
    `);
    expect(findings(rule, [resource("aws:ec2/instance:Instance", { instanceType: "g5.xlarge" })])[0]?.message)
      .toMatchInlineSnapshot(`
        "instanceType: got g5.xlarge. These GPU instances start with the next update and cost money until you remove them. This stack may keep 0.
        fix: remove the resource, or use a node group or an Auto Scaling group with a desired size of 0"
      `);
  });
});

test.for([
  ["aws:eks/cluster:Cluster", managedNodeGroup, "clusterName"],
  ["eks:index:Cluster", managedNodeGroup, "cluster"],
  ["eks:index:Cluster", nodeGroup, "clusterName"],
] as const)("the command names the cluster that the group gets from %s as %s.%s", ([type, ofGroup, key]) => {
  const cluster = resource(type, { name: "shop", skipDefaultNodeGroup: true }, { name: "cluster" });
  const given = { instanceTypes: ["g6.xlarge"], scalingConfig: { minSize: 0, desiredSize: 1, maxSize: 1 } };
  const links = { propertyDependencies: { [key]: key === "cluster" ? [] : [cluster.urn] } };
  const group = resource(ofGroup, { ...given, [key]: key === "cluster" ? cluster.urn : unknown }, links);
  expect(findings(rule, [cluster, group])[0]?.message).toContain("--cluster-name shop ");
});

test("a group of another controller has no command", () => {
  const pool = resource("kubernetes:kops.k8s.io/v1alpha2:InstanceGroup", {
    spec: { machineType: "g6.xlarge", minSize: 2 },
  });
  expect(findings(rule, [pool])[0]?.message).toContain("fix: set spec.minSize to 0, and raise it for a session");
});
