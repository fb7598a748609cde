import { setFlagsFromString } from "node:v8";
import { InputError, refuse, type Problem } from "../components/core/problems";
import { isRegion } from "../components/core/region";
import { deferSeldomUsedModules } from "./program/late-modules";
import type { PolicyConfig } from "../policies/engine/policy-config";
import type { ServedPack } from "../policies/engine/serve";
import { planCost } from "./cost/cost";
import { programOf, type Program } from "./program/load-program";
import { findProject, stacksOf, type Project } from "./program/project";
import { loadPulumiRuntime, type PulumiRuntime } from "./program/pulumi-runtime";
import type { Plan } from "./plan";
import { record, type Diagnostic, type Recording } from "./record/record";
import { asAnalyzed } from "./record/recorded-resource";
import { stackConfig, type StackConfig } from "./program/stack-config";
import { cachedTranslation } from "./program/translation-cache";
import { offlineCloud } from "./record/offline-cloud";

/** A Pulumi project with its translated program, ready for any number of plans. */
export interface OpenProject {
  readonly project: Project;
  readonly program: Program;
  readonly pulumi: PulumiRuntime;
}

/**
 * Opens the Pulumi project of a folder.
 *
 * @throws InputError when there is no project, or when its program has errors.
 */
export async function openProject(cwd: string): Promise<OpenProject> {
  const project = findProject(cwd);
  // Unless the cache has the translation, esbuild makes it in another process while this one loads the Pulumi SDK.
  const code = cachedTranslation(project.entry);
  code.catch(() => undefined);
  // The heap grows by 40 % between two full collections, not to twice its size: large programs make much garbage.
  setFlagsFromString("--heap-growing-percent=40");
  deferSeldomUsedModules();
  const pulumi = loadSdk(project);
  return { project, program: programOf(await code, project.entry), pulumi };
}

/** The stack to plan when none is named: the only one, or gpu-lab. */
export function defaultStack(project: Project): string {
  const stacks = stacksOf(project);
  return stacks.length === 1 ? (stacks[0] as string) : "gpu-lab";
}

/** The result of an offline run of a stack's program. */
interface RecordedStack {
  readonly recording: Recording;
  readonly config: StackConfig["values"];
  readonly region: string;
}

/**
 * Runs a stack's program offline and records its resources.
 *
 * @param zones the zones of the account @default those of new accounts
 * @throws InputError from the configuration or from the program; any other error of the program unchanged.
 */
export async function recordStack(
  opened: OpenProject,
  stack: string,
  overrides: readonly string[],
  zones?: readonly string[],
): Promise<RecordedStack> {
  const { project, program, pulumi } = opened;
  const config = stackConfig(project, stack, overrides);
  await checkRegion(opened, stack, config);
  const region = regionOf(stack, config);
  const cloud = offlineCloud(region, zones);
  const recording = await record(pulumi, program, { project: project.name, stack, config: config.values, cloud });
  const notes = [
    ...config.notes,
    ...[...cloud.unanswered].map(
      (token) => `The provider function ${token} has no offline result. The program receives an empty result.`,
    ),
  ];
  const diagnostics = [...notes.map(asWarning), ...recording.diagnostics];
  return { recording: { ...recording, diagnostics }, config: config.values, region };
}

/**
 * Plans one stack: runs its program, prices its resources, and judges them with a policy pack.
 *
 * @param policyConfig the content of a policy configuration file: levels and parameters of rules
 * @throws InputError from the configuration or from the program; PolicyConfigError; any other error of the program
 * unchanged.
 */
export async function planStack(
  opened: OpenProject,
  stack: string,
  overrides: readonly string[],
  pack: ServedPack,
  policyConfig?: PolicyConfig,
): Promise<Plan> {
  const { recording, config, region } = await recordStack(opened, stack, overrides);
  const { judge, ...served } = pack;
  return {
    recording,
    config,
    region,
    cost: planCost(recording, region),
    findings: judge(recording.resources.map(asAnalyzed), {
      ...{ project: opened.project.name, stack, config },
      ...(policyConfig && { policyConfig }),
    }),
    pack: served,
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
        why: `Cannot be loaded from ${project.dir}: ${(error as Error).message.split("\n")[0]}`,
        fix: "run `npm install` in the project",
      },
    ]);
  }
}

/** The region of a stack. @throws InputError */
export function regionOf(stack: string, config: StackConfig): string {
  refuse(`stack ${stack}`, regionProblems(stack, config));
  return statedRegion(config) ?? "";
}

function statedRegion({ values }: StackConfig): string | undefined {
  return values["aws:region"] ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
}

/** What is wrong with the region of a stack. */
export function regionProblems(stack: string, config: StackConfig): Problem[] {
  const region = statedRegion(config);
  if (region && isRegion(region)) return [];
  const fix = config.overridden.has("aws:region")
    ? `use another region, e.g. --config aws:region=${exampleRegion}`
    : `run pulumi config set aws:region ${exampleRegion} --stack ${stack}`;
  const why = region ? "Must be the name of an AWS region." : "The stack needs an AWS region.";
  return [{ code: region ? "not-allowed" : "missing", path: "aws:region", got: region, why, fix }];
}

const exampleRegion = "ap-northeast-2";

/**
 * Checks the region of a stack. If it is wrong, the program runs with another region, to find its other problems, too.
 *
 * @throws InputError with all of them
 */
export async function checkRegion(
  { project, program, pulumi }: OpenProject,
  stack: string,
  config: StackConfig,
): Promise<void> {
  const problems = regionProblems(stack, config);
  if (problems.length === 0) return;
  const values = { ...config.values, "aws:region": exampleRegion };
  const options = { project: project.name, stack, config: values, cloud: offlineCloud(exampleRegion) };
  const others = await record(pulumi, program, options).then(() => [], problemsOf);
  // What another region does not offer is no problem of this stack.
  refuse(`stack ${stack}`, [...problems, ...others.filter(({ code }) => code !== "not-offered")]);
}

/** The problems of wrong input; none of any other error. */
export function problemsOf(error: unknown): readonly Problem[] {
  return InputError.is(error) ? error.problems : [];
}

function asWarning(message: string): Diagnostic {
  return { severity: "warning", message };
}
