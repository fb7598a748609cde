/** A start of vLLM that somebody published: what it was told, and the cache that its log states. */
export interface PublishedStart {
  readonly model: string;
  readonly quantization?: "awq" | "fp8";
  readonly minor: number;
  readonly gpu: string;
  /** Memory of each GPU that the log states, or that the GPU has, in GiB. */
  readonly total: number;
  readonly utilization: number;
  readonly tensorParallel: number;
  readonly context: number;
  readonly batchedTokens: number;
  readonly sequences: number;
  /** The cache of each GPU, in GiB. */
  readonly cache?: number;
  /** The cache in tokens, where the log has no other size. */
  readonly tokens?: number;
  /** Whether the constants of the estimate come from it, or were tested on it, or it was found later. */
  readonly use: "tuned" | "test" | "later";
  /** Where it was published; without, in a file of a public repository. */
  readonly source?: string;
}

export const publishedStarts: readonly PublishedStart[] = [
  {
    model: "Qwen/Qwen2.5-7B-Instruct",
    minor: 8,
    gpu: "A100 or H100 80 GB",
    total: 79.26,
    utilization: 0.5,
    tensorParallel: 1,
    context: 4096,
    batchedTokens: 4096,
    sequences: 256,
    cache: 23.98,
    use: "tuned",
  },
  {
    model: "meta-llama/Llama-3.1-8B-Instruct",
    minor: 6,
    gpu: "A100 or H100 80 GB",
    total: 79.22,
    utilization: 0.9,
    tensorParallel: 1,
    context: 8192,
    batchedTokens: 8192,
    sequences: 256,
    cache: 53.29,
    use: "tuned",
    source: "github.com/vllm-project/vllm/pull/10511",
  },
  {
    model: "Qwen/Qwen2.5-7B-Instruct",
    quantization: "awq",
    minor: 7,
    gpu: "RTX 4060 8 GB",
    total: 8.0,
    utilization: 0.7,
    tensorParallel: 1,
    context: 4096,
    batchedTokens: 4096,
    sequences: 256,
    cache: -1.05,
    use: "tuned",
    source: "github.com/vllm-project/vllm/issues/13882",
  },
  {
    model: "Qwen/Qwen3-8B",
    minor: 9,
    gpu: "RTX 3090",
    total: 23.57,
    utilization: 0.9,
    tensorParallel: 1,
    context: 32768,
    batchedTokens: 2048,
    sequences: 256,
    cache: 4.47,
    use: "test",
    source: "github.com/solodba/LLMOps",
  },
  {
    model: "Qwen/Qwen2.5-7B-Instruct",
    minor: 7,
    gpu: "V100 32 GB",
    total: 31.74,
    utilization: 0.9,
    tensorParallel: 1,
    context: 2048,
    batchedTokens: 2048,
    sequences: 256,
    cache: 12.8,
    use: "tuned",
  },
  {
    model: "Qwen/Qwen2.5-1.5B-Instruct",
    minor: 7,
    gpu: "A10G or L4",
    total: 22.06,
    utilization: 0.9,
    tensorParallel: 1,
    context: 4096,
    batchedTokens: 4096,
    sequences: 256,
    cache: 15.52,
    use: "test",
  },
  {
    model: "Qwen/Qwen2.5-1.5B-Instruct",
    minor: 7,
    gpu: "T4",
    total: 14.56,
    utilization: 0.5,
    tensorParallel: 1,
    context: 32768,
    batchedTokens: 32768,
    sequences: 256,
    cache: 2.36,
    use: "test",
  },
  {
    model: "Qwen/Qwen2.5-0.5B-Instruct",
    minor: 6,
    gpu: "T4",
    total: 14.56,
    utilization: 0.9,
    tensorParallel: 1,
    context: 32768,
    batchedTokens: 32768,
    sequences: 256,
    cache: 10.63,
    use: "tuned",
  },
  {
    model: "meta-llama/Llama-3.2-3B-Instruct",
    minor: 8,
    gpu: "T4",
    total: 14.74,
    utilization: 0.89,
    tensorParallel: 1,
    context: 2048,
    batchedTokens: 2048,
    sequences: 192,
    cache: 6.22,
    use: "test",
  },
  {
    model: "Qwen/Qwen2.5-1.5B-Instruct",
    minor: 7,
    gpu: "L40S or A40",
    total: 44.39,
    utilization: 0.85,
    tensorParallel: 1,
    context: 4096,
    batchedTokens: 4096,
    sequences: 256,
    cache: 33.37,
    use: "tuned",
  },
  {
    model: "microsoft/Phi-4-mini-instruct",
    minor: 7,
    gpu: "A100 40 GB",
    total: 39.56,
    utilization: 0.9,
    tensorParallel: 1,
    context: 2048,
    batchedTokens: 2048,
    sequences: 256,
    cache: 26.6,
    use: "test",
  },
  {
    model: "Qwen/Qwen2.5-7B-Instruct",
    minor: 6,
    gpu: "RTX 4090",
    total: 23.57,
    utilization: 0.9,
    tensorParallel: 1,
    context: 8192,
    batchedTokens: 8192,
    sequences: 16,
    cache: 5.77,
    use: "tuned",
  },
  {
    model: "Qwen/Qwen3-8B",
    minor: 21,
    gpu: "RTX A5000",
    total: 23.53,
    utilization: 0.9764,
    tensorParallel: 1,
    context: 16384,
    batchedTokens: 8192,
    sequences: 256,
    cache: 6.37,
    use: "tuned",
    source: "github.com/LMCache/LMCache/issues/3430",
  },
  {
    model: "Qwen/Qwen3-8B",
    quantization: "fp8",
    minor: 10,
    gpu: "RTX 4090",
    total: 23.53,
    utilization: 0.8,
    tensorParallel: 1,
    context: 1024,
    batchedTokens: 2048,
    sequences: 256,
    cache: 8.6,
    use: "test",
  },
  {
    model: "meta-llama/Llama-3.1-8B-Instruct",
    minor: 30,
    gpu: "A100 80 GB",
    total: 79.25,
    utilization: 0.92,
    tensorParallel: 1,
    context: 131072,
    batchedTokens: 2048,
    sequences: 256,
    cache: 56.21,
    use: "tuned",
  },
  {
    model: "meta-llama/Llama-3.1-8B-Instruct",
    minor: 15,
    gpu: "A100 40 GB",
    total: 39.49,
    utilization: 0.9,
    tensorParallel: 1,
    context: 131072,
    batchedTokens: 8192,
    sequences: 256,
    cache: 19.28,
    use: "test",
    source: "github.com/ilseokoh/vllm-gce",
  },
  {
    model: "Qwen/Qwen2.5-7B-Instruct",
    minor: 24,
    gpu: "RTX 4090",
    total: 23.53,
    utilization: 0.85,
    tensorParallel: 1,
    context: 2048,
    batchedTokens: 2048,
    sequences: 256,
    cache: 4.45,
    use: "tuned",
  },
  {
    model: "Qwen/Qwen2.5-0.5B-Instruct",
    minor: 24,
    gpu: "RTX 4090",
    total: 23.53,
    utilization: 0.85,
    tensorParallel: 1,
    context: 2048,
    batchedTokens: 2048,
    sequences: 256,
    cache: 18.08,
    use: "test",
  },
  {
    model: "Qwen/Qwen3-14B",
    minor: 28,
    gpu: "L40S or A40",
    total: 44.39,
    utilization: 0.92,
    tensorParallel: 1,
    context: 40960,
    batchedTokens: 2048,
    sequences: 256,
    cache: 11.57,
    use: "tuned",
  },
  {
    model: "Qwen/Qwen3-8B",
    minor: 19,
    gpu: "A100 40 GB",
    total: 39.49,
    utilization: 0.9,
    tensorParallel: 1,
    context: 40960,
    batchedTokens: 2048,
    sequences: 256,
    tokens: 140960,
    use: "later",
  },
  {
    model: "Qwen/Qwen3-8B",
    minor: 9,
    gpu: "A100 40 GB",
    total: 39.49,
    utilization: 0.9,
    tensorParallel: 1,
    context: 40960,
    batchedTokens: 2048,
    sequences: 256,
    cache: 18.69,
    use: "later",
  },
  {
    model: "Qwen/Qwen3-32B",
    minor: 27,
    gpu: "RTX PRO 6000 96 GB",
    total: 94.97,
    utilization: 0.426,
    tensorParallel: 1,
    context: 32768,
    batchedTokens: 8192,
    sequences: 1024,
    cache: -24.42,
    use: "later",
  },
  {
    model: "Qwen/Qwen3-32B",
    minor: 27,
    gpu: "RTX PRO 6000 96 GB x2",
    total: 94.97,
    utilization: 0.426,
    tensorParallel: 2,
    context: 32768,
    batchedTokens: 8192,
    sequences: 1024,
    cache: 8.22,
    use: "later",
  },
];

/** How long the parts of a start took, in seconds. */
export interface PublishedTime {
  readonly model: string;
  /** The download, or all that has no own value. */
  readonly download: number;
  readonly load?: number;
  /** What the log calls "init engine". */
  readonly init?: number;
}

/** Of logs in files of public repositories. */
export const publishedTimes: readonly PublishedTime[] = [
  { model: "meta-llama/Llama-3.1-8B-Instruct", download: 120.1, load: 6.1, init: 6.8 }, // vLLM 0.10, eager
  { model: "meta-llama/Llama-3.1-8B-Instruct", download: 55.3, load: 4, init: 167.4 }, // vLLM 0.8, LoRA
  { model: "Qwen/Qwen2.5-72B-Instruct", download: 69.5, load: 12.1, init: 66.1 }, // vLLM 0.19, g6e.12xlarge
  { model: "Qwen/Qwen3-4B", download: 7.8, load: 2.4 }, // vLLM 0.19
  { model: "Qwen/Qwen3-32B", download: 722 }, // RTX 5090, until Ready: 515 for the download
  { model: "Qwen/Qwen3-30B-A3B-FP8", download: 826.3 }, // the download only: 38 MB/s
  { model: "Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8", download: 52, load: 44.2, init: 78 }, // A100
  { model: "Qwen/Qwen3.5-35B-A3B-FP8", download: 1089.1 }, // the download only: 33 MB/s
];
