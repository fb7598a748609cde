import { expect, test } from "vitest";
import type { StateResource } from "../../../simulation/pulumi/workspace";
import { estimateSeconds, type TimedChange } from "../../../simulation/rehearsal/step";
import { createCloud } from "../../../simulation/create-cloud";
import type { ResourceModel } from "../../../simulation/cloud/model";
import { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

const model = (type: string, create: number, remove: number): ResourceModel => ({
  type,
  id: (_, serial) => serial,
  seconds: { create, delete: remove },
});
const { account } = createCloud();
const cloud = new SimulatedCloud({
  models: [model("cluster", 600, 150), model("nodes", 120, 300)],
  functions: {},
  account,
});

const cluster: StateResource = { urn: "c", type: "cluster" };
const system: StateResource = { urn: "s", type: "nodes", dependencies: ["c"] };
const gpu: StateResource = { urn: "g", type: "nodes", dependencies: ["c"] };
const all = (operation: TimedChange["operation"]) => ["c", "s", "g"].map((urn) => ({ urn, operation }));

test.for([
  ["nothing changes", [], 0],
  ["independent resources are created in parallel", all("create"), 720],
  ["deletes have their own durations along the same chain", all("delete"), 450],
  ["unchanged resources take no time", [{ urn: "g", operation: "create" }], 120],
  ["an operation without a known duration takes a second", [{ urn: "c", operation: "update" }], 1],
  ["an operation on a resource outside of the state takes no time", [{ urn: "x", operation: "create" }], 0],
] as [string, TimedChange[], number][])("%s", ([, changes, seconds]) => {
  expect(estimateSeconds(cloud, [cluster, system, gpu], changes)).toBe(seconds);
});

test("a dependency cycle in a broken state terminates", () => {
  const a: StateResource = { urn: "a", type: "nodes", dependencies: ["b"] };
  const b: StateResource = { urn: "b", type: "nodes", dependencies: ["a"] };
  expect(estimateSeconds(cloud, [a, b], [{ urn: "a", operation: "create" }])).toBe(120);
});
