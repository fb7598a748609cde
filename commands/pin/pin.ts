import { comparePin, pinsOf, readOffer, type ComparedPin } from "./pins";
import { awsClients } from "../../aws/clients";
import { InputError, refuse } from "../../components/core/problems";
import { aligned, countOf, indented, pageOf, shellText, wrapped } from "../../components/core/text";
import { textPage, type TextOptions } from "../../components/core/text-page";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { regionProblems } from "../../planner/stack-region";
import { findProject, type Project } from "../../planner/program/project";
import { stackConfig, type StackConfig } from "../../planner/program/stack-config";
import { readLabConfig } from "../../stacks/run/lab-config";
import { placeOf } from "../stack/account";
import { chooseStack, requireChosen } from "../stack/choose-stack";
import { exitStatus, type Console } from "../core/command";
import { wrongOption } from "../core/files";
import { interruptibleCommand } from "../core/interruptible";
import { pinCommand } from "./pin-options";
import { runPulumi } from "../stack/pulumi-cli";
import { jsonText, progressOn, textStyle, withNull } from "../core/terminal";

type PinOptions = ReturnType<typeof pinCommand.read>;

/** `eks-gpu-lab pin`: writes the newest versions that fit into the configuration of a stack. */
export async function runPin(args: readonly string[], console: Console): Promise<number> {
  const options = pinCommand.read(args);
  return interruptibleCommand(console, "Nothing was written.", async (_, beforeChange) => {
    const project = findProject(console.cwd);
    const report = await beforeChange(readPins(options, project, console));
    if (report.outcome === "written" && report.command) await write(report.command, project.dir);
    console.write(options.json ? jsonText(pinDocument(report)) : renderPins(report, textStyle(console)));
    return report.outcome === "outdated" && report.pins.some(isOutdated) ? exitStatus.rejected : exitStatus.ok;
  });
}

/** Compares the pins with what is published, and says what is to be written. @throws InputError */
async function readPins(options: PinOptions, project: Project, console: Console): Promise<PinReport> {
  const progress = progressOn(console);
  const chosen = await chooseStack(options.stack, project, console.cwd);
  if (!options.check && !options.dryRun) requireChosen(chosen, project);
  const stack = chosen.name;
  const config = stackConfig(project, stack, []);
  const settings = settingsOf(stack, config);
  progress("reading the published versions");
  const clients = awsClients(placeOf(stack, config));
  const accepts = (key: string, version: string) =>
    isAccepted(stack, stackConfig(project, stack, [`${key}=${version}`]));
  const pins = await comparePins(stack, settings, (pin) => readOffer(clients, pin), accepts);
  progress("");
  const changes = changesOf(pins);
  requireAccepted(project, stack, changes);
  const command = changes.length > 0 ? writeCommand(chosen.reference, changes) : undefined;
  const { kubernetesVersion } = settings;
  return {
    ...{ stack, region: clients.region, kubernetesVersion, pins, outcome: outcomeOf(options, pins) },
    command,
  };
}

function outcomeOf({ check, dryRun }: PinOptions, pins: readonly ComparedPin[]): PinReport["outcome"] {
  if (check && pins.some(isOutdated)) return "outdated";
  if (changesOf(pins).length === 0) return "current";
  return check || dryRun ? "planned" : "written";
}

/** @throws InputError if the configuration is invalid, or the stack creates no cluster of its own */
function settingsOf(stack: string, stated: StackConfig): EnvironmentSettings {
  const { config, problems } = readLabConfig(stated.values, stack);
  refuse(`stack ${stack}`, [...regionProblems(stack, stated), ...problems]);
  if (config && "settings" in config.cluster) return config.cluster.settings;
  const why = "This stack uses the cluster of another stack, which contains the pins.";
  const fix = "with --stack, choose the stack that creates the cluster";
  throw wrongOption("--stack", stack, why, fix);
}

function isAccepted(stack: string, { values }: StackConfig): boolean {
  return readLabConfig(values, stack).problems.length === 0;
}

/** @throws InputError if nothing could be read */
async function comparePins(
  stack: string,
  settings: EnvironmentSettings,
  read: (pin: ReturnType<typeof pinsOf>[number]) => ReturnType<typeof readOffer>,
  accepts: (key: string, version: string) => boolean,
): Promise<ComparedPin[]> {
  const pins = pinsOf(settings);
  const offers = await Promise.all(pins.map(read));
  const compared = pins.map((pin, index) => comparePin(pin, offers[index] ?? { why: "" }, accepts));
  if (compared.some(({ status }) => status !== "unread")) return compared;
  const whys = [...new Set(compared.map(({ note = "" }) => note))];
  const fix = "check your credentials with aws sts get-caller-identity, the region, and the network";
  const problems = whys.map(
    (why) => ({ code: "missing", path: "the published versions", got: undefined, why, fix }) as const,
  );
  throw new InputError(`the pins of stack ${stack}`, problems);
}

/** Versions that fit one by one may not fit each other. @throws InputError */
function requireAccepted(project: Project, stack: string, changes: readonly { key: string; wanted: string }[]): void {
  const overrides = changes.map(({ key, wanted }) => `${key}=${wanted}`);
  refuse(
    `the new pins of stack ${stack}`,
    readLabConfig(stackConfig(project, stack, overrides).values, stack).problems,
  );
}

/** One command for all keys: it writes all of them or none, and keeps the comments of the file. */
function writeCommand(stack: string, changes: readonly { key: string; wanted: string }[]): string[] {
  const values = changes.flatMap(({ key, wanted }) => ["--plaintext", `${key}=${wanted}`]);
  return ["pulumi", "config", "set-all", "--stack", stack, "--path", ...values];
}

/** @throws InputError with the command, which the user can run */
async function write([, ...args]: readonly string[], cwd: string): Promise<void> {
  const output = await runPulumi(args, cwd);
  if ("missing" in output)
    throw notWritten(
      args,
      `${output.missing}. The command needs it to write the configuration.`,
      "install the Pulumi CLI, ",
    );
  if ("failure" in output) throw notWritten(args, `pulumi config set-all fails: ${output.failure}`);
}

function notWritten(args: readonly string[], why: string, first = ""): InputError {
  const fix = `${first}sign in with pulumi login and create the stack with pulumi stack init, and run ${shellText(["pulumi", ...args])}`;
  return new InputError("the configuration", [{ code: "missing", path: "pulumi", got: undefined, why, fix }]);
}

/** What `pin` did, or would do. */
interface PinReport {
  readonly stack: string;
  readonly region: string;
  readonly kubernetesVersion: string;
  readonly pins: readonly ComparedPin[];
  /** `current`: nothing to write. `outdated`: `--check` found something. `planned`: a dry run. */
  readonly outcome: "current" | "outdated" | "planned" | "written";
  /** The command that writes the pins; none if there is nothing to write. */
  readonly command?: readonly string[];
}

/** The pins that a new version replaces. */
function changesOf(pins: readonly ComparedPin[]): (ComparedPin & { readonly wanted: string })[] {
  return pins.flatMap((pin) => (pin.wanted === undefined ? [] : [{ ...pin, wanted: pin.wanted }]));
}

/** Whether `--check` fails: a newer version fits, or a pin is not published any more. */
function isOutdated({ status }: ComparedPin): boolean {
  return status === "newer" || status === "gone";
}

const endings: Readonly<Record<PinReport["outcome"], string>> = {
  current: "Nothing to write.",
  outdated: "Nothing was written. To write the new versions, run eks-gpu-lab pin without --check, or:",
  planned: "Nothing was written. pin would run:",
  written: "Written to the configuration of the stack; pulumi preview shows what changes. pin ran:",
};

/** The report for people. Colors add no information. */
function renderPins(report: PinReport, options: TextOptions): string {
  const { stack, region, kubernetesVersion, pins, outcome, command } = report;
  const { colors, width } = textPage(options);
  const title = `Pins of stack ${stack}`;
  const rows = pins.map((pin) => [pin.status, pin.key, versionText(pin)]);
  const notes = pins.filter(({ note }) => note !== undefined).map(({ key, note }) => `${key}: ${note}`);
  const count = pins.filter(isOutdated).length;
  return pageOf([
    [`${colors.bold(title)}: Kubernetes ${kubernetesVersion} in ${region}`],
    indented(aligned(rows, [{}, {}, { flexible: true }], width - 2)),
    notes.flatMap((note) => wrapped(note, width)),
    [
      `${countOf(pins.length, "pin")}: ${count} outdated, ${pins.filter(({ status }) => status === "unread").length} not read`,
      ...wrapped(endings[outcome], width),
      ...(command ? indented([shellText(command)]) : []),
    ],
  ]);
}

function versionText({ current = "none", wanted, standard }: ComparedPin): string {
  const change = wanted === undefined ? current : `${current} -> ${wanted}`;
  return standard === undefined || standard === (wanted ?? current) ? change : `${change} (EKS's default: ${standard})`;
}

/** The JSON document. Keys are added, never renamed. */
function pinDocument(report: PinReport): Readonly<Record<string, unknown>> {
  const { stack, region, kubernetesVersion, pins, outcome, command } = report;
  return {
    ...{ kind: "Pins", version: 1, outcome, stack, region, kubernetesVersion },
    pins: pins.map(({ key, current, status, wanted, standard, note }) =>
      withNull({ key, status, current, wanted, default: standard, note }),
    ),
    command: command ?? null,
  };
}
