import { afterAll, beforeAll, describe, expect, inject, onTestFinished } from "vitest";
import { findProject } from "../../../planner/program/project";
import { logicalChangesOf, type Outcome } from "../../../simulation/pulumi/outcome";
import { Workspace } from "../../../simulation/pulumi/workspace";
import type { RehearsedChange } from "../../../simulation/rehearsal/step";
import { createCloud } from "../../../simulation/create-cloud";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

/** As `describe`, where the Pulumi CLI is there. */
export const describeEngine = describe.skipIf(inject("pulumi") === undefined);

/** An address that the public may have: the one of the stack file is reserved for documentation, and refused. */
export const ownAddress = `publicAccessCidrs=["8.8.8.8/32"]`;

/** Everything the environment can hold. */
export const everything = [
  ownAddress,
  "gpuOperator.enabled=true",
  "controllers.loadBalancerController.install=true",
  "controllers.clusterAutoscaler.install=true",
];

export interface WorkspaceOptions {
  /** @default "gpu-lab" */
  readonly stack?: string;
  /** @default the documentation address replaced */
  readonly config?: readonly string[];
  /** @default a cloud without anything in it */
  readonly cloud?: () => SimulatedCloud;
  /** Folder of the project. @default this project */
  readonly project?: string;
}

/** A workspace that is there for all tests of a file or block; they build on each other. */
export function sharedWorkspace(options: WorkspaceOptions = {}): { readonly current: Workspace } {
  let workspace: Workspace | undefined;
  beforeAll(async () => {
    workspace = await open(options);
  });
  afterAll(() => workspace?.close());
  return {
    get current() {
      if (!workspace) throw new Error("the workspace is not open");
      return workspace;
    },
  };
}

/** A workspace that lasts as long as the test. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const workspace = await open(options);
  onTestFinished(() => workspace.close());
  return workspace;
}

function open({
  stack = "gpu-lab",
  config = [ownAddress],
  cloud = createCloud,
  project = process.cwd(),
}: WorkspaceOptions): Promise<Workspace> {
  const cli = inject("pulumi");
  if (!cli) throw new Error("there is no Pulumi CLI");
  return Workspace.open({ cli, project: findProject(project), stack, config, cloud: cloud() });
}

/** The outcome, which must be a success. */
export async function succeeding(run: Promise<Outcome>): Promise<Outcome> {
  const outcome = await run;
  expect(outcome.status, errorsOf(outcome)).toBe(0);
  return outcome;
}

/** The outcome, which must be a failure. */
export async function failing(run: Promise<Outcome>): Promise<Outcome> {
  const outcome = await run;
  expect(outcome.status, "it did not fail").not.toBe(0);
  return outcome;
}

/** What went wrong, in the words of the engine and the CLI. */
export function errorsOf({ diagnostics, cliOutput }: Outcome): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  return [...errors, cliOutput].join("\n");
}

/** What changes in the cloud, sorted: `update NodeGroup gpu-lab-gpu: scalingConfig.desiredSize`. */
export function cloudChanges(outcome: Outcome): string[] {
  return logicalChangesOf(outcome)
    .filter(({ custom }) => custom)
    .map(({ diff, ...step }) => changeLine({ ...step, paths: Object.keys(diff).sort() }))
    .sort();
}

/** What undoes changes. */
export function reversed(changes: readonly string[]): string[] {
  const opposite = (line: string) =>
    line.replace(/^(create|delete) /, (_, op: string) => (op === "create" ? "delete " : "create "));
  return changes.map(opposite).sort();
}

/** A change as a lab writes those of its switches. */
export function changeLine({ op, type, name, paths }: RehearsedChange): string {
  return `${op} ${shortType(type)} ${name}${op === "update" && paths.length > 0 ? `: ${paths.join(", ")}` : ""}`;
}

/** `aws:eks/nodeGroup:NodeGroup` is a NodeGroup. */
export function shortType(type: string): string {
  return type.split(":").at(-1) ?? type;
}
