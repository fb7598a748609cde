import { describe, expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { subnet } from "../../../../policies/facts/network";
import { managedNodeGroup, nodeGroup, nodeGroupV2, scalingGroup } from "../../../../policies/facts/node-sources";
import { gpuSingleAz as rule } from "../../../../policies/rules/nodes/gpu-single-az";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const gpu = { instanceTypes: ["g5.xlarge"] };
const subnets = (...subnetIds: unknown[]) => ({ ...gpu, subnetIds });

test.for([
  ["one subnet", subnets("a"), []],
  ["one subnet, id unknown", subnets(unknown), []],
  ["no subnet", gpu, []],
  ["an empty list", subnets(), []],
  ["system nodes in three", { instanceTypes: ["t3.medium"], subnetIds: ["a", "b", "c"] }, []],
  ["a text in place of the list", { ...gpu, subnetIds: "a" }, []],
  ["nothing", {}, []],
  ["two subnets", subnets("a", "b"), ["fail subnetIds"]],
  ["three, ids unknown", subnets(unknown, unknown, unknown), ["fail subnetIds"]],
  ["by the AMI", { amiType: "AL2023_ARM_64_NVIDIA", subnetIds: ["a", "b"] }, ["fail subnetIds"]],
  ["all unknown", { ...gpu, subnetIds: unknown }, ["unknown subnetIds"]],
  ["types unknown", { instanceTypes: unknown, subnetIds: ["a", "b"] }, ["unknown instanceTypes"]],
  ["types unknown, one subnet", { instanceTypes: unknown, subnetIds: ["a"] }, []],
  ["AMI unknown", { amiType: unknown, subnetIds: ["a", "b"] }, ["unknown amiType"]],
  ["AMI unknown, GPU type", { ...subnets("a", "b"), amiType: unknown }, ["fail subnetIds"]],
] as const)("%s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

test.for([
  ["two in one zone", [{ availabilityZone: "a" }, { availabilityZone: "a" }], []],
  ["two zones", [{ availabilityZone: "a" }, { availabilityZone: "b" }], ["fail subnetIds"]],
  ["two zones by id", [{ availabilityZoneId: "a" }, { availabilityZoneId: "b" }], ["fail subnetIds"]],
  ["two in one zone by id", [{ availabilityZoneId: "a" }, { availabilityZoneId: "a" }], []],
  [
    "two zones by id, one unknown",
    [{ availabilityZoneId: "a" }, { availabilityZoneId: unknown }],
    ["unknown availabilityZoneId"],
  ],
  ["two zones, one unknown", [{ availabilityZone: "a" }, { availabilityZone: unknown }], ["unknown availabilityZone"]],
  ["zones that AWS chooses", [{}, {}], ["fail subnetIds"]],
] as const)("subnets of the stack: %s", ([, made, expected]) => {
  const all = made.map((properties, index) => resource(subnet, properties, { name: `s${index}` }));
  const links = { propertyDependencies: { subnetIds: all.map(({ urn }) => urn) } };
  const group = resource(nodeGroup, subnets(...all.map(() => unknown)), links);
  expect(verdicts(rule, [...all, group])).toEqual(expected);
});

test("a subnet from elsewhere counts as a zone of its own", () => {
  const own = resource(subnet, { availabilityZone: "a" }, { name: "own" });
  const links = { propertyDependencies: { subnetIds: [own.urn] } };
  expect(verdicts(rule, [own, resource(nodeGroup, subnets(unknown, "subnet-0"), links)])).toEqual(["fail subnetIds"]);
});

test("one of three subnets may depend on all of them", () => {
  const all = ["a", "b", "c"].map((availabilityZone) =>
    resource(subnet, { availabilityZone }, { name: availabilityZone }),
  );
  const links = { propertyDependencies: { subnetIds: all.map(({ urn }) => urn) } };
  expect(verdicts(rule, [...all, resource(nodeGroup, subnets(unknown), links)])).toEqual([]);
});

test("self-managed nodes", () => {
  const v2 = (nodeSubnetIds: unknown, gpu: unknown = true) =>
    verdicts(rule, [resource(nodeGroupV2, { gpu, nodeSubnetIds })]);
  expect(v2(["a"])).toEqual([]);
  expect(v2(["a", "b"])).toEqual(["fail nodeSubnetIds"]);
  expect(v2(["a", "b"], unknown)).toEqual(["unknown gpu"]);
  expect(v2(["a"], unknown)).toEqual([]);
  const template = resource(launchTemplate, { instanceType: "g5.xlarge" }, { name: "template" });
  const links = { propertyDependencies: { launchTemplate: [template.urn] } };
  const group = (properties: object) => verdicts(rule, [template, resource(scalingGroup, { ...properties }, links)]);
  expect(group({ vpcZoneIdentifiers: ["a"] })).toEqual([]);
  expect(group({ vpcZoneIdentifiers: ["a", "b"] })).toEqual(["fail vpcZoneIdentifiers"]);
  expect(group({ availabilityZones: ["a", "b"] })).toEqual(["fail availabilityZones"]);
});

test("more zones can be allowed, and a group be exempt", () => {
  const configured = (more: object) => ({ policyConfig: { [rule.id]: more } });
  const group = resource(nodeGroup, subnets("a", "b"), { name: "old-gpu" });
  expect(verdicts(rule, [group], configured({ maxZones: 2 }))).toEqual([]);
  const three = resource(nodeGroup, subnets("a", "b", "c"));
  expect(findings(rule, [three], configured({ maxZones: 2 }))[0]?.message).toMatchInlineSnapshot(`
    "subnetIds: got 3 subnets, each possibly in another zone. Traffic between zones is slower and is billed in both directions. A volume cannot move to another zone with its pod. The zone of the next node is random.
    fix: set subnets of at most 2 zones in subnetIds"
  `);
  expect(verdicts(rule, [group], configured({ exempt: ["old-*"] }))).toEqual([]);
  expect(verdicts(rule, [group], configured({ exempt: ["new-*"] }))).toEqual(["fail subnetIds"]);
});

test("messages, without the secret in place of an id", () => {
  const message = (...resources: Parameters<typeof findings>[1]) => findings(rule, resources)[0]?.message;
  expect(message(resource(nodeGroup, subnets("hunter2", "b", "c")))).toMatchInlineSnapshot(`
    "subnetIds: got 3 subnets, each possibly in another zone. Traffic between zones is slower and is billed in both directions. A volume cannot move to another zone with its pod. The zone of the next node is random.
    fix: set one subnet in subnetIds"
  `);
  const all = ["hunter2", "b"].map((availabilityZone, index) =>
    resource(subnet, { availabilityZone }, { name: `s${index}` }),
  );
  const links = { propertyDependencies: { subnetIds: all.map(({ urn }) => urn) } };
  expect(message(...all, resource(nodeGroup, subnets("a", "b"), links))).toMatchInlineSnapshot(`
    "subnetIds: got 2 zones. Traffic between zones is slower and is billed in both directions. A volume cannot move to another zone with its pod. The zone of the next node is random.
    fix: set one subnet in subnetIds"
  `);
});

describe("inference", () => {
  const spread = resource(nodeGroup, subnets("a", "b"), { name: "gpu" });
  const limits = (more: object = {}) => ({ containers: [{ resources: { limits: { "nvidia.com/gpu": 1, ...more } } }] });
  const workload = (type: string, spec: object, template: object = limits()) =>
    resource(`kubernetes:${type}`, { spec: { ...spec, template: { spec: template } } }, { name: type });
  const serving = workload("apps/v1:Deployment", { replicas: 2 });
  const efa = { "vpc.amazonaws.com/efa": 1 };
  const interfaces = (interfaceType: unknown) =>
    resource("aws:ec2/launchTemplate:LaunchTemplate", { networkInterfaces: [{ interfaceType }] }, { name: "lt" });
  const [advised, failed] = [["advise subnetIds"], ["fail subnetIds"]];

  test.for([
    ["a Deployment", [serving], advised],
    ["an InferenceService", [resource("kubernetes:serving.kserve.io/v1beta1:InferenceService", { spec: {} })], advised],
    ["with a Job of one pod", [serving, workload("batch/v1:Job", {})], advised],
    ["with a parallel Job without GPUs", [serving, workload("batch/v1:Job", { parallelism: 4 }, {})], advised],
    ["with a parallel Job", [serving, workload("batch/v1:Job", { parallelism: 2 })], failed],
    ["with an MPIJob", [serving, resource("kubernetes:kubeflow.org/v2beta1:MPIJob", { spec: {} })], failed],
    ["with a NcclTest", [serving, resource("eks-gpu-lab:index:NcclTest", { gpus: 1 })], failed],
    ["that requests EFA", [workload("apps/v1:Deployment", {}, limits(efa))], failed],
    ["with EFA on the nodes", [serving, interfaces("efa")], failed],
    ["with ordinary network interfaces", [serving, interfaces("interface")], advised],
    ["a Deployment without GPUs", [workload("apps/v1:Deployment", {}, { containers: [{}] })], failed],
    [
      "parallelism unknown",
      [serving, workload("batch/v1:Job", { parallelism: unknown })],
      ["unknown spec.parallelism"],
    ],
    ["an unknown kind of interface", [serving, interfaces(unknown)], ["unknown networkInterfaces[0].interfaceType"]],
    [
      "unknown limits",
      [workload("apps/v1:Deployment", {}, { containers: [{ resources: { limits: unknown } }] })],
      ["unknown spec.template.spec.containers[0].resources.limits"],
    ],
  ] as const)("%s", ([, others, expected]) => {
    expect(verdicts(rule, [spread, ...others])).toEqual(expected);
  });

  test("message", () => {
    expect(findings(rule, [spread, serving])[0]?.message).toMatchInlineSnapshot(`
      "subnetIds: got 2 subnets, each possibly in another zone. Inference in several zones survives the failure of a zone. However, traffic between zones is billed in both directions, and a volume cannot move to another zone with its pod.
      fix: set one subnet in subnetIds"
    `);
  });
});

test.for([
  ["topology.kubernetes.io/zone", "In", ["us-east-1a", "us-east-1b"], ["fail spec.template.spec.requirements"]],
  ["topology.k8s.aws/zone-id", "In", ["use1-az1", "use1-az2", "use1-az4"], ["fail spec.template.spec.requirements"]],
  ["topology.k8s.aws/zone-id", "In", ["use1-az1"], []],
  ["topology.k8s.aws/zone-id", "NotIn", ["use1-az1", "use1-az2"], []],
  ["example.com/zone-id", "In", ["a", "b"], []],
] as const)("a NodePool with %s %s %j", ([key, operator, values, expected]) => {
  const requirements = [{ key: "karpenter.k8s.aws/instance-family", operator: "In", values: ["g6"] }];
  const spec = { template: { spec: { requirements: [...requirements, { key, operator, values }] } } };
  expect(verdicts(rule, [resource("kubernetes:karpenter.sh/v1:NodePool", { spec })])).toEqual(expected);
});

test("zones are named, subnets are set", () => {
  const group = (places: object) =>
    findings(rule, [
      resource(scalingGroup, {
        ...places,
        mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: "g6.xlarge" }] } },
      }),
    ])[0]?.message;
  expect(group({ availabilityZones: ["a", "b"] })).toContain("fix: name one in availabilityZones");
  expect(group({ vpcZoneIdentifiers: ["a", "b"] })).toContain("fix: set one subnet in vpcZoneIdentifiers");
});
