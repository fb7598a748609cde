import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { gpuNodeGroup } from "../../../components/nodes/gpu-node-group-schema";
import { systemNodeGroup } from "../../../components/nodes/system-node-group-schema";
import { problemsIn } from "../../../components/core/schema";
import { brief, testProblems } from "../../support/problems";

const good = { clusterName: "myeks", kubernetesVersion: "1.35", securityGroupIds: ["sg-1"] };
const judgeGpu = (args: object) => problemsIn(gpuNodeGroup, { ...good, subnetId: "subnet-1", ...args });
const judgeSystem = (args: object) => problemsIn(systemNodeGroup, { ...good, subnetIds: ["subnet-1"], ...args });

test.for([
  ["one subnet", {}, judgeGpu],
  ["several", {}, judgeSystem],
  ["values known later", { clusterName: pulumi.output("a"), subnetId: Promise.resolve("a") }, judgeGpu],
  ["lists known later", { subnetIds: pulumi.output(["a"]), securityGroupIds: pulumi.output(["a"]) }, judgeSystem],
  ["items known later", { subnetIds: [pulumi.output("a")], securityGroupIds: [pulumi.output("a")] }, judgeSystem],
  ["a physical name", { physicalName: "myeks-ng-gpu", tags: { A: "b" } }, judgeGpu],
] as const)("valid: %s", ([, args, judge]) => expect(judge(args)).toEqual([]));

testProblems(judgeGpu, [
  [{ clusterName: undefined }, "missing clusterName"],
  [{ clusterName: 7 }, "wrong-type clusterName"],
  [{ subnetId: "" }, "missing subnetId"],
  [{ subnetId: ["subnet-1"] }, "wrong-type subnetId"],
  [{ kubernetesVersion: 1.35 }, "wrong-type kubernetesVersion"],
  [{ kubernetesVersion: "1.35.2" }, "not-allowed kubernetesVersion"],
  [{ securityGroupIds: "sg-1" }, "wrong-type securityGroupIds"],
  [{ securityGroupIds: [] }, "missing securityGroupIds"],
  [{ securityGroupIds: [null] }, "wrong-type securityGroupIds[0]"],
  [{ physicalName: "p".repeat(37) }, "not-allowed physicalName"],
  [{ subnetIds: ["subnet-1"] }, "unknown-key subnetIds"],
  [{ efaa: true }, "unknown-key efaa"],
  [{ tags: { A: 1 } }, "wrong-type tags.A"],
]);

test("several subnets", () => {
  expect(brief(judgeSystem({ subnetIds: [] }))).toEqual(["missing subnetIds"]);
});

test.for([[null], [undefined], [[]], [pulumi.output({})]])("arguments that are not an object: %#", ([args]) => {
  expect(brief(problemsIn(gpuNodeGroup, args))).toHaveLength(1);
});
