import { isRecord, ownValue } from "../../core/reader/records";
import table from "./model-table.json";

/** What the memory of a language model depends on. */
export interface ModelShape {
  readonly layers: number;
  readonly hidden: number;
  readonly intermediate: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly vocab: number;
  /** The longest context for which the model was trained, in tokens. */
  readonly maxContext: number;
  /** The context without `--max-model-len`, in tokens: that before an extension (LongRoPE), from vLLM 0.11 on. */
  readonly defaultContext: number;
  readonly parameters: number;
  /** Parameters that stay in 16 bits when the model is quantized: the embeddings. */
  readonly embeddings: number;
  /** Bytes of each other parameter. */
  readonly bytesPerParameter: number;
}

/** A model whose memory is not known, and why. */
export interface UnknownModel {
  readonly unknown: string;
}

/** The models of the table, by name. */
export const knownModels: readonly string[] = Object.keys(table.models);

/** The shape of a model of the table. */
export function knownModel(name: string): ModelShape | UnknownModel {
  const config = ownValue(table.models, name);
  if (config === undefined) return { unknown: `The table of models does not list ${name}.` };
  return modelShape(config);
}

/**
 * Architectures in which every layer attends to the whole context, and whose parameters can be counted. Others have a
 * sliding window, compressed keys or state: their cache has another size.
 */
const architectures: Readonly<Record<string, { readonly biases?: true; readonly headNorms?: true }>> = {
  LlamaForCausalLM: {},
  MistralForCausalLM: {},
  MixtralForCausalLM: {},
  Phi3ForCausalLM: {},
  Qwen2ForCausalLM: { biases: true },
  Qwen3ForCausalLM: { headNorms: true },
  Qwen3MoeForCausalLM: { headNorms: true },
};

/**
 * The shape that the `config.json` of a model states.
 *
 * @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/config/model.py
 */
export function modelShape(config: unknown): ModelShape | UnknownModel {
  if (!isRecord(config)) return { unknown: "It is not the config.json of a model: it must contain one JSON object." };
  const [architecture] = Array.isArray(config["architectures"]) ? (config["architectures"] as unknown[]) : [];
  const kind = typeof architecture === "string" ? ownValue(architectures, architecture) : undefined;
  if (kind === undefined) {
    const named =
      typeof architecture === "string" ? `The architecture ${architecture}` : "A config without architecture";
    return {
      unknown: `${named} is not among the architectures whose cache is known: ${Object.keys(architectures).join(", ")}.`,
    };
  }
  const sizes = sizesOf(config);
  const missing = Object.entries(sizes).find(
    ([key, value]) => !Number.isSafeInteger(value) || value < (leasts[key] ?? 1),
  );
  if (missing) return { unknown: `The config has no whole number for ${missing[0]}.` };
  if (hasWindow(config)) return { unknown: "Some layers attend only to a window of the context." };
  if (hasDenseLayers(config)) return { unknown: "Some layers have experts, and others do not." };
  const bytesPerParameter = weightBytes(config);
  if (bytesPerParameter === undefined) return { unknown: "The size of its quantized weights is not known." };
  return { ...counted(sizes, kind), bytesPerParameter };
}

/** Sizes that may be 0. */
const leasts: Readonly<Record<string, number>> = { experts: 0, tied: 0 };

function sizesOf(config: Readonly<Record<string, unknown>>) {
  const number = (key: string, otherwise = NaN) => {
    const value = ownValue(config, key) ?? otherwise;
    return typeof value === "number" ? value : NaN;
  };
  const heads = number("num_attention_heads");
  const intermediate = number("intermediate_size");
  const context = scaled(number("max_position_embeddings"), config);
  return {
    hidden_size: number("hidden_size"),
    intermediate_size: intermediate,
    num_hidden_layers: number("num_hidden_layers"),
    num_attention_heads: heads,
    num_key_value_heads: number("num_key_value_heads", heads),
    head_dim: number("head_dim", number("hidden_size") / heads),
    vocab_size: number("vocab_size"),
    max_position_embeddings: context,
    original_max_position_embeddings: number("original_max_position_embeddings", context),
    experts: number("num_local_experts", number("num_experts", 0)),
    moe_intermediate_size: number("moe_intermediate_size", intermediate),
    tied: ownValue(config, "tie_word_embeddings") === true ? 1 : 0,
  };
}

/** The context with a scaling of the positions. In the numbers of some kinds, the factor is there already. */
function scaled(positions: number, config: Readonly<Record<string, unknown>>): number {
  const scaling = config["rope_scaling"] ?? config["rope_parameters"];
  if (!isRecord(scaling)) return positions;
  const { rope_type: type = scaling["type"], factor = 1, original_max_position_embeddings: original } = scaling;
  if (["su", "longrope", "llama3"].includes(String(type))) return positions;
  const from = type === "yarn" ? original : positions;
  return typeof factor === "number" && typeof from === "number" ? factor * from : NaN;
}

function counted(
  sizes: ReturnType<typeof sizesOf>,
  { biases, headNorms }: (typeof architectures)[string],
): Omit<ModelShape, "bytesPerParameter"> {
  const { hidden_size: hidden, intermediate_size: intermediate, num_hidden_layers: layers, vocab_size: vocab } = sizes;
  const { num_attention_heads: heads, num_key_value_heads: kvHeads, head_dim: headDim, experts, tied } = sizes;
  const projected = (heads + 2 * kvHeads) * headDim;
  const attention =
    hidden * projected + heads * headDim * hidden + (biases ? projected : 0) + (headNorms ? 2 * headDim : 0);
  const dense = 3 * hidden * intermediate;
  const mixture = experts * (3 * hidden * sizes.moe_intermediate_size + hidden);
  const layer = attention + (experts > 0 ? mixture : dense) + 2 * hidden;
  const embeddings = vocab * hidden * (tied === 1 ? 1 : 2);
  const parameters = layers * layer + hidden + embeddings;
  const maxContext = sizes.max_position_embeddings;
  const defaultContext = sizes.original_max_position_embeddings;
  const context = { maxContext, defaultContext };
  return { layers, hidden, intermediate, heads, kvHeads, headDim, vocab, ...context, parameters, embeddings };
}

/** Whether a layer attends to a window that is shorter than the context. */
function hasWindow(config: Readonly<Record<string, unknown>>): boolean {
  const { layer_types: types, sliding_window: window, max_position_embeddings: context } = config;
  if (Array.isArray(types) && types.some((type) => type !== "full_attention")) return true;
  if (config["use_sliding_window"] === false || typeof window !== "number") return false;
  return window < Number(context);
}

function hasDenseLayers(config: Readonly<Record<string, unknown>>): boolean {
  const { mlp_only_layers: dense, decoder_sparse_step: step = 1 } = config;
  return step !== 1 || (Array.isArray(dense) && dense.length > 0);
}

/**
 * Bytes of a parameter outside the embeddings: 2 unless the config states a known quantization, as vLLM loads 32 bits in
 * 16. A group of weights of four bits has a scale and a zero point.
 */
function weightBytes(config: Readonly<Record<string, unknown>>): number | undefined {
  const quantized = config["quantization_config"] ?? config["compression_config"];
  if (!isRecord(quantized)) return 2;
  const { quant_method: method, bits, group_size: group = 128 } = quantized;
  if (method === "fp8") return 1;
  const hasGroups = bits === 4 && typeof group === "number" && group > 0;
  return (method === "awq" || method === "gptq") && hasGroups ? 0.5 + 2.5 / group : undefined;
}
