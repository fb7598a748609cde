import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gpuNodeGroupProblems, type GpuNodeGroupSettings } from "../../../components/nodes/gpu-node-group-schema";
import { brief, testProblems } from "../../support/problems";

/** Configuration may hold anything: the types of the settings are no promise. */
const judge = (args: unknown) =>
  gpuNodeGroupProblems({ kubernetesVersion: "1.35", ...(args as GpuNodeGroupSettings) }, "gpuNodes");

describe("valid settings", () => {
  test.for([
    ["none at all", {}],
    ["all at the default", { instanceType: "g5.xlarge", desiredSize: 0, minSize: 0, maxSize: 2, owner: "session" }],
    ["ARM", { instanceType: "g5g.xlarge" }],
    ["a part of a GPU", { instanceType: "g6f.large" }],
    ["spot", { capacityType: "SPOT" }],
    ["a reservation", { capacityReservation: { id: "cr-0123456789abcdef0" } }],
    [
      "a group of reservations",
      { capacityReservation: { resourceGroupArn: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu" } },
    ],
    ["a Capacity Block", { capacityType: "CAPACITY_BLOCK", capacityReservation: { id: "cr-0123456789abcdef0" } }],
    ["a reservation known later", { capacityReservation: { id: pulumi.output("cr-1") } }],
    ["EFA without a placement group", { instanceType: "g5.8xlarge", efa: true }],
    ["a placement group without EFA", { placementGroup: "near" }],
    ["a placement group known later", { placementGroup: pulumi.output("near") }],
    ["the instance store", { localStorage: "raid0" }],
    ["no EFA where there is none", { efa: false, localStorage: "none" }],
    ["more labels and taints", { labels: { team: "a" }, taints: [{ key: "team", value: "a", effect: "NO_SCHEDULE" }] }],
    ["repair", { repair: { maxParallel: 1 } }],
    ["the smallest disk", { diskSizeGiB: 100 }],
    ["the largest disk", { diskSizeGiB: 16384 }],
    ["one pod", { maxPods: 1 }],
    ["as many pods as a small node should have", { maxPods: 110 }],
    ["as many pods as a large node should have", { maxPods: 250, instanceType: "g5.8xlarge" }],
    ["no tools", { tools: [] }],
  ] as const)("%s", ([, args]) => expect(brief(judge(args))).toEqual([]));
});

describe("each wrong setting has one problem", () => {
  testProblems(judge, [
    [{ maxSize: 1, desiredSize: 3 }, "conflict gpuNodes.maxSize"],
    [{ instanceType: "g5.xlage" }, "not-allowed gpuNodes.instanceType"],
    [{ instanceType: "t3.medium", efa: true, localStorage: "raid0" }, "not-allowed gpuNodes.instanceType"],
    [{ owner: "karpenter" }, "not-allowed gpuNodes.owner"],
    [{ diskSizeGiB: 30 }, "out-of-range gpuNodes.diskSizeGiB"],
    [{ diskSizeGiB: 99 }, "out-of-range gpuNodes.diskSizeGiB"],
    [{ diskSizeGiB: 16385 }, "out-of-range gpuNodes.diskSizeGiB"],
    [{ diskSizeGiB: "much" }, "wrong-type gpuNodes.diskSizeGiB"],
    [{ diskSizeGiB: "100" }, "wrong-type gpuNodes.diskSizeGiB"],
    [{ releaseVersion: "latest" }, "version gpuNodes.releaseVersion"],
    [{ releaseVersion: "1.35.7-20260911", instanceType: "g7.2xlarge" }, "version gpuNodes.releaseVersion"],
    [{ capacityType: "capacity-block" }, "not-allowed gpuNodes.capacityType"],
    [
      { capacityType: "SPOT", capacityReservation: { id: "cr-0123456789abcdef0" } },
      "conflict gpuNodes.capacityReservation",
    ],
    [{ capacityType: "CAPACITY_BLOCK" }, "missing gpuNodes.capacityReservation.id"],
    [
      {
        capacityType: "CAPACITY_BLOCK",
        capacityReservation: { resourceGroupArn: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu" },
      },
      "conflict gpuNodes.capacityReservation.id",
    ],
    [{ capacityReservation: {} }, "missing gpuNodes.capacityReservation"],
    [
      {
        capacityReservation: {
          id: "cr-0123456789abcdef0",
          resourceGroupArn: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu",
        },
      },
      "conflict gpuNodes.capacityReservation",
    ],
    [{ capacityReservation: "cr-0123456789abcdef0" }, "wrong-type gpuNodes.capacityReservation"],
    [{ capacityReservation: { id: "reservation-1" } }, "not-allowed gpuNodes.capacityReservation.id"],
    [{ capacityReservation: { resourceGroupArn: "gpu" } }, "not-allowed gpuNodes.capacityReservation.resourceGroupArn"],
    [{ placementGroup: true }, "wrong-type gpuNodes.placementGroup"],
    [{ efa: true }, "not-offered gpuNodes.efa"],
    [{ efa: true, instanceType: "g6f.large" }, "not-offered gpuNodes.efa"],
    [{ efa: "yes" }, "wrong-type gpuNodes.efa"],
    [{ localStorage: "raid0", instanceType: "g5g.xlarge" }, "not-offered gpuNodes.localStorage"],
    [{ localStorage: "RAID0" }, "not-allowed gpuNodes.localStorage"],
    [
      { labels: { "k8s.amazonaws.com/accelerator": "nvidia-l4" } },
      'conflict gpuNodes.labels["k8s.amazonaws.com/accelerator"]',
    ],
    [{ taints: [{ key: "team", effect: "NoSchedule" }] }, "not-allowed gpuNodes.taints[0].effect"],
    [{ labels: { [`${"d".repeat(39)}/${"n".repeat(63)}`]: "a" } }, "out-of-range gpuNodes.labels"],
    [
      { taints: [{ key: `${"d".repeat(39)}/${"n".repeat(63)}`, effect: "NO_SCHEDULE" }] },
      "out-of-range gpuNodes.taints",
    ],
    [{ maxPods: 0 }, "out-of-range gpuNodes.maxPods"],
    [{ maxPods: 111 }, "out-of-range gpuNodes.maxPods"],
    [{ maxPods: 251, instanceType: "g5.8xlarge" }, "out-of-range gpuNodes.maxPods"],
    [{ instanceType: null }, "wrong-type gpuNodes.instanceType"],
    [{ capacityType: null }, "not-allowed gpuNodes.capacityType"],
    [{ taints: null }, "wrong-type gpuNodes.taints"],
    [
      { capacityReservation: { resourceGroupARN: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu" } },
      "unknown-key gpuNodes.capacityReservation.resourceGroupARN",
    ],
    [
      { capacityReservation: { id: "cr-0123456789abcdef0", preference: "open" } },
      "unknown-key gpuNodes.capacityReservation.preference",
    ],
    [{ tools: "htop" }, "wrong-type gpuNodes.tools"],
    [
      {
        repair: {
          overrides: [{ condition: "Ready", reason: "KubeletNotReady", waitMinutes: 15, action: "Replace" }],
        },
      },
      "out-of-range gpuNodes.repair.overrides[0].waitMinutes",
    ],
    [{ repair: { maxParallel: "20%" } }, "conflict gpuNodes.repair.maxParallel"],
  ]);
});

test("all problems come at once", () => {
  expect(
    judge({ instanceType: "g5.tiny", maxSize: 0, owner: "me", diskSizeGiB: 8, releaseVersion: "latest", efa: 1 }).map(
      (p) => p.path,
    ),
  ).toEqual([
    "gpuNodes.instanceType",
    "gpuNodes.maxSize",
    "gpuNodes.owner",
    "gpuNodes.diskSizeGiB",
    "gpuNodes.releaseVersion",
    "gpuNodes.efa",
  ]);
});

test("settings that are not an object", () => {
  expect(brief(gpuNodeGroupProblems(null as unknown as GpuNodeGroupSettings, "gpuNodes"))).toEqual([
    "wrong-type gpuNodes",
  ]);
  expect(brief(gpuNodeGroupProblems([] as GpuNodeGroupSettings))).toEqual(["wrong-type args"]);
});

const keys = [
  "instanceType",
  "desiredSize",
  "minSize",
  "maxSize",
  "owner",
  "diskSizeGiB",
  "releaseVersion",
  "kubernetesVersion",
  "capacityType",
  "capacityReservation",
  "placementGroup",
  "efa",
  "localStorage",
  "labels",
  "taints",
  "maxPods",
  "tools",
  "repair",
] as const;

test("only a number that YAML would read back is suggested in quotes", () => {
  const fixOf = (value: unknown) => judge({ labels: { a: value } })[0]?.fix;
  expect(fixOf(Number.NaN)).not.toContain("quotes");
  expect(fixOf(7)).toContain('"7"');
});

test("no argument, however wrong, makes the check throw", () => {
  const garbage = fc.record(Object.fromEntries(keys.map((key) => [key, fc.anything()])), { requiredKeys: [] });
  const anything = fc.oneof(garbage, fc.anything());
  fc.assert(
    fc.property(anything, (args) => {
      for (const problem of gpuNodeGroupProblems(args as GpuNodeGroupSettings, "gpuNodes")) {
        expect(problem.path.startsWith("gpuNodes")).toBe(true);
        expect(`${problem.why} ${problem.fix}`).not.toMatch(/undefined|NaN|\[object/);
      }
    }),
    { numRuns: 300 },
  );
});
