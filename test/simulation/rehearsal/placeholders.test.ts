import { expect, test } from "vitest";
import { findProject } from "../../../planner/program/project";
import { placeholders } from "../../../simulation/rehearsal/rehearse";
import { ownProject } from "../../support/own-project";

const project = findProject(ownProject);

test("a placeholder replaces a documentation address", () => {
  expect(placeholders(project, "gpu-lab", [])).toMatchInlineSnapshot(`
    [
      {
        "override": "publicAccessCidrs=["1.2.3.4/32"]",
        "why": "publicAccessCidrs uses 1.2.3.4/32 as a placeholder for your address",
      },
    ]
  `);
});

test.for([['publicAccessCidrs=["9.8.7.6/32"]'], ["publicAccessCidrs=no list"]])(
  "%s needs no placeholder",
  ([override]) => {
    expect(placeholders(project, "gpu-lab", [override as string])).toEqual([]);
  },
);

test("other addresses of the list stay", () => {
  const [placeholder] = placeholders(project, "gpu-lab", ['publicAccessCidrs=["203.0.113.7/32","9.8.7.6/32"]']);
  expect(placeholder?.override).toBe('publicAccessCidrs=["1.2.3.4/32","9.8.7.6/32"]');
});
