import { InputError, type Problem } from "../components/core/problems";
import { openProject, problemsOf, recordStack } from "../planner/plan-stack";
import type { Project } from "../planner/program/project";
import { overrideProblems } from "../planner/program/stack-config";
import { readCommandLine } from "./command-line";

const options = {
  stack: { type: "string", short: "s" },
  config: { type: "string", short: "c", multiple: true },
} as const;

/** Chooses the stack of a command. */
type ChooseStack = (given: string | undefined, project: Project) => string | Promise<string>;

/**
 * Reads the options of a command that runs the program of a stack. If they are wrong, the error also has the problems of
 * `--stack` and `--config`, so that one run shows everything that must be corrected.
 *
 * @throws InputError
 */
export async function readStackOptions<Options>(
  read: () => Options,
  args: readonly string[],
  cwd: string,
  choose: ChooseStack,
): Promise<Options> {
  try {
    return read();
  } catch (error) {
    if (!InputError.is(error)) throw error;
    const isUnclear = error.problems.some(({ path }) => path === "options");
    throw new InputError(error.subject, [...error.problems, ...(await stackProblems(args, cwd, choose, isUnclear))]);
  }
}

/** @param isUnclear whether an option is unknown: it may be the one that chooses the stack */
async function stackProblems(
  args: readonly string[],
  cwd: string,
  choose: ChooseStack,
  isUnclear: boolean,
): Promise<readonly Problem[]> {
  const line = readCommandLine(options, args);
  const [stack, config] = [line.text("stack"), line.texts("config")];
  if (stack === undefined && (isUnclear || config.length === 0)) return overrideProblems(config);
  try {
    const opened = await openProject(cwd);
    await recordStack(opened, await choose(stack, opened.project), config);
    return [];
  } catch (error) {
    return problemsOf(error);
  }
}
