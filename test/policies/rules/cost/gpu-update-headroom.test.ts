import { expect, test } from "vitest";
import { subnet } from "../../../../policies/facts/network";
import { gpuNodeGroup, managedNodeGroup, nodeGroup } from "../../../../policies/facts/node-sources";
import { gpuUpdateHeadroom as rule } from "../../../../policies/rules/cost/gpu-update-headroom";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const strategy = "updateConfig.updateStrategy";
const group = (maxSize: unknown, updateStrategy: unknown, more: object = {}) => ({
  instanceTypes: ["g5.xlarge"],
  scalingConfig: { maxSize },
  subnetIds: ["subnet-0"],
  updateConfig: { maxUnavailable: 1, updateStrategy },
  ...more,
});
const quotas = (gOnDemand: number) => ({ policyConfig: { [rule.id]: { quotas: { gOnDemand } } } });

test.for([
  ["the old nodes end first", group(2, "MINIMAL"), []],
  ["system nodes", group(9, "DEFAULT", { instanceTypes: ["t3.medium"] }), []],
  ["one node of four vCPUs, and none to spare for two", group(1, "DEFAULT"), [`fail ${strategy}`]],
  ["no strategy is the default one", group(2, undefined), [`fail ${strategy}`]],
  ["no update configuration at all", group(2, "", { updateConfig: undefined }), [`fail ${strategy}`]],
  ["an unknown strategy, which EKS rejects", group(2, "hunter2"), []],
  ["nothing", {}, []],
  ["strategy unknown", group(2, unknown), [`unknown ${strategy}`]],
  ["strategy unknown, system nodes", group(2, unknown, { instanceTypes: ["t3.medium"] }), []],
  ["subnets unknown, too much with one already", group(2, "DEFAULT", { subnetIds: unknown }), [`fail ${strategy}`]],
  ["maximum unknown", group(unknown, "DEFAULT"), ["unknown scalingConfig.maxSize"]],
  ["an empty group", group(0, "DEFAULT"), []],
  [
    "a type that no table has",
    group(1, "DEFAULT", { instanceTypes: ["g9.xlarge"] }),
    ["unknown the number of vCPUs of instanceTypes[0] (parameter vcpus)"],
  ],
  ["types unknown", group(1, "DEFAULT", { instanceTypes: unknown }), ["unknown instanceTypes"]],
  ["the whole update configuration unknown", group(2, "", { updateConfig: unknown }), ["unknown updateConfig"]],
  ["market unknown", group(1, "DEFAULT", { capacityType: unknown }), ["unknown capacityType"]],
  ["market unknown, the old nodes end first", group(1, "MINIMAL", { capacityType: unknown }), []],
  ["spot", group(1, "DEFAULT", { capacityType: "SPOT" }), [`fail ${strategy}`]],
] as const)("%s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

test.for([
  ["one zone, just enough", group(2, "DEFAULT"), 16, []],
  ["one zone, one vCPU short", group(2, "DEFAULT"), 15, [`fail ${strategy}`]],
  ["three subnets", group(2, "DEFAULT", { subnetIds: ["a", "b", "c"] }), 32, []],
  ["three subnets, short", group(2, "DEFAULT", { subnetIds: ["a", "b", "c"] }), 31, [`fail ${strategy}`]],
  ["ids unknown, but their number is not", group(2, "DEFAULT", { subnetIds: [unknown, unknown, unknown] }), 32, []],
  ["subnets unknown", group(2, "DEFAULT", { subnetIds: unknown }), 16, ["unknown subnetIds"]],
  ["subnets unknown, short with one", group(2, "DEFAULT", { subnetIds: unknown }), 15, [`fail ${strategy}`]],
  ["maxUnavailable", group(4, "DEFAULT", { updateConfig: { maxUnavailable: 4 } }), 28, [`fail ${strategy}`]],
  ["maxUnavailable, just enough", group(4, "DEFAULT", { updateConfig: { maxUnavailable: 4 } }), 32, []],
  ["a percentage, just enough", group(4, "DEFAULT", { updateConfig: { maxUnavailablePercentage: 75 } }), 28, []],
  ["a small percentage", group(4, "DEFAULT", { updateConfig: { maxUnavailablePercentage: 1 } }), 24, []],
  [
    "a percentage unknown",
    group(4, "DEFAULT", { updateConfig: { maxUnavailablePercentage: unknown } }),
    32,
    ["unknown updateConfig.maxUnavailablePercentage"],
  ],
  [
    "maxUnavailable unknown, room for many",
    group(1, "DEFAULT", { updateConfig: { maxUnavailable: unknown } }),
    404,
    [],
  ],
  ["a strategy unknown to EKS", group(2, "minimal"), 8, []],
  ["a percentage", group(4, "DEFAULT", { updateConfig: { maxUnavailablePercentage: 60 } }), 27, [`fail ${strategy}`]],
  [
    "maxUnavailable unknown",
    group(4, "DEFAULT", { updateConfig: { maxUnavailable: unknown } }),
    32,
    ["unknown updateConfig.maxUnavailable"],
  ],
] as const)("%s, by a quota of its own", ([, properties, quota, expected]) => {
  expect(verdicts(rule, [resource(nodeGroup, properties)], quotas(quota))).toEqual(expected);
});

test.for([
  ["all in one", ["a", "a", "a"], []],
  ["in two", ["a", "b", "a"], [`fail ${strategy}`]],
  ["one unknown", ["a", "a", unknown], ["unknown availabilityZone"]],
  ["one unknown, and two too many", ["a", "b", unknown], [`fail ${strategy}`]],
])("the zones of the stack's subnets: %s", ([, zones, expected]) => {
  const subnets = (zones as string[]).map((availabilityZone, index) =>
    resource(subnet, { availabilityZone }, { name: `s${index}` }),
  );
  const links = { propertyDependencies: { subnetIds: subnets.map(({ urn }) => urn) } };
  const nodes = resource(nodeGroup, group(2, "DEFAULT", { subnetIds: [unknown, unknown, unknown] }), links);
  expect(verdicts(rule, [...subnets, nodes], quotas(16))).toEqual(expected);
});

test("other groups count with their largest sizes", () => {
  const nodes = resource(nodeGroup, group(2, "DEFAULT"));
  const other = (maxSize: unknown) => resource(nodeGroup, group(maxSize, "MINIMAL"), { name: "other" });
  expect(verdicts(rule, [nodes, other(2)], quotas(24))).toEqual([]);
  expect(verdicts(rule, [nodes, other(3)], quotas(24))).toEqual([`fail ${strategy}`]);
  expect(verdicts(rule, [nodes, other(unknown)], quotas(24))).toEqual(["unknown scalingConfig.maxSize"]);
});

test("nodes without GPUs wait for nothing, whatever the others take", () => {
  const system = resource(nodeGroup, group(9, "DEFAULT", { instanceTypes: ["t3.medium"] }));
  const other = (maxSize: unknown) => resource(nodeGroup, group(maxSize, "MINIMAL"), { name: "other" });
  expect(verdicts(rule, [system, other(unknown)])).toEqual([]);
  expect(verdicts(rule, [system, other(9)])).toEqual([]);
});

test("the message counts the nodes that are possible, or those that are certain", () => {
  const message = (subnetIds: unknown) => findings(rule, [resource(nodeGroup, group(2, "DEFAULT", { subnetIds }))])[0];
  expect(message(["a", "b", "c"])?.message).toContain("starts up to 6 nodes beyond maxSize");
  expect(message(unknown)?.message).toContain("starts up to 2 nodes beyond maxSize");
});

test("a component counts once, and the group it makes is judged", () => {
  const component = resource(gpuNodeGroup, { instanceType: "g5.xlarge", maxSize: 2 }, { name: "gpu" });
  const urn = urnOf(`${gpuNodeGroup}$${nodeGroup}`, "gpu");
  const child = (updateStrategy: string) =>
    resource(nodeGroup, group(2, updateStrategy), { urn, name: "gpu", parent: component.urn });
  expect(verdicts(rule, [component, child("MINIMAL")])).toEqual([]);
  expect(verdicts(rule, [component, child("DEFAULT")])).toEqual([`fail ${strategy}`]);
  expect(verdicts(rule, [component, child("DEFAULT")], quotas(16))).toEqual([]);
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const named = (name: string) =>
    verdicts(rule, [resource(nodeGroup, group(2, "DEFAULT"), { name })], { policyConfig });
  expect(named("old-gpu")).toEqual([]);
  expect(named("gpu")).toEqual([`fail ${strategy}`]);
  const other = resource(nodeGroup, group(2, "MINIMAL"), { name: "old-gpu" });
  const verdictsWith = (policyConfig_: object) =>
    verdicts(rule, [resource(nodeGroup, group(1, "DEFAULT"), { name: "gpu" }), other], {
      policyConfig: { [rule.id]: { quotas: { gOnDemand: 12 }, ...policyConfig_ } },
    });
  expect(verdictsWith({})).toEqual([`fail ${strategy}`]);
  expect(verdictsWith({ exempt: ["old-*"] }), "what is exempt takes nothing").toEqual([]);
});

test("message, without the secret in place of a type", () => {
  const nodes = resource(nodeGroup, group(2, "DEFAULT", { instanceTypes: ["g5.xlarge", "hunter2"] }));
  expect(findings(rule, [nodes]).map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "updateConfig.updateStrategy: got DEFAULT. A version update starts up to 2 nodes beyond maxSize before it stops old ones: 8 + 2 x 4 = 16 vCPUs. The quota for G and VT instances on demand (L-DB2E81BA) is 8.
    fix: set updateConfig.updateStrategy to "MINIMAL", which stops old nodes first, or request an increase of L-DB2E81BA and set quotas.gOnDemand in the policy configuration",
    ]
  `);
});

test("the fix for a group of @pulumi/eks, which takes no updateConfig, names another way", () => {
  const urn = urnOf(`${managedNodeGroup}$${nodeGroup}`, "it");
  for (const seen of [
    resource(managedNodeGroup, group(2, "DEFAULT")),
    resource(nodeGroup, group(2, "DEFAULT"), { urn }),
  ]) {
    expect(findings(rule, [seen])[0]?.message).toContain(
      "fix: create the group with aws.eks.NodeGroup, because eks.ManagedNodeGroup has no updateConfig,",
    );
  }
});

test("the fix for a group of Cluster API, which has no update strategy, is a lower maximum", () => {
  const pool = resource("kubernetes:infrastructure.cluster.x-k8s.io/v1beta1:AWSManagedMachinePool", {
    spec: { instanceType: "g6.xlarge", scaling: { minSize: 0, maxSize: 2 } },
  });
  const [{ message = "" } = {}] = findings(rule, [pool]);
  expect(message).toMatch(/^spec\.scaling\.maxSize: got 2\. /);
  expect(message).toContain("fix: lower the maximum sizes, because");
});
