import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { wiringProblems } from "../../../components/nodes/node-group-rules";

const good = {
  clusterName: "myeks",
  kubernetesVersion: "1.35",
  subnetId: "subnet-1",
  subnetIds: ["subnet-1"],
  securityGroupIds: ["sg-1"],
};
const told = (args: object, subnets: "subnetId" | "subnetIds" = "subnetId") =>
  wiringProblems(args, subnets).map((p) => `${p.path} (${p.code}): ${p.why} | ${p.fix}`);

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
  [{ kubernetesVersion: 1.35 }, 'kubernetesVersion (wrong-type): It must be a text. | put it in quotes: "1.35"'],
  [
    { kubernetesVersion: "1.35.2" },
    'kubernetesVersion (not-allowed): It must be a Kubernetes minor version such as 1.35. | set kubernetesVersion to the cluster\'s, such as "1.35"',
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
