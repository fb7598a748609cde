import { expect, test } from "vitest";
import { usualSeconds, type Dependent, type TimedChange } from "../../../simulation/rehearsal/durations";
import { simulatedWorld } from "../../../simulation/simulated-world";
import type { Kind } from "../../../simulation/world/kind";
import { World } from "../../../simulation/world/world";

const kind = (type: string, create: number, remove: number): Kind => ({
  type,
  id: (_, serial) => serial,
  seconds: { create, delete: remove },
});
const { account } = simulatedWorld();
const world = new World({ kinds: [kind("cluster", 600, 150), kind("nodes", 120, 300)], functions: {}, account });

const cluster: Dependent = { urn: "c", type: "cluster" };
const system: Dependent = { urn: "s", type: "nodes", dependencies: ["c"] };
const gpu: Dependent = { urn: "g", type: "nodes", dependencies: ["c"] };
const all = (operation: TimedChange["operation"]) => ["c", "s", "g"].map((urn) => ({ urn, operation }));

test.for([
  ["nothing changes", [], 0],
  ["what does not wait for each other goes on at a time", all("create"), 720],
  ["deletes take their own time along the same chain", all("delete"), 450],
  ["what stays takes no time", [{ urn: "g", operation: "create" }], 120],
  ["an operation of which nothing is known takes a second", [{ urn: "c", operation: "update" }], 1],
  ["a change of what is not in the state takes none", [{ urn: "x", operation: "create" }], 0],
] as [string, TimedChange[], number][])("%s", ([, changes, seconds]) => {
  expect(usualSeconds(world, [cluster, system, gpu], changes)).toBe(seconds);
});

test("a circle in a broken state ends", () => {
  const a: Dependent = { urn: "a", type: "nodes", dependencies: ["b"] };
  const b: Dependent = { urn: "b", type: "nodes", dependencies: ["a"] };
  expect(usualSeconds(world, [a, b], [{ urn: "a", operation: "create" }])).toBe(120);
});
