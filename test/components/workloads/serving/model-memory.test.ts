import { describe, expect, test } from "vitest";
import { modelMemory, weightsGiB } from "../../../../components/workloads/serving/model-memory";
import { knownModel, modelShape, type ModelShape } from "../../../../components/workloads/serving/model-shape";
import table from "../../../../components/workloads/serving/model-table.json";
import { publishedStarts, type PublishedStart } from "./published-starts";

function shapeOf({ model, quantization }: PublishedStart): ModelShape {
  const config = (table.models as Readonly<Record<string, object>>)[model];
  const shape = modelShape({ ...config, ...(quantization && { quantization_config: quantized[quantization] }) });
  if ("unknown" in shape) throw new Error(shape.unknown);
  return shape;
}
const quantized = { awq: { quant_method: "awq", bits: 4 }, fp8: { quant_method: "fp8" } };

function estimated(start: PublishedStart) {
  const shape = shapeOf(start);
  const memory = modelMemory(shape, start.total, { gpuModel: start.gpu }, start);
  const measured = start.cache ?? ((start.tokens ?? 0) * memory.bytesPerToken) / 2 ** 30;
  const error = memory.cache === undefined ? undefined : Math.abs(memory.cache - measured) / Math.abs(measured);
  return { ...memory, measured, error };
}

/** Logs out of the range: a development version of 2024, and 8 GPUs before version 0.8, which `fit` does not take. */
const outOfRange = ["53.29", "110.52"];
/** 1024 sequences on two GPUs. */
const unknown = ["8.22"];
const named = publishedStarts.map((start) => [`${start.model} ${start.gpu} 0.${start.minor}`, start] as const);

describe("the cache that published logs of vLLM state", () => {
  test.for(named)("%s is within 10 %% of the estimate, or unknown", ([, start]) => {
    const { error = 0, cache } = estimated(start);
    expect(error).toBeLessThan(0.1);
    expect(cache === undefined).toBe(unknown.includes(String(start.cache)));
  });

  test.for(named)("%s is in the range", ([, start]) => {
    const { cacheRange, measured } = estimated(start);
    const inside = cacheRange.least <= measured && measured <= cacheRange.most;
    expect(inside).toBe(!outOfRange.includes(String(start.cache)));
  });

  // github.com/vllm-project/vllm/issues/21348: 8.11 GiB on each of 4 H100.
  test("a mixture of experts in 8 bits on 4 GPUs has a range", () => {
    const large = { hidden_size: 4096, intermediate_size: 12288, num_hidden_layers: 94, num_attention_heads: 64 };
    const config = { ...table.models["Qwen/Qwen3-30B-A3B"], ...large, moe_intermediate_size: 1536 };
    const shape = modelShape({ ...config, quantization_config: quantized.fp8 }) as ModelShape;
    const settings = { tensorParallel: 4, utilization: 0.9, minor: 9, context: 40_960 };
    const { cache, cacheRange } = modelMemory(shape, 79.1, { gpuModel: "H100" }, settings);
    expect(cache).toBeUndefined();
    expect(cacheRange.least).toBeLessThan(8.11);
    expect(cacheRange.most).toBeGreaterThan(8.11);
  });

  test("half of the logs that gave no constant differ by less than 2 %", () => {
    const tested = publishedStarts.filter(({ use }) => use !== "tuned");
    const errors = tested.flatMap((start) => estimated(start).error ?? []);
    expect(errors.length).toBeGreaterThanOrEqual(10);
    expect(errors.sort((a, b) => a - b)[Math.floor(errors.length / 2)]).toBeLessThan(0.02);
  });
});

describe("the shape of a model", () => {
  test.for([
    ["Qwen/Qwen2.5-0.5B-Instruct", 494_032_768],
    ["Qwen/Qwen2.5-7B-Instruct", 7_615_616_512],
    ["Qwen/Qwen3-8B", 8_190_735_360],
    ["Qwen/Qwen3-30B-A3B", 30_532_122_624],
    ["meta-llama/Llama-3.1-8B-Instruct", 8_030_261_248],
    ["meta-llama/Llama-3.3-70B-Instruct", 70_553_706_496],
    ["mistralai/Mixtral-8x7B-Instruct-v0.1", 46_702_792_704],
    ["mistralai/Mistral-Small-24B-Instruct-2501", 23_572_403_200],
    ["microsoft/phi-4", 14_659_507_200],
    ["HuggingFaceTB/SmolLM2-135M-Instruct", 134_515_008],
  ] as const)("%s has the published number of parameters", ([name, parameters]) => {
    expect(knownModel(name)).toMatchObject({ parameters });
  });

  test.for([
    ["awq", 5.2],
    ["fp8", 8.8],
  ] as const)("weights of %s have the size that the log states", ([quantization, logged]) => {
    const start = publishedStarts.find((start) => start.quantization === quantization) as PublishedStart;
    expect(weightsGiB(shapeOf(start))).toBeCloseTo(logged, 1);
  });

  const experts = (table.models as Readonly<Record<string, object>>)["Qwen/Qwen3-30B-A3B"];
  const gptq = (group_size: number) => ({ quant_method: "gptq", bits: 4, group_size });
  const llama = (table.models as Readonly<Record<string, object>>)["meta-llama/Llama-3.1-8B-Instruct"];
  test.for([
    ["a list", [], "one JSON object"],
    ["null", null, "one JSON object"],
    ["no architecture", {}, "A config without architecture"],
    ["a sliding window", { ...llama, sliding_window: 4096 }, "a window of the context"],
    ["layers of several kinds", { ...llama, layer_types: ["full_attention", "linear_attention"] }, "a window"],
    ["no layers", { ...llama, num_hidden_layers: undefined }, "num_hidden_layers"],
    ["a layer and a half", { ...llama, num_hidden_layers: 1.5 }, "num_hidden_layers"],
    ["a text as number", { ...llama, hidden_size: "4096" }, "hidden_size"],
    ["an unknown quantization", { ...llama, quantization_config: { quant_method: "mxfp4" } }, "quantized weights"],
    ["its other key", { ...llama, compression_config: { quant_method: "compressed-tensors" } }, "quantized weights"],
    ["one group for each column", { ...llama, quantization_config: gptq(-1) }, "quantized weights"],
    ["zero layers", { ...llama, num_hidden_layers: 0 }, "num_hidden_layers"],
    ["zero heads for keys", { ...llama, num_key_value_heads: 0 }, "num_key_value_heads"],
    ["dense layers among experts", { ...experts, mlp_only_layers: [0, 1] }, "experts"],
    ["experts in each second layer", { ...experts, decoder_sparse_step: 2 }, "experts"],
    [
      "a scaling without a number",
      { ...llama, rope_scaling: { type: "yarn", factor: "4" } },
      "max_position_embeddings",
    ],
    ["another architecture", { architectures: ["Gemma3ForConditionalGeneration"] }, "Gemma3ForConditionalGeneration"],
    ["a name that objects have", { architectures: ["constructor"] }, "constructor"],
  ] as const)("%s is unknown", ([, config, reason]) => {
    expect(modelShape(config)).toEqual({ unknown: expect.stringContaining(reason) as unknown });
  });

  test.for([
    ["yarn", { rope_scaling: { type: "yarn", factor: 4, original_max_position_embeddings: 8192 } }, 32_768],
    ["that of Transformers 5", { rope_parameters: { rope_type: "linear", factor: 2 } }, 262_144],
    ["that is in the config", { rope_scaling: { rope_type: "llama3", factor: 8 } }, 131_072],
    ["none", { rope_scaling: { type: "default" } }, 131_072],
  ] as const)("vLLM derives the context with the scaling: %s", ([, scaling, maxContext]) => {
    expect(modelShape({ ...llama, ...scaling })).toMatchObject({ maxContext, defaultContext: maxContext });
  });

  test("more groups of four bits have more scales", () => {
    expect(modelShape({ ...llama, quantization_config: gptq(32) })).toMatchObject({ bytesPerParameter: 0.578125 });
    expect(modelShape({ ...llama, quantization_config: gptq(128) })).toMatchObject({ bytesPerParameter: 0.51953125 });
  });

  test("vLLM loads weights of 32 bits in 16", () => {
    expect(modelShape({ ...llama, torch_dtype: "float32" })).toMatchObject({ bytesPerParameter: 2 });
  });

  test("experts in each layer are counted", () => {
    expect(modelShape({ ...experts, mlp_only_layers: [], decoder_sparse_step: 1 })).toHaveProperty("parameters");
  });

  test("a window that is not used, or that is as long as the context, is none", () => {
    expect(modelShape({ ...llama, sliding_window: 4096, use_sliding_window: false })).toHaveProperty("parameters");
    expect(modelShape({ ...llama, sliding_window: 131_072 })).toHaveProperty("parameters");
  });

  test("models that the table does not list, and those with a window, are unknown", () => {
    expect(knownModel("constructor")).toHaveProperty("unknown");
    expect(knownModel("openai/gpt-oss-20b")).toHaveProperty("unknown");
    expect(knownModel("deepseek-ai/DeepSeek-V3")).toHaveProperty("unknown");
  });
});
