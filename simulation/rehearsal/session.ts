import { scaleNodeGroup } from "../aws/eks/nodes/scale";
import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";

/** What came of a command of the AWS CLI. */
export interface CommandResult {
  /** What there is now, for the reader; a complaint of AWS when it refuses. */
  readonly text: string;
  readonly refused: boolean;
  /** How long it usually takes on AWS. */
  readonly seconds: number;
}

/** New nodes join a cluster after four minutes; nodes that go are drained first. */
const typicalSeconds = { up: 240, down: 180 };

/**
 * Does to a simulated cloud what the command that scales a node group does to AWS:
 * `aws eks update-nodegroup-config … --nodegroup-name NAME --scaling-config …desiredSize=N`.
 */
export function runScaleCommand(cloud: SimulatedCloud, command: string): CommandResult {
  const group = /--nodegroup-name (\S+)/.exec(command)?.[1];
  const size = Number(/desiredSize=(\d+)/.exec(command)?.[1]);
  if (!command.startsWith("aws eks update-nodegroup-config ") || group === undefined || Number.isNaN(size)) {
    return { text: `the rehearsal does not know the command ${command}`, refused: true, seconds: 0 };
  }
  try {
    const { nodes, issue } = scaleNodeGroup(cloud, group, size);
    const text = `${group}: ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
    const seconds = size === 0 ? typicalSeconds.down : typicalSeconds.up;
    return issue === undefined
      ? { text, refused: false, seconds }
      : { text: `${text}. ${issue}`, refused: true, seconds };
  } catch (error) {
    if (error instanceof CloudError) return { text: error.message, refused: true, seconds: 0 };
    throw error;
  }
}
