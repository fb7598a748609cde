import { expect, test } from "vitest";
import { withAdoptions } from "../../../commands/leftovers/adopt";

const urn = "urn:pulumi:s::p::aws:eks/nodeGroup:NodeGroup::gpu";
const other = { urn: "urn:pulumi:s::p::aws:iam/role:Role::role", id: "role" };
const tag = { urn: "urn:pulumi:s::p::aws:autoscaling/tag:Tag::tag", id: "tag", dependencies: [urn] };
const created = { urn, inputs: { size: 2 } };
const adopt = [{ resource: { urn, type: "", name: "gpu", inputs: {} }, id: "new" }];

const resourcesAfter = (...resources: readonly object[]) => {
  const pending = [
    { type: "creating", resource: created },
    { type: "updating", resource: { urn: tag.urn } },
  ];
  const document = withAdoptions(
    { version: 3, deployment: { manifest: {}, resources, pending_operations: pending } },
    { adopt },
  );
  expect(document).toMatchObject({ version: 3, deployment: { manifest: {} } });
  expect(document["deployment"]).not.toHaveProperty("pending_operations");
  return (document["deployment"] as { resources: unknown }).resources;
};

test("an interrupted create becomes the last resource", () => {
  expect(resourcesAfter(other)).toEqual([other, { ...created, id: "new" }]);
});

test("an interrupted replacement keeps its place, and the next update deletes the old resource", () => {
  const old = { urn, id: "old" };
  expect(resourcesAfter(other, old, tag)).toEqual([other, { ...created, id: "new" }, { ...old, delete: true }, tag]);
});

test("a resource that an earlier replacement left stays marked for deletion", () => {
  const left = { urn, id: "older", delete: true };
  expect(resourcesAfter(other, left)).toEqual([other, left, { ...created, id: "new" }]);
});

test("a resource that the engine deleted before its replacement is gone", () => {
  expect(resourcesAfter({ urn, id: "old", pendingReplacement: true }, tag)).toEqual([{ ...created, id: "new" }, tag]);
});
