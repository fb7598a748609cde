import { expect, test } from "vitest";
import { planCost } from "../../../planner/cost/cost";
import { amountText, costRows } from "../../../planner/report/cost-text";
import { recordingOf, type ResourceSpec } from "../recordings";

const now = new Date("2026-11-21T00:00:00Z");
const costOf = (...specs: ResourceSpec[]) => planCost(recordingOf(specs), "us-west-2", { now });
const volume = (type: string, inputs: object): ResourceSpec => {
  return { type: "aws:ebs/volume:Volume", name: type, inputs: { size: 100, type, ...inputs } };
};

test.for([
  ["IOPS", "io2", { iops: 5000 }, "5000 IOPS"],
  ["one of them", "io2", { iops: 1 }, "1 IOPS"],
  ["GB", "gp3", {}, "100 GB"],
] as const)("the plural of %s", ([, type, inputs, expected]) => {
  expect(costOf(volume(type, inputs)).atRest.lines.map(amountText)).toContain(expected);
});

test("clusters with different notes, and reserved instances, are one row", () => {
  const cluster = (version: string): ResourceSpec => {
    return { type: "aws:eks/cluster:Cluster", name: `c${version}`, inputs: { version } };
  };
  const reservation = { instanceType: "p5.48xlarge", instanceCount: 2 };
  const cost = costOf(
    ...["1.34", "1.35", "1.36", "1.37"].map(cluster),
    { type: "aws:ec2/capacityReservation:CapacityReservation", name: "r", inputs: reservation },
    { type: "aws:ec2/instance:Instance", name: "i", inputs: { instanceType: "p5.48xlarge" } },
  );
  expect(costRows(cost).map(([item, amount]) => `${item}: ${amount}`)).toEqual([
    "p5.48xlarge, on demand: 3 instances",
    "EKS control plane: 4 clusters",
    "total, at least: ",
  ]);
});

test.for([
  ["a standard parameter", {}, []],
  ["a parameter of Intelligent-Tiering", { tier: "Intelligent-Tiering" }, []],
  ["an advanced parameter", { tier: "Advanced" }, ["advanced parameter p"]],
] as const)("%s", ([, inputs, items]) => {
  const { atRest, usageBased } = costOf({ type: "aws:ssm/parameter:Parameter", name: "p", inputs });
  expect([...atRest.lines, ...usageBased].map(({ item }) => item)).toEqual(items);
});
