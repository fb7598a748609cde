import { describe, expect, test } from "vitest";
import * as v from "valibot";
import {
  ignoredChanges,
  maxNodeCount,
  nodeCount,
  scaleCommand,
  scalingOwner,
  sizeConflicts,
  type Sizes,
} from "../../../components/nodes/scaling";
import { check, optional, problemsIn, section } from "../../../components/core/schema";
import { brief, testProblems } from "../../support/problems";

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

const group = v.pipe(
  section({
    desiredSize: optional(nodeCount({ min: 0 }), 0),
    minSize: optional(nodeCount({ min: 0 }), 0),
    maxSize: optional(maxNodeCount(), 2),
    owner: optional(scalingOwner(), "session"),
  }),
  check((sizes: Sizes, at) => sizeConflicts(sizes, { desiredSize: 0, minSize: 0, maxSize: 2 }, at)),
);
const judge = (given: object) => problemsIn(group, given, "gpuNodes");

test("an owner is one of three", () => {
  expect(judge({ owner: "autoscaler" })).toEqual([]);
  expect(brief(judge({ owner: "karpenter" }))).toEqual(["not-allowed gpuNodes.owner"]);
});

test.for([
  ["the defaults", {}],
  ["all equal", { desiredSize: 1, minSize: 1, maxSize: 1 }],
  ["as many as EKS's default quota", { desiredSize: 450, minSize: 450, maxSize: 450 }],
  ["nothing running", { desiredSize: 0, minSize: 0, maxSize: 1 }],
  ["undefined is the default", { desiredSize: undefined, maxSize: 3 }],
] as const)("valid sizes: %s", ([, given]) => expect(judge(given)).toEqual([]));

describe("sizes that contradict each other", () => {
  testProblems(judge, [
    [{ desiredSize: 3, maxSize: 1 }, "conflict gpuNodes.maxSize"],
    [{ desiredSize: 3 }, "conflict gpuNodes.desiredSize"],
    [{ minSize: 1 }, "conflict gpuNodes.minSize"],
    [{ minSize: 2, desiredSize: 1, maxSize: 3 }, "conflict gpuNodes.minSize"],
    [{ minSize: 4, desiredSize: 2, maxSize: 2 }, "conflict gpuNodes.minSize"],
    [{ minSize: 4, desiredSize: 3, maxSize: 2 }, ["conflict gpuNodes.minSize", "conflict gpuNodes.desiredSize"]],
  ]);

  test("against defaults alone the problem is at the size that differs from its default", () => {
    const system = { desiredSize: 2, minSize: 1, maxSize: 4 };
    const conflictOf = (sizes: Partial<Sizes>) => brief(sizeConflicts({ ...system, ...sizes }, system, ""));
    expect(conflictOf({ maxSize: 1 })).toEqual(["conflict maxSize"]);
    expect(conflictOf({ desiredSize: 0 })).toEqual(["conflict desiredSize"]);
  });
});

describe("sizes that are wrong in themselves", () => {
  testProblems(judge, [
    [{ maxSize: 451 }, "out-of-range gpuNodes.maxSize"],
    [{ minSize: 451 }, "out-of-range gpuNodes.minSize"],
    [{ desiredSize: 1e9 }, "out-of-range gpuNodes.desiredSize"],
    [{ maxSize: 0 }, "out-of-range gpuNodes.maxSize"],
    [{ maxSize: -1 }, "out-of-range gpuNodes.maxSize"],
    [{ desiredSize: -1 }, "out-of-range gpuNodes.desiredSize"],
    [{ minSize: -1 }, "out-of-range gpuNodes.minSize"],
    [{ maxSize: 1.5 }, "wrong-type gpuNodes.maxSize"],
    [{ maxSize: "2" }, "wrong-type gpuNodes.maxSize"],
    [{ maxSize: "two" }, "wrong-type gpuNodes.maxSize"],
    [{ maxSize: NaN }, "wrong-type gpuNodes.maxSize"],
    [{ maxSize: Infinity }, "wrong-type gpuNodes.maxSize"],
    [{ desiredSize: null }, "wrong-type gpuNodes.desiredSize"],
    [{ minSize: true }, "wrong-type gpuNodes.minSize"],
  ]);

  test("all of them at once, and no contradiction with them", () => {
    expect(judge({ desiredSize: -1, minSize: "1", maxSize: 0 }).map((p) => p.path)).toEqual([
      "gpuNodes.desiredSize",
      "gpuNodes.minSize",
      "gpuNodes.maxSize",
    ]);
  });
});
