import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node" with { "resolution-mode": "import" };
import { findProject } from "../../planner/program/project";
import { copyProject } from "../../simulation/pulumi/project-copy";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder that links this project, without stacks/Pulumi.*.yaml, which belong to the user. */
    ownProject: string;
  }
}

/** Links the project once for all test files. Returns what removes the links. */
export default function setup(project: TestProject): () => void {
  const dir = mkdtempSync(join(tmpdir(), "eks-gpu-lab-own-"));
  project.provide("ownProject", copyProject(findProject(process.cwd()), dir).dir);
  return () => rmSync(dir, { recursive: true, force: true });
}
