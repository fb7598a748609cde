import { expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import {
  gpuNodeGroup,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
  scalingGroup,
} from "../../../../policies/facts/node-sources";
import { gpuVcpuQuota as rule } from "../../../../policies/rules/cost/gpu-vcpu-quota";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const max = "scalingConfig.maxSize";
const group = (maxSize: unknown, types: unknown = ["g5.xlarge"], capacityType: unknown = "ON_DEMAND") => ({
  instanceTypes: types,
  capacityType,
  scalingConfig: { maxSize },
});

const elsewhere = "unknown the instance type in a launch template outside the stack";

test.for([
  ["two of four vCPUs fill the quota", group(2), []],
  ["system nodes", group(400, ["t3.medium"]), []],
  ["a Capacity Block has no part in it", group(9, ["p5.48xlarge"], "CAPACITY_BLOCK"), []],
  ["AMD's GPUs count as well, if the table knows the type", group(3, ["g4ad.xlarge"]), ["advise instanceTypes[0]"]],
  ["no types", { scalingConfig: { maxSize: 9 } }, []],
  ["nothing", {}, []],
  ["no maximum", { instanceTypes: ["g5.xlarge"] }, []],
  ["one too many", group(3), [`fail ${max}`]],
  ["one that is too large", group(1, ["g5.4xlarge"]), [`fail ${max}`]],
  ["the largest of several types counts", group(2, ["g5.xlarge", "g5.2xlarge"]), [`fail ${max}`]],
  ["the largest counts, wherever it stands", group(2, ["g5.2xlarge", "g5.xlarge"]), [`fail ${max}`]],
  ["spot has a quota of its own", group(1, ["g5.xlarge"], "SPOT"), [`fail ${max}`]],
  ["P as well", group(1, ["p4d.24xlarge"]), [`fail ${max}`]],
  ["a text of digits", group("3"), [`fail ${max}`]],
  ["maximum unknown", group(unknown), [`unknown ${max}`]],
  ["maximum unknown, system nodes", group(unknown, ["t3.medium"]), []],
  ["types unknown", group(2, unknown), ["unknown instanceTypes"]],
  [
    "one type unknown, another too large",
    group(1, [unknown, "g5.4xlarge"]),
    // What is unknown may count against another quota.
    [`fail ${max}`, "unknown instanceTypes[0]"],
  ],
  ["market unknown", group(3, ["g5.xlarge"], unknown), ["unknown capacityType"]],
  ["a type that no table has", group(1, ["g9.xlarge"]), ["advise instanceTypes[0]"]],
  ["a P type that no table has", group(1, ["p9.xlarge"]), ["fail instanceTypes[0]"]],
  ["a P type that no table has, and no nodes", group(0, ["p9.xlarge"]), []],
  ["a type that no table has, maximum unknown", group(unknown, ["g9.xlarge"]), [`unknown ${max}`]],
  ["a type that is no GPU's, whatever letters are in it", group(9, ["trn1.32xlarge", "xp1.large", "ag1.large"]), []],
  ["no nodes, types unknown", group(0, unknown), []],
  ["a launch template outside the stack", { ...group(2, null), launchTemplate: { id: "lt-0" } }, [elsewhere]],
  ["empty, with a launch template outside the stack", { ...group(0, null), launchTemplate: { id: "lt-0" } }, []],
] as const)("EKS node group: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(nodeGroup, properties)])).toEqual(expected);
});

test.for([
  [gpuNodeGroup, { instanceType: "g5.xlarge", maxSize: 2 }, []],
  [gpuNodeGroup, { instanceType: "g5.xlarge", maxSize: 3 }, ["fail maxSize"]],
  [gpuNodeGroup, { instanceType: unknown, maxSize: 3 }, ["unknown instanceType"]],
  [managedNodeGroup, { instanceTypes: ["g5.2xlarge"] }, [`fail ${max}`]],
  [managedNodeGroup, { instanceTypes: ["g5.xlarge"], capacityType: "SPOT" }, [`fail ${max}`]],
  [gpuNodeGroup, { instanceType: "g5.xlarge", maxSize: 1, capacityType: "SPOT" }, ["fail maxSize"]],
  [gpuNodeGroup, { instanceType: "g5.2xlarge" }, ["fail maxSize"]],
  [scalingGroup, { launchTemplate: { id: "lt-0" } }, []],
  [managedNodeGroup, {}, []],
  [nodeGroupV2, { instanceType: "g5.xlarge" }, []],
  [nodeGroupV2, { instanceType: "g5.xlarge", maxSize: 3 }, ["fail maxSize"]],
  [nodeGroupV2, { instanceType: "g5.2xlarge" }, ["fail maxSize"]],
  ["aws:ec2/instance:Instance", { instanceType: "g5.2xlarge" }, []],
  ["aws:ec2/instance:Instance", { instanceType: "g5.4xlarge" }, ["fail instanceType"]],
] as const)("%s %j", ([type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test.for([
  ["on demand", { maxSize: 3 }, {}, ["fail maxSize"]],
  ["fits", { maxSize: 2 }, {}, []],
  ["spot by the template", { maxSize: 1 }, { instanceMarketOptions: { marketType: "spot" } }, ["fail maxSize"]],
  ["a Capacity Block", { maxSize: 9 }, { instanceMarketOptions: { marketType: "capacity-block" } }, []],
  ["market unknown", { maxSize: 1 }, { instanceMarketOptions: unknown }, ["unknown instanceMarketOptions"]],
] as const)("Auto Scaling group with a launch template: %s", ([, properties, more, expected]) => {
  const template = resource(launchTemplate, { instanceType: "g5.xlarge", ...more }, { name: "template" });
  const links = { propertyDependencies: { launchTemplate: [template.urn] } };
  expect(verdicts(rule, [template, resource(scalingGroup, properties, links)])).toEqual(expected);
});

const distribution = "mixedInstancesPolicy.instancesDistribution";
const mix = (
  onDemandPercentageAboveBaseCapacity: unknown,
  onDemandBaseCapacity: unknown = 0,
  maxSize: unknown = 1,
) => ({
  maxSize,
  mixedInstancesPolicy: {
    instancesDistribution: { onDemandPercentageAboveBaseCapacity, onDemandBaseCapacity },
    launchTemplate: { overrides: [{ instanceType: "g5.xlarge" }] },
  },
});

test.for([
  ["all on demand", mix(100), []],
  ["all spot", mix(0), ["fail maxSize"]],
  ["some of both, rounded up on demand", mix(50), []],
  ["some of both, both too many", mix(50, 1, 100), ["fail maxSize", "fail maxSize"]],
  ["one spot instance among many", mix(50, 0, 2), ["fail maxSize"]],
  ["all spot but the base", mix(0, 1), []],
  ["all spot but the base, and one more", mix(0, 1, 2), ["fail maxSize"]],
  ["a base beyond the largest size", mix(0, 9, 2), []],
  ["a base that fills the quota", mix(0, 3, 3), ["fail maxSize"]],
  ["nothing stated is all on demand", mix(undefined, undefined, 2), []],
  ["a share that AWS does not take", mix("most", "some", 2), []],
  ["no instances", mix(unknown, unknown, 0), []],
  ["largest size unknown", mix(50, 0, unknown), ["unknown maxSize"]],
  ["share unknown", mix(unknown), [`unknown ${distribution}.onDemandPercentageAboveBaseCapacity`]],
  ["base unknown", mix(0, unknown), [`unknown ${distribution}.onDemandBaseCapacity`]],
] as const)("Auto Scaling group of mixed instances: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(scalingGroup, properties)])).toEqual(expected);
});

test("instances with weights count as more units of the maximum", () => {
  const weighted = (maxSize: number) =>
    resource(scalingGroup, {
      ...{ minSize: 0, maxSize },
      mixedInstancesPolicy: {
        launchTemplate: {
          overrides: [
            { instanceType: "g6.2xlarge", weightedCapacity: "2" },
            { instanceType: "g6.xlarge", weightedCapacity: "1" },
          ],
        },
      },
    });
  expect(verdicts(rule, [weighted(2)])).toEqual([]);
  expect(verdicts(rule, [weighted(3)])).toEqual(["fail maxSize"]);
});

test("groups that fit one by one do not fit together, and the stack is to blame", () => {
  const two = ["a", "b"].map((name) => resource(nodeGroup, group(1, ["g5.2xlarge"]), { name }));
  expect(verdicts(rule, two)).toEqual(["fail the stack"]);
  expect(verdicts(rule, [...two, resource(nodeGroup, group(unknown), { name: "later" })])).toEqual(["fail the stack"]);
  expect(verdicts(rule, two.slice(1))).toEqual([]);
});

test("one group that is too large alone hides nothing of the others", () => {
  const named = (name: string, maxSize: number) => resource(nodeGroup, group(maxSize), { name });
  const three = [named("big", 3), named("a", 2), named("b", 2)];
  const said = (exempt: readonly string[], of = three) =>
    verdicts(rule, of, { policyConfig: { [rule.id]: { exempt } } });
  expect(said([])).toEqual([`fail ${max}`, "fail the stack"]);
  expect(said(["big"])).toEqual(["fail the stack"]);
  expect(said(["big", "a"])).toEqual([]);
  expect(said(["a"])).toEqual([`fail ${max}`]);
  expect(said([], three.slice(0, 2))).toEqual([`fail ${max}`]);
});

test("a group that is too large may wait for more, and the stack does not", () => {
  const open = resource(nodeGroup, group(3, ["g5.xlarge", unknown]), { name: "big" });
  const { message } = findings(rule, [open]).find(({ verdict }) => verdict === "fail") ?? { message: "" };
  expect(message).toContain("3 x 4 = 12 vCPUs");
  const unsure = resource(nodeGroup, group(unknown), { name: "later" });
  expect(verdicts(rule, [resource(nodeGroup, group(3)), unsure])).toEqual([`fail ${max}`, `unknown ${max}`]);
});

test("a group is counted once, with the component that makes it", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge", maxSize: 2 }, { name: "gpu" });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu");
  const child = resource(nodeGroup, group(2), { urn, name: "gpu", parent: component.urn });
  expect(verdicts(rule, [component, child])).toEqual([]);
  const empty = resource(gpuNodeGroup, {}, { name: "gpu" });
  const large = resource(nodeGroup, group(3), { urn, name: "gpu", parent: empty.urn });
  expect(findings(rule, [empty, large]).map((finding) => finding.urn)).toEqual([urn]);
});

test("the quotas and what the table lacks can be configured", () => {
  const judged = (properties: object, configured: object) =>
    verdicts(rule, [resource(nodeGroup, { ...properties })], { policyConfig: { [rule.id]: configured } });
  expect(judged(group(3), { quotas: { gOnDemand: 12 } })).toEqual([]);
  expect(judged(group(3), { quotas: { pOnDemand: 12 } })).toEqual([`fail ${max}`]);
  expect(judged(group(2, ["g9.xlarge"]), { vcpus: { "g9.xlarge": 4 } })).toEqual([]);
  expect(judged(group(3, ["g9.xlarge"]), { vcpus: { "g9.xlarge": 4 } })).toEqual([`fail ${max}`]);
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const groups = ["old-gpu", "gpu"].map((name) => resource(nodeGroup, group(3), { name }));
  expect(findings(rule, groups, { policyConfig }).map(({ name }) => name)).toEqual(["gpu"]);
});

test("messages, without the secret in place of a type", () => {
  const message = (...groups: readonly object[]) =>
    findings(
      rule,
      groups.map((one, index) => resource(nodeGroup, { ...one }, { name: `it-${index}` })),
    ).map((finding) => finding.message);
  expect(message(group(3, ["g5.xlarge", "hunter2"]))).toMatchInlineSnapshot(`
    [
      "scalingConfig.maxSize: got 3 x 4 = 12 vCPUs. The quota for G and VT instances on demand (L-DB2E81BA) is 8 vCPUs. AWS does not start an instance beyond it, and the group waits for nodes that never start.
    fix: lower scalingConfig.maxSize to 2 or less, or request an increase of L-DB2E81BA and set quotas.gOnDemand in the policy configuration",
    ]
  `);
  expect(message(group(1, ["p5.48xlarge"]))).toMatchInlineSnapshot(`
    [
      "scalingConfig.maxSize: got 1 x 192 = 192 vCPUs. The quota for P instances on demand (L-417A185B) is 0 vCPUs. AWS does not start an instance beyond it, and the group waits for nodes that never start.
    fix: choose instances of another family or market, or request an increase of L-417A185B and set quotas.pOnDemand in the policy configuration",
    ]
  `);
  expect(message(group(2), group(1))).toMatchInlineSnapshot(`
    [
      "the stack: got 12 vCPUs: it-0 8, it-1 4. The quota for G and VT instances on demand (L-DB2E81BA) is 8 vCPUs. AWS does not start an instance beyond it, and the group waits for nodes that never start.
    fix: lower the maximum sizes, or request an increase of L-DB2E81BA and set quotas.gOnDemand in the policy configuration",
    ]
  `);
});

test("the message for the stack names what takes the most, and no more than fit", () => {
  const groups = ["a", "b", "c", "d", "e", "f", "g"].map((name, index) =>
    resource(nodeGroup, group(index === 2 ? 2 : 1), { name }),
  );
  const none = resource(nodeGroup, group(0), { name: "none" });
  const said = findings(rule, [...groups, none]).map(({ message }) => message.split(". ")[0]);
  expect(said).toEqual(["the stack: got 32 vCPUs: c 8, a 4, b 4, d 4, e 4, 2 more"]);
});

test("the fix for limits of vCPUs lowers them", () => {
  const [{ message = "" } = {}] = findings(rule, [familyPool("g6", { cpu: 1000 })]);
  expect(message).toContain("fix: set spec.limits.cpu to 8 or less, and allow smaller instances");
});

test("the fix for limits without any quota is an increase, or another market", () => {
  const options = { policyConfig: { [rule.id]: { quotas: { gOnDemand: 0 } } } };
  const [{ message = "" } = {}] = findings(rule, [familyPool("g6", { cpu: 1000 })], options);
  expect(message).toContain("fix: choose instances of another family or market, or request an increase of L-DB2E81BA");
});

test("the message for a mix names its share, that for an unknown type the parameter", () => {
  const message = (type: string, properties: object) =>
    findings(rule, [resource(type, { ...properties })]).map((finding) => finding.message);
  expect(message(scalingGroup, mix(75, 0, 5))).toMatchInlineSnapshot(`
    [
      "maxSize: got 4 of 5 nodes x 4 = 16 vCPUs. The quota for G and VT instances on demand (L-DB2E81BA) is 8 vCPUs. AWS does not start an instance beyond it, and the group waits for nodes that never start.
    fix: change instancesDistribution so that at most 2 nodes are in this market, or request an increase of L-DB2E81BA and set quotas.gOnDemand in the policy configuration",
      "maxSize: got 1 of 5 nodes x 4 = 4 vCPUs. The quota for G and VT spot instances (L-3819A6DF) is 0 vCPUs. AWS does not start an instance beyond it, and the group waits for nodes that never start.
    fix: change instancesDistribution so that at most 0 nodes are in this market, or request an increase of L-3819A6DF and set quotas.gSpot in the policy configuration",
    ]
  `);
  expect(message(nodeGroup, group(1, ["g9.hunter2"]))).toMatchInlineSnapshot(`
    [
      "instanceTypes[0]: got an unknown instance type. Its vCPUs are not counted against the quota for G and VT instances on demand (L-DB2E81BA).
    fix: add the type to "vcpus" in the policy configuration: aws ec2 describe-instance-types shows its DefaultVCpus",
    ]
  `);
  expect(message("aws:ec2/instance:Instance", { instanceType: "g5.4xlarge" })[0]).toContain("got 1 x 16 = 16 vCPUs");
});

test("a component is counted with its group where their names differ, or the component is another's", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge", maxSize: 1 }, { name: "gpu" });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "other");
  const inside = resource(nodeGroup, group(2), { urn, name: "other" });
  expect(verdicts(rule, [component, inside])).toEqual(["fail the stack"]);
  expect(verdicts(rule, [component, resource(nodeGroup, group(2), { name: "gpu" })])).toEqual(["fail the stack"]);
});

const reservation = (instanceCount: unknown, instanceType: unknown = "g5.xlarge") =>
  resource("aws:ec2/capacityReservation:CapacityReservation", { instanceType, instanceCount }, { name: "reserved" });
const batch = (instanceTypes: unknown, maxVcpus: unknown, type = "EC2") =>
  resource("aws:batch/computeEnvironment:ComputeEnvironment", { computeResources: { type, instanceTypes, maxVcpus } });
const pool = (replicas: unknown, market: string, limits?: unknown, type: unknown = "g5.xlarge") =>
  resource("kubernetes:karpenter.sh/v1:NodePool", {
    spec: {
      replicas,
      limits,
      template: {
        spec: {
          requirements: [
            { key: "node.kubernetes.io/instance-type", operator: "In", values: [type] },
            { key: "karpenter.sh/capacity-type", operator: "In", values: [market] },
          ],
        },
      },
    },
  });

const familyPool = (family: string, limits: object, label = "instance-family") => {
  const requirements = [{ key: `karpenter.k8s.aws/${label}`, operator: "In", values: [family] }];
  return resource("kubernetes:karpenter.sh/v1:NodePool", { spec: { limits, template: { spec: { requirements } } } });
};
const provisioner = (resources?: object) =>
  resource("kubernetes:karpenter.sh/v1alpha5:Provisioner", {
    spec: {
      ...(resources && { limits: { resources } }),
      requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["p5.48xlarge"] }],
    },
  });
const fleet = (instanceType: string, targetCapacitySpecification: object, weightedCapacity?: unknown) =>
  resource("aws:ec2/fleet:Fleet", {
    launchTemplateConfigs: [{ overrides: [{ instanceType, weightedCapacity }] }],
    targetCapacitySpecification: { defaultTargetCapacityType: "on-demand", ...targetCapacitySpecification },
  });

test.for([
  ["a reservation that fits", [reservation(2)], []],
  ["a reservation counts, whether its instances run or not", [reservation(3)], ["fail instanceCount"]],
  ["a reservation of unknown size", [reservation(unknown)], ["unknown instanceCount"]],
  ["a reservation and the group that runs in it count once", [reservation(2), resource(nodeGroup, group(2))], []],
  ["two reservations, each fits", [reservation(2), { ...reservation(2), urn: urnOf("r", "b") }], ["fail the stack"]],
  [
    "a reservation of another type than that of the groups",
    [reservation(1, "g6.xlarge"), resource(nodeGroup, group(2))],
    ["fail the stack"],
  ],
  [
    "two reservations of a type, and a group that runs in one",
    [reservation(2), { ...reservation(1), urn: urnOf("r", "b") }, resource(nodeGroup, group(1))],
    ["fail the stack"],
  ],
  ["a reservation of unknown type", [reservation(1, unknown)], ["unknown instanceType"]],
  ["a static pool", [pool(3, "on-demand")], ["fail spec.replicas"]],
  ["a static pool on spot", [pool(1, "spot")], ["fail spec.replicas"]],
  ["a static pool that fits", [pool(2, "on-demand")], []],
  ["a pool that Karpenter scales to a limit", [pool(undefined, "on-demand", { cpu: 8 })], []],
  ["a pool that Karpenter scales without a limit", [pool(undefined, "on-demand")], ["advise spec.limits"]],
  ["a pool of unknown limits", [pool(undefined, "on-demand", unknown)], ["unknown spec.limits"]],
  ["limits of vCPUs beyond the quota", [pool(undefined, "on-demand", { cpu: "12" })], ["advise spec.limits"]],
  ["limits of memory", [pool(undefined, "on-demand", { memory: "48Gi" })], ["advise spec.limits"]],
  ["limits of GPUs", [pool(undefined, "spot", { "nvidia.com/gpu": 1 })], ["advise spec.limits"]],
  ["limits of nodes", [pool(undefined, "on-demand", { nodes: "3" })], ["advise spec.limits"]],
  ["the strictest of several limits", [pool(undefined, "on-demand", { nodes: 9, cpu: "8000m" })], []],
  ["an unknown number in limits", [pool(undefined, "on-demand", { nodes: unknown })], ["unknown spec.limits.nodes"]],
  [
    "limits and an unknown type",
    [pool(undefined, "on-demand", { nodes: 9 }, unknown)],
    [expect.stringMatching(/^unknown .*values/)],
  ],
  ["replicas within limits count as replicas", [pool(2, "on-demand", { nodes: 9 })], []],
  ["a family within limits", [familyPool("g6", { "nvidia.com/gpu": 2 })], []],
  ["a family beyond the quota, smallest type", [familyPool("g6e", { "nvidia.com/gpu": 3 })], ["advise spec.limits"]],
  ["a category, of which the smallest type fits", [familyPool("g", { nodes: 4 }, "instance-category")], []],
  ["Karpenter's Provisioner", [provisioner({ cpu: 1000 })], ["advise spec.limits.resources"]],
  ["Karpenter's Provisioner without limits", [provisioner()], ["advise spec.limits.resources"]],
  ["a fleet that fits", [fleet("g5.xlarge", { totalTargetCapacity: 2 })], []],
  ["a fleet of weighted units", [fleet("g5.2xlarge", { totalTargetCapacity: 8 }, 8)], []],
  ["a fleet of vCPUs", [fleet("g5.xlarge", { totalTargetCapacity: 8, targetCapacityUnitType: "vcpu" })], []],
  [
    "a fleet of too much memory",
    [fleet("g5.xlarge", { totalTargetCapacity: 49_152, targetCapacityUnitType: "memory-mib" })],
    ["fail targetCapacitySpecification.totalTargetCapacity"],
  ],
  [
    "a fleet in both markets",
    [fleet("g5.xlarge", { totalTargetCapacity: 9, spotTargetCapacity: 9 })],
    ["unknown targetCapacitySpecification.spotTargetCapacity"],
  ],
  [
    "a fleet of an unknown weight",
    [fleet("g5.xlarge", { totalTargetCapacity: 9 }, unknown)],
    [expect.stringMatching(/^unknown .*weightedCapacity/)],
  ],
  [
    "a spot fleet",
    [
      resource("aws:ec2/spotFleetRequest:SpotFleetRequest", {
        targetCapacity: 1,
        launchSpecifications: [{ instanceType: "p4d.24xlarge" }],
      }),
    ],
    ["fail targetCapacity"],
  ],
  [
    "the fleet of aws-native",
    [{ ...fleet("p5.48xlarge", { totalTargetCapacity: 1 }), type: "aws-native:ec2:Ec2Fleet" }],
    ["fail targetCapacitySpecification.totalTargetCapacity"],
  ],
  [
    "services with quotas of their own",
    [
      resource("aws:gamelift/fleet:Fleet", { ec2InstanceType: "g5.48xlarge" }),
      resource("aws:ec2/dedicatedHost:DedicatedHost", { instanceType: "p5.48xlarge" }),
    ],
    [],
  ],
  ["vCPUs of AWS Batch", [batch(["g5"], 12)], ["fail computeResources.maxVcpus"]],
  ["vCPUs of AWS Batch that fit", [batch(["g5.xlarge"], 8)], []],
  ["vCPUs of AWS Batch on spot", [batch(["g5.xlarge"], 8, "SPOT")], ["fail computeResources.maxVcpus"]],
  ["vCPUs of AWS Batch without GPUs", [batch(["optimal"], 256)], []],
  ["unknown vCPUs of AWS Batch", [batch(["g5"], unknown)], ["unknown computeResources.maxVcpus"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

const providerUrn = (name: string) => urnOf("pulumi:providers:aws", name);
const provider = (name: string, region: unknown) => resource("pulumi:providers:aws", { region }, { name });
const inProvider = (name: string, by: string, properties: object = {}) =>
  resource(nodeGroup, { ...group(2), ...properties }, { name, provider: `${providerUrn(by)}::id` });

test.for([
  [
    "one region by two providers",
    [provider("a", "eu-west-1"), provider("b", "eu-west-1"), inProvider("1", "a"), inProvider("2", "b")],
    1,
  ],
  [
    "the region of the stack, stated and by default",
    [provider("a", "us-west-2"), inProvider("1", "a"), resource(nodeGroup, group(2))],
    1,
  ],
  ["a provider without a region", [provider("a", undefined), inProvider("1", "a"), resource(nodeGroup, group(2))], 1],
  [
    "regions of the resources themselves",
    [inProvider("1", "a", { region: "eu-west-1" }), inProvider("2", "a", { region: "us-east-1" })],
    0,
  ],
  ["a provider of unknown region", [provider("a", unknown), inProvider("1", "a"), resource(nodeGroup, group(2))], 0],
] as const)("quotas are regional: %s", ([, resources, count]) => {
  const config = { "aws:region": "us-west-2" };
  expect(verdicts(rule, resources, { config })).toEqual(Array(count).fill("fail the stack"));
});
