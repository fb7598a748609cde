import { output } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodeRepairConfig, nodeRepairProblems } from "../../../components/nodes/node-repair";

const override = {
  condition: "AcceleratedHardwareReady",
  reason: "NvidiaXID79Error",
  waitMinutes: 10,
  action: "Reboot",
} as const;

const plainly = "It must be known when the program starts, so that it can be checked.";

describe("what EKS is told", () => {
  test.for([
    ["nothing when off", undefined, undefined],
    [
      "one at a time, and a brake, without being asked",
      {},
      { enabled: true, maxParallelNodesRepairedCount: 1, maxUnhealthyNodeThresholdCount: 1 },
    ],
    [
      "the brake follows the parallel maximum",
      { maxParallel: 2 },
      { enabled: true, maxParallelNodesRepairedCount: 2, maxUnhealthyNodeThresholdCount: 2 },
    ],
    [
      "counts",
      { maxParallel: 1, maxUnhealthy: 3 },
      { enabled: true, maxParallelNodesRepairedCount: 1, maxUnhealthyNodeThresholdCount: 3 },
    ],
    [
      "shares",
      { maxParallel: "20%", maxUnhealthy: "50%" },
      { enabled: true, maxParallelNodesRepairedPercentage: 20, maxUnhealthyNodeThresholdPercentage: 50 },
    ],
    [
      "an override",
      { overrides: [override] },
      {
        enabled: true,
        maxParallelNodesRepairedCount: 1,
        maxUnhealthyNodeThresholdCount: 1,
        nodeRepairConfigOverrides: [
          {
            nodeMonitoringCondition: "AcceleratedHardwareReady",
            nodeUnhealthyReason: "NvidiaXID79Error",
            minRepairWaitTimeMins: 10,
            repairAction: "Reboot",
          },
        ],
      },
    ],
    [
      "no empty list of overrides",
      { overrides: [] },
      { enabled: true, maxParallelNodesRepairedCount: 1, maxUnhealthyNodeThresholdCount: 1 },
    ],
  ] as const)("%s", ([, repair, config]) => expect(nodeRepairConfig(repair)).toEqual(config));
});

describe("problems", () => {
  test.for([
    ["nothing stated", {}],
    ["counts", { maxParallel: 1, maxUnhealthy: 1 }],
    ["a share that is a node", { maxParallel: "50%" }],
    ["every condition and action", { overrides: [override, { ...override, condition: "Ready", action: "NoAction" }] }],
    ["the longest wait", { overrides: [{ ...override, waitMinutes: 120 }] }],
  ] as const)("none: %s", ([, repair]) => expect(nodeRepairProblems(repair, "repair", 2)).toEqual([]));

  test("a share is taken as it is while the group's size is unknown", () => {
    expect(nodeRepairProblems({ maxParallel: "1%" }, "repair")).toEqual([]);
  });

  const allConditions =
    'It must be one of "AcceleratedHardwareReady", "ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady", "Ready".';
  const allActions = 'It must be one of "Replace", "Reboot", "NoAction".';
  const wait = "EKS takes 10 to 120 minutes, in steps of ten.";
  const limit = "It must be a whole number of nodes, 1 or more, or a share from 1% to 100%.";
  const first = "repair.overrides[0]";

  test.for([
    ["waitMinutes 5", { waitMinutes: 5 }, `${first}.waitMinutes`, wait, `set ${first}.waitMinutes to 10`],
    ["waitMinutes 15", { waitMinutes: 15 }, `${first}.waitMinutes`, wait, `set ${first}.waitMinutes to 10 or 20`],
    ["waitMinutes 0", { waitMinutes: 0 }, `${first}.waitMinutes`, wait, `set ${first}.waitMinutes to 10`],
    ["waitMinutes 130", { waitMinutes: 130 }, `${first}.waitMinutes`, wait, `set ${first}.waitMinutes to 120`],
    ["waitMinutes as text", { waitMinutes: "10" }, `${first}.waitMinutes`, wait, `set ${first}.waitMinutes to 10`],
    ["waitMinutes NaN", { waitMinutes: NaN }, `${first}.waitMinutes`, wait, `set ${first}.waitMinutes to 10`],
    ["Terminate", { action: "Terminate" }, `${first}.action`, allActions, 'write "Replace"'],
    ["Restart", { action: "Restart" }, `${first}.action`, allActions, 'write "Reboot"'],
    ["no action", { action: undefined }, `${first}.action`, allActions, `set ${first}.action to one of them`],
    [
      "the condition of old examples",
      { condition: "AcceleratedInstanceNotReady" },
      `${first}.condition`,
      allConditions,
      'write "AcceleratedHardwareReady"',
    ],
    [
      "an action for a condition",
      { condition: "Terminate" },
      `${first}.condition`,
      allConditions,
      `set ${first}.condition to one of them`,
    ],
    [
      "a reason with a blank",
      { reason: "XID 79" },
      `${first}.reason`,
      "It must be a reason the way the node monitoring agent reports it: letters and digits.",
      'write a reason such as "NvidiaXID79Error"',
    ],
    [
      "a key of the API",
      { minRepairWaitTimeMins: 10 },
      `${first}.minRepairWaitTimeMins`,
      "There is no such key.",
      "choose among condition, reason, waitMinutes, action",
    ],
    [
      "a misspelt key",
      { waitMinute: 10 },
      `${first}.waitMinute`,
      "There is no such key.",
      `did you mean ${first}.waitMinutes?`,
    ],
  ] as const)("override: %s", ([, part, path, why, fix]) => {
    const problems = nodeRepairProblems({ overrides: [{ ...override, ...part }] }, "repair", 2);
    expect(problems.map((p) => [p.path, p.why, p.fix])).toEqual([[path, why, fix]]);
  });

  test.for([
    ["no object", true, "repair", "It must be an object."],
    ["settings that come too late", output({ maxParallel: 1 }), "repair", plainly],
    ["an override that comes too late", { overrides: [output(override)] }, "repair.overrides[0]", plainly],
    ["no node", { maxParallel: 0 }, "repair.maxParallel", limit],
    ["half a node", { maxParallel: 1.5 }, "repair.maxParallel", limit],
    ["no share", { maxUnhealthy: "0%" }, "repair.maxUnhealthy", limit],
    ["more than all", { maxUnhealthy: "101%" }, "repair.maxUnhealthy", limit],
    ["a number as text", { maxParallel: "1" }, "repair.maxParallel", limit],
    ["less than a node", { maxParallel: "20%" }, "repair.maxParallel", "Of 2 nodes (maxSize) that is less than one."],
    [
      "a maximum that is never reached",
      { maxParallel: 3, maxUnhealthy: 1 },
      "repair.maxUnhealthy",
      "maxParallel is 3, which is never reached: repair stops above 1 unhealthy nodes.",
    ],
    ["overrides that are no list", { overrides: override }, "repair.overrides", "It must be a list."],
    [
      "an override that is no object",
      { overrides: ["Reboot"] },
      "repair.overrides[0]",
      "It must be an object with condition, reason, waitMinutes and action.",
    ],
    [
      "an override behind none",
      { overrides: [null, override] },
      "repair.overrides[0]",
      "It must be an object with condition, reason, waitMinutes and action.",
    ],
    [
      "one override twice",
      { overrides: [override, { ...override, waitMinutes: 20 }] },
      "repair.overrides[1]",
      "There is an override for this condition and reason already.",
    ],
  ] as const)("%s", ([, repair, path, why]) => {
    expect(nodeRepairProblems(repair, "repair", 2).map((p) => [p.path, p.why])).toEqual([[path, why]]);
  });

  test.for([
    ["enabled", true, "leave repair out to keep repair off, or give its settings to turn it on"],
    ["enabled", false, "leave repair out to keep repair off, or give its settings to turn it on"],
    ["maxparalel", 2, "did you mean repair.maxParallel?"],
    ["threshold", 1, "choose among maxParallel, maxUnhealthy, overrides"],
  ] as const)("no such key: %s", ([key, got, fix]) => {
    expect(nodeRepairProblems({ [key]: got }, "repair", 2)).toEqual([
      { code: "unknown-key", path: `repair.${key}`, got, why: "There is no such key.", fix },
    ]);
  });

  test("one node is called one node", () => {
    expect(nodeRepairProblems({ maxParallel: "99%" }, "repair", 1)[0]?.why).toBe(
      "Of 1 node (maxSize) that is less than one.",
    );
  });

  test("anything can be judged", () => {
    const repair = fc.oneof(
      fc.anything(),
      fc.record({ maxParallel: fc.anything(), overrides: fc.array(fc.anything()) }),
    );
    fc.assert(fc.property(repair, (got) => Array.isArray(nodeRepairProblems(got, "repair", 2))));
  });

  test("what passes is told to EKS with both limits", () => {
    const limits = fc.oneof(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 50, max: 100 }).map((n) => `${n}%` as const),
    );
    fc.assert(
      fc.property(limits, limits, (maxParallel, maxUnhealthy) => {
        fc.pre(nodeRepairProblems({ maxParallel, maxUnhealthy }, "repair", 2).length === 0);
        expect(Object.keys(nodeRepairConfig({ maxParallel, maxUnhealthy }) ?? {})).toHaveLength(3);
      }),
    );
  });
});
