/** Stacks of this library that are made for experiments. */
export const labStackNames: readonly string[] = [
  ...["*-lab", "gpu-*", "lab-*"],
  ...["device-plugin", "nccl-block", "node-health", "gpu-rollout", "runtime-socket"],
];
