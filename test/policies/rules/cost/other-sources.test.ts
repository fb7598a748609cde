import { describe, expect, test } from "vitest";
import { gpuDesiredZero } from "../../../../policies/rules/cost/gpu-desired-zero";
import { gpuVcpuQuota } from "../../../../policies/rules/cost/gpu-vcpu-quota";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const gpu = "g5.2xlarge";
const cpu = "m7i.large";

describe("machines of Cluster API", () => {
  const template = (instanceType: unknown, name = "gpu", version = "v1beta2") =>
    resource(
      `kubernetes:infrastructure.cluster.x-k8s.io/${version}:AWSMachineTemplate`,
      { metadata: { name }, spec: { template: { spec: { instanceType } } } },
      { name: `template-${name}` },
    );
  const machines = (replicas: unknown, kind = "MachineDeployment", version = "v1beta1", name: unknown = "gpu") =>
    resource(`kubernetes:cluster.x-k8s.io/${version}:${kind}`, {
      spec: { replicas, template: { spec: { infrastructureRef: { kind: "AWSMachineTemplate", name } } } },
    });
  const at = "spec.replicas";

  test.for([
    ["none", [machines(0), template(gpu)], [], []],
    ["one", [machines(1), template(gpu)], [`fail ${at}`], []],
    ["two, more than the quota", [machines(2), template(gpu)], [`fail ${at}`], [`fail ${at}`]],
    ["no number, which is one", [machines(undefined), template(gpu)], [`fail ${at}`], []],
    [
      "of a set, in other versions",
      [machines(2, "MachineSet", "v1beta2"), template(gpu, "gpu", "v1beta1")],
      [`fail ${at}`],
      [`fail ${at}`],
    ],
    ["without GPUs", [machines(9), template(cpu)], [], []],
    ["of another template", [machines(9), template(gpu, "other"), template(cpu)], [], []],
    ["without a template in the program", [machines(9)], [], []],
    ["an unknown number", [machines(unknown), template(gpu)], [`unknown ${at}`], [`unknown ${at}`]],
    [
      "an unknown type",
      [machines(2), template(unknown)],
      ["unknown spec.template.spec.instanceType"],
      ["unknown spec.template.spec.instanceType"],
    ],
  ] as const)("%s", ([, stack, desired, quota]) => {
    expect(verdicts(gpuDesiredZero, stack)).toEqual(desired);
    expect(verdicts(gpuVcpuQuota, stack)).toEqual(quota);
  });

  test("a template that is known only after the update, by its output", () => {
    const of = template(gpu);
    const set = machines(2, "MachineDeployment", "v1beta1", unknown);
    const stack = [{ ...set, propertyDependencies: { spec: [of.urn] } }, of];
    expect(verdicts(gpuDesiredZero, stack)).toEqual([`fail ${at}`]);
  });
});

describe("a warm pool in a resource of its own", () => {
  const group = (instanceType: string, more: object = {}) => [
    resource("aws-native:autoscaling:AutoScalingGroup", {
      ...{ autoScalingGroupName: "gpu", minSize: "0", maxSize: "4", desiredCapacity: "0" },
      mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType }] } },
      ...more,
    }),
  ];
  const pool = (more: object, propertyDependencies = {}) =>
    resource(
      "aws-native:autoscaling:WarmPool",
      { autoScalingGroupName: "gpu", ...more },
      { name: "warm", propertyDependencies },
    );
  const running = { poolState: "Running" };

  test.for([
    ["that runs, of the size of the group", pool(running), gpu, ["fail poolState"]],
    ["that runs, of a number", pool({ ...running, minSize: 1 }), gpu, ["fail poolState"]],
    ["that runs, without instances", pool({ ...running, maxGroupPreparedCapacity: 0 }), gpu, []],
    ["that is stopped", pool({ poolState: "Stopped", minSize: 2 }), gpu, []],
    ["that is stopped by default", pool({ minSize: 2 }), gpu, []],
    ["without GPUs", pool(running), cpu, []],
    ["of another group", pool({ ...running, autoScalingGroupName: "other" }), gpu, []],
    ["of an unknown group", pool({ ...running, autoScalingGroupName: unknown }), gpu, []],
    ["in an unknown state", pool({ poolState: unknown }), gpu, ["unknown poolState"]],
    [
      "of a group of which it has the output",
      pool({ ...running, autoScalingGroupName: unknown }, { autoScalingGroupName: [group(gpu)[0]?.urn ?? ""] }),
      gpu,
      ["fail poolState"],
    ],
  ] as const)("%s", ([, warm, type, expected]) => {
    const said = findings(gpuDesiredZero, [...group(type), warm]);
    expect(verdicts(gpuDesiredZero, [...group(type), warm])).toEqual(expected);
    expect(said.every(({ name }) => name === "warm")).toBe(true);
  });

  test("a scheduled action of aws-native names its group, too", () => {
    const at = (desiredCapacity: number, name: string) =>
      resource("aws-native:autoscaling:ScheduledAction", { autoScalingGroupName: "gpu", desiredCapacity }, { name });
    expect(verdicts(gpuDesiredZero, [...group(gpu), at(1, "on")])).toEqual(["fail desiredCapacity"]);
    expect(verdicts(gpuDesiredZero, [...group(gpu), at(1, "on"), at(0, "off")])).toEqual(["advise desiredCapacity"]);
    expect(verdicts(gpuDesiredZero, [...group(cpu), at(1, "on")])).toEqual([]);
  });
});

describe("a warm pool in a block of the group", () => {
  const scalingConfig = { minSize: 0, desiredSize: 0, maxSize: 1 };
  const managed = (warmPoolConfig: unknown, type = gpu) =>
    resource("aws:eks/nodeGroup:NodeGroup", { instanceTypes: [type], scalingConfig, warmPoolConfig });
  const native = (warmPoolConfig: unknown) =>
    resource("aws-native:eks:Nodegroup", { instanceTypes: [gpu], scalingConfig, warmPoolConfig });
  const scaling = (warmPool: unknown) =>
    resource("aws:autoscaling/group:Group", {
      ...{ minSize: 0, maxSize: 1, warmPool },
      mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: gpu }] } },
    });
  const running = { poolState: "RUNNING" };
  const state = "warmPoolConfig.poolState";
  const sum = "scalingConfig.maxSize + warmPoolConfig.minSize";

  test.for([
    ["of EKS that runs", managed({ ...running, minSize: 1 }), [`fail ${state}`], [`fail ${sum}`]],
    ["of EKS that runs up to the maximum", managed(running), [`fail ${state}`], []],
    ["of EKS that runs up to its limit", managed({ ...running, maxGroupPreparedCapacity: 0 }), [], []],
    [
      "of EKS with a limit beyond the maximum",
      managed({ ...running, maxGroupPreparedCapacity: 2 }),
      [`fail ${state}`],
      ["fail warmPoolConfig.maxGroupPreparedCapacity"],
    ],
    ["of EKS that is stopped", managed({ poolState: "STOPPED", minSize: 9 }), [], []],
    ["of EKS that is hibernated", managed({ poolState: "HIBERNATED", minSize: 9 }), [], []],
    ["of EKS without a state", managed({ minSize: 9 }), [], []],
    ["of EKS without GPUs", managed({ ...running, minSize: 9 }, cpu), [], []],
    ["of EKS in an unknown state", managed({ poolState: unknown, minSize: 9 }), [`unknown ${state}`], []],
    ["of aws-native", native({ ...running, minSize: 2 }), [`fail ${state}`], [`fail ${sum}`]],
    ["of aws-native that is off", native({ ...running, minSize: 2, enabled: false }), [], []],
    [
      "of Auto Scaling",
      scaling({ poolState: "Running", minSize: 2 }),
      ["fail warmPool.poolState"],
      ["fail maxSize + warmPool.minSize"],
    ],
  ] as const)("%s", ([, group, desired, quota]) => {
    expect(verdicts(gpuDesiredZero, [group])).toEqual(desired);
    expect(verdicts(gpuVcpuQuota, [group])).toEqual(quota);
  });

  test("messages", () => {
    const stack = [managed({ ...running, minSize: 1 })];
    const said = [gpuDesiredZero, gpuVcpuQuota].flatMap((rule) => findings(rule, stack));
    expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "warmPoolConfig.poolState: got RUNNING, with scalingConfig.maxSize 1. The GPU instances of the warm pool run and cost money, although the desired size does not count them. This stack may keep 0.
      fix: set warmPoolConfig.poolState to STOPPED: stopped instances cost only their volumes",
        "scalingConfig.maxSize + warmPoolConfig.minSize: got 2 x 8 = 16 vCPUs. The quota for G and VT instances on demand (L-DB2E81BA) is 8 vCPUs. AWS does not start an instance beyond it, and the group waits for nodes that never start.
      fix: lower scalingConfig.maxSize + warmPoolConfig.minSize to 1 or less, or request an increase of L-DB2E81BA and set quotas.gOnDemand in the policy configuration",
      ]
    `);
  });
});

describe("a schedule that raises the maximum of a group", () => {
  const group = resource("aws:autoscaling/group:Group", {
    ...{ name: "gpu", minSize: 0, maxSize: 1 },
    mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: gpu }] } },
  });
  const at = (maxSize: unknown, autoscalingGroupName: unknown = "gpu") =>
    resource("aws:autoscaling/schedule:Schedule", { autoscalingGroupName, maxSize }, { name: "morning" });

  test.for([
    ["beyond the quota", at(2), ["fail maxSize of morning"]],
    ["within the quota", at(1), []],
    ["of another group", at(9, "cpu"), []],
    ["not", at(-1), []],
    ["to an unknown number", at(unknown), []],
  ] as const)("%s", ([, schedule, expected]) => {
    expect(verdicts(gpuVcpuQuota, [group, schedule])).toEqual(expected);
  });
});

const kaito = (kind: string, version = "v1beta1") => `kubernetes:kaito.sh/${version}:${kind}`;
const [workspace, cloud9] = [kaito("Workspace"), "aws:cloud9/environmentEC2:EnvironmentEC2"];
const desktop = "aws:workspaces/workspace:Workspace";
const [builds, nativeBuilds] = ["aws:codebuild/fleet:Fleet", "aws-native:codebuild:Fleet"];
const serve = (replicas: unknown) => ({ spec: { replicas, template: { resource: { instanceType: gpu } } } });
const desktopOf = (computeTypeName: unknown) => ({
  workspaceProperties: { computeTypeName, runningMode: "ALWAYS_ON" },
});
const build = (environmentType: unknown, more: object = {}) => ({ environmentType, baseCapacity: 1, ...more });
const custom = (instanceType: unknown) => ({
  computeType: "CUSTOM_INSTANCE_TYPE",
  computeConfiguration: { instanceType },
});

test.for([
  [workspace, { resource: { instanceType: gpu } }, ["fail resource.instanceType"], []],
  [workspace, { resource: { instanceType: gpu, count: 2 } }, ["fail resource.count"], ["fail resource.count"]],
  [kaito("Workspace", "v1alpha1"), { resource: { instanceType: gpu, count: 1 } }, ["fail resource.count"], []],
  [workspace, { resource: { instanceType: cpu, count: 9 } }, [], []],
  [workspace, { resource: { labelSelector: {} } }, [], []],
  [
    workspace,
    { resource: { instanceType: gpu, count: unknown } },
    ["unknown resource.count"],
    ["unknown resource.count"],
  ],
  [workspace, { resource: unknown }, ["unknown resource"], ["unknown resource", "unknown resource"]],
  [kaito("InferenceSet"), serve(2), ["fail spec.replicas"], ["fail spec.replicas"]],
  [kaito("InferenceSet"), serve(0), [], []],
  [kaito("RAGEngine"), { spec: { compute: { instanceType: gpu } } }, ["fail spec.compute.instanceType"], []],
  [cloud9, { instanceType: gpu }, ["fail instanceType"], []],
  [cloud9, { instanceType: "g5.4xlarge" }, ["fail instanceType"], ["fail instanceType"]],
  [cloud9, { instanceType: "t3.small" }, [], []],
  [desktop, desktopOf("GRAPHICS_G4DN"), ["fail workspaceProperties.computeTypeName"], []],
  [desktop, desktopOf("GRAPHICSPRO_G4DN"), ["fail workspaceProperties.computeTypeName"], []],
  [desktop, desktopOf("GRAPHICS_G6_4XLARGE"), ["fail workspaceProperties.computeTypeName"], []],
  [desktop, desktopOf("GRAPHICS_GR6F_4XLARGE"), ["fail workspaceProperties.computeTypeName"], []],
  [desktop, desktopOf("POWERPRO"), [], []],
  [desktop, desktopOf("GENERALPURPOSE_4XLARGE"), [], []],
  [desktop, { bundleId: "wsb-1" }, [], []],
  [builds, build("LINUX_GPU_CONTAINER"), ["fail baseCapacity"], []],
  [nativeBuilds, build("LINUX_GPU_CONTAINER"), ["fail baseCapacity"], []],
  [builds, build("LINUX_CONTAINER"), [], []],
  [builds, build("LINUX_EC2", custom("g6.xlarge")), ["fail baseCapacity"], []],
  [builds, build("LINUX_EC2", custom("c7i.xlarge")), [], []],
  [builds, build(unknown), ["unknown environmentType"], []],
] as const)("%s with %j", ([type, properties, desired, quota]) => {
  expect(verdicts(gpuDesiredZero, [resource(type, properties)])).toEqual(desired);
  expect(verdicts(gpuVcpuQuota, [resource(type, properties)])).toEqual(quota);
});

describe("instance types by attributes", () => {
  const nvidia = { acceleratorManufacturers: ["nvidia"], vcpuCount: { min: 4 } };
  const providers = ["aws:ecs/capacityProvider:CapacityProvider", "aws-native:ecs:CapacityProvider"] as const;
  const provider = (instanceRequirements: unknown) => ({
    managedInstancesProvider: { instanceLaunchTemplate: { instanceRequirements } },
  });
  const scaling = (instanceRequirements: unknown, maxSize: unknown = 9) =>
    resource("aws:autoscaling/group:Group", {
      ...{ minSize: 0, desiredCapacity: 0, maxSize },
      mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceRequirements }] } },
    });
  const ofProvider = "managedInstancesProvider.instanceLaunchTemplate.instanceRequirements";
  const ofGroup = "mixedInstancesPolicy.launchTemplate.overrides[0].instanceRequirements";

  test.for(providers)("of %s start for tasks, and have no limit", (type) => {
    const judged = (requirements: unknown) => verdicts(gpuVcpuQuota, [resource(type, provider(requirements))]);
    expect(judged(nvidia)).toEqual([`advise ${ofProvider}`]);
    expect(judged({ allowedInstanceTypes: ["g5.*", "m7i.*"] })).toEqual([`advise ${ofProvider}`]);
    expect(judged({ allowedInstanceTypes: ["m7i.*"] })).toEqual([]);
    expect(judged({ acceleratorManufacturers: unknown })).toEqual([`unknown ${ofProvider}.acceleratorManufacturers`]);
    expect(verdicts(gpuVcpuQuota, [resource(type, { autoScalingGroupProvider: {} })])).toEqual([]);
    expect(verdicts(gpuDesiredZero, [resource(type, provider(nvidia))])).toEqual([]);
  });

  test.for([
    ["GPUs of NVIDIA", scaling(nvidia), [`advise ${ofGroup}`]],
    ["GPUs by their names", scaling({ acceleratorNames: ["a10g"] }), [`advise ${ofGroup}`]],
    ["no GPUs", scaling({ vcpuCount: { min: 4 } }), []],
    ["GPUs of another maker", scaling({ acceleratorManufacturers: ["amd"] }), []],
    ["GPUs, but the group cannot grow", scaling(nvidia, 0), []],
    ["GPUs, and the size is unknown", scaling(nvidia, unknown), ["unknown maxSize"]],
  ] as const)("of an Auto Scaling group with %s", ([, group, expected]) => {
    expect(verdicts(gpuVcpuQuota, [group])).toEqual(expected);
  });

  test("of a fleet, of a launch template", () => {
    const overrides = [{ instanceRequirements: nvidia }];
    const fleet = {
      launchTemplateConfigs: [{ overrides }],
      targetCapacitySpecification: { totalTargetCapacity: 4, defaultTargetCapacityType: "on-demand" },
    };
    expect(verdicts(gpuVcpuQuota, [resource("aws:ec2/fleet:Fleet", fleet)])).toEqual([
      "advise launchTemplateConfigs[0].overrides[0].instanceRequirements",
    ]);
    const template = resource(
      "aws:ec2/launchTemplate:LaunchTemplate",
      { instanceRequirements: nvidia },
      { name: "lt" },
    );
    const group = resource(
      "aws:autoscaling/group:Group",
      { maxSize: 4, launchTemplate: { id: unknown } },
      { propertyDependencies: { launchTemplate: [template.urn] } },
    );
    expect(verdicts(gpuVcpuQuota, [group, template])).toEqual(["advise instanceRequirements"]);
  });

  test("message", () => {
    expect(findings(gpuVcpuQuota, [scaling(nvidia)]).map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "mixedInstancesPolicy.launchTemplate.overrides[0].instanceRequirements: got instance types by attributes, including GPU types. AWS chooses the types, so their vCPUs are not counted against the quotas of GPU instances.
      fix: name the instance types, or compare the largest type that AWS may choose with the quota",
      ]
    `);
  });
});
