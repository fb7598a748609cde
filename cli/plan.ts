import { isRecord, withoutUndefined } from "../components/core/reader/records";
import { comparablePlan, readSavedPlan, type ComparablePlan } from "../planner/diff/comparable-plan";
import { differenceOf, type PlanDifference } from "../planner/diff/diff";
import { mandatoryFailures, type Plan } from "../planner/plan";
import { defaultStack, openProject, planStack } from "../planner/plan-stack";
import { loadPack } from "../planner/program/load-pack";
import { stacksOf, type Project } from "../planner/program/project";
import type { PolicyConfig } from "../policies/engine/policy-config";
import { served } from "../policies/engine/serve";
import { packs, type PackName } from "../policies/packs";
import { exitStatus, type Command, type Console } from "./command";
import { isReadable, readFileOf, wrongOption } from "./files";
import { isPackPath, planHelp, readPlanOptions, type PlanOptions } from "./plan-options";
import { writeReports } from "./plan-reports";
import { readStackOptions } from "./stack-problems";
import { progressOn } from "./terminal";

/** `eks-gpu-lab plan`: the offline plan. */
export const planCommand: Command = {
  summary: "show the resources of a stack, their cost and the policy findings, offline",
  help: planHelp,
  run: async (args, console) => {
    const read = () => readPlanOptions(args, Object.keys(packs));
    const choose = (stack: string | undefined, project: Project) => stack ?? defaultStack(project);
    return plan(await readStackOptions(read, args, console.cwd, choose), console);
  },
};

/** Plans a stack. */
type Planner = (stack: string, overrides: readonly string[]) => Promise<Plan>;

/** What a plan can be compared with. */
interface Comparables {
  readonly cwd: string;
  /** The stacks of the project. */
  readonly stacks: readonly string[];
  readonly planOf: Planner;
}

async function plan(options: PlanOptions, console: Console): Promise<number> {
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
    return { ...plan, repeat: withoutUndefined({ config, pack: named, policyConfig: options.policyConfig }) };
  };
  const known = stacksOf(opened.project);
  const stacks = options.all ? known : [options.stack ?? defaultStack(opened.project)];
  const plans: Plan[] = [];
  for (const stack of stacks) plans.push(await planOf(stack, options.config));
  const difference = await comparison(plans, options.against, {
    stacks: known,
    cwd: console.cwd,
    planOf,
  });
  progress("");

  await writeReports({ plans, ...(difference && { difference }) }, options, console);
  return plans.some((one) => mandatoryFailures(one).length > 0) ? exitStatus.rejected : exitStatus.ok;
}

/**
 * The difference of the first plan from another one.
 *
 * @param against a file that `--json` wrote, or else the name of a stack of the same project
 * @throws InputError when it is neither
 */
async function comparison(
  [plan]: readonly Plan[],
  against: string | undefined,
  comparables: Comparables,
): Promise<PlanDifference | undefined> {
  if (against === undefined || !plan) return undefined;
  return differenceOf(await otherPlan(against, comparables), comparablePlan(plan));
}

async function otherPlan(against: string, { cwd, stacks, planOf }: Comparables): Promise<ComparablePlan> {
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
