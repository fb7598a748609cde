import { afterAll, beforeAll, describe, expect, inject, onTestFinished } from "vitest";
import { findProject } from "../../../planner/program/project";
import { logicalChangesOf, type Outcome } from "../../../simulation/pulumi/outcome";
import { TestWorkspace } from "../../support/test-workspace";
import type { RehearsedChange } from "../../../simulation/rehearsal/step";
import { startProviders } from "../../../simulation/provider/serve";
import { createCloud } from "../../../simulation/create-cloud";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { ownProject } from "../../support/own-project";

/** Like `describe`, but skipped without the Pulumi CLI. */
export const describeEngine = describe.skipIf(inject("pulumi") === undefined);

/** A public address. EKS rejects the one in the stack file, which is reserved for documentation. */
export const ownAddress = `publicAccessCidrs=["8.8.8.8/32"]`;

/** Configuration that enables all parts of the environment. */
export const everything = [
  ownAddress,
  "gpuOperator.enabled=true",
  "controllers.loadBalancerController.install=true",
  "controllers.clusterAutoscaler.install=true",
];

export interface WorkspaceOptions {
  /** @default "gpu-lab" */
  readonly stack?: string;
  /** @default a public address instead of the documentation address */
  readonly config?: readonly string[];
  /** @default an empty cloud */
  readonly cloud?: () => SimulatedCloud;
  /** Folder of the project. @default this project */
  readonly project?: string;
  /** @default the simulated providers */
  readonly providers?: typeof startProviders;
}

/** A workspace for all tests of a file or block, which build on each other. */
export function sharedWorkspace(options: WorkspaceOptions = {}): { readonly current: TestWorkspace } {
  let workspace: TestWorkspace | undefined;
  beforeAll(async () => {
    workspace = await open(options);
  });
  afterAll(() => workspace?.close());
  return {
    get current() {
      if (!workspace) throw new Error("The workspace is not open.");
      return workspace;
    },
  };
}

/** A workspace for the current test. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await open(options);
  onTestFinished(() => workspace.close());
  return workspace;
}

function open({
  stack = "gpu-lab",
  config = [ownAddress],
  cloud = createCloud,
  project = ownProject,
  providers = startProviders,
}: WorkspaceOptions): Promise<TestWorkspace> {
  const cli = inject("pulumi");
  if (!cli) throw new Error("The Pulumi CLI is missing.");
  return TestWorkspace.open({ cli, project: findProject(project), stack, config, cloud: cloud(), providers });
}

/** Requires that a run succeeds. */
export async function succeeding(run: Promise<Outcome>): Promise<Outcome> {
  const outcome = await run;
  expect(outcome.status, errorsOf(outcome)).toBe(0);
  return outcome;
}

/** Requires that a run fails. */
export async function failing(run: Promise<Outcome>): Promise<Outcome> {
  const outcome = await run;
  expect(outcome.status, "The run succeeded.").not.toBe(0);
  return outcome;
}

/** The errors of the engine and the output of the CLI. */
export function errorsOf({ diagnostics, cliOutput }: Outcome): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  return [...errors, cliOutput].join("\n");
}

/** The changes in the cloud, sorted, e.g. `update NodeGroup gpu-lab-gpu: scalingConfig.desiredSize`. */
export function cloudChanges(outcome: Outcome): string[] {
  return logicalChangesOf(outcome)
    .filter(({ custom }) => custom)
    .map(({ diff, ...step }) => changeLine({ ...step, paths: Object.keys(diff).sort() }))
    .sort();
}

/** The changes that undo the given ones. */
export function reversed(changes: readonly string[]): string[] {
  const opposite = (line: string) =>
    line.replace(/^(create|delete) /, (_, op: string) => (op === "create" ? "delete " : "create "));
  return changes.map(opposite).sort();
}

/** A change in the format of the labs. */
export function changeLine({ op, type, name, paths }: RehearsedChange): string {
  return `${op} ${shortType(type)} ${name}${op === "update" && paths.length > 0 ? `: ${paths.join(", ")}` : ""}`;
}

/** `NodeGroup` for `aws:eks/nodeGroup:NodeGroup`. */
export function shortType(type: string): string {
  return type.split(":").at(-1) ?? type;
}
