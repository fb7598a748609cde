import { InputError, type Problem } from "../../components/core/problems";
import { openProject, recordStack } from "../../planner/plan-stack";
import type { Project } from "../../planner/program/project";
import type { PulumiCli } from "../pulumi/find-pulumi";
import { changesOf, logicalChangesOf, type Outcome, type Step } from "../pulumi/outcome";
import { Workspace } from "../pulumi/workspace";
import { createCloud } from "../create-cloud";
import type { Account } from "../cloud/simulated-cloud";
import { estimateSeconds, type TimedChange } from "./durations";
import { rehearsalScript, type RehearsedToggle, type ScriptStep } from "./script";
import { runScaleCommand } from "./session";
import { placeholders } from "./placeholders";

/** What is rehearsed, and with what. */
export interface RehearsalArgs {
  readonly cli: PulumiCli;
  readonly project: Project;
  readonly stack: string;
  /** `key=value` texts laid over the stack's configuration for the whole rehearsal. */
  readonly config: readonly string[];
  readonly toggles: readonly RehearsedToggle[];
  /** Facts about the account that differ from the simulated one's. */
  readonly account: Partial<Account>;
  /** Stops the rehearsal: the step that runs ends early, and no other begins. */
  readonly signal?: AbortSignal;
  /** Hears what is under way. */
  readonly progress?: (text: string) => void;
  /** Hears what had to stand in for values that a stack file cannot hold, before the first step. */
  readonly onNotes?: (notes: readonly string[]) => void;
  /** Hears each step when it is done. */
  readonly onStep?: (step: RehearsedStep) => void;
}

/** A change of one object in the cloud. */
export interface RehearsedChange {
  readonly op: string;
  readonly type: string;
  readonly name: string;
  /** The inputs that differ, of an update. */
  readonly paths: readonly string[];
}

/** A step of the script, and what came of it. */
export interface RehearsedStep {
  readonly title: string;
  readonly command: string;
  readonly succeeded: boolean;
  readonly changes: readonly RehearsedChange[];
  /** What else is to be told: sizes after a session's command, or why the step failed. */
  readonly remarks: readonly string[];
  /** The stack's outputs after the step, where it gives any; secrets read `[secret]`. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** How long it took here. */
  readonly seconds: number;
  /** How long it usually takes on AWS. */
  readonly secondsOnAws: number;
}

/** A whole rehearsal. */
export interface Rehearsal {
  readonly stack: string;
  /** What had to stand in for values that a stack file cannot hold. */
  readonly notes: readonly string[];
  /** Types of resources that the simulation knows nothing of. */
  readonly unsimulated: readonly string[];
  readonly steps: readonly RehearsedStep[];
  /** What is still there at the end, as `type name`; nothing after a good rehearsal. */
  readonly left: readonly string[];
  readonly succeeded: boolean;
  /** Whether its user stopped it. */
  readonly interrupted: boolean;
}

/**
 * Lives a lab through in a simulated account, with the user's own Pulumi CLI: up, a session, each switch on and off,
 * destroy. Stops at the first step that fails.
 *
 * @throws InputError when project or configuration are wrong, that of a later step too
 */
export async function rehearse(args: RehearsalArgs): Promise<Rehearsal> {
  const {
    project,
    stack,
    cli,
    config,
    toggles: switches,
    account,
    signal,
    progress = () => undefined,
    onNotes,
    onStep,
  } = args;
  const stood = placeholders(project, stack, config);
  const base = [...config, ...stood.map(({ override }) => override)];
  const notes = stood.map(({ why }) => why);
  const steps = rehearsalScript(switches);
  await rejectInvalidConfig(project, stack, [base, ...switches.map((one) => [...base, ...one.config])]);
  onNotes?.(notes);
  let done = 0;
  const workspace = await Workspace.open({
    ...{ cli, project, stack, config: base, cloud: createCloud({ account }) },
    onEvent: ({ resOutputsEvent }) => {
      if (resOutputsEvent) progress(`${(done += 1)} resources`);
    },
  });
  const interrupt = () => workspace.interrupt();
  signal?.addEventListener("abort", interrupt);
  try {
    const rehearsed: RehearsedStep[] = [];
    let outputs: RehearsedStep["outputs"] = {};
    for (const step of steps) {
      if (signal?.aborted) break;
      done = 0;
      progress(step.title);
      const result = await rehearseStep(workspace, step, base, outputs);
      if (!result) continue;
      if (step.action.kind === "up") outputs = result.outputs;
      rehearsed.push(result);
      onStep?.(result);
      if (!result.succeeded) break;
    }
    return {
      stack,
      notes,
      unsimulated: [...workspace.cloud.unsimulated],
      steps: rehearsed,
      left: workspace.cloud.objects.map(({ type, id }) => `${type} ${id}`),
      succeeded: rehearsed.every(({ succeeded }) => succeeded) && workspace.cloud.objects.length === 0,
      interrupted: signal?.aborted === true,
    };
  } finally {
    signal?.removeEventListener("abort", interrupt);
    await workspace.close();
  }
}

/**
 * Runs the program offline under the configuration of each step: nobody waits minutes for a misspelt switch.
 *
 * @throws InputError with every problem of all of them
 */
async function rejectInvalidConfig(
  project: Project,
  stack: string,
  configs: readonly (readonly string[])[],
): Promise<void> {
  const opened = await openProject(project.dir);
  const problems = new Map<string, Problem>();
  let subject = "";
  for (const config of configs) {
    try {
      await recordStack(opened, stack, config);
    } catch (error) {
      if (!InputError.is(error)) throw error;
      subject ||= error.subject;
      for (const problem of error.problems)
        problems.set(JSON.stringify([problem.path, problem.got, problem.why]), problem);
    }
  }
  if (problems.size > 0) throw new InputError(subject, [...problems.values()]);
}

/** Undefined when the stack has no such output: there is nothing to run. */
async function rehearseStep(
  workspace: Workspace,
  { title, command, action }: ScriptStep,
  base: readonly string[],
  outputs: RehearsedStep["outputs"],
): Promise<RehearsedStep | undefined> {
  if (action.kind === "output") {
    const text = outputs[action.output];
    if (typeof text !== "string") return undefined;
    const { text: remark, refused, seconds } = runScaleCommand(workspace.cloud, text);
    const nothing = { changes: [], outputs: {}, seconds: 0 };
    return { title, command, succeeded: !refused, remarks: [remark], secondsOnAws: seconds, ...nothing };
  }
  if (action.kind === "up") workspace.configure([...base, ...action.config]);
  const before = await resourcesOf(workspace);
  const outcome = action.kind === "up" ? await workspace.up() : await workspace.destroy();
  const after = action.kind === "up" ? await resourcesOf(workspace) : [];
  const changes = changesOf(outcome).filter(isObject);
  const whole = logicalChangesOf(outcome).filter(isObject);
  return {
    ...{ title, command },
    succeeded: outcome.status === 0,
    changes: whole.map(({ op, type, name, diff }) => ({ op, type, name, paths: Object.keys(diff).sort() })),
    remarks: outcome.status === 0 ? [] : errorsOf(outcome),
    outputs: action.kind === "up" ? outcome.outputs : {},
    seconds: outcome.seconds,
    secondsOnAws:
      estimateSeconds(workspace.cloud, after, timed(changes, "create", "update")) +
      estimateSeconds(workspace.cloud, before, timed(changes, "delete")),
  };
}

/** What stands in the cloud: components and providers are Pulumi's own affair. */
function isObject({ custom, type }: { readonly custom: boolean; readonly type: string }): boolean {
  return custom && !type.startsWith("pulumi:");
}

async function resourcesOf(workspace: Workspace) {
  return (await workspace.exportState()).deployment.resources ?? [];
}

function timed(changes: readonly Step[], ...operations: readonly TimedChange["operation"][]): TimedChange[] {
  return changes.flatMap(({ urn, op }) => {
    const operation = operationOf(op);
    return operations.includes(operation) ? [{ urn, operation }] : [];
  });
}

function operationOf(op: string): TimedChange["operation"] {
  if (op.startsWith("delete")) return "delete";
  return op.startsWith("create") ? "create" : "update";
}

function errorsOf({ diagnostics, cliOutput: complaints }: Outcome): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const found = [...new Set(errors)].filter((message) => !/^(update|destroy) failed$/.test(message));
  return found.length > 0 ? found : [complaints || "the Pulumi CLI failed without a word"];
}
