import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gpuNodeGroupProblems } from "../../../components/nodes/gpu-node-group-rules";
import type { GpuNodeGroupSettings } from "../../../components/nodes/gpu-node-group-settings";

/** Configuration may hold anything: the types of the settings are no promise. */
const judge = (args: unknown) =>
  gpuNodeGroupProblems({ kubernetesVersion: "1.35", ...(args as GpuNodeGroupSettings) }, "gpuNodes");
const told = (args: unknown) => judge(args).map((p) => `${p.path}: ${p.why} | ${p.fix}`);

describe("sound settings", () => {
  test.for([
    ["none at all", {}],
    [
      "everything at its default",
      { instanceType: "g5.xlarge", desiredSize: 0, minSize: 0, maxSize: 2, owner: "session" },
    ],
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
    ["arguments that are wiring", { azIndex: 0, subnetId: "subnet-1" }],
  ] as const)("%s", ([, args]) => expect(told(args)).toEqual([]));
});

const disk =
  "Images with CUDA and a framework take tens of GiB unpacked, and a node whose disk is full evicts its pods; 100 GiB is the least that has room for a few.";
const diskFix = "set gpuNodes.diskSizeGiB to a whole number of GiB, from 100 to 16384";
const target = 'set it to either { id: "cr-…" } or { resourceGroupArn: "arn:…" }';

describe("each wrong setting has one problem", () => {
  test.for([
    [
      "gpuNodes.maxSize: desiredSize is 3, and EKS wants minSize <= desiredSize <= maxSize. | set gpuNodes.maxSize to 3 or more, or gpuNodes.desiredSize to 1 or less",
      { maxSize: 1, desiredSize: 3 },
    ],
    [
      'gpuNodes.instanceType: The catalogue of 2026-11-21 has no such GPU instance type. | did you mean "g5.xlarge"?',
      { instanceType: "g5.xlage" },
    ],
    [
      'gpuNodes.instanceType: It has no GPU. | choose a GPU type such as "g5.xlarge", or make the nodes with SystemNodeGroup',
      { instanceType: "t3.medium", efa: true, localStorage: "raid0" },
    ],
    [
      'gpuNodes.owner: It must be one of "session", "pulumi", "autoscaler". | set gpuNodes.owner to one of "session", "pulumi", "autoscaler"',
      { owner: "karpenter" },
    ],
    [`gpuNodes.diskSizeGiB: ${disk} | ${diskFix}`, { diskSizeGiB: 30 }],
    [`gpuNodes.diskSizeGiB: ${disk} | ${diskFix}`, { diskSizeGiB: 99 }],
    [`gpuNodes.diskSizeGiB: It must be from 100 to 16384 GiB. | ${diskFix}`, { diskSizeGiB: 16385 }],
    [`gpuNodes.diskSizeGiB: It must be a whole number. | ${diskFix}`, { diskSizeGiB: "much" }],
    [
      "gpuNodes.diskSizeGiB: It is a text, and must be a number. | set gpuNodes.diskSizeGiB to 100, without quotes",
      { diskSizeGiB: "100" },
    ],
    [
      'gpuNodes.releaseVersion: It floats: with each release of AWS, the next update would replace every node. | set gpuNodes.releaseVersion to a release such as "1.35.8-20260930"',
      { releaseVersion: "latest" },
    ],
    [
      'gpuNodes.releaseVersion: The GPU of g7.2xlarge needs a driver that AMI releases carry from 20260917 on. | set gpuNodes.releaseVersion to a release such as "1.35.8-20260930"',
      { releaseVersion: "1.35.7-20260911", instanceType: "g7.2xlarge" },
    ],
    [
      'gpuNodes.capacityType: It must be one of "ON_DEMAND", "SPOT", "CAPACITY_BLOCK". | set gpuNodes.capacityType to one of "ON_DEMAND", "SPOT", "CAPACITY_BLOCK"',
      { capacityType: "capacity-block" },
    ],
    [
      'gpuNodes.capacityReservation: capacityType is SPOT, and a reservation holds no spot capacity. | remove gpuNodes.capacityReservation, or set gpuNodes.capacityType to "ON_DEMAND"',
      { capacityType: "SPOT", capacityReservation: { id: "cr-0123456789abcdef0" } },
    ],
    [
      'gpuNodes.capacityReservation.id: capacityType is CAPACITY_BLOCK, and EKS must know which Capacity Block. | set gpuNodes.capacityReservation to { id: "cr-…" }',
      { capacityType: "CAPACITY_BLOCK" },
    ],
    [
      'gpuNodes.capacityReservation.id: capacityType is CAPACITY_BLOCK, and EKS must know which Capacity Block. | set gpuNodes.capacityReservation to { id: "cr-…" }',
      {
        capacityType: "CAPACITY_BLOCK",
        capacityReservation: { resourceGroupArn: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu" },
      },
    ],
    [
      `gpuNodes.capacityReservation: It names no reservation, and EC2 would take any. | ${target}`,
      { capacityReservation: {} },
    ],
    [
      `gpuNodes.capacityReservation: It names a reservation and a group of reservations, and EC2 takes one target. | keep one: ${target}`,
      {
        capacityReservation: {
          id: "cr-0123456789abcdef0",
          resourceGroupArn: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu",
        },
      },
    ],
    [
      `gpuNodes.capacityReservation: It must be an object. | ${target}`,
      { capacityReservation: "cr-0123456789abcdef0" },
    ],
    [
      'gpuNodes.capacityReservation.id: It must be the id of a capacity reservation. | write it like "cr-0123456789abcdef0"',
      { capacityReservation: { id: "reservation-1" } },
    ],
    [
      'gpuNodes.capacityReservation.resourceGroupArn: It must be the ARN of a resource group. | write it like "arn:aws:resource-groups:ap-northeast-2:123456789012:group/gpu"',
      { capacityReservation: { resourceGroupArn: "gpu" } },
    ],
    [
      "gpuNodes.placementGroup: It must be the name of a placement group. | set gpuNodes.placementGroup to the name of a placement group, or leave it out",
      { placementGroup: true },
    ],
    [
      "gpuNodes.efa: g5.xlarge has no Elastic Fabric Adapter. | choose g5.8xlarge or larger, or set gpuNodes.efa to false: NCCL then uses TCP",
      { efa: true },
    ],
    [
      "gpuNodes.efa: g6f.large has no Elastic Fabric Adapter. | choose a family that has it, such as g5 from g5.8xlarge on, or set gpuNodes.efa to false: NCCL then uses TCP",
      { efa: true, instanceType: "g6f.large" },
    ],
    ["gpuNodes.efa: It must be true or false. | set gpuNodes.efa to true or false, without quotes", { efa: "yes" }],
    [
      'gpuNodes.localStorage: g5g.xlarge has no instance store. | set gpuNodes.localStorage to "none", or choose a type with an instance store, such as g5.xlarge',
      { localStorage: "raid0", instanceType: "g5g.xlarge" },
    ],
    [
      'gpuNodes.localStorage: It must be one of "none", "raid0". | set gpuNodes.localStorage to one of "none", "raid0"',
      { localStorage: "RAID0" },
    ],
    [
      'gpuNodes.labels["k8s.amazonaws.com/accelerator"]: The group sets this label to "nvidia-a10g" itself: schedulers, charts and the autoscaler count on it. | use a label of another name',
      { labels: { "k8s.amazonaws.com/accelerator": "nvidia-l4" } },
    ],
    [
      "gpuNodes.taints[0].effect: This is Kubernetes' spelling, not EKS's. | write \"NO_SCHEDULE\"",
      { taints: [{ key: "team", effect: "NoSchedule" }] },
    ],
    [
      "gpuNodes.labels: The autoscaler's tag for it has a key of 149 characters, and AWS allows 128. | shorten the name to 82 characters or fewer",
      { labels: { [`${"d".repeat(39)}/${"n".repeat(63)}`]: "a" } },
    ],
    [
      "gpuNodes.taints: The autoscaler's tag for it has a key of 149 characters, and AWS allows 128. | shorten the name to 82 characters or fewer",
      { taints: [{ key: `${"d".repeat(39)}/${"n".repeat(63)}`, effect: "NO_SCHEDULE" }] },
    ],
    [
      "gpuNodes.maxPods: It must be from 1 to 110. | set gpuNodes.maxPods to a whole number, from 1 to 110",
      { maxPods: 0 },
    ],
    [
      "gpuNodes.maxPods: AWS recommends at most 110 pods on a node with fewer than 30 vCPUs, and g5.xlarge has 4. | set gpuNodes.maxPods to a whole number, from 1 to 110",
      { maxPods: 111 },
    ],
    [
      "gpuNodes.maxPods: It must be from 1 to 250. | set gpuNodes.maxPods to a whole number, from 1 to 250",
      { maxPods: 251, instanceType: "g5.8xlarge" },
    ],
    [
      'gpuNodes.instanceType: It must be a text. | set gpuNodes.instanceType to a type such as "g5.xlarge"',
      { instanceType: null },
    ],
    [
      'gpuNodes.capacityType: It must be one of "ON_DEMAND", "SPOT", "CAPACITY_BLOCK". | set gpuNodes.capacityType to one of "ON_DEMAND", "SPOT", "CAPACITY_BLOCK"',
      { capacityType: null },
    ],
    [
      'gpuNodes.taints: It must be a list. | set gpuNodes.taints to a list such as [{ key: "team", value: "research", effect: "NO_SCHEDULE" }]',
      { taints: null },
    ],
    [
      "gpuNodes.capacityReservation.resourceGroupARN: There is no such key. | did you mean gpuNodes.capacityReservation.resourceGroupArn?",
      { capacityReservation: { resourceGroupARN: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu" } },
    ],
    [
      "gpuNodes.capacityReservation.preference: There is no such key. | choose among id, resourceGroupArn",
      { capacityReservation: { id: "cr-0123456789abcdef0", preference: "open" } },
    ],
    [
      'gpuNodes.tools: It must be a list. | set gpuNodes.tools to a list such as ["htop", "tcpdump"]',
      { tools: "htop" },
    ],
    [
      "gpuNodes.repair.overrides[0].waitMinutes: EKS takes 10 to 120 minutes, in steps of ten. | set gpuNodes.repair.overrides[0].waitMinutes to 10 or 20",
      {
        repair: {
          overrides: [{ condition: "Ready", reason: "KubeletNotReady", waitMinutes: 15, action: "Replace" }],
        },
      },
    ],
    [
      "gpuNodes.repair.maxParallel: Of 2 nodes (maxSize) that is less than one. | set gpuNodes.repair.maxParallel to a number of nodes, such as 1",
      { repair: { maxParallel: "20%" } },
    ],
  ] as const)("%s", ([problem, args]) => expect(told(args)).toEqual([problem]));
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

test("settings that are no object", () => {
  expect(gpuNodeGroupProblems(null as unknown as GpuNodeGroupSettings, "gpuNodes")).toEqual([
    {
      code: "wrong-type",
      path: "gpuNodes",
      got: null,
      why: "It must be an object.",
      fix: "set gpuNodes to an object, {} at least",
    },
  ]);
  expect(gpuNodeGroupProblems([] as GpuNodeGroupSettings)[0]?.path).toBe("arguments");
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

test("a value that is no number is no text to put in quotes either", () => {
  const [problem] = gpuNodeGroupProblems({ labels: { a: Number.NaN as unknown as string } }, "gpuNodes");
  expect(problem).toMatchObject({ why: "It must be a text.", fix: 'write a text such as "research"' });
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
