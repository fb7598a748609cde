import { expect, test } from "vitest";
import { findProject } from "../../../planner/program/project";
import { placeholders } from "../../../simulation/rehearsal/placeholders";

const project = findProject(process.cwd());

test("an address stands in for the one that documentation reserves", () => {
  expect(placeholders(project, "gpu-lab", [])).toEqual([
    { override: 'publicAccessCidrs=["1.2.3.4/32"]', why: "1.2.3.4/32 stands in for your address in publicAccessCidrs" },
  ]);
});

test.for([['publicAccessCidrs=["9.8.7.6/32"]'], ["publicAccessCidrs=no list"]])("%s stays as it is", ([override]) => {
  expect(placeholders(project, "gpu-lab", [override as string])).toEqual([]);
});

test("other blocks beside it stay", () => {
  const [standIn] = placeholders(project, "gpu-lab", ['publicAccessCidrs=["203.0.113.7/32","9.8.7.6/32"]']);
  expect(standIn?.override).toBe('publicAccessCidrs=["1.2.3.4/32","9.8.7.6/32"]');
});
