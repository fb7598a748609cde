import { searchLog, showEndedRun, showResources } from "./common-steps";
import { readIn, type ProgramCauses } from "./entry";

const showArguments =
  "kubectl get {pod} -o jsonpath='{.spec.containers[*].image} {.spec.containers[*].command} {.spec.containers[*].args}'";
const showToken =
  "kubectl get {pod} -o jsonpath='{.spec.containers[*].env[*].name} {.spec.containers[*].envFrom} {.spec.containers[*].env[?(@.name==\"HF_TOKEN\")].valueFrom}'";
const memoryGuide = "https://docs.vllm.ai/en/latest/configuration/conserving_memory/";
const argumentGuide = "https://docs.vllm.ai/en/latest/configuration/engine_args/";
const gpuMemory = { isGpuMemory: true } as const;
const sglangGuide = "https://docs.sglang.io/docs/advanced_features/hyperparameter_tuning";

/** Why model servers do not start: vLLM, SGLang, TGI, and the Hugging Face libraries that they use. */
export const serving = {
  "kv-cache-no-memory": {
    ...readIn("vLLM 0.6.6 to 0.33.0", memoryGuide, gpuMemory),
    pattern: /No available memory for the cache blocks|Cannot auto-fit max_model_len: not enough GPU memory/,
    what: "vLLM has no GPU memory left for its KV cache: the weights, the activations and the CUDA graphs use all the memory that vLLM may use. A shorter context does not help.",
    next: `Show how much memory the model uses. Then use a larger GPU, more GPUs (--tensor-parallel-size) or quantized weights, or raise --gpu-memory-utilization => ${searchLog} 'model loading took|KV cache'`,
  },
  "kv-cache-too-small": {
    ...readIn("vLLM 0.6.6 to 0.33.0", memoryGuide, gpuMemory),
    pattern: /is larger than the (?:available KV cache memory|maximum number of tokens that can be stored in KV cache)/,
    what: "The KV cache of vLLM is too small for one request of the full context length: the model leaves too little GPU memory.",
    next: `Show the longest context that fits. Set --max-model-len to it, or to auto from vLLM 0.19 on; or use a larger GPU, or --kv-cache-dtype fp8 => ${searchLog} 'max seq len|estimated maximum'`,
  },
  "model-larger-than-gpu": {
    ...readIn("vLLM 0.19.1 to 0.33.0", memoryGuide, gpuMemory),
    pattern: /Failed to load model - not enough GPU memory/,
    what: "The weights of the model do not fit into the memory of the GPU.",
    next: [
      `Show how much memory is missing. Then use a larger GPU, more GPUs with --tensor-parallel-size, or quantized weights => ${searchLog} 'not enough GPU memory|out of memory'`,
      "Show the memory of the GPU => {smi}",
    ],
  },
  "warmup-out-of-memory": {
    ...readIn("vLLM 0.8.5 to 0.33.0", memoryGuide, gpuMemory),
    pattern: /CUDA out of memory occurred when warming up/,
    what: "The model fits, but the warm-up of vLLM with its largest batch needs more GPU memory than is left.",
    next: `Show the batch. Then lower --max-num-seqs or --gpu-memory-utilization => ${searchLog} 'warming up'`,
  },
  "gpu-memory-taken": {
    ...readIn("vLLM 0.6.6 to 0.33.0, SGLang 0.4.6 to 0.5.23", memoryGuide, gpuMemory),
    pattern:
      /Free memory on device [^\n]{0,80}on startup is less than|The memory capacity is unbalanced\. Some GPUs may|Error in memory profiling\. Initial/,
    what: "Another process uses the memory of the GPU while the server starts: another share of the GPU, or a process of a pod that has not ended.",
    next: "Show which process uses the GPU. Stop it, or lower --gpu-memory-utilization: the shares of all servers on one GPU must add up to less than 1. Start such servers one after the other => {smi}",
  },
  "sglang-memory-fraction": {
    ...readIn("SGLang 0.4.6 to 0.5.23", sglangGuide, gpuMemory),
    pattern: /Not enough memory\. Please try to increase --mem-fraction-static/,
    what: "SGLang has no GPU memory left for its KV cache after it loaded the weights.",
    next: `Show the fraction and the memory. Then raise --mem-fraction-static, or use a larger GPU, --tp-size or quantized weights => ${searchLog} 'mem-fraction-static|mem usage'`,
  },
  "sglang-graph-capture": {
    ...readIn("SGLang 0.4.6 to 0.5.23", sglangGuide, gpuMemory),
    pattern: /Capture cuda graph failed/i,
    what: "SGLang cannot capture its CUDA graphs: usually too little GPU memory is free outside the static part.",
    next: `Show the error of the capture. If the cause is the memory, lower --mem-fraction-static or --cuda-graph-max-bs => ${searchLog} 'graph failed|out of memory'`,
  },
  "tgi-warmup-out-of-memory": {
    ...readIn(
      "TGI 2.0.4 to 3.3.7",
      "https://huggingface.co/docs/text-generation-inference/reference/launcher",
      gpuMemory,
    ),
    pattern: /Not enough memory to handle (?:\d+ (?:prefill|total) tokens|.?max_total_tokens=)/,
    what: "The warm-up of TGI does not fit into the GPU memory: the largest batch that it may accept is too large.",
    next: `Show the batch. Then lower --max-batch-prefill-tokens or --max-total-tokens, or use --quantize or --num-shard => ${searchLog} 'Not enough memory'`,
  },
  "context-above-model": {
    ...readIn("vLLM 0.6.6 to 0.33.0, SGLang 0.4.6 to 0.5.23", argumentGuide),
    pattern:
      /(?:max_model_len|context_length) \(\d+\) is greater than the derived (?:max_model_len|context_length)[^\n]{0,200}To allow overriding/,
    inSource: /is greater than the derived/,
    what: "The context length in the arguments is longer than the model supports.",
    next: `Show the length that the model supports. Set --max-model-len (SGLang: --context-length) to at most this length => ${searchLog} 'greater than the derived'`,
  },
  "tensor-parallel-not-divisible": {
    ...readIn("vLLM 0.6.6 to 0.33.0", "https://docs.vllm.ai/en/latest/serving/parallelism_scaling/"),
    pattern:
      /attention[ _]heads[^\n]{0,60} must be divisible by (?:the )?tensor[- _]parallel|AssertionError: \d+ is not divisible by \d+/,
    what: "The model cannot be split over this number of GPUs: its attention heads, or a weight, are not divisible by the tensor parallel size.",
    next: `Show both numbers. Choose a size that divides them, such as 1, 2, 4 or 8, or use --pipeline-parallel-size => ${searchLog} 'divisible'`,
  },
  "model-architecture-unknown": {
    ...readIn(
      "vLLM 0.6.6 to 0.33.0, Transformers 4.57.1 to 5.24.0",
      "https://docs.vllm.ai/en/latest/models/supported_models/",
    ),
    pattern:
      /Model architectures? [^\n]{1,200} (?:(?:is|are) not supported|failed to be inspected)|does not recognize this architecture|has no vLLM implementation and the Transformers implementation is not/,
    what: "The version of the server, or of Transformers in its image, does not know the architecture of the model.",
    next: `Show the image and the model. Use a newer image, or another model => ${showArguments}`,
  },
  "model-code-not-trusted": {
    ...readIn(
      "vLLM 0.6.6 to 0.33.0, Transformers 4.57.1 to 5.24.0",
      "https://huggingface.co/docs/transformers/custom_models",
    ),
    pattern:
      /(?:contains|references) custom code (?:which must be executed|contained in )|requires you to execute (?:custom code|the \w+ file)|(?:setting|argument|option) .?trust_remote_code=True/,
    what: "The model contains its own Python code, and the server does not run it without permission.",
    next: `Show the model and its revision. Read its code. Then pin the revision (--revision) and add --trust-remote-code => ${showArguments}`,
  },
  "quantization-mismatch": {
    ...readIn("vLLM 0.6.6 to 0.33.0", "https://docs.vllm.ai/en/latest/features/quantization/"),
    pattern:
      /Unknown quantization method|Quantization method specified in the model config \([^)\n]{1,60}\) does not match|is not supported for quantization method |Cannot find the config file for \w+/,
    what: "The argument --quantization or --dtype does not fit the model.",
    next: `Show the arguments. Remove --quantization, because vLLM reads it from the model, or set --dtype to a type that the log names => ${showArguments}`,
  },
  "bfloat16-unsupported": {
    ...readIn("vLLM 0.6.6 to 0.33.0", argumentGuide),
    pattern: /Bfloat16 is only supported on GPUs with compute capability of at least 8\.0/,
    what: "The model uses bfloat16, which needs compute capability 8.0: T4 (g4dn) and V100 (p3) do not support it.",
    next: `Show the arguments. Set --dtype=half, or use a newer GPU (g5, g6, p4d) => ${showArguments}`,
  },
  "model-gated": {
    ...readIn(
      "huggingface_hub 0.36.0 to 2.4.0, Transformers 4.57.1 to 5.24.0",
      "https://huggingface.co/docs/hub/models-gated",
    ),
    pattern:
      /(?<!private or )gated repo|GatedRepoError|Access to model [^\n]{1,160} is restricted|is restricted(?: and you are not|\. You must)/i,
    what: "The model is gated: the pod has no valid token (401), or the account of the token has no access to the model (403).",
    next: `Show whether the pod gets HF_TOKEN. Accept the licence on the page of the model, and pass a token of this account from a Secret => ${showToken}`,
  },
  "hub-token-invalid": {
    ...readIn("huggingface_hub 0.36.0 to 2.4.0", "https://huggingface.co/docs/hub/security-tokens"),
    pattern:
      /Invalid user token\.|Invalid credentials in Authorization|Invalid username or password|LocalTokenNotFoundError/,
    what: "The Hugging Face token is missing, wrong or expired, or its Secret ends with a line break.",
    next: `Show the Secret of HF_TOKEN. Create a new read token and store it without a line break (printf, not echo) => ${showToken}`,
  },
  "model-repo-not-found": {
    ...readIn(
      "huggingface_hub 0.36.0 to 2.4.0, Transformers 4.57.1 to 5.24.0",
      "https://huggingface.co/docs/huggingface_hub/package_reference/utilities",
    ),
    pattern:
      /Repository Not Found for url|RepositoryNotFoundError|is not a local folder and is not a valid model identifier/,
    what: "Hugging Face has no such model, or the model is private and the pod has no token for it: the response is the same in both cases.",
    next: `Show the name in the arguments. Correct it (owner/name, or the path of a mounted volume), or pass HF_TOKEN => ${showArguments}`,
  },
  "hub-offline": {
    ...readIn(
      "huggingface_hub 0.36.0 to 2.4.0",
      "https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables",
    ),
    pattern: /offline mode is enabled|OfflineModeIsEnabled|outgoing traffic has been disabled/,
    what: "HF_HUB_OFFLINE forbids the download of the model, and the cache in the pod does not contain it.",
    next: "Show the variables and the volumes. Remove HF_HUB_OFFLINE, or fill the cache first and mount it at HF_HOME => kubectl get {pod} -o jsonpath='{.spec.containers[*].env[*].name} {.spec.containers[*].volumeMounts}'",
  },
  "hub-rate-limit": {
    ...readIn("huggingface_hub 2.4.0", "https://huggingface.co/docs/hub/rate-limits"),
    pattern: /429 [^\n]{0,30}Too Many Requests|HfHubHTTPError: 429/,
    what: "Hugging Face refuses more requests for now (429): many replicas download the model from one address, or without a token.",
    next: `Show whether the pod gets HF_TOKEN. Pass one, and let the replicas share one cache on a volume => ${showToken}`,
  },
  "model-files-missing": {
    rank: 2,
    ...readIn("vLLM 0.6.6 to 0.33.0, Transformers 4.57.1 to 5.24.0", "https://huggingface.co/docs/transformers/models"),
    pattern:
      /Can't load (?:tokenizer for|the configuration of|the model for)|Invalid repository ID or local directory specified|Cannot find any (?:safetensors )?model weights|Error no file named |Unrecognized model in |(?:no such file|not found|does not exist).{0,200}(?:config\.json|safetensors)/i,
    what: "The directory of the model has no config.json, tokenizer or weights: the path is wrong, the volume is not mounted, or the download has not finished.",
    next: "Show the arguments and the mounts. Mount the volume at the path of --model, or finish the download first (init container) => kubectl get {pod} -o jsonpath='{.spec.containers[*].args} {.spec.containers[*].volumeMounts}'",
  },
  "model-weights-corrupt": {
    ...readIn("safetensors 0.8.0, huggingface_hub 0.36.0 to 2.4.0", "https://huggingface.co/docs/safetensors"),
    pattern:
      /Error while deserializing(?: header)?: |Consistency check failed: file should be of size|HeaderTooLarge|MetadataIncompleteBuffer|InvalidHeaderDeserialization/,
    what: "A file of the weights is incomplete, or not a safetensors file: the download was cut off, or the file is a pointer of Git LFS (130 bytes).",
    next: showEndedRun("It names the file. Delete the file in the cache, and download the model again"),
  },
  "host-memory-exceeded": {
    ...readIn(
      "PyTorch 2.4.1 to 2.15.0, SGLang 0.5.23, TGI 2.0.4 to 3.3.7, Ray 2.40.0 to 2.60.0",
      "https://kubernetes.io/docs/tasks/configure-pod-container/assign-memory-resource/",
    ),
    pattern:
      /Signal 9 \(SIGKILL\) received by PID|exitcode\s{0,3}: -9\b|exit ?code:? -9\b|signaled to shutdown with signal 9|SYSTEM_ERROR[^\n]{0,200}SIGKILL|running low on memory/,
    inSource: /Signal \S+ \(\S+\) received by PID/,
    what: "A process of the program was killed (exit code -9): usually the container exceeds its memory limit. This is host memory, not GPU memory.",
    next: [
      `Show the limits. Then raise the memory limit: weights are read into the memory of the host, and an emptyDir with medium: Memory counts => ${showResources}`,
      "Show how the container ended => kubectl get {pod} -o jsonpath='{.status.containerStatuses[*].lastState.terminated}'",
    ],
  },
  "engine-process-died": {
    rank: 3,
    ...readIn(
      "vLLM 0.6.6 to 0.33.0, SGLang 0.4.6 to 0.5.23, TGI 2.0.4 to 3.3.7, PyTorch 2.4.1 to 2.15.0",
      "https://docs.vllm.ai/en/latest/usage/troubleshooting/",
    ),
    atMost: "possible",
    pattern:
      /Engine core initialization failed|Engine process failed to start|EngineCore (?:failed to start|encountered an? )|(?:[Pp]roc|[Ww]orker) [^\n]{1,60} died unexpectedly|WorkerProc (?:initialization failed|failed to start)|Worker failed with error|Rank \d+ scheduler (?:is dead|died during)|Shard cannot start|ShardCannotStart|Initialization failed\. Please see the error|multiprocessing\.errors\.ChildFailedError|failed \(exitcode: -?\d+\) local_rank: \d+/,
    what: "A process of the server or of the training job ended, and triage does not know its error, which is earlier in the log.",
    next: `Show the first error, with the lines that follow => kubectl logs {pod} --all-containers --previous --tail=-1 | grep -m1 -A40 -E 'Traceback|ERROR|Root Cause'`,
  },
} satisfies ProgramCauses;
