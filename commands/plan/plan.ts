import { InputError } from "../../components/core/problems";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import { comparablePlan, readSavedPlan, type ComparablePlan } from "../../planner/diff/comparable-plan";
import { differenceOf, type PlanDifference } from "../../planner/diff/diff";
import { mandatoryFailures, type Plan } from "../../planner/plan";
import { defaultStack, openProject, planStack, readAnswers } from "../../planner/plan-stack";
import { isPackFolder, loadPack } from "../../planner/program/load-pack";
import { stackOfNoFile, stacksOf, unknownStack, type Project } from "../../planner/program/project";
import { overrideProblems } from "../../planner/program/stack-config";
import type { Base, StackPlan } from "../../planner/review/review";
import { PolicyConfigError, type PolicyConfig } from "../../policies/engine/policy-config";
import { served } from "../../policies/engine/serve";
import { packs } from "../../policies/packs";
import { exitStatus, type Console } from "../core/command";
import { isReadable, readFileOf, wrongOption } from "../core/files";
import { isPackPath, readPlanOptions, type PlanOptions } from "./plan-options";
import { baseOf, selectedReview, writeFindings, writeReports, writeReview, type ReportedProject } from "./plan-reports";
import { readStackOptions } from "../stack/choose-stack";
import { progressOn } from "../core/terminal";

/** `eks-gpu-lab plan`: the offline plan. */
export async function runPlan(args: readonly string[], console: Console): Promise<number> {
  const read = () => readPlanOptions(args, Object.keys(packs), console.cwd);
  const choose = (stack: string | undefined, project: Project) => stack?.split(",")[0] ?? defaultStack(project);
  return plan(await readStackOptions(read, args, console.cwd, choose), console);
}

type Planner = (stack: string, overrides: readonly string[]) => Promise<Plan>;

/** A project that is ready to be planned. */
interface Planning extends ReportedProject {
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
  const review = selectedReview(plans, base, options);
  const difference = await comparison(plans, options, planning, console.cwd);
  progressOn(console)("");
  if (base) await writeReview(review, options, console);
  else await writeReports({ plans, difference }, options, console);
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
    : served(packs[options.pack as keyof typeof packs]);
  const policyConfig =
    options.policyConfig === undefined ? undefined : await readPolicyConfig(options.policyConfig, console.cwd);
  const { answers: answerFile } = options;
  const answers =
    answerFile === undefined
      ? undefined
      : readAnswers(await readFileOf("--answers", answerFile, console.cwd), answerFile, opened.project);
  const planOf: Planner = async (stack, config) => {
    progress(`planning ${stack}`);
    const plan = await planStack(opened, stack, config, pack, policyConfig, withoutUndefined({ answers }));
    const named = options.pack === "lab" ? undefined : options.pack;
    const policyPack = isPackPath(options.pack) && isPackFolder(options.pack, console.cwd) ? options.pack : undefined;
    const { policyConfig: file } = options;
    return {
      ...plan,
      repeat: withoutUndefined({ config, pack: named, policyPack, policyConfig: file, answers: answerFile }),
    };
  };
  return { project: opened.project, stacks: stacksOf(opened.project), titles: pack.titles ?? {}, planOf };
}

/** The stacks of the options. A stack that only the base has is a removed one. @throws InputError with the unknown ones */
function stacksToPlan(
  { all, stack: named, config }: PlanOptions,
  base: Base | undefined,
  { project, stacks: configured }: Planning,
): readonly string[] {
  const before = (base?.plans ?? []).map(({ name }) => name);
  // The base of a project without stack files has the plan of a stack without one.
  const isWithoutFiles = configured.length === 0 && before.every((name) => name === stackOfNoFile);
  const known = isWithoutFiles ? [stackOfNoFile] : configured;
  const wanted = all ? known : named.length > 0 ? named : [defaultStack(project)];
  const stacks = wanted.filter((name) => known.includes(name) || !before.includes(name));
  const unknown = stacks.map((name) => unknownStack(project, name)).filter((problem) => problem !== undefined);
  if (unknown.length > 0) throw new InputError("the command line", [...unknown, ...overrideProblems(config)]);
  return stacks;
}

/** Plans the stacks of the options. Of several stacks, all are planned, also if one of them fails. */
async function planStacks(options: PlanOptions, base: Base | undefined, console: Console) {
  const planning = await planningOf(options, console);
  const { planOf } = planning;
  const { config } = options;
  const stacks = stacksToPlan(options, base, planning);
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
 * Its `against` is a file that `--json` wrote, or else the name of a stack of the same project.
 *
 * @throws InputError when it is neither
 */
async function comparison(
  [first]: readonly StackPlan[],
  { against, config }: Pick<PlanOptions, "against" | "config">,
  planning: Planning,
  cwd: string,
): Promise<PlanDifference | undefined> {
  if (against === undefined || !first || !("plan" in first)) return undefined;
  const difference = differenceOf(await otherPlan(against, planning, cwd), comparablePlan(first.plan));
  // The end of a fault says nothing about the difference, and is another one in each run.
  const named = config.filter((override) => !override.startsWith("expires="));
  return named.length === 0 ? difference : { ...difference, to: `${difference.to} with ${named.join(", ")}` };
}

async function otherPlan(against: string, { stacks, planOf }: Planning, cwd: string): Promise<ComparablePlan> {
  if (isReadable(against, cwd)) return readSavedPlan(await readFileOf("--against", against, cwd), against);
  if (stacks.includes(against)) return comparablePlan(await planOf(against, [])); // Overrides apply to one side only.
  const fix = `use one of ${[...stacks, "a file that --json wrote"].join(", ")}`;
  throw wrongOption("--against", against, "Is neither a stack of the project nor a saved plan.", fix);
}

async function readPolicyConfig(file: string, cwd: string): Promise<PolicyConfig> {
  const wrong = (why: string, fix: string) => wrongOption("--policy-config", file, why, fix);
  const text = await readFileOf("--policy-config", file, cwd);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw wrong(`Must be JSON: ${(error as Error).message}.`, "use a policy configuration file");
  }
  if (isRecord(content)) return content;
  throw wrong("Must contain an object.", 'use a file such as {"all": "advisory"}');
}
