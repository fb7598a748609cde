import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { InputError } from "../components/core/problems";
import { comparablePlan, readSavedPlan } from "../planner/diff/comparable-plan";
import { differenceOf, type PlanDifference } from "../planner/diff/diff";
import { mandatoryFailures, type Plan } from "../planner/plan";
import { defaultStack, openProject, planStack } from "../planner/plan-stack";
import { stacksOf } from "../planner/program/project";
import type { PolicyConfig } from "../policies/engine/policy-config";
import { packs, type PackName } from "../policies/packs";
import { exitStatus, type Command, type Console } from "./command";
import { optionProblem } from "./command-line";
import { planHelp, readPlanOptions, type PlanOptions } from "./plan-options";
import { writeReports } from "./plan-reports";
import { progressOn } from "./terminal";

/** `eks-gpu-lab plan`: the offline plan. */
export const planCommand: Command = {
  summary: "show the resources of a stack, their cost and the policy findings, offline",
  help: planHelp,
  run: (args, console) => plan(readPlanOptions(args, Object.keys(packs)), console),
};

/** Plans a stack. */
type Planner = (stack: string, overrides: readonly string[]) => Promise<Plan>;

async function plan(options: PlanOptions, console: Console): Promise<number> {
  const progress = progressOn(console);
  progress("loading the program");
  const opened = await openProject(console.cwd);
  const policyConfig =
    options.policyConfig === undefined ? undefined : await readJson(options.policyConfig, console.cwd);
  const planOf: Planner = (stack, overrides) => {
    progress(`planning ${stack}`);
    return planStack(opened, stack, overrides, packs[options.pack as PackName], policyConfig);
  };
  const stacks = options.all ? stacksOf(opened.project) : [options.stack ?? defaultStack(opened.project)];
  const plans: Plan[] = [];
  for (const stack of stacks) plans.push(await planOf(stack, options.config));
  const difference = await comparison(plans, options.against, console.cwd, planOf);
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
  cwd: string,
  planOf: Planner,
): Promise<PlanDifference | undefined> {
  if (against === undefined || !plan) return undefined;
  const file = resolve(cwd, against);
  const from = existsSync(file)
    ? readSavedPlan(await readFile(file, "utf8"), against)
    : comparablePlan(await planOf(against, [])); // Overrides apply to one side only.
  return differenceOf(from, comparablePlan(plan));
}

async function readJson(file: string, cwd: string): Promise<PolicyConfig> {
  try {
    return JSON.parse(await readFile(resolve(cwd, file), "utf8")) as PolicyConfig;
  } catch (error) {
    const why = `Must be a readable JSON file: ${(error as Error).message}.`;
    throw new InputError("the command line", [
      optionProblem("--policy-config", file, why, "use a policy configuration file"),
    ]);
  }
}
