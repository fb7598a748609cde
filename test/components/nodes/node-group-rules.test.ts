import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import type { GpuNodeGroupArgs } from "../../../components/nodes/gpu-node-group";
import { nodeGroupKeys, wiringProblems } from "../../../components/nodes/node-group-rules";
import type { SystemNodeGroupArgs } from "../../../components/nodes/system-node-group";

const good = {
  clusterName: "myeks",
  kubernetesVersion: "1.35",
  securityGroupIds: ["sg-1"],
};
const subnet = { subnetId: { subnetId: "subnet-1" }, subnetIds: { subnetIds: ["subnet-1"] } };
const told = (args: object, subnets: "subnetId" | "subnetIds" = "subnetId") =>
  wiringProblems({ ...subnet[subnets], ...args }, subnets).map((p) => `${p.path} (${p.code}): ${p.why} | ${p.fix}`);

test.for([
  ["one subnet", {}, "subnetId"],
  ["several", {}, "subnetIds"],
  ["values known later", { clusterName: pulumi.output("a"), subnetId: Promise.resolve("a") }, "subnetId"],
  ["lists known later", { subnetIds: pulumi.output(["a"]), securityGroupIds: pulumi.output(["a"]) }, "subnetIds"],
  ["items known later", { subnetIds: [pulumi.output("a")], securityGroupIds: [pulumi.output("a")] }, "subnetIds"],
  ["a physical name", { physicalName: "myeks-ng-gpu", tags: { A: "b" } }, "subnetId"],
] as const)("fine: %s", ([, args, subnets]) => expect(told({ ...good, ...args }, subnets)).toEqual([]));

test.for([
  [
    { clusterName: undefined },
    "clusterName (missing): It must be stated. | set clusterName to the name of the cluster",
  ],
  [{ clusterName: 7 }, "clusterName (wrong-type): It must be stated. | set clusterName to the name of the cluster"],
  [{ subnetId: "" }, "subnetId (missing): It must be stated. | set subnetId to the id of one private subnet"],
  [
    { subnetId: ["subnet-1"] },
    "subnetId (wrong-type): It must be stated. | set subnetId to the id of one private subnet",
  ],
  [
    { kubernetesVersion: 1.35 },
    'kubernetesVersion (wrong-type): It must be a text. | set kubernetesVersion to the cluster\'s version in quotes, e.g. "1.35"',
  ],
  [
    { kubernetesVersion: "1.35.2" },
    'kubernetesVersion (not-allowed): It must be a minor version of Kubernetes. | set kubernetesVersion to the cluster\'s version in quotes, e.g. "1.35"',
  ],
  [
    { securityGroupIds: "sg-1" },
    'securityGroupIds (wrong-type): It must be a list. | set securityGroupIds to a list such as ["sg-0123456789abcdef0"]',
  ],
  [
    { securityGroupIds: [] },
    'securityGroupIds (missing): It must name at least one. | set securityGroupIds to ["sg-0123456789abcdef0"]',
  ],
  [
    { securityGroupIds: [null] },
    "securityGroupIds[0] (wrong-type): It must be stated. | set securityGroupIds[0] to an id",
  ],
  [
    { physicalName: "p".repeat(37) },
    'physicalName (not-allowed): It must be up to 36 letters, digits, dashes and underscores, beginning with a letter or digit. | write a name such as "myeks-ng-gpu"',
  ],
  [{ subnetIds: ["subnet-1"] }, "subnetIds (unknown-key): There is no such key. | did you mean subnetId?"],
  [{ efaa: true }, "efaa (unknown-key): There is no such key. | did you mean efa?"],
  [
    { tags: { A: 1 } },
    'tags (wrong-type): It must be an object of texts. | set tags to an object such as { Team: "research" }',
  ],
] as const)("%j", ([args, problem]) => expect(told({ ...good, ...args })).toEqual([problem]));

test("several subnets", () => {
  expect(told({ ...good, subnetIds: [] }, "subnetIds")).toEqual([
    'subnetIds (missing): It must name at least one. | set subnetIds to ["subnet-0123456789abcdef0"]',
  ]);
});

/** Every argument of the two components: the compiler keeps these lists complete. */
const system: Record<keyof SystemNodeGroupArgs, true> = {
  clusterName: true,
  kubernetesVersion: true,
  securityGroupIds: true,
  physicalName: true,
  tags: true,
  transform: true,
  instanceType: true,
  desiredSize: true,
  minSize: true,
  maxSize: true,
  owner: true,
  diskSizeGiB: true,
  releaseVersion: true,
  labels: true,
  maxPods: true,
  tools: true,
  subnetIds: true,
};
const { subnetIds, ...shared } = system;
const gpu: Record<keyof GpuNodeGroupArgs, true> = {
  ...shared,
  subnetId: true,
  capacityType: true,
  capacityReservation: true,
  placementGroup: true,
  efa: true,
  localStorage: true,
  taints: true,
  repair: true,
};

test("the known keys are those of the arguments", () => {
  expect([...nodeGroupKeys.subnetIds].sort()).toEqual(Object.keys(system).sort());
  expect([...nodeGroupKeys.subnetId].sort()).toEqual(Object.keys(gpu).sort());
});

test("arguments that are no object, or come too late, have no wiring to judge", () => {
  for (const args of [null, undefined, [], pulumi.output({})]) {
    expect(wiringProblems(args as unknown as object, "subnetId")).toEqual([]);
  }
});
