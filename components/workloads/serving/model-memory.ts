import type { InstanceType } from "../../nodes/machine/instance-types";
import type { ModelShape } from "./model-shape";

const GiB = 2 ** 30;
/** Tokens of a block of the cache. */
const block = 16;

/** How the server is started. */
export interface ServerSettings {
  /** Tokens of the longest request, with its answer. */
  readonly context: number;
  /** GPUs that share one copy of the model. */
  readonly tensorParallel: number;
  /** Share of each GPU's memory that the server uses. */
  readonly utilization: number;
  /** Minor version of vLLM: 11 of 0.11.0. */
  readonly minor: number;
  /** Most requests at a time. @default that of vLLM for the GPU */
  readonly sequences?: number;
  /** Most tokens of a step. @default that of vLLM for the GPU */
  readonly batchedTokens?: number;
}

/** From the worst case to the best one. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Where the memory of each GPU goes, in GiB. */
export interface ModelMemory {
  /** What the server may use. */
  readonly usable: number;
  readonly weights: number;
  /** The likely size of the cache; negative if the rest needs more than there is; undefined if logs differ from it. */
  readonly cache?: number | undefined;
  /** The cache in the worst and the best case. */
  readonly cacheRange: Range;
  /** What one request of the longest context needs. */
  readonly request: number;
  /** Bytes of the cache for each token. */
  readonly bytesPerToken: number;
}

/**
 * Memory of a GPU as PyTorch reports it, in GiB: the least that logs show, by model and by the memory that EC2 states.
 * g4dn, g5 and p4d were seen on EC2, the others elsewhere.
 */
const reported: Readonly<Record<string, number>> = {
  "T4 16": 14.56,
  "A10G 22.4": 22.06,
  "L4 22.4": 22.03,
  "L40S 44.7": 44.3,
  "A100 40": 39.39,
  "A100 80": 79.14,
  "H100 80": 79.1,
  "H200 141": 139.8,
  "B200 179.1": 178.35,
  "RTX PRO Server 6000 96": 94.97,
};

/** Memory that a program can use on each GPU of an instance type, in GiB; undefined where no log shows it. */
export function programMemory({ gpuModel, gpuMemoryGiB }: InstanceType): number | undefined {
  return reported[`${gpuModel} ${gpuMemoryGiB}`];
}

/**
 * What vLLM takes as limits of a step: by the memory of the GPU, and less on an A100.
 * @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/engine/arg_utils.py
 */
function stepLimits(total: number, { gpuModel }: Pick<InstanceType, "gpuModel">) {
  if (total < 70 || gpuModel === "A100") return { batchedTokens: 2048, sequences: 256 };
  return { batchedTokens: total < 160 ? 8192 : 16384, sequences: 1024 };
}

/**
 * Memory of one of the GPUs that serve a model, as vLLM divides it: weights, the peak of a profile run, memory outside
 * PyTorch, CUDA graphs, and the cache as the rest.
 *
 * The constants are from 11 published logs of vLLM 0.6 to 0.30. On 14 others the likely cache differs by less than 10 %,
 * and by 2 % in the median. All are in the range but two, of development and of 8 GPUs before 0.8. With more than 256
 * sequences on several GPUs, two logs differ by more than 10 %: there is only a range.
 *
 * @param total memory of the GPU that a program can use, in GiB
 * @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/v1/worker/gpu_worker.py determine_available_memory
 */
export function modelMemory(
  shape: ModelShape,
  total: number,
  gpu: Pick<InstanceType, "gpuModel">,
  settings: ServerSettings,
): ModelMemory {
  const { tensorParallel, utilization, context, minor } = settings;
  const { sequences, batchedTokens } = { ...stepLimits(total, gpu), ...definedOf(settings) };
  const usable = total * utilization;
  const weights = weightsGiB(shape) / tensorParallel;
  const tokens = (batchedTokens * ((3 * shape.intermediate) / tensorParallel + 4 * shape.hidden) * 2) / GiB;
  // The sampler sorts the logits until 0.18.
  const words = (Math.min(sequences, batchedTokens) * shape.vocab * (minor < 19 ? 38 : 24)) / GiB;
  const peak = Math.max(tokens, words);
  const graphs = minor < 21 ? { least: 0, likely: 0, most: 0 } : { least: 0.05, likely: 0.53, most: 2.4 };
  const other = outsidePyTorch(tensorParallel);
  const isRange = tensorParallel > 1 && sequences > 256;
  const bytesPerToken = 2 * shape.layers * Math.max(1, Math.floor(shape.kvHeads / tensorParallel)) * shape.headDim * 2;
  return {
    usable,
    weights,
    cache: isRange ? undefined : usable - weights - peak - other.likely - graphs.likely,
    cacheRange: {
      least: usable - weights * 1.01 - peak * 1.1 - other.most - graphs.most - (isRange ? 1 : 0),
      most: usable - weights - (sequences > 256 ? tokens : peak * 0.75) - other.least - graphs.least,
    },
    request: (Math.ceil(context / block) * block * bytesPerToken) / GiB,
    bytesPerToken,
  };
}

function definedOf({ sequences, batchedTokens }: ServerSettings) {
  return { ...(sequences !== undefined && { sequences }), ...(batchedTokens !== undefined && { batchedTokens }) };
}

/** Tokens in whole blocks of a cache of this size, in GiB. */
export function tokensIn(cache: number, { bytesPerToken }: Pick<ModelMemory, "bytesPerToken">): number {
  return Math.floor((cache * GiB) / (block * bytesPerToken)) * block;
}

/** The weights of a model, in GiB. */
export function weightsGiB({ parameters, embeddings, bytesPerParameter }: ModelShape): number {
  return ((parameters - embeddings) * bytesPerParameter + embeddings * 2) / GiB;
}

/** Memory of CUDA and NCCL, in GiB. */
function outsidePyTorch(tensorParallel: number) {
  if (tensorParallel === 1) return { least: 0, likely: 0.1, most: 0.15 };
  return { least: 0.15, likely: 0.36, most: tensorParallel < 8 ? 0.5 : 2.2 };
}
