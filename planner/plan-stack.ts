import { setFlagsFromString } from "node:v8";
import { InputError, refuse, type Problem } from "../components/core/problems";
import { deferSeldomUsedModules } from "./program/sdk-changes";
import type { PolicyConfig } from "../policies/engine/policy-config";
import type { ServedPack } from "../policies/engine/serve";
import { planCost } from "./cost/cost";
import { programOf, type Program } from "./program/load-program";
import { findProject, stackOfNoFile, stacksOf, type Project } from "./program/project";
import { loadPulumiRuntime, type PulumiRuntime } from "./program/pulumi-runtime";
import type { Plan } from "./plan";
import { programError } from "./program/program-errors";
import { record, type Cloud, type Diagnostic, type Recording } from "./record/record";
import { asAnalyzed, stackType } from "./record/recorded-resource";
import { stackConfig, type StackConfig } from "./program/stack-config";
import { unreadValues } from "./program/unread-values";
import { cachedTranslation } from "./program/translation-cache";
import { exampleRegion, needsRegion, providerProblems, regionProblems, statedRegion } from "./stack-region";
import { offlineCloud, type KnownLookups } from "./record/offline-cloud";
import { Answers } from "./lookups/answers";
import { recordWithLookups } from "./lookups/record-with-lookups";
import { ResultTypes } from "./lookups/result-types";

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

/**
 * The stack to plan when none is named: the only one, or gpu-lab, or of a project without stacks, one without values.
 *
 * @throws InputError when the project has several
 */
export function defaultStack(project: Project): string {
  const stacks = stacksOf(project);
  if (stacks.length <= 1) return stacks[0] ?? stackOfNoFile;
  if (stacks.includes("gpu-lab")) return "gpu-lab";
  const why = "The project has several stacks.";
  const fix = `use one of ${stacks.join(", ")}`;
  throw new InputError("the command line", [{ code: "missing", path: "--stack", got: undefined, why, fix }]);
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
 * @param known the zones of the account and the results of lookups @default those of new accounts, and none
 * @throws InputError from the configuration or from the program; any other error of the program unchanged.
 */
export async function recordStack(
  opened: OpenProject,
  stack: string,
  overrides: readonly string[],
  known: Pick<KnownLookups, "zones" | "answers"> = {},
): Promise<RecordedStack> {
  const config = stackConfig(opened.project, stack, overrides);
  const region = await checkRegion(opened, stack, config);
  const reads = new Set<string | undefined>();
  const lookups = { region: region || exampleRegion, types: new ResultTypes(opened.project.dir), ...known };
  const { recording, notes } = await recordWithLookups(
    (cloud) => run(opened, stack, config.values, cloud, (key) => reads.add(key)),
    lookups,
  );
  refuse(`stack ${stack}`, providerProblems(recording, config));
  const isEmpty = recording.resources.every(({ type }) => type === stackType);
  const empty =
    "The program does not create resources. Pulumi does not call a function that is exported by name: use export = main.";
  const texts = [
    ...config.notes,
    ...unreadValues(opened.project, config, reads, recording),
    ...notes,
    ...(isEmpty ? [empty] : []),
  ];
  const warnings = texts.map((message): Diagnostic => ({ severity: "warning", message }));
  const diagnostics = [...warnings, ...recording.diagnostics];
  return { recording: { ...recording, diagnostics }, config: config.values, region };
}

/** Runs a function in another working directory, as Pulumi runs the program. */
async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  if (folder === before) return run();
  process.chdir(folder);
  try {
    return await run();
  } finally {
    process.chdir(before);
  }
}

/** @throws InputError or the error of the program, for its author */
async function run(
  { project, program, pulumi }: OpenProject,
  stack: string,
  config: StackConfig["values"],
  cloud: Cloud,
  onConfigRead?: (key: string | undefined) => void,
): Promise<Recording> {
  const before = { exit: process.exit.bind(process), exitCode: process.exitCode };
  process.exitCode = undefined;
  process.exit = (code) => {
    throw new Error(`The program calls process.exit(${code ?? ""}), so its other resources are not known.`);
  };
  try {
    const options = { project: project.name, stack, config, cloud, ...(onConfigRead && { onConfigRead }) };
    const recording = await inFolder(project.workingDir, () => record(pulumi, program, options));
    const status = process.exitCode as number | string | undefined;
    if (status !== undefined && status !== 0)
      throw new Error(`The program sets process.exitCode to ${status}, so pulumi fails.`);
    return recording;
  } catch (error) {
    throw programError(error, project, stack);
  } finally {
    Object.assign(process, before);
  }
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
  known: Pick<KnownLookups, "answers"> = {},
): Promise<Plan> {
  const { recording, config, region } = await recordStack(opened, stack, overrides, known);
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

/** Reads the file of `--answers`. @throws InputError with all problems */
export function readAnswers(text: string, file: string, { dir }: Project): Answers {
  return Answers.read(text, file, new ResultTypes(dir));
}

function loadSdk(project: Project): PulumiRuntime {
  try {
    return loadPulumiRuntime(project.dir);
  } catch (error) {
    const why = `Cannot be loaded from ${project.dir}: ${(error as Error).message.split("\n")[0]}`;
    const fix = "run `npm install` in the project";
    throw new InputError("the project", [{ code: "missing", path: "@pulumi/pulumi", got: undefined, why, fix }]);
  }
}

/**
 * Checks the region of a stack. If it is wrong or missing, the program runs with another region, to find its other problems,
 * too, and whether it needs one.
 *
 * @returns the region; empty for a program without resources that need one
 * @throws InputError with all problems, and the error of a program that fails
 */
export async function checkRegion(opened: OpenProject, stack: string, config: StackConfig): Promise<string> {
  const problems = regionProblems(stack, config);
  const stated = statedRegion(config);
  if (problems.length === 0) return stated ?? "";
  const values = { ...config.values, "aws:region": exampleRegion };
  const cloud = offlineCloud(exampleRegion, { types: new ResultTypes(opened.project.dir) });
  const result = await run(opened, stack, values, cloud).catch((error: unknown) => {
    if (stated === undefined && !InputError.is(error)) throw error;
    return problemsOf(error);
  });
  // A variable of the environment is not meant for a program without AWS.
  const isConfigured = Boolean(config.values["aws:region"]);
  if (!isConfigured && "resources" in result && !needsRegion(result)) return "";
  // What another region does not offer is not a problem of this stack.
  const others = "resources" in result ? [] : result.filter(({ code }) => code !== "not-offered");
  throw new InputError(`stack ${stack}`, [...problems, ...others]);
}

/** The problems of wrong input; none of any other error. */
export function problemsOf(error: unknown): readonly Problem[] {
  return InputError.is(error) ? error.problems : [];
}
