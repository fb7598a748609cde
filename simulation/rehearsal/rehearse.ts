import { InputError, type Problem } from "../../components/core/problems";
import { openProject, recordStack } from "../../planner/plan-stack";
import type { Project } from "../../planner/program/project";
import { lastOfEach, stackConfig } from "../../planner/program/stack-config";
import { placeOf } from "../aws/account";
import type { Account } from "../cloud/model";
import { createCloud } from "../create-cloud";
import type { PulumiCli } from "../pulumi/find-pulumi";
import { Workspace } from "../pulumi/workspace";
import { rehearsalScript, runStep, type RehearsedToggle, type RehearsedStep } from "./step";
import type { SessionCommand } from "./session";
import { isDocumentationCidr } from "../../components/cluster/access/public-access";
import { parseJson } from "../../components/core/json-text";

interface RehearsalArgs {
  readonly cli: PulumiCli;
  readonly project: Project;
  readonly stack: string;
  /** Overrides of the stack's configuration in every step: `key=value`. */
  readonly config: readonly string[];
  readonly toggles: readonly RehearsedToggle[];
  /** Overrides of the default simulated account. */
  readonly account: Partial<Account>;
  /** The commands of a session. @default none - the rehearsal only scales the nodes */
  readonly session?: SessionCommand;
  /** Interrupts the current step and ends the rehearsal. */
  readonly signal?: AbortSignal;
  /** Receives the current activity. */
  readonly progress?: (text: string) => void;
  /** Receives the notes about placeholders before the first step. */
  readonly onNotes?: (notes: readonly string[]) => void;
  /** Receives each finished step. */
  readonly onStep?: (step: RehearsedStep) => void;
}

/** The result of a rehearsal. */
export interface Rehearsal {
  readonly stack: string;
  /** Notes about placeholders in the configuration. */
  readonly notes: readonly string[];
  /** Types of resources and functions that are not simulated. */
  readonly unsimulated: readonly string[];
  readonly steps: readonly RehearsedStep[];
  /** The objects that remain at the end, as `type id`; none after a successful rehearsal. */
  readonly left: readonly string[];
  readonly succeeded: boolean;
  /** Whether the user interrupted it. */
  readonly interrupted: boolean;
}

/**
 * Rehearses a whole lab in a simulated account with the user's Pulumi CLI: up, a session, each toggle on and off, a session
 * with this tool, destroy. It stops at the first step that fails.
 *
 * @throws InputError when the project or the configuration of any step is invalid
 */
export async function rehearse(args: RehearsalArgs): Promise<Rehearsal> {
  const { project, stack, toggles, progress = () => undefined } = args;
  const replaced = placeholders(project, stack, args.config);
  const config = lastOfEach([...args.config, ...replaced.map(({ override }) => override)]);
  const notes = replaced.map(({ why }) => why);
  await requireValidConfig(project, stack, configsOf(config, toggles));
  args.onNotes?.(notes);

  let resources = 0;
  const region = stackConfig(project, stack, config).values["aws:region"];
  const cloud = createCloud({ account: { ...(region && placeOf(region)), ...args.account } });
  const workspace = await Workspace.open({
    ...{ cli: args.cli, project, stack, config, cloud },
    onEvent: ({ resOutputsEvent }) => {
      if (resOutputsEvent) progress(`${(resources += 1)} resources`);
    },
  });
  const onTitle = (title: string) => {
    resources = 0;
    progress(title);
  };
  const interrupt = () => workspace.interrupt();
  args.signal?.addEventListener("abort", interrupt);
  try {
    const steps = await runScript(workspace, config, args, onTitle);
    return {
      stack,
      notes,
      unsimulated: [...cloud.unsimulated],
      steps,
      left: cloud.objects.map(({ type, id }) => `${type} ${id}`),
      succeeded: steps.every(({ succeeded }) => succeeded) && cloud.objects.length === 0,
      interrupted: args.signal?.aborted === true,
    };
  } finally {
    args.signal?.removeEventListener("abort", interrupt);
    await workspace.close();
  }
}

async function runScript(
  workspace: Workspace,
  config: readonly string[],
  { toggles, session, signal, onStep }: RehearsalArgs,
  onTitle: (title: string) => void,
): Promise<RehearsedStep[]> {
  const results: RehearsedStep[] = [];
  let outputs: RehearsedStep["outputs"] = {};
  for (const step of rehearsalScript(toggles)) {
    if (signal?.aborted) break;
    onTitle(step.title);
    const result = await runStep(step, { workspace, config, outputs, session, signal });
    if (!result) continue;
    if (step.action.kind === "up") outputs = result.outputs;
    results.push(result);
    onStep?.(result);
    if (!result.succeeded) break;
  }
  return results;
}

/** The configuration at the start, and with each toggle. */
function configsOf(config: readonly string[], toggles: RehearsalArgs["toggles"]): string[][] {
  return [[...config], ...toggles.map((toggle) => lastOfEach([...config, ...toggle.config]))];
}

/**
 * Runs the program offline with the configuration of each step, so that an invalid toggle is found before the first step.
 *
 * @throws InputError with the problems of all configurations
 */
async function requireValidConfig(
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

/** A value that replaces a documentation value of the configuration during a rehearsal. */
interface Placeholder {
  /** The override of the configuration: `key=value`. */
  readonly override: string;
  readonly why: string;
}

const placeholderAddress = "1.2.3.4/32";

/**
 * The overrides that a stack without its user's address needs for an update: AWS rejects addresses that are reserved for
 * documentation, so a placeholder replaces them.
 *
 * @throws InputError when the configuration cannot be read
 */
export function placeholders(project: Project, stack: string, overrides: readonly string[]): Placeholder[] {
  const { values } = stackConfig(project, stack, overrides);
  const cidrs = parsedList(values[`${project.name}:publicAccessCidrs`]);
  if (!cidrs.some(isDocumentationCidr)) return [];
  const replaced = cidrs.map((cidr) => (isDocumentationCidr(cidr) ? placeholderAddress : cidr));
  const override = `publicAccessCidrs=${JSON.stringify(replaced)}`;
  return [{ override, why: `publicAccessCidrs uses ${placeholderAddress} as a placeholder for your address` }];
}

function parsedList(text = "[]"): unknown[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
}
