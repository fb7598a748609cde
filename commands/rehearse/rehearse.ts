import { AwsError } from "../../aws/aws-error";
import { awsClients } from "../../aws/clients";
import { exitStatus, type Console } from "../core/command";
import { interruptible } from "../core/interruptible";
import { jsonText, progressOn, textStyle } from "../core/terminal";
import { hourly } from "../gpu/cost";
import { down } from "../gpu/down";
import { groupApi } from "../gpu/group-api";
import { groupPreflight } from "../gpu/group-preflight";
import { preflightProblems } from "../gpu/preflight";
import type { Session, SessionResult } from "../gpu/session";
import { groupOfStack, leaseAt } from "../gpu/stack-group";
import { raiseMaxOfGroup, up } from "../gpu/up";
import { rehearseCommand } from "./rehearse-options";
import { readStackOptions } from "../stack/choose-stack";
import { InputError } from "../../components/core/problems";
import { countOf } from "../../components/core/text";
import { defaultStack } from "../../planner/plan-stack";
import { findProject, type Project } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { findPulumi, type PulumiCli } from "../../simulation/pulumi/find-pulumi";
import { rehearse } from "../../simulation/rehearsal/rehearse";
import { renderEnd, renderStep } from "../../simulation/rehearsal/report";
import type { SessionPlace, SessionReport } from "../../simulation/rehearsal/session";
import type { RehearsedToggle } from "../../simulation/rehearsal/step";
import { labOf } from "../../stacks/run/lab-rules";
import { togglesOf as togglesOfLab } from "../../stacks/run/lab";

type RehearseOptions = ReturnType<typeof rehearseCommand.read>;

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
  const problem = {
    code: "missing",
    path: "pulumi",
    got: undefined,
    why: `${why}. A rehearsal needs it.`,
    fix,
  } as const;
  throw new InputError("the Pulumi CLI", [problem]);
}

/** Those of a user without an account: a simulated account checks none. */
const credentials = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "none" };

/** Of a stack whose outputs name none. The server answers in each region. */
const anyRegion = "us-east-1";

/**
 * Starts or ends a session of a rehearsed stack, as `gpu up` and `gpu down` do. A simulated account changes at once: what
 * it does not have after `timeoutMs`, even on a busy machine, it will not have.
 */
export async function rehearsedSession(
  action: "up" | "down",
  place: SessionPlace,
  timeoutMs = 20_000,
): Promise<SessionReport> {
  const stack = groupOfStack(undefined, place.outputs);
  const { cluster, group, region = anyRegion, gpuNodes = 1, lease, isPool } = stack;
  if (isPool) return { text: `A simulated cluster has no API, which the NodePool ${group} needs.`, rejected: true };
  const [at, server] = [
    { cluster, group, region },
    { endpoint: place.endpoint, credentials },
  ];
  const api = await groupApi(at, server);
  const session: Session = {
    ...{ timeoutMs, intervalMs: 100, api, lease: leaseAt(at, lease, server), dryRun: false },
    signal: place.signal ?? new AbortController().signal,
    nodes: () =>
      Promise.resolve({ unread: { what: "nodes", why: "A simulated cluster has no API.", fix: "run it on AWS" } }),
    progress: () => undefined,
    now: place.now,
    warn: () => undefined,
  };
  try {
    const result =
      action === "up"
        ? await up(session, {
            ...{ nodes: gpuNodes, raiseMax: raiseMaxOfGroup, renew },
            preflight: groupPreflight(awsClients({ region }, server)),
          })
        : await down(session);
    return { text: textOf(result), rejected: result.outcome !== "reached" };
  } catch (error) {
    if (error instanceof AwsError || InputError.is(error)) return { text: error.message, rejected: true };
    throw error;
  }
}

function renew(day: string): string {
  return `set lease.expiresAt to ${day}`;
}

/** The size and the cost, or why nodes do not start or stop. */
function textOf({ snapshot, outcome, preflight }: SessionResult): string {
  const { group, instances = [], cost, reasons } = snapshot;
  const size = `${group.group}: ${countOf(instances.length, "instance")}`;
  if (outcome === "reached") return cost && instances.length > 0 ? `${size}, ${hourly(cost)}` : size;
  const problems = preflight ? preflightProblems(preflight) : [];
  const why = [...problems.map(({ why }) => why), ...reasons.map(({ what, evidence }) => `${what} AWS: ${evidence}`)];
  return [`${size}. The session ends with ${outcome}.`, ...why].join(" ");
}
