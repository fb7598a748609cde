import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { InputError } from "../components/core/problems";
import type { PolicyConfig } from "../policies/engine/policy-config";
import { mandatoryFailures, type Plan } from "../planner/plan";
import { defaultStack, openProject, planStack } from "../planner/plan-stack";
import { stacksOf } from "../planner/program/project";
import { packs, type PackName } from "../policies/packs";
import type { PlanDifference } from "../planner/diff/diff";
import { renderDiffMarkdown, renderDiffText } from "../planner/report/diff";
import { renderJson } from "../planner/report/json";
import { renderMarkdown } from "../planner/report/markdown";
import { renderText, type TextOptions } from "../planner/report/text";
import { exitStatus, type Command, type Console } from "./command";
import { complaint } from "./command-line";
import { compare } from "./plan-against";
import { draw } from "./plan-diagram";
import { progressOn, textStyle } from "./terminal";
import { planHelp, readPlanOptions, type PlanOptions } from "./plan-options";

/** `eks-gpu-lab plan`: the offline plan. */
export const planCommand: Command = {
  summary: "show what a stack would make, its cost and the policies' verdict, offline",
  help: planHelp,
  run: (args, console) => plan(readPlanOptions(args, Object.keys(packs)), console),
};

async function plan(options: PlanOptions, console: Console): Promise<number> {
  const progress = progressOn(console);
  progress("loading the program");
  const opened = await openProject(console.cwd);
  const policyConfig =
    options.policyConfig === undefined ? undefined : await readJson(options.policyConfig, console.cwd);
  const planOf = (stack: string, overrides: readonly string[]) => {
    progress(`planning ${stack}`);
    return planStack(opened, stack, overrides, packs[options.pack as PackName], policyConfig);
  };
  const stacks = options.all ? stacksOf(opened.project) : [options.stack ?? defaultStack(opened.project)];
  const plans: Plan[] = [];
  for (const stack of stacks) plans.push(await planOf(stack, options.config));
  // The other side of a comparison is taken as it stands: overrides are what is compared.
  const against = options.against;
  const difference =
    against !== undefined && plans[0]
      ? await compare(plans[0], against, console.cwd, (stack) => planOf(stack, []))
      : undefined;
  progress("");

  if (options.diagram && plans[0])
    await deliver("--diagram", options.diagram, await draw(plans[0], options.diagram), console);
  if (options.markdown !== undefined)
    await deliver("--markdown", options.markdown, markdown(plans, difference), console);
  if (options.json) console.write(`${JSON.stringify(json(plans, difference, options.all), null, 2)}\n`);
  else if (options.markdown !== "-") console.write(text(plans, difference, textStyle(console)));
  return plans.some((one) => mandatoryFailures(one).length > 0) ? exitStatus.rejected : exitStatus.ok;
}

function json(plans: readonly Plan[], difference: PlanDifference | undefined, all: boolean): unknown {
  if (difference) return difference;
  return all ? plans.map(renderJson) : plans.map(renderJson)[0];
}

function markdown(plans: readonly Plan[], difference: PlanDifference | undefined): string {
  return difference ? renderDiffMarkdown(difference) : plans.map(renderMarkdown).join("\n");
}

function text(plans: readonly Plan[], difference: PlanDifference | undefined, options: TextOptions): string {
  return difference ? renderDiffText(difference, options) : plans.map((one) => renderText(one, options)).join("\n");
}

async function deliver(option: string, file: string, content: string, console: Console): Promise<void> {
  if (file === "-") return console.write(content);
  await writeFile(file, content).catch((error: unknown) => {
    const why = `It cannot be written: ${(error as Error).message}.`;
    throw new InputError("the command line", [complaint(option, file, why, "name a file in a folder that exists")]);
  });
}

async function readJson(file: string, cwd: string): Promise<PolicyConfig> {
  try {
    return JSON.parse(await readFile(resolve(cwd, file), "utf8")) as PolicyConfig;
  } catch (error) {
    const why = `It is not a JSON file that can be read: ${(error as Error).message}`;
    const fix = "name a policy configuration file";
    throw new InputError("the command line", [complaint("--policy-config", file, why, fix)]);
  }
}
