import { InputError } from "../components/core/problems";
import { judge, type Pack } from "../policies/engine/judge";
import { putOffClosureModules } from "./program/late-modules";
import type { PolicyConfig } from "../policies/engine/policy-config";
import { planCost } from "./cost/cost";
import { programOf, translate, type Program } from "./program/load-program";
import { findProject, stacksOf, type Project } from "./program/project";
import { loadPulumiRuntime, type PulumiRuntime } from "./program/pulumi-runtime";
import type { Plan } from "./plan";
import { record, type Diagnostic, type Recording } from "./record/record";
import { asAnalyzed } from "./record/recorded-resource";
import { stackConfig, type StackConfig } from "./program/stack-config";
import { offlineWorld } from "./record/world";

/** A Pulumi project whose program is translated and ready to be planned, any number of times. */
export interface OpenProject {
  readonly project: Project;
  readonly program: Program;
  readonly pulumi: PulumiRuntime;
}

/**
 * Opens the Pulumi project of a folder.
 *
 * @throws InputError when there is no project, or its program does not translate.
 */
export async function openProject(cwd: string): Promise<OpenProject> {
  const project = findProject(cwd);
  // esbuild works in a process of its own while this one loads the Pulumi SDK.
  const code = translate(project.entry);
  code.catch(() => undefined);
  putOffClosureModules();
  const pulumi = loadSdk(project);
  return { project, program: programOf(await code, project.entry), pulumi };
}

/** The stack that is meant when none is named: gpu-lab, or the only one there is. */
export function defaultStack(project: Project): string {
  const stacks = stacksOf(project);
  return stacks.length === 1 ? (stacks[0] as string) : "gpu-lab";
}

/** A stack's program run offline. */
interface RecordedStack {
  readonly recording: Recording;
  readonly config: StackConfig["values"];
  readonly region: string;
}

/**
 * Runs a stack's program offline, and keeps what it registers.
 *
 * @throws InputError from the configuration or from the program; any other error of the program as it is.
 */
export async function recordStack(
  { project, program, pulumi }: OpenProject,
  stack: string,
  overrides: readonly string[],
): Promise<RecordedStack> {
  const config = stackConfig(project, stack, overrides);
  const region = regionOf(stack, config);
  const world = offlineWorld(region);
  const recording = await record(pulumi, program, { project: project.name, stack, config: config.values, world });
  const notes = [
    ...config.notes,
    ...[...world.unanswered].map(
      (token) => `the provider function ${token} has no offline answer: its result is empty`,
    ),
  ];
  const noted: Recording = { ...recording, diagnostics: [...notes.map(asWarning), ...recording.diagnostics] };
  return { recording: noted, config: config.values, region };
}

/**
 * Plans one stack: runs its program, prices what it would make, and lets the pack judge it.
 *
 * @param policyConfig the content of a policy configuration file: levels and parameters of rules
 * @throws InputError from the configuration or from the program; PolicyConfigError; any other error of the program as
 * it is.
 */
export async function planStack(
  opened: OpenProject,
  stack: string,
  overrides: readonly string[],
  pack: Pack,
  policyConfig?: PolicyConfig,
): Promise<Plan> {
  const { recording, config, region } = await recordStack(opened, stack, overrides);
  return {
    recording,
    config,
    region,
    cost: planCost(recording, region),
    findings: judge(pack, recording.resources.map(asAnalyzed), {
      ...{ project: opened.project.name, stack, config },
      ...(policyConfig && { policyConfig }),
    }),
    pack: { name: pack.name, version: pack.version, rules: pack.rules.length },
  };
}

function loadSdk(project: Project): PulumiRuntime {
  try {
    return loadPulumiRuntime(project.dir);
  } catch (error) {
    throw new InputError("the project", [
      {
        code: "missing",
        path: "@pulumi/pulumi",
        got: undefined,
        why: `The package cannot be loaded from ${project.dir}: ${(error as Error).message.split("\n")[0]}`,
        fix: "install the project's packages: npm install",
      },
    ]);
  }
}

function regionOf(stack: string, { values }: StackConfig): string {
  const region = values["aws:region"] ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  if (region && /^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) return region;
  throw new InputError(`stack ${stack}`, [
    {
      code: region ? "not-allowed" : "missing",
      path: "aws:region",
      got: region,
      why: region ? "It is not the name of an AWS region." : "The stack names no AWS region.",
      fix: `pulumi config set aws:region ap-northeast-2 --stack ${stack}`,
    },
  ]);
}

function asWarning(message: string): Diagnostic {
  return { severity: "warning", message };
}
