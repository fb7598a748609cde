import { countOf } from "../../components/core/text";
import { scaleNodeGroup } from "../aws/eks/nodes/scale";
import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";

/** The result of a command of the AWS CLI. */
export interface CommandResult {
  /** The new size, or the error of AWS. */
  readonly text: string;
  readonly rejected: boolean;
  /** Usual duration on AWS. */
  readonly seconds: number;
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
