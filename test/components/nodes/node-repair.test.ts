import { output } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodeRepair, nodeRepairConfig, repairShareConflicts } from "../../../components/nodes/node-repair";
import { requirePlainValue } from "../../../components/core/problems";
import { parse } from "../../../components/core/schema";
import { testProblems, wording } from "../../support/problems";

const override = {
  condition: "AcceleratedHardwareReady",
  reason: "NvidiaXID79Error",
  waitMinutes: 10,
  action: "Reboot",
} as const;

describe("the configuration of EKS", () => {
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

const judge = (got: unknown, maxSize = 2) => {
  const { value, problems } = parse(nodeRepair, got, "repair");
  return value ? repairShareConflicts(value, "repair", maxSize) : problems;
};

describe("problems", () => {
  test.for([
    ["nothing stated", {}],
    ["counts", { maxParallel: 1, maxUnhealthy: 1 }],
    ["a share that is a node", { maxParallel: "50%" }],
    ["every condition and action", { overrides: [override, { ...override, condition: "Ready", action: "NoAction" }] }],
    ["the longest wait", { overrides: [{ ...override, waitMinutes: 120 }] }],
  ] as const)("none: %s", ([, repair]) => expect(judge(repair)).toEqual([]));

  const first = "repair.overrides[0]";
  describe("of an override", () => {
    testProblems(
      (part: object) => judge({ overrides: [{ ...override, ...part }] }),
      [
        [{ waitMinutes: 5 }, `out-of-range ${first}.waitMinutes`],
        [{ waitMinutes: 15 }, `out-of-range ${first}.waitMinutes`],
        [{ waitMinutes: 0 }, `out-of-range ${first}.waitMinutes`],
        [{ waitMinutes: 130 }, `out-of-range ${first}.waitMinutes`],
        [{ waitMinutes: "10" }, `wrong-type ${first}.waitMinutes`],
        [{ waitMinutes: NaN }, `wrong-type ${first}.waitMinutes`],
        [{ action: "Terminate" }, `not-allowed ${first}.action`],
        [{ action: "Restart" }, `not-allowed ${first}.action`],
        [{ action: undefined }, `missing ${first}.action`],
        [{ condition: "AcceleratedInstanceNotReady" }, `not-allowed ${first}.condition`],
        [{ condition: "Terminate" }, `not-allowed ${first}.condition`],
        [{ reason: "XID 79" }, `not-allowed ${first}.reason`],
        [{ minRepairWaitTimeMins: 10 }, `unknown-key ${first}.minRepairWaitTimeMins`],
        [{ waitMinute: 10 }, `unknown-key ${first}.waitMinute`],
      ],
    );
  });

  testProblems(judge, [
    [true, "wrong-type repair"],
    [{ maxParallel: 0 }, "not-allowed repair.maxParallel"],
    [{ maxParallel: 1.5 }, "not-allowed repair.maxParallel"],
    [{ maxUnhealthy: "0%" }, "not-allowed repair.maxUnhealthy"],
    [{ maxUnhealthy: "101%" }, "not-allowed repair.maxUnhealthy"],
    [{ maxParallel: "1" }, "not-allowed repair.maxParallel"],
    [{ maxParallel: "20%" }, "conflict repair.maxParallel"],
    [{ maxParallel: 3, maxUnhealthy: 1 }, "conflict repair.maxUnhealthy"],
    [{ overrides: override }, "wrong-type repair.overrides"],
    [{ overrides: ["Reboot"] }, `wrong-type ${first}`],
    [{ overrides: [null, override] }, `wrong-type ${first}`],
    [{ overrides: [override, { ...override, waitMinutes: 20 }] }, "conflict repair.overrides[1]"],
    [{ enabled: true }, "unknown-key repair.enabled"],
    [{ enabled: false }, "unknown-key repair.enabled"],
    [{ maxparalel: 2 }, "unknown-key repair.maxparalel"],
    [{ threshold: 1 }, "unknown-key repair.threshold"],
  ]);

  test.for([
    ["settings", output({ maxParallel: 1 }), "repair"],
    ["an override", { overrides: [output(override)] }, first],
  ] as const)("an Output: %s", ([, repair, path]) => {
    expect(judge(repair)).toEqual(requirePlainValue(path));
  });

  test("a group of one node", () => {
    expect(wording(judge({ maxParallel: "99%" }, 1))).toMatchSnapshot();
  });

  test("any value can be checked", () => {
    const repair = fc.oneof(
      fc.anything(),
      fc.record({ maxParallel: fc.anything(), overrides: fc.array(fc.anything()) }),
    );
    fc.assert(fc.property(repair, (got) => Array.isArray(judge(got))));
  });

  test("what passes reaches EKS with both limits", () => {
    const limits = fc.oneof(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 50, max: 100 }).map((n) => `${n}%` as const),
    );
    fc.assert(
      fc.property(limits, limits, (maxParallel, maxUnhealthy) => {
        fc.pre(judge({ maxParallel, maxUnhealthy }).length === 0);
        expect(Object.keys(nodeRepairConfig({ maxParallel, maxUnhealthy }) ?? {})).toHaveLength(3);
      }),
    );
  });
});
