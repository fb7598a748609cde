import { parseLine } from "../core/command-line";
import { wrongOption } from "../core/files";
import { stackOptions } from "../core/options";
import { runPulumi } from "./pulumi-cli";
import { InputError } from "../../components/core/problems";
import { defaultStack, openProject, problemsOf, recordStack } from "../../planner/plan-stack";
import { stacksOf, type Project } from "../../planner/program/project";
import { overrideProblems } from "../../planner/program/stack-config";

/** The stack of a command that reads its file. */
interface ChosenStack {
  /** As in `Pulumi.NAME.yaml`. */
  readonly name: string;
  /** For `--stack` of the Pulumi CLI: the name, or `organization/project/stack`. */
  readonly reference: string;
  /** Whether neither the user named it nor Pulumi has it selected. */
  readonly isDefault: boolean;
}

/** The Pulumi CLI asks its backend, which may not answer. */
const selectionMs = 20_000;

/**
 * Chooses the stack: that of `--stack`, or else the one that is selected in the Pulumi CLI, or else the only one, or gpu-lab.
 * Without the Pulumi CLI or a login, none is selected.
 *
 * @throws InputError for a name that is none of this project
 */
export async function chooseStack(option: string | undefined, project: Project, cwd: string): Promise<ChosenStack> {
  const given = option ?? (await selectedStack(cwd));
  if (given === undefined) {
    const name = defaultStack(project);
    return { name, reference: name, isDefault: true };
  }
  const parts = given.split("/");
  const [name = "", ofProject = project.name] = [parts.at(-1), parts.length === 3 ? parts[1] : undefined];
  const isName = parts.length <= 3 && !parts.includes("");
  if (isName && ofProject === project.name) return { name, reference: given, isDefault: false };
  const why = isName
    ? `The stack belongs to the project ${ofProject}; this folder contains the project ${project.name}.`
    : "Must be the name of a stack, or organization/project/stack.";
  throw wrongOption("--stack", given, why, nameFix(project));
}

/**
 * Rejects a stack that the user neither named nor selected, for a command that writes. The only stack of a project is sure.
 *
 * @throws InputError
 */
export function requireChosen({ isDefault }: ChosenStack, project: Project): void {
  if (!isDefault || stacksOf(project).length === 1) return;
  const why = "The command writes to a stack, but the project has several and none is selected.";
  const problem = { code: "missing", path: "--stack", got: undefined, why, fix: nameFix(project) } as const;
  throw new InputError("the command line", [problem]);
}

function nameFix(project: Project): string {
  const known = stacksOf(project).join(", ");
  return known === ""
    ? "use --stack with a stack from pulumi stack ls"
    : `use --stack with one of ${known}, or pulumi stack select NAME`;
}

/** The stack that is selected in the Pulumi CLI. Undefined without one, or if it cannot be read. */
export async function selectedStack(cwd: string): Promise<string | undefined> {
  const output = await runPulumi(["stack", "--show-name"], cwd, selectionMs);
  return "text" in output ? output.text.trim() || undefined : undefined;
}

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
    const isUnclear = error.problems.some(({ code }) => code === "unknown-key") || config.length === 0;
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
