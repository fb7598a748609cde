import { InputError } from "../../components/core/problems";
import { defaultStack } from "../../planner/plan-stack";
import { findProject, type Project } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { findPulumi, type PulumiCli } from "../../simulation/pulumi/find-pulumi";
import { rehearse } from "../../simulation/rehearsal/rehearse";
import { renderEnd, renderStep } from "../../simulation/rehearsal/report";
import type { RehearsedToggle } from "../../simulation/rehearsal/step";
import { togglesOf as togglesOfLab } from "../../stacks/run/lab";
import { labOf } from "../../stacks/run/lab-rules";
import { exitStatus, type Console } from "../core/command";
import { interruptible } from "../core/interruptible";
import { rehearsedSession } from "./rehearsed-session";
import { rehearseCommand, type RehearseOptions } from "./rehearse-options";
import { readStackOptions } from "../stack/stack-problems";
import { jsonText, progressOn, textStyle } from "../core/terminal";

/** `eks-gpu-lab rehearse`: rehearses a whole lab in a simulated account. */
export async function runRehearse(args: readonly string[], console: Console): Promise<number> {
  const choose = (given: string | undefined, project: Project) => given ?? defaultStack(project);
  const options = await readStackOptions(() => rehearseCommand.read(args), args, console.cwd, choose);
  const project = findProject(console.cwd);
  const stack = options.stack ?? defaultStack(project);
  const style = textStyle(console);
  const progress = progressOn(console);
  const toggles = togglesOf(options, project, stack);
  const cli = pulumiCli();
  if (!options.json) console.write(`Rehearsing ${stack} in a simulated account with pulumi ${cli.version}\n\n`);
  let number = 0;
  const rehearsal = await interruptible((signal) =>
    rehearse({
      ...{ cli, project, stack, config: options.config, toggles, signal, progress, session: rehearsedSession },
      account: options.quota === undefined ? {} : { gpuVcpuQuota: options.quota },
      onNotes: (notes) => {
        if (!options.json && notes.length > 0) console.write(`${notes.map((note) => `note: ${note}\n`).join("")}\n`);
      },
      onStep: (step) => {
        progress("");
        number += 1;
        if (!options.json) console.write(`${renderStep(step, number, style)}\n`);
      },
    }),
  );
  progress("");
  console.write(options.json ? jsonText(rehearsal) : renderEnd(rehearsal, style));
  return rehearsal.succeeded ? exitStatus.ok : exitStatus.rejected;
}

/** The toggles of the command line, or those of the stack's lab. */
function togglesOf(
  { change: changes, config }: RehearseOptions,
  project: Project,
  stack: string,
): readonly RehearsedToggle[] {
  if (changes.length > 0) return changes.map((change) => ({ name: change, config: [change] }));
  const lab = stackConfig(project, stack, config).values[`${project.name}:lab`] || stack;
  const definition = labOf(lab);
  return definition ? togglesOfLab(definition, new Date()) : [];
}

function pulumiCli(): PulumiCli {
  const search = findPulumi();
  if (search.cli) return search.cli;
  const { why, fix } = search;
  throw new InputError("the machine", [{ code: "missing", path: "pulumi", got: undefined, why: `${why}.`, fix }]);
}
