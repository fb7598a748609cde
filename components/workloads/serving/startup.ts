import { ownValue } from "../../core/reader/records";
import { weightsGiB } from "./model-memory";
import { knownModel } from "./model-shape";

/** MB a second. The slowest complete downloads of 15 GB and more in published logs have 33 to 40. */
const downloadRate = 30;
/** MB a second. A gp3 volume has 125 unless more is paid for. */
const diskRate = 100;
/** MB a second of the fastest gp3 volume. */
const fastestDiskRate = 2000;
/** Imports, compilation and CUDA graphs. The longest in published logs of models in the table is 168 seconds. */
const startMinutes = 5;
const [unknownMinutes, least, most] = [30, 10, 240];

type Start = { readonly model: string; readonly startupMinutes?: number | undefined; readonly env: object };

/**
 * Minutes that a pod may take to start, unless `startupMinutes` states them: the download of the weights, a read from disk,
 * and the rest of the start, rounded up to five. With HF_HUB_OFFLINE nothing is downloaded.
 */
export function startupBudget({ model, startupMinutes, env }: Start): number {
  if (startupMinutes !== undefined) return startupMinutes;
  const megabytes = weightsMB(model);
  if (megabytes === undefined) return unknownMinutes;
  const isCached = /^(?:1|on|yes|true)$/i.test(String(ownValue(env, "HF_HUB_OFFLINE")));
  const seconds = megabytes / diskRate + (isCached ? 0 : megabytes / downloadRate);
  return Math.min(most, Math.max(least, Math.ceil((seconds / 60 + startMinutes) / 5) * 5));
}

/** Minutes that the fastest disk needs to read the weights; undefined if the model is not known. */
export function leastStartup(model: string): number | undefined {
  const megabytes = weightsMB(model);
  return megabytes === undefined ? undefined : Math.ceil(megabytes / fastestDiskRate / 60);
}

function weightsMB(model: string): number | undefined {
  const shape = knownModel(model);
  return "unknown" in shape ? undefined : (weightsGiB(shape) * 2 ** 30) / 1e6;
}
