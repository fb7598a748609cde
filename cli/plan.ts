import { InputError } from "../components/core/problems";
import { isRecord, withoutUndefined } from "../components/core/reader/records";
import { comparablePlan, readSavedPlan, type ComparablePlan } from "../planner/diff/comparable-plan";
import { differenceOf, type PlanDifference } from "../planner/diff/diff";
import { mandatoryFailures, type Plan } from "../planner/plan";
import { defaultStack, openProject, planStack } from "../planner/plan-stack";
import { isPackFolder, loadPack } from "../planner/program/load-pack";
import { stacksOf, type Project } from "../planner/program/project";
import type { Base } from "../planner/review/base";
import type { StackPlan } from "../planner/review/review";
import { PolicyConfigError, type PolicyConfig } from "../policies/engine/policy-config";
import { served } from "../policies/engine/serve";
import { packs, type PackName } from "../policies/packs";
import { exitStatus, type Command, type Console } from "./command";
import { isReadable, readFileOf, wrongOption } from "./files";
import { isPackPath, planHelp, readPlanOptions, type PlanOptions } from "./plan-options";
import { baseOf, selectedReview, writeFindings, writeReview, type ReportedProject } from "./plan-review";
import { writeReports } from "./plan-reports";
import { readStackOptions } from "./stack-problems";
import { progressOn } from "./terminal";

/** `eks-gpu-lab plan`: the offline plan. */
export const planCommand: Command = {
  summary: "show the resources of a stack, their cost and the policy findings, offline",
  help: planHelp,
  run: async (args, console) => {
    const read = () => readPlanOptions(args, Object.keys(packs), console.cwd);
    const choose = (stack: string | undefined, project: Project) => stack?.split(",")[0] ?? defaultStack(project);
    return plan(await readStackOptions(read, args, console.cwd, choose), console);
  },
};

/** Plans a stack. */
type Planner = (stack: string, overrides: readonly string[]) => Promise<Plan>;

/** A project that is ready to be planned. */
interface Planning extends ReportedProject {
  /** The stacks of the project. */
  readonly stacks: readonly string[];
  readonly planOf: Planner;
}

async function plan(options: PlanOptions, console: Console): Promise<number> {
  const base = await baseOf(options, console.cwd);
  const made = await planStacks(options, base, console).catch(async (error: unknown) => {
    if (base) {
      progressOn(console)("");
      await reportFailure(error, options, console);
    }
    throw error;
  });
  const { planning, plans, errors } = made;
  const review = await selectedReview(plans, base, options);
  const difference = await comparison(plans, options.against, planning, console.cwd);
  progressOn(console)("");
  if (base) await writeReview(review, options, console);
  else await writeReports({ plans, ...(difference && { difference }) }, options, console);
  await writeFindings(review, planning, options, console);
  for (const error of errors) console.warn(`${logText(error)}\n`);
  if (errors.length > 0) return errors.every(isInput) ? exitStatus.wrongInput : exitStatus.failed;
  return review.stacks.some((one) => mandatoryFailures(one).length > 0) ? exitStatus.rejected : exitStatus.ok;
}

/** A pull request also gets the reports of a head whose project cannot be opened. */
async function reportFailure(error: unknown, options: PlanOptions, console: Console): Promise<void> {
  const review = { stacks: [], error: messageOf(error) };
  await writeReview(review, options, console);
  await writeFindings(review, undefined, options, console);
}

async function planningOf(options: PlanOptions, console: Console): Promise<Planning> {
  const progress = progressOn(console);
  progress("loading the program");
  const opened = await openProject(console.cwd);
  const pack = isPackPath(options.pack)
    ? await loadPack(options.pack, console.cwd)
    : served(packs[options.pack as PackName]);
  const policyConfig =
    options.policyConfig === undefined ? undefined : await readPolicyConfig(options.policyConfig, console.cwd);
  const planOf: Planner = async (stack, config) => {
    progress(`planning ${stack}`);
    const plan = await planStack(opened, stack, config, pack, policyConfig);
    const named = options.pack === "lab" ? undefined : options.pack;
    const policyPack = isPackPath(options.pack) && isPackFolder(options.pack, console.cwd) ? options.pack : undefined;
    const { policyConfig: file } = options;
    return { ...plan, repeat: withoutUndefined({ config, pack: named, policyPack, policyConfig: file }) };
  };
  return { project: opened.project, stacks: stacksOf(opened.project), titles: pack.titles ?? {}, planOf };
}

/**
 * Plans the stacks of the options. Of several stacks, all are planned, also if one of them fails. A named stack that only the
 * base has is a removed one.
 */
async function planStacks(options: PlanOptions, base: Base | undefined, console: Console) {
  const planning = await planningOf(options, console);
  const { project, stacks: known, planOf } = planning;
  const { all, stacks: named, config } = options;
  const removed = (base?.plans ?? []).map(({ name }) => name).filter((name) => !known.includes(name));
  const stacks = all
    ? known
    : named.length > 0
      ? named.filter((name) => !removed.includes(name))
      : [defaultStack(project)];
  const plans: StackPlan[] = [];
  const errors: unknown[] = [];
  for (const stack of stacks) {
    try {
      plans.push({ stack, plan: await planOf(stack, config) });
    } catch (error) {
      // Without a pull request, the error of the only stack is the result of the command.
      if (PolicyConfigError.is(error) || (stacks.length === 1 && base === undefined)) throw error;
      plans.push({ stack, error: messageOf(error) });
      errors.push(error);
    }
  }
  return { planning, plans, errors };
}

function isInput(error: unknown): boolean {
  return InputError.is(error);
}

/** A message for a comment: without a stack trace, which has paths of the machine. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function logText(error: unknown): string {
  return error instanceof Error && !isInput(error) ? (error.stack ?? error.message) : messageOf(error);
}

/**
 * The difference of the first plan from another one.
 *
 * @param against a file that `--json` wrote, or else the name of a stack of the same project
 * @throws InputError when it is neither
 */
async function comparison(
  [first]: readonly StackPlan[],
  against: string | undefined,
  planning: Planning,
  cwd: string,
): Promise<PlanDifference | undefined> {
  if (against === undefined || !first || !("plan" in first)) return undefined;
  const difference = differenceOf(await otherPlan(against, planning, cwd), comparablePlan(first.plan));
  return (await import("./lab-commands.js")).withReplacements(difference);
}

async function otherPlan(against: string, { stacks, planOf }: Planning, cwd: string): Promise<ComparablePlan> {
  if (isReadable(against, cwd)) return readSavedPlan(await readFileOf("--against", against, cwd), against);
  if (stacks.includes(against)) return comparablePlan(await planOf(against, [])); // Overrides apply to one side only.
  const fix = `use one of ${[...stacks, "a file that --json wrote"].join(", ")}`;
  throw wrongOption("--against", against, "Is neither a stack of the project nor a saved plan.", fix);
}

async function readPolicyConfig(file: string, cwd: string): Promise<PolicyConfig> {
  const content = jsonOf(file, await readFileOf("--policy-config", file, cwd));
  if (isRecord(content)) return content;
  const fix = 'use a file such as {"all": "advisory"}';
  throw wrongOption("--policy-config", file, "Must contain an object.", fix);
}

function jsonOf(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = `Must be JSON: ${(error as Error).message}.`;
    throw wrongOption("--policy-config", file, why, "use a policy configuration file");
  }
}
