import type { InstanceType } from "../../nodes/machine/instance-types";
import {
  modelMemory,
  programMemory,
  tokensIn,
  type ModelMemory,
  type Range,
  type ServerSettings,
} from "./model-memory";
import type { ModelShape } from "./model-shape";

/** Whether a model server starts. `tight`: it depends on what the estimate does not know. */
export type FitVerdict = "fits" | "tight" | "does-not-fit" | "unknown";

/** What decides it. */
export type FitLimit = "gpus" | "heads" | "context" | "weights" | "cache";

/** Whether a model server starts on an instance, and what it can serve there. */
export interface Fit {
  readonly verdict: FitVerdict;
  /** What decides; none if the verdict is unknown. */
  readonly limit?: FitLimit;
  /** The reason, as a sentence. */
  readonly why: string;
  /** The first change to try; none if the model fits. */
  readonly fix?: string;
  readonly memory?: ModelMemory;
  /** The longest context that fits, in tokens. */
  readonly longestContext?: Range;
  /** Requests of the stated context that fit at the same time. */
  readonly requests?: Range;
}

/** The share of each GPU that vLLM 0.`minor` uses by default. */
export function defaultUtilization(minor: number): number {
  return minor < 12 ? 0.9 : 0.92;
}

/** Whether a model starts with these settings on one instance of this type. */
export function fitModel(shape: ModelShape, instance: InstanceType, settings: ServerSettings): Fit {
  const refused = refusal(shape, settings, instance.gpus);
  if (refused) return { verdict: "does-not-fit", ...refused };
  const total = programMemory(instance);
  if (total === undefined) {
    return { verdict: "unknown", why: `The memory that programs can use on the GPU of ${instance.name} is not known.` };
  }
  const memory = modelMemory(shape, total, instance, settings);
  const { cacheRange, request } = memory;
  const requests = { least: atOnce(cacheRange.least, request), most: atOnce(cacheRange.most, request) };
  const longestContext = {
    least: longest(cacheRange.least, memory, shape),
    most: longest(cacheRange.most, memory, shape),
  };
  const byDefault = { ...settings, utilization: defaultUtilization(settings.minor) };
  const isShareSmall =
    settings.utilization < byDefault.utilization && fits(modelMemory(shape, total, instance, byDefault));
  const raise = isShareSmall ? `raise --gpu-memory-utilization (at ${byDefault.utilization} it fits)` : undefined;
  return { ...verdictOf(memory, longestContext, settings, raise), memory, requests, longestContext };
}

/** Even in the worst case. */
function fits({ cacheRange, request }: ModelMemory): boolean {
  return cacheRange.least >= request;
}

/** Why vLLM refuses the settings before it loads the model. */
export function refusal(
  { heads, kvHeads, maxContext }: Pick<ModelShape, "heads" | "kvHeads" | "maxContext">,
  { tensorParallel, context }: Pick<ServerSettings, "tensorParallel" | "context">,
  gpus: number,
): (Pick<Fit, "why" | "fix"> & { readonly limit: Exclude<FitLimit, "weights" | "cache"> }) | undefined {
  if (tensorParallel > gpus) {
    const why = `The model is divided among ${tensorParallel} GPUs, but there ${gpus === 1 ? "is only 1" : `are only ${gpus}`}.`;
    return { limit: "gpus", why, fix: `set the tensor parallel size to ${gpus} at most` };
  }
  if (heads % tensorParallel !== 0 || (kvHeads % tensorParallel !== 0 && tensorParallel % kvHeads !== 0)) {
    const why = `The ${heads} attention heads and ${kvHeads} key-value heads of the model cannot be divided among ${tensorParallel} GPUs.`;
    const sizes = [1, 2, 4, 8].filter((size) => heads % size === 0 && (kvHeads % size === 0 || size % kvHeads === 0));
    return { limit: "heads", why, fix: `set the tensor parallel size to one of ${sizes.join(", ")}` };
  }
  if (context > maxContext) {
    const why = `The context of ${context} tokens is longer than the ${maxContext} tokens of the model.`;
    return { limit: "context", why, fix: `set the context to ${maxContext} at most` };
  }
  return undefined;
}

function verdictOf(
  memory: ModelMemory,
  longestContext: Range,
  { context }: ServerSettings,
  raise: string | undefined,
): Fit {
  const { usable, weights, cacheRange, request } = memory;
  const larger = raise ?? "use more or larger GPUs, or a quantized model";
  if (weights > usable) {
    const why = `The weights need ${gib(weights)} of each GPU, and the server may use ${gib(usable)}.`;
    return { verdict: "does-not-fit", limit: "weights", why, fix: larger };
  }
  const need = `A request of ${context} tokens needs ${gib(request)} of cache`;
  const shorter = `set the context to ${longestContext.least} tokens at most`;
  const fix = raise !== undefined ? `${raise}, or ${shorter}` : `${shorter}, or use more or larger GPUs`;
  const smaller = longestContext.least > 0 ? fix : larger;
  if (cacheRange.most < request) {
    const left = cacheRange.most <= 0 ? "no memory is left for it" : `at most ${gib(cacheRange.most)} is left for it`;
    return { verdict: "does-not-fit", limit: "cache", why: `${need}, and ${left}.`, fix: smaller };
  }
  if (cacheRange.least < request) {
    const left = `${gib(Math.max(0, cacheRange.least))} to ${gib(cacheRange.most)}`;
    return { verdict: "tight", limit: "cache", why: `${need}, and ${left} is left for it.`, fix: smaller };
  }
  return { verdict: "fits", limit: "cache", why: `${need}, and at least ${gib(cacheRange.least)} is left for it.` };
}

function atOnce(cache: number, request: number): number {
  return Math.max(0, Math.floor(cache / request));
}

/** No longer than the model's own. */
function longest(cache: number, memory: ModelMemory, { maxContext }: ModelShape): number {
  return Math.max(0, Math.min(tokensIn(cache, memory), maxContext));
}

function gib(amount: number): string {
  return `${amount.toFixed(1)} GiB`;
}
