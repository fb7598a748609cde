import { countOf } from "../../components/core/text";
import { scaleNodeGroup } from "../aws/eks/nodes/instances";
import { passTime } from "../aws/schedule-runs";
import { types } from "../aws/types";
import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { serveAccount } from "../http/account-server";

/** The result of a command of the AWS CLI. */
export interface CommandResult {
  /** The new size, or the error of AWS. */
  readonly text: string;
  readonly rejected: boolean;
  /** Usual duration on AWS. */
  readonly seconds: number;
}

/** Starts or ends a session with the commands of this tool. They ask a server that answers instead of AWS. */
export type SessionCommand = (action: "up" | "down", at: SessionPlace) => Promise<SessionReport>;

export interface SessionPlace {
  /** The outputs of the stack, which name the node group. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly endpoint: string;
  /** The date in the simulated account. @default that of this machine */
  readonly now?: () => Date;
  readonly signal?: AbortSignal | undefined;
}

/** What a session reports, and whether it did not get what it requested. */
export type SessionReport = Pick<CommandResult, "text" | "rejected">;

/** Runs a command of a session against the simulated cloud. */
export async function runSession(
  cloud: SimulatedCloud,
  command: SessionCommand,
  action: "up" | "down",
  place: Omit<SessionPlace, "endpoint" | "now">,
): Promise<CommandResult> {
  const server = await serveAccount(cloud);
  try {
    const report = await command(action, { ...place, endpoint: server.endpoint, now: () => cloud.date });
    return { ...report, seconds: typicalSeconds[action] };
  } finally {
    await server.close();
  }
}

const hourMs = 60 * 60 * 1000;

/**
 * Starts a session, lets a day pass in the simulated cloud, and requires that a schedule ended its nodes. The result is
 * undefined without schedules.
 */
export async function forgetSession(
  cloud: SimulatedCloud,
  command: SessionCommand,
  place: Omit<SessionPlace, "endpoint" | "now">,
): Promise<CommandResult | undefined> {
  if (cloud.find(types.schedule).length === 0) return undefined;
  const instances = () => cloud.find(types.instance).map(({ id }) => id);
  const before = new Set(instances());
  const session = await runSession(cloud, command, "up", place);
  if (session.rejected) return session;
  const started = instances().filter((id) => !before.has(id));
  const begin = cloud.date.getTime();
  const [run] = passTime(cloud, new Date(begin + 24 * hourMs));
  const left = instances().filter((id) => started.includes(id));
  if (!run || left.length > 0) {
    const why = run?.error ?? "No schedule ran.";
    return { ...session, text: `${countOf(left.length, "instance")} left after a day. ${why}`, rejected: true };
  }
  const hours = ((run.at.getTime() - begin) / hourMs).toFixed(1);
  const name = run.schedule.slice(run.schedule.indexOf("/") + 1);
  return { ...session, text: `${session.text}; ended by the schedule ${name} after ${hours} hours` };
}

/** New nodes join a cluster after about four minutes; nodes are drained before they are terminated. */
const typicalSeconds = { up: 240, down: 180 };

/**
 * Runs the command that scales a node group, against the simulated cloud:
 * `aws eks update-nodegroup-config … --nodegroup-name NAME --scaling-config …desiredSize=N`.
 */
export function runScaleCommand(cloud: SimulatedCloud, command: string): CommandResult {
  const group = /--nodegroup-name (\S+)/.exec(command)?.[1];
  const size = Number(/desiredSize=(\d+)/.exec(command)?.[1]);
  if (!command.startsWith("aws eks update-nodegroup-config ") || group === undefined || Number.isNaN(size)) {
    return { text: `The rehearsal cannot run this command: ${command}`, rejected: true, seconds: 0 };
  }
  try {
    const { nodes, issue } = scaleNodeGroup(cloud, group, size);
    const text = `${group}: ${countOf(nodes, "node")}`;
    const seconds = size === 0 ? typicalSeconds.down : typicalSeconds.up;
    if (issue === undefined) return { text, rejected: false, seconds };
    return { text: `${text}. ${issue}`, rejected: true, seconds };
  } catch (error) {
    if (error instanceof CloudError) return { text: error.message, rejected: true, seconds: 0 };
    throw error;
  }
}
