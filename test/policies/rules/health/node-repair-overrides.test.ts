import { expect, test } from "vitest";
import { nodeRepairConfig } from "../../../../components/nodes/node-repair";
import { nodeRepairOverrides as rule } from "../../../../policies/rules/health/node-repair-overrides";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const component = "eks-gpu-lab:index:GpuNodeGroup";

const override = (minRepairWaitTimeMins: unknown, repairAction: unknown = "Replace") => ({
  nodeMonitoringCondition: "AcceleratedHardwareReady",
  nodeUnhealthyReason: "NvidiaXID79Error",
  minRepairWaitTimeMins,
  repairAction,
});
const config = (...nodeRepairConfigOverrides: unknown[]) => ({
  nodeRepairConfig: { enabled: true, maxParallelNodesRepairedCount: 1, nodeRepairConfigOverrides },
});
const at = "nodeRepairConfig.nodeRepairConfigOverrides[0]";
const badWait = [`fail ${at}.minRepairWaitTimeMins`];
const badAction = [`fail ${at}.repairAction`];

test.for([
  [10, "Replace", []],
  [120, "Reboot", []],
  ["30", "NoAction", []],
  [undefined, undefined, [`fail ${at}`]],
  [undefined, "Replace", [`fail ${at}`]],
  [10, undefined, [`fail ${at}`]],
  [9, "Replace", badWait],
  [0, "Replace", badWait],
  [-10, "Replace", badWait],
  [15, "Replace", badWait],
  [130, "Replace", badWait],
  [10.5, "Replace", badWait],
  ["soon", "Replace", badWait],
  [10, "Terminate", badAction],
  [10, "replace", badAction],
  [10, 7, badAction],
  [5, "None", [...badAction, ...badWait]],
  [unknown, "Replace", [`unknown ${at}.minRepairWaitTimeMins`]],
  [10, unknown, [`unknown ${at}.repairAction`]],
  [unknown, "None", badAction],
] as const)("wait %j, action %j", ([wait, action, expected]) => {
  expect(verdicts(rule, [resource(nodeGroup, config({ ...override(wait), repairAction: action }))])).toEqual(expected);
});

test.for([
  ["no repair", nodeGroup, {}, []],
  ["no overrides", nodeGroup, config(), []],
  ["overrides that are no objects", nodeGroup, config(1, "x", null), []],
  ["a block as a list", nodeGroup, { nodeRepairConfig: [config(override(15)).nodeRepairConfig] }, badWait],
  [
    "the second is wrong",
    nodeGroup,
    config(override(10), override(15)),
    ["fail nodeRepairConfig.nodeRepairConfigOverrides[1].minRepairWaitTimeMins"],
  ],
  ["one without its reason", nodeGroup, config({ ...override(10), nodeUnhealthyReason: undefined }), [`fail ${at}`]],
  [
    "a number and a share",
    nodeGroup,
    { nodeRepairConfig: { enabled: true, maxParallelNodesRepairedCount: 1, maxParallelNodesRepairedPercentage: 20 } },
    ["fail nodeRepairConfig.maxParallelNodesRepairedPercentage"],
  ],
  [
    "a threshold of both kinds",
    nodeGroup,
    {
      nodeRepairConfig: {
        ...config().nodeRepairConfig,
        maxUnhealthyNodeThresholdCount: 1,
        maxUnhealthyNodeThresholdPercentage: unknown,
      },
    },
    ["unknown nodeRepairConfig.maxUnhealthyNodeThresholdPercentage"],
  ],
  ["a group of @pulumi/eks", "eks:index:ManagedNodeGroup", config(override(15)), badWait],
  [
    "the component",
    component,
    { repair: { overrides: [{ condition: "Ready", reason: "any", waitMinutes: 15, action: "Replace" }] } },
    ["fail repair.overrides[0].waitMinutes"],
  ],
  [
    "the component, an action",
    component,
    { repair: { overrides: [{ condition: "Ready", reason: "any", waitMinutes: 20, action: "Terminate" }] } },
    ["fail repair.overrides[0].action"],
  ],
  [
    "unknown overrides",
    nodeGroup,
    { nodeRepairConfig: { nodeRepairConfigOverrides: unknown } },
    ["unknown nodeRepairConfig.nodeRepairConfigOverrides"],
  ],
  ["unknown config", nodeGroup, { nodeRepairConfig: unknown }, ["unknown nodeRepairConfig"]],
  [
    "no maximum",
    nodeGroup,
    { nodeRepairConfig: { enabled: true } },
    ["advise nodeRepairConfig.maxParallelNodesRepairedCount"],
  ],
  [
    "maximum in percent",
    nodeGroup,
    { nodeRepairConfig: { enabled: true, maxParallelNodesRepairedPercentage: 20 } },
    [],
  ],
  ["no maximum, but off", nodeGroup, { nodeRepairConfig: { enabled: false } }, []],
  ["the component states a maximum", component, { repair: {} }, []],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("what the library makes is accepted", () => {
  const repair = nodeRepairConfig({
    overrides: [
      { condition: "AcceleratedHardwareReady", reason: "NvidiaXID79Error", waitMinutes: 10, action: "Reboot" },
    ],
  });
  expect(verdicts(rule, [resource(nodeGroup, { nodeRepairConfig: repair })])).toEqual([]);
});

test("the component is blamed, not the node group it makes", () => {
  const parent = resource(
    component,
    { repair: { overrides: [{ condition: "Ready", reason: "any", waitMinutes: 15, action: "Replace" }] } },
    { name: "gpu" },
  );
  const child = resource(nodeGroup, config(override(15)), { name: "gpu", parent: parent.urn });
  expect(findings(rule, [parent, child]).map(({ urn }) => urn)).toEqual([parent.urn]);
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [resource(nodeGroup, config(override(15)))], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [resource(nodeGroup, config(override("hunter2", "hunter2")))]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const messages = (...overrides: unknown[]) =>
    findings(rule, [resource(nodeGroup, config(...overrides))]).map(({ message }) => message);
  expect(messages(override(15, "None"))).toMatchInlineSnapshot(`
    [
      "nodeRepairConfig.nodeRepairConfigOverrides[0].repairAction: got a string. This action does not exist. EKS rejects the node group during the update.
    fix: set nodeRepairConfig.nodeRepairConfigOverrides[0].repairAction to one of Replace, Reboot, NoAction",
      "nodeRepairConfig.nodeRepairConfigOverrides[0].minRepairWaitTimeMins: got 15. EKS accepts 10 to 120 minutes in steps of 10. It rejects the node group during the update.
    fix: set nodeRepairConfig.nodeRepairConfigOverrides[0].minRepairWaitTimeMins to 10 or 20",
    ]
  `);
  expect(messages(override(7))).toMatchInlineSnapshot(`
    [
      "nodeRepairConfig.nodeRepairConfigOverrides[0].minRepairWaitTimeMins: got 7. EKS accepts 10 to 120 minutes in steps of 10. It rejects the node group during the update.
    fix: set nodeRepairConfig.nodeRepairConfigOverrides[0].minRepairWaitTimeMins to 10",
    ]
  `);
  expect(messages(override("soon"))[0]?.split("\n")[1]).toMatchInlineSnapshot(
    `"fix: set nodeRepairConfig.nodeRepairConfigOverrides[0].minRepairWaitTimeMins to 10"`,
  );
  const uncapped = resource(nodeGroup, { nodeRepairConfig: { enabled: true } });
  expect(findings(rule, [uncapped])[0]?.message).toMatchInlineSnapshot(`
    "nodeRepairConfig.maxParallelNodesRepairedCount: got nothing. If the agent wrongly reports every node, EKS replaces all of them at once.
    fix: set nodeRepairConfig.maxParallelNodesRepairedCount to 1"
  `);
});

test("what an override lacks is named, and so are two that exclude each other", () => {
  const incomplete = { nodeMonitoringCondition: "Ready", repairAction: "Replace" };
  const both = { ...config(incomplete).nodeRepairConfig, maxParallelNodesRepairedPercentage: 20 };
  const messages = findings(rule, [resource(nodeGroup, { nodeRepairConfig: both })]).map(({ message }) => message);
  expect(messages).toMatchInlineSnapshot(`
    [
      "nodeRepairConfig.nodeRepairConfigOverrides[0]: got nothing for nodeUnhealthyReason, minRepairWaitTimeMins. EKS requires all parts of an override. It rejects the node group during the update.
    fix: set nodeRepairConfig.nodeRepairConfigOverrides[0].nodeUnhealthyReason, nodeRepairConfig.nodeRepairConfigOverrides[0].minRepairWaitTimeMins",
      "nodeRepairConfig.maxParallelNodesRepairedPercentage: got 20. maxParallelNodesRepairedCount is also set, and EKS accepts only one of the two.
    fix: remove nodeRepairConfig.maxParallelNodesRepairedPercentage or nodeRepairConfig.maxParallelNodesRepairedCount",
    ]
  `);
});
