import { describe, expect, test } from "vitest";
import { ignoredChanges, ownerProblems, scaleCommand, sizeProblems } from "../../../components/nodes/scaling";

test.for([
  ["session", ["scalingConfig.desiredSize"]],
  ["autoscaler", ["scalingConfig.desiredSize"]],
  ["pulumi", []],
] as const)("the owner %s", ([owner, ignored]) => expect(ignoredChanges(owner)).toEqual(ignored));

test("the command that scales a group", () => {
  expect(
    scaleCommand({ cluster: "myeks", group: "myeks-ng-gpu-1", region: "ap-northeast-2", min: 0, max: 2, desired: 1 }),
  ).toBe(
    "aws eks update-nodegroup-config --region ap-northeast-2 --cluster-name myeks --nodegroup-name myeks-ng-gpu-1 --scaling-config minSize=0,maxSize=2,desiredSize=1",
  );
});

test("an owner is one of three", () => {
  expect(ownerProblems(undefined, "gpuNodes")).toEqual([]);
  expect(ownerProblems("autoscaler", "gpuNodes")).toEqual([]);
  expect(ownerProblems("karpenter", "gpuNodes")).toMatchObject([{ path: "gpuNodes.owner", got: "karpenter" }]);
});

const gpu = { desiredSize: 0, minSize: 0, maxSize: 2 };
const problems = (given: Record<string, unknown>, defaults = gpu) =>
  sizeProblems(given, defaults, "gpuNodes").map((p) => ({ path: p.path, got: p.got, why: p.why, fix: p.fix }));

describe("sizes that fit", () => {
  test.for([
    ["the defaults", {}],
    ["all equal", { desiredSize: 1, minSize: 1, maxSize: 1 }],
    ["as many as EKS's default quota", { desiredSize: 450, minSize: 450, maxSize: 450 }],
    ["nothing running", { desiredSize: 0, minSize: 0, maxSize: 1 }],
    ["undefined is the default", { desiredSize: undefined, maxSize: 3 }],
  ] as const)("%s", ([, given]) => expect(problems(given)).toEqual([]));
});

const rule = "and EKS wants minSize <= desiredSize <= maxSize.";

describe("sizes that contradict each other", () => {
  test.for([
    [
      { desiredSize: 3, maxSize: 1 },
      {
        path: "gpuNodes.maxSize",
        got: 1,
        why: `desiredSize is 3, ${rule}`,
        fix: "set gpuNodes.maxSize to 3 or more, or gpuNodes.desiredSize to 1 or less",
      },
    ],
    [
      { desiredSize: 3 },
      {
        path: "gpuNodes.desiredSize",
        got: 3,
        why: `maxSize is 2 (the default), ${rule}`,
        fix: "set gpuNodes.maxSize to 3 or more, or gpuNodes.desiredSize to 2 or less",
      },
    ],
    [
      { minSize: 1 },
      {
        path: "gpuNodes.minSize",
        got: 1,
        why: `desiredSize is 0 (the default), ${rule}`,
        fix: "set gpuNodes.desiredSize to 1 or more, or gpuNodes.minSize to 0",
      },
    ],
    [
      { minSize: 2, desiredSize: 1, maxSize: 3 },
      {
        path: "gpuNodes.minSize",
        got: 2,
        why: `desiredSize is 1, ${rule}`,
        fix: "set gpuNodes.desiredSize to 2 or more, or gpuNodes.minSize to 1 or less",
      },
    ],
    [
      { minSize: 4, desiredSize: 2, maxSize: 2 },
      {
        path: "gpuNodes.minSize",
        got: 4,
        why: `maxSize is 2, ${rule}`,
        fix: "set gpuNodes.maxSize to 4 or more, or gpuNodes.minSize to 2 or less",
      },
    ],
  ] as const)("%j", ([given, problem]) => expect(problems(given)).toEqual([problem]));

  test("against defaults alone the problem is told of the size that was stated", () => {
    const system = { desiredSize: 2, minSize: 1, maxSize: 4 };
    expect(problems({ maxSize: 1 }, system)).toEqual([
      {
        path: "gpuNodes.maxSize",
        got: 1,
        why: `desiredSize is 2 (the default), ${rule}`,
        fix: "set gpuNodes.maxSize to 2 or more, or gpuNodes.desiredSize to 1 or less",
      },
    ]);
    expect(problems({ desiredSize: 0 }, system)).toMatchObject([
      { path: "gpuNodes.desiredSize", why: `minSize is 1 (the default), ${rule}` },
    ]);
  });

  test("two contradictions are two problems", () => {
    expect(problems({ minSize: 4, desiredSize: 3, maxSize: 2 }).map((p) => p.why)).toEqual([
      `maxSize is 2, ${rule}`,
      `desiredSize is 3, ${rule}`,
    ]);
  });
});

describe("sizes that are wrong in themselves", () => {
  const noMaximum = "EKS takes no maximum below 1; a group without nodes has desiredSize 0 and minSize 0.";
  const quota =
    "EKS's default quota is 450 nodes a node group. AWS raises it on request, but this library stops there.";
  test.for([
    ["maxSize", 451, quota, "set gpuNodes.maxSize to 450 or less"],
    ["minSize", 451, quota, "set gpuNodes.minSize to 450 or less"],
    ["desiredSize", 1e9, quota, "set gpuNodes.desiredSize to 450 or less"],
    ["maxSize", 0, noMaximum, "set gpuNodes.maxSize to a whole number, 1 or more"],
    ["maxSize", -1, noMaximum, "set gpuNodes.maxSize to a whole number, 1 or more"],
    ["desiredSize", -1, "It must be 0 or more.", "set gpuNodes.desiredSize to a whole number, 0 or more"],
    ["minSize", -1, "It must be 0 or more.", "set gpuNodes.minSize to a whole number, 0 or more"],
    ["maxSize", 1.5, "It must be a whole number.", "set gpuNodes.maxSize to a whole number, 1 or more"],
    ["maxSize", "2", "It is a text, and must be a number.", "set gpuNodes.maxSize to 2, without quotes"],
    ["maxSize", "two", "It must be a whole number.", "set gpuNodes.maxSize to a whole number, 1 or more"],
    ["maxSize", NaN, "It must be a whole number.", "set gpuNodes.maxSize to a whole number, 1 or more"],
    ["maxSize", Infinity, "It must be a whole number.", "set gpuNodes.maxSize to a whole number, 1 or more"],
    ["desiredSize", null, "It must be a whole number.", "set gpuNodes.desiredSize to a whole number, 0 or more"],
    ["minSize", true, "It must be a whole number.", "set gpuNodes.minSize to a whole number, 0 or more"],
  ] as const)("%s %s", ([key, got, why, fix]) => {
    expect(problems({ [key]: got })).toEqual([{ path: `gpuNodes.${key}`, got, why, fix }]);
  });

  test("all of them at once, and no contradiction beside", () => {
    expect(problems({ desiredSize: -1, minSize: "1", maxSize: 0 }).map((p) => p.path)).toEqual([
      "gpuNodes.desiredSize",
      "gpuNodes.minSize",
      "gpuNodes.maxSize",
    ]);
  });
});
