import { gpuLab } from "./gpu-lab";
import type { Lab } from "./lab";

/** Every lab, by the name of its stack. */
export const labs = { "gpu-lab": gpuLab } as const satisfies Record<string, Lab>;

export type LabName = keyof typeof labs;
