import { devicePlugin } from "./device-plugin";
import { gpuLab } from "./gpu-lab";
import { gpuRollout } from "./gpu-rollout";
import type { Lab } from "./run/lab";
import { ncclBlock } from "./nccl-block";
import { nodeHealth } from "./node-health";
import { runtimeSocket } from "./runtime-socket";

/** Every lab, by the name of its stack. */
export const labs = {
  "gpu-lab": gpuLab,
  "device-plugin": devicePlugin,
  "nccl-block": ncclBlock,
  "node-health": nodeHealth,
  "gpu-rollout": gpuRollout,
  "runtime-socket": runtimeSocket,
} as const satisfies Record<string, Lab>;

export type LabName = keyof typeof labs;
