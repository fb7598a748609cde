import { devicePlugin } from "./device-plugin";
import { gangDeadlock } from "./gang-deadlock";
import { gpuLab } from "./gpu-lab";
import { gpuRollout } from "./gpu-rollout";
import type { Lab } from "./run/lab";
import { modelServer } from "./model-server";
import { ncclBlock } from "./nccl-block";
import { noNodeComes } from "./no-node-comes";
import { nodeHealth } from "./node-health";
import { runtimeSocket } from "./runtime-socket";

/** Every lab, by the name of its stack, in the order in which to run them. */
export const labs = {
  "gpu-lab": gpuLab,
  "device-plugin": devicePlugin,
  "gpu-rollout": gpuRollout,
  "model-server": modelServer,
  "runtime-socket": runtimeSocket,
  "nccl-block": ncclBlock,
  "node-health": nodeHealth,
  "no-node-comes": noNodeComes,
  "gang-deadlock": gangDeadlock,
} as const satisfies Record<string, Lab>;

export type LabName = keyof typeof labs;
