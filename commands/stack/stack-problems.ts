import { InputError } from "../../components/core/problems";
import { openProject, problemsOf, recordStack } from "../../planner/plan-stack";
import type { Project } from "../../planner/program/project";
import { overrideProblems } from "../../planner/program/stack-config";
import { parseLine } from "../core/command-line";
import { stackOptions } from "../core/options";

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
    const { stack, config } = parseLine(stackOptions, args).given;
    // An unknown option may be the one that chooses the stack.
    const isUnclear = error.problems.some(({ path }) => path === "options") || config.length === 0;
    const problems =
      stack === undefined && isUnclear ? overrideProblems(config) : await stackProblems(cwd, stack, config, choose);
    throw new InputError(error.subject, [...error.problems, ...problems]);
  }
}

async function stackProblems(cwd: string, stack: string | undefined, config: readonly string[], choose: ChooseStack) {
  try {
    const opened = await openProject(cwd);
    await recordStack(opened, await choose(stack, opened.project), config);
    return [];
  } catch (error) {
    return problemsOf(error);
  }
}
