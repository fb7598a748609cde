import type { TestProject } from "vitest/node" with { "resolution-mode": "import" };
import { findPulumi, type PulumiCli } from "../../../simulation/pulumi/find-pulumi";
import { saySkipped } from "../../support/skips";

declare module "vitest" {
  export interface ProvidedContext {
    /** The CLI that runs the stacks. Without it, the engine tests are skipped. */
    pulumi: PulumiCli | undefined;
  }
}

/** Looks for the Pulumi CLI once for all test files, and reports what is missing. */
export default function setup(project: TestProject): void {
  const search = findPulumi();
  project.provide("pulumi", search.cli);
  if (!search.cli && process.env["REQUIRE_PULUMI"]) throw new Error(`The engine tests cannot run: ${search.why}`);
  if (!search.cli) saySkipped(`Engine tests are skipped. ${search.why}; ${search.fix}`);
}
