import { actionsOf, addressService, readAddress, readIdentity, type Identity } from "../../aws/account/caller";
import { readAccount, type AccountReading } from "../../aws/account/facts";
import {
  compatibilityResult,
  resultsOf,
  type CheckResult,
  type EnvironmentResults,
} from "../../aws/account/check-result";
import { readZones } from "../../aws/account/region";
import { outcomeOf, preflightDocument, renderPreflight, type PreflightReport } from "./report";
import { InputError, type Problem } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import { token } from "../../components/core/tokens";
import { unknownSentinel } from "../../components/core/wire";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { preflightChecks } from "../../components/preflight/preflight-checks";
import type { PreflightFacts } from "../../components/preflight/preflight-facts";
import { capacityRequest } from "../../components/preflight/preflight-request";
import { checkRegion, openProject, problemsOf, recordStack, type OpenProject } from "../../planner/plan-stack";
import { asAnalyzed, type RecordedResource } from "../../planner/record/recorded-resource";
import { stackConfig } from "../../planner/program/stack-config";
import { judge } from "../../policies/engine/judge";
import { packs } from "../../policies/packs";
import { caughtAwsError, type AccountPlace } from "../../aws/aws-error";
import { awsClients, type Aws } from "../../aws/clients";
import { placeOf } from "../stack/account";
import { chooseStack, readStackOptions } from "../stack/choose-stack";
import { exitStatus, type Console } from "../core/command";
import { wrongOption } from "../core/files";
import { readLeftovers, type LeftoverReading } from "./preflight-leftovers";
import { preflightCommand } from "./preflight-options";
import { jsonText, progressOn, textStyle } from "../core/terminal";

type PreflightOptions = ReturnType<typeof preflightCommand.read>;

/** The rules of the policy packs about versions that must fit each other. */
export const compatibilityRules: readonly string[] = [
  "cluster-version-supported",
  "gpu-ami-family",
  "gpu-operator-k8s-compat",
  "nri-needs-toolkit",
  "nvidia-ami-driver-toolkit-off",
  "one-dcgm-engine",
];

/** `eks-gpu-lab preflight`: whether an account can run a stack. */
export async function runPreflight(
  args: readonly string[],
  console: Console,
  addressUrl: string = addressService,
): Promise<number> {
  const options = await readStackOptions(
    () => preflightCommand.read(args),
    args,
    console.cwd,
    async (given, project) => (await chooseStack(given, project, console.cwd)).name,
  );
  const progress = progressOn(console);
  progress("loading the program");
  const opened = await openProject(console.cwd);
  const { name: stack } = await chooseStack(options.stack, opened.project, console.cwd);
  const report = await accountReport(opened, stack, { ...options, cwd: console.cwd, addressUrl, progress });
  progress("");
  const text = options.json ? jsonText(preflightDocument(report)) : renderPreflight(report, textStyle(console));
  console.write(text);
  return statuses[outcomeOf(report)];
}

/** Without a problem, what could not be read is not approval. */
const statuses = { ok: exitStatus.ok, problems: exitStatus.rejected, unread: exitStatus.wrongInput } as const;

interface Run extends PreflightOptions {
  readonly cwd: string;
  readonly addressUrl: string;
  readonly progress: (step: string) => void;
}

async function accountReport(opened: OpenProject, stack: string, run: Run): Promise<PreflightReport> {
  const config = stackConfig(opened.project, stack, run.config);
  await checkRegion(opened, stack, config);
  const place = placeOf(stack, config);
  const clients = awsClients(place);
  const { region } = clients;
  try {
    run.progress("reading the account");
    const identity = await readIdentity(clients);
    const zones = await readZones(clients).catch(unlessFatal);
    run.progress(`planning ${stack}`);
    const { recording } = await planOf(opened, stack, run, zones);
    run.progress("reading the account");
    const reading = { stack, place, clients, identity, run, zones };
    const results = await environmentResults(recording.resources, reading);
    const account = { stack, region, account: identity.account, caller: identity.arn };
    const roles = config.values["aws:assumeRoles"] ?? config.values["aws:assumeRole"];
    return { ...account, ...results, notes: [...results.notes, ...(roles === undefined ? [] : [assumedRoleNote])] };
  } catch (error) {
    run.progress("");
    const ofAws = caughtAwsError(error).problem;
    const problems = await configurationProblems(opened, stack, run.config);
    if (problems.length === 0) throw new InputError(`the AWS account of stack ${stack}`, [ofAws]);
    throw new InputError(`stack ${stack} and its AWS account`, [...problems, ofAws]);
  }
}

/** Without AWS, the program runs with the zones of new accounts, as in an offline plan. */
async function configurationProblems(
  opened: OpenProject,
  stack: string,
  overrides: readonly string[],
): Promise<readonly Problem[]> {
  try {
    await recordStack(opened, stack, overrides);
    return [];
  } catch (error) {
    return problemsOf(error);
  }
}

/** Zones of the configuration that the account lacks are a finding of their check: the plan is made as if it had them. */
async function planOf(opened: OpenProject, stack: string, { config }: Run, zones?: readonly string[]) {
  try {
    return await recordStack(opened, stack, config, { zones });
  } catch (error) {
    const lacking = problemsOf(error).flatMap(lackingZone);
    if (lacking.length === 0) throw error;
    return recordStack(opened, stack, config, { zones: [...(zones ?? []), ...lacking] });
  }
}

function lackingZone({ code, path, got }: Problem): string[] {
  return code === "not-offered" && /(?:^|\.)network\.zones\[\d+\]$/.test(path) && typeof got === "string" ? [got] : [];
}

const assumedRoleNote =
  "The stack assumes an IAM role. The checks use your own identity and its account; to check the role, sign in as it.";

/** Zones that may not be read: the checks that need them are skipped. */
function unlessFatal(error: unknown): undefined {
  const { kind } = caughtAwsError(error);
  if (kind === "network" || kind === "region") throw error;
}

interface Reading {
  readonly stack: string;
  readonly place: AccountPlace;
  readonly clients: Aws;
  readonly identity: Identity;
  readonly run: Run;
  readonly zones?: readonly string[];
}

async function environmentResults(
  resources: readonly RecordedResource[],
  { stack, place, clients, identity, run, zones }: Reading,
): Promise<Pick<PreflightReport, "environments" | "notes">> {
  const found = resources.filter(({ type }) => type === token("GpuEnvironment"));
  if (found.length === 0) throw withoutEnvironment(stack);
  const [address, left] = await Promise.all([
    run.address === undefined ? readAddress(run.addressUrl) : { address: run.address },
    readLeftovers(stack, run.cwd, { ...place, account: identity.account }),
  ]);
  const { actions, unknown } = actionsOf(resources.map(({ type }) => type));
  const compatibility = compatibilityResult(violationsOf(resources, stack));
  const environments: EnvironmentResults[] = [];
  const readings: AccountReading[] = [];
  for (const { name, inputs } of found) {
    const request = capacityRequest(withoutUnknown(inputs) as EnvironmentSettings, { stackTag: left.stackTag, name });
    const known = { own: left.own, zones };
    const reading = await readAccount({ clients, identity, request, actions, address, ...known });
    readings.push(reading);
    const results = [...resultsOf(preflightChecks, request, ...withLeftovers(reading, left)), compatibility];
    environments.push({ name, clusterName: request.clusterName, results });
  }
  const types = unknown.length > 0 ? [`The actions of these resource types are not known: ${unknown.join(", ")}.`] : [];
  return { environments, notes: [...new Set([...readings, left].flatMap(({ notes }) => notes)), ...types] };
}

function withLeftovers(
  { facts, unread, skipped = {} }: AccountReading,
  { leftovers, why, isUnread }: LeftoverReading,
): [PreflightFacts, Pick<AccountReading, "unread" | "skipped">] {
  const reason = why !== undefined && { leftovers: why };
  return [
    { ...facts, leftovers },
    isUnread === true ? { unread: { ...unread, ...reason }, skipped } : { unread, skipped: { ...skipped, ...reason } },
  ];
}

function violationsOf(resources: readonly RecordedResource[], stack: string): NonNullable<CheckResult["violations"]> {
  const { rules, ...pack } = packs.lab;
  const compatible = { ...pack, rules: rules.filter(({ rule }) => compatibilityRules.includes(rule.id)) };
  return judge(compatible, resources.map(asAnalyzed), { stack })
    .filter(({ verdict }) => verdict === "fail")
    .map(({ rule, name, level, message }) => ({ rule, resource: name, level, message }));
}

/** A value that is known only after the update is none. */
function withoutUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnknown);
  if (!isRecord(value)) return value === unknownSentinel ? undefined : value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutUnknown(item)]));
}

function withoutEnvironment(stack: string): InputError {
  const why = "The program of this stack does not create a GpuEnvironment, so it needs no capacity in an account.";
  const fix = "choose the stack that creates the cluster with --stack";
  return wrongOption("--stack", stack, why, fix);
}
