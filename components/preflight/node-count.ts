import type { NodeRequest } from "./preflight-facts";

/** What states the number of nodes: a key of the configuration, or a command. */
export function countPath({ command = "gpuNodes.maxSize" }: NodeRequest): string {
  return command;
}

/** How to request another number of nodes, in the imperative. */
export function requestOf({ command }: NodeRequest, nodes: number): string {
  return command === undefined ? `set gpuNodes.maxSize to ${nodes}` : `run ${command} ${nodes}`;
}
