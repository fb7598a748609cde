import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ComparedPlan } from "../planner/diff/diff";
import { differenceOf, type PlanDifference } from "../planner/diff/diff";
import type { Plan } from "../planner/plan";
import { comparedPlan, readSavedPlan } from "../planner/diff/comparable-plan";

/**
 * What a plan changes against another.
 *
 * @param against a file that `--json` wrote, or else the name of a stack of the same project
 * @param planOf plans a stack
 * @throws InputError when it is neither
 */
export async function compare(
  plan: Plan,
  against: string,
  cwd: string,
  planOf: (stack: string) => Promise<Plan>,
): Promise<PlanDifference> {
  return differenceOf(await other(against, cwd, planOf), comparedPlan(plan));
}

async function other(against: string, cwd: string, planOf: (stack: string) => Promise<Plan>): Promise<ComparedPlan> {
  const file = resolve(cwd, against);
  if (existsSync(file)) return readSavedPlan(await readFile(file, "utf8"), against);
  return comparedPlan(await planOf(against));
}
