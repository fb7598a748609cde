import { expect, test, vi } from "vitest";
import { costSoFar } from "../../../../commands/gpu/cost";
import { documentOf } from "../../../../commands/gpu/report";
import type { Activity, Group, Instance } from "../../../../commands/gpu/group";
import { renderStatus } from "../../../../commands/gpu/report";
import { readSnapshot } from "../../../../commands/gpu/snapshot";

vi.mock("../../../../components/cost/price-table.json", () => import("../../../fixtures/price-table.json"));

const group: Group = {
  ...{ region: "ap-northeast-2", cluster: "myeks", group: "gpu", status: "ACTIVE", capacityType: "ON_DEMAND" },
  ...{
    sizes: { min: 0, max: 2, desired: 2 },
    instanceTypes: ["g5.xlarge"],
    subnetIds: ["subnet-1"],
    autoScalingGroups: ["eks-gpu-1"],
    issues: [],
  },
};
const instance = (id: string, type = "g5.xlarge"): Instance => ({
  ...{ id, type, zone: "ap-northeast-2a", state: "running", lifecycle: "InService" },
});
const started = (id: string, at: string): Activity => ({
  ...{ id: `start-${id}`, status: "Successful", description: `Launching a new EC2 instance: ${id}.`, message: "", at },
});
const ended = (id: string, at: string): Activity => ({
  ...{ id: `end-${id}`, status: "Successful", description: `Terminating EC2 instance: ${id}.`, message: "", at },
});
const now = new Date("2026-11-23T12:00:00Z");
const [morning, noon] = ["2026-11-23T10:00:00.000Z", "2026-11-23T11:30:00.000Z"];

test("the cost so far is that of the instances that exist, since they started", () => {
  const activities = [started("i-2", noon), ended("i-0", noon), started("i-1", morning), started("i-0", morning)];
  const cost = costSoFar(group, [instance("i-1"), instance("i-2")], activities, now);
  expect(cost).toEqual({ usd: (2 + 0.5) * 1.237, complete: true, since: morning });
});

test.for([
  ["a start that AWS no longer lists", [instance("i-1"), instance("i-2")], morning],
  ["a type without a price", [instance("i-1"), instance("i-3", "g9.xlarge")], morning],
] as const)("with %s it is a lower bound", ([, instances, since]) => {
  const activities = [started("i-3", noon), started("i-1", morning)];
  expect(costSoFar(group, instances, activities, now)).toEqual({ usd: 2 * 1.237, complete: false, since });
});

test("without instances there is none, and without any start it is not known", () => {
  expect(costSoFar(group, [], [started("i-1", morning)], now)).toBeUndefined();
  expect(costSoFar(group, [instance("i-1")], [], now)).toEqual({ usd: 0, complete: false, since: undefined });
});

test.for([
  [[started("i-1", morning)], /^ {2}so far +\d+\.\d\d USD since 2026-11-23T10:00Z$/m],
  [[], /^ {2}so far +unknown: AWS no longer lists the start of the instances$/m],
] as const)("the report and the document contain it", async ([activities, line]) => {
  const snapshot = await readSnapshot({
    api: {
      group: () => Promise.resolve(group),
      instances: () => Promise.resolve([instance("i-1")]),
      activities: () => Promise.resolve(activities),
      endpoint: () => Promise.resolve(""),
      template: () => Promise.resolve({ volumes: [] }),
      now: () => new Date(),
      scale: () => Promise.resolve(),
    },
    nodes: () => Promise.resolve({ nodes: [], expectsGpus: false }),
  });
  expect(renderStatus(snapshot, { colors: false, columns: 100 })).toMatch(line);
  const { cost } = documentOf("status", snapshot) as { cost: { soFar: object } };
  expect(cost.soFar).toMatchObject({ complete: activities.length > 0 });
});
