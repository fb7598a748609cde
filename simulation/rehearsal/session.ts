import { countOf } from "../../components/core/text";
import { scaleNodeGroup } from "../aws/eks/nodes/scale";
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
  readonly signal?: AbortSignal | undefined;
}

/** What a session reports, and whether it did not get what it requested. */
export type SessionReport = Pick<CommandResult, "text" | "rejected">;

/** Runs a command of a session against the simulated cloud. */
export async function runSession(
  cloud: SimulatedCloud,
  command: SessionCommand,
  action: "up" | "down",
  place: Omit<SessionPlace, "endpoint">,
): Promise<CommandResult> {
  const server = await serveAccount(cloud);
  try {
    const report = await command(action, { ...place, endpoint: server.endpoint });
    return { ...report, seconds: typicalSeconds[action] };
  } finally {
    await server.close();
  }
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
