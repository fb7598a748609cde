import { changesOf, logicalChangesOf, type Outcome, type Step } from "../pulumi/outcome";
import type { Workspace } from "../pulumi/workspace";
import { estimateSeconds, type TimedChange } from "./durations";
import type { ScriptStep } from "./script";
import { runScaleCommand } from "./session";

/** A change of an object in the cloud. */
export interface RehearsedChange {
  readonly op: string;
  readonly type: string;
  readonly name: string;
  /** The changed inputs of an update. */
  readonly paths: readonly string[];
}

/** A step of the script, with its result. */
export interface RehearsedStep {
  readonly title: string;
  readonly command: string;
  readonly succeeded: boolean;
  readonly changes: readonly RehearsedChange[];
  /** The size of a scaled node group, or the errors of a failed step. */
  readonly remarks: readonly string[];
  /** The outputs of the stack after an update; secrets are `[secret]`. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Duration of the rehearsed step. */
  readonly seconds: number;
  /** Estimated duration on AWS. */
  readonly secondsOnAws: number;
}

export interface StepContext {
  readonly workspace: Workspace;
  /** Overrides of the stack's configuration in every step. */
  readonly config: readonly string[];
  /** The outputs of the last update. */
  readonly outputs: RehearsedStep["outputs"];
}

/** Runs a step. The result is undefined when the stack does not have the output that the step needs. */
export function runStep(step: ScriptStep, context: StepContext): Promise<RehearsedStep | undefined> {
  const { action } = step;
  if (action.kind === "output") return Promise.resolve(runOutput(step, context.outputs[action.output], context));
  return runCommand(step, action, context);
}

function runOutput(
  { title, command }: ScriptStep,
  output: unknown,
  { workspace }: StepContext,
): RehearsedStep | undefined {
  if (typeof output !== "string") return undefined;
  const { text, rejected, seconds } = runScaleCommand(workspace.cloud, output);
  return {
    ...{ title, command, succeeded: !rejected, changes: [], remarks: [text], outputs: {} },
    ...{ seconds: 0, secondsOnAws: seconds },
  };
}

async function runCommand(
  { title, command }: ScriptStep,
  action: Exclude<ScriptStep["action"], { kind: "output" }>,
  { workspace, config }: StepContext,
): Promise<RehearsedStep> {
  const isUp = action.kind === "up";
  if (isUp) workspace.configure([...config, ...action.config]);
  const before = await resourcesOf(workspace);
  const outcome = isUp ? await workspace.up() : await workspace.destroy();
  const after = isUp ? await resourcesOf(workspace) : [];
  const changes = changesOf(outcome).filter(isCloudObject);
  return {
    ...{ title, command },
    succeeded: outcome.status === 0,
    changes: logicalChangesOf(outcome)
      .filter(isCloudObject)
      .map(({ op, type, name, diff }) => ({ op, type, name, paths: Object.keys(diff).sort() })),
    remarks: outcome.status === 0 ? [] : errorsOf(outcome),
    outputs: isUp ? outcome.outputs : {},
    seconds: outcome.seconds,
    secondsOnAws:
      estimateSeconds(workspace.cloud, after, timedChanges(changes, "create", "update")) +
      estimateSeconds(workspace.cloud, before, timedChanges(changes, "delete")),
  };
}

/** Whether a step concerns an object in the cloud, not a component or a provider. */
function isCloudObject({ custom, type }: { readonly custom: boolean; readonly type: string }): boolean {
  return custom && !type.startsWith("pulumi:");
}

async function resourcesOf(workspace: Workspace) {
  return (await workspace.exportState()).deployment.resources ?? [];
}

function timedChanges(changes: readonly Step[], ...operations: readonly TimedChange["operation"][]): TimedChange[] {
  return changes.flatMap(({ urn, op }) => {
    const operation = operationOf(op);
    return operations.includes(operation) ? [{ urn, operation }] : [];
  });
}

function operationOf(op: string): TimedChange["operation"] {
  if (op.startsWith("delete")) return "delete";
  return op.startsWith("create") ? "create" : "update";
}

function errorsOf({ diagnostics, cliOutput }: Outcome): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const causes = [...new Set(errors)].filter((message) => !/^(update|destroy) failed$/.test(message));
  return causes.length > 0 ? causes : [cliOutput || "The Pulumi CLI failed without an error message."];
}
