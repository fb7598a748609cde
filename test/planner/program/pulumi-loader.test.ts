import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { ownProject } from "../support/own-project";

test("Pulumi's own TypeScript loader runs the program, without a type check", { timeout: 60_000 }, () => {
  const { values } = stackConfig(findProject(ownProject), "gpu-lab", []);
  const loader = join(process.cwd(), "test/support/pulumi-loader.cjs");
  const out = execFileSync(process.execPath, [loader, JSON.stringify(values)], {
    cwd: "stacks",
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const types = JSON.parse(out) as string[];
  expect(types).toContain("eks-gpu-lab:index:GpuEnvironment");
  expect(types.filter((type) => type === "aws:eks/nodeGroup:NodeGroup")).toHaveLength(2);
});
