import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import * as v from "valibot";
import { labels, objectName, quantity } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { join } from "../../core/reader/paths";
import { ownValue } from "../../core/reader/records";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { transformOf, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { environment, image, port, runName } from "../shared/container-schema";
import { workloadArgs } from "../shared/workload";
import { refusal } from "./fit";
import { knownModel } from "./model-shape";
import { leastStartup, startupBudget } from "./startup";

/** Adjusts each underlying resource before it is made. */
export interface ModelServerTransform {
  readonly deployment?: Transform<DeploymentArgs>;
  readonly service?: Transform<ServiceArgs>;
  readonly serviceMonitor?: Transform<CustomResourceArgs>;
}

/** A model on Hugging Face, or a directory of the container. */
const modelName = s.matching(
  /^(?:\/[^\s]+|[A-Za-z0-9][\w.-]*(?:\/[\w.-]+)?)$/,
  "a name on Hugging Face or an absolute path",
  'set {path} to a model such as "Qwen/Qwen2.5-0.5B-Instruct", or to the directory of a mounted model such as "/models/qwen"',
);

/** A key of a Secret in the namespace of the server. */
const secretKey = s.section({
  /** Name of the Secret. It must exist in the namespace: the server does not create it. */
  secret: objectName("hugging-face"),
  /** Key of the Secret. @default "token" - the name that guides use */
  key: s.optional(s.text(), "token"),
});

/** Where the server stores models and compiled kernels. */
const cache = s.section({
  /**
   * Size of the volume. The files of the model and the compiled kernels (some 2 GiB) must fit.
   * @default "20Gi" - a model of 8 billion parameters in 16 bits takes 16 GiB
   */
  size: s.optional(quantity("memory"), "20Gi"),
  /**
   * A PersistentVolumeClaim of the namespace, so that a new pod does not load the model again. It must exist, and
   * `size` does not apply.
   * @default none - an emptyDir on the disk of the node, which is deleted with the pod
   */
  claim: s.optional(objectName("models")),
});

const server = s.section({
  ...workloadArgs.entries,
  /** The model: a name on Hugging Face such as `Qwen/Qwen2.5-0.5B-Instruct`, or a directory of the container. */
  model: modelName,
  /** Number of pods, 0 to 1000. @default 1 - a g5.xlarge has one GPU */
  replicas: s.optional(s.wholeNumber({ min: 0, max: 1000 }), 1),
  /** GPUs that share one copy of the model, 1 to 16: `--tensor-parallel-size`. @default 1 - one GPU */
  tensorParallelSize: s.optional(s.wholeNumber({ min: 1, max: 16 }), 1),
  /** Whole GPUs of each pod, 1 to 16. @default tensorParallelSize - one for each rank */
  gpus: s.optional(s.wholeNumber({ min: 1, max: 16 })),
  /**
   * The longest request in tokens, including its answer: `--max-model-len`. The cache must hold one such request.
   * @default 4096 - fits on an A10G with a model of 8 billion parameters
   */
  maxModelLen: s.optional(s.wholeNumber({ min: 1, unit: "tokens" }), 4096),
  /**
   * Share of the GPU's memory that the server uses, for the model and the cache: `--gpu-memory-utilization`, 0.01
   * to 1.
   * @default 0.9 - the default of vLLM
   */
  gpuMemoryUtilization: s.optional(s.share(), 0.9),
  /**
   * Data type of the weights: `--dtype`. A T4 has no `bfloat16`.
   * @default "auto" - the type in which the model was published
   */
  dtype: s.optional(s.oneOf(["auto", "half", "bfloat16", "float32"]), "auto"),
  /**
   * The Hugging Face token of a gated model, in a Secret: its value reaches neither the state of the stack nor the log.
   * @default none - public models need none
   */
  token: s.optional(secretKey),
  /** Where models are stored. @default {} - an emptyDir of 20Gi on the disk of the node */
  cache: s.optional(cache, {}),
  /**
   * Shared memory of the ranks of one pod. It counts toward `memory`.
   * @default "2Gi" with several ranks, else none - a container has 64 MiB, in which NCCL does not start
   */
  sharedMemory: s.optional(quantity("memory")),
  /**
   * Minutes that a pod may take to load, compile and start before Kubernetes restarts it, 1 to 240. The pull of the image
   * does not count.
   * @default by the weights - a download at 30 MB/s unless `env` has HF_HUB_OFFLINE, a read at 100 MB/s, and 5 minutes;
   * rounded up to 5, at least 10; 30 for a model that is not in the table
   */
  startupMinutes: s.optional(s.wholeNumber({ min: 1, max: 240, unit: "minutes" })),
  /** Further arguments of `vllm serve`. @default [] - none; the arguments above have their own keys */
  extraArgs: s.optional(v.pipe(s.list(s.text(), '["--enforce-eager"]'), s.check(repeatedFlags)), []),
  /** Environment variables. @default {} - caches, the token and no usage statistics are always set */
  env: s.optional(
    environment(["HF_HOME", "HOME", "VLLM_PORT"], { HF_TOKEN: "token", HUGGING_FACE_HUB_TOKEN: "token" }),
    {},
  ),
  /** TCP port of the server, in the pod and of the Service: 1 to 65535. @default 8000 - the default of vLLM */
  port: s.optional(port(), 8000),
  /** Image of vLLM, by exact tag or digest. @default "docker.io/vllm/vllm-openai:v0.11.0@sha256:014a95f21c9edf6abe0aea6b07353f96baa4ec291c427bb1176dc7c93a85845c" - CUDA 12.8, about 8 GB */
  image: s.optional(image(), workloadImages.vllm),
  /** CPU request of each pod. @default "2" - tokenizer, scheduler and server; a g5.xlarge has four */
  cpu: s.optional(quantity("cpu"), "2"),
  /** Memory request and limit of each pod. @default "12Gi" - a g5.xlarge has 16 GiB */
  memory: s.optional(quantity("memory"), "12Gi"),
  /** Names the revision of the pods. A new name starts a rollout. 1 to 200 characters. @default "1" - the first */
  revision: s.optional(runName(), "1"),
  /**
   * Whether to create a ServiceMonitor, so that Prometheus scrapes the server as `up{job="model-server"}`. Its CRD must
   * be in the cluster.
   * @default false - the cluster may have no Prometheus Operator
   */
  serviceMonitor: s.optional(s.flag(), false),
  /**
   * Labels by which Prometheus selects the ServiceMonitor, such as `{ release: "monitoring" }`.
   * @default {} - for a Prometheus that selects all
   */
  monitorLabels: s.optional(labels('{ release: "monitoring" }'), {}),
  /**
   * Whether to allow arguments with which the server cannot start.
   * @default false - they are rejected
   */
  allowMisfit: s.optional(s.flag(), false),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(transformOf<ModelServerTransform>({ deployment: true, service: true, serviceMonitor: true })),
});

/** Arguments of a ModelServer. */
export const modelServer = v.pipe(server, s.check(misfits));

export interface ModelServerArgs extends Readonly<GivenOf<typeof modelServer>> {}

export const modelServerDefaults = defaultsOf(server);

/** Arguments of `vllm serve` that have their own key. */
const flagKeys: Readonly<Record<string, string>> = {
  "--model": "model",
  "--port": "port",
  "--tensor-parallel-size": "tensorParallelSize",
  "-tp": "tensorParallelSize",
  "--max-model-len": "maxModelLen",
  "--gpu-memory-utilization": "gpuMemoryUtilization",
  "--dtype": "dtype",
  "--hf-token": "token",
};

function repeatedFlags(given: readonly string[], at: string): Problem[] {
  return given.flatMap((got, index): Problem[] => {
    // vLLM takes underscores, too.
    const key = ownValue(flagKeys, (got.split("=")[0] ?? "").replaceAll("_", "-"));
    if (key === undefined) return [];
    const path = `${at}[${index}]`;
    return [{ code: "conflict", path, got, why: "This argument has its own key.", fix: `set ${key} instead` }];
  });
}

/** The argument that each limit of a model concerns. */
const limitKeys = { gpus: "gpus", heads: "tensorParallelSize", context: "maxModelLen" } as const;

/** Why the server cannot start. Of a model that the table does not list, only the GPUs are known. */
function misfits(args: ValueOf<typeof server>, at: string): Problem[] {
  return args.allowMisfit ? [] : [...refusals(args, at), ...hasty(args, at)];
}

/** What vLLM refuses before it loads the model. */
function refusals(args: ValueOf<typeof server>, at: string): Problem[] {
  const { model, tensorParallelSize: tensorParallel, gpus = tensorParallel, maxModelLen: context } = args;
  const shape = knownModel(model);
  const sizes = "unknown" in shape ? { heads: tensorParallel, kvHeads: tensorParallel, maxContext: context } : shape;
  const refused = refusal(sizes, { tensorParallel, context }, gpus);
  if (!refused) return [];
  const key = limitKeys[refused.limit];
  const got = { gpus, tensorParallelSize: tensorParallel, maxModelLen: context }[key];
  const fix = `${refused.fix}; to see the error, set ${join(at, "allowMisfit")} to true`;
  return [{ code: "conflict", path: join(at, key), got, why: `vLLM does not start. ${refused.why}`, fix }];
}

/** A server that Kubernetes restarts before it can have read its weights from its disk. */
function hasty({ model, startupMinutes: got, env }: ValueOf<typeof server>, at: string): Problem[] {
  const needed = leastStartup(model) ?? 0;
  if (got === undefined || got >= needed) return [];
  const path = join(at, "startupMinutes");
  const why = `Kubernetes restarts the server while it reads its weights: that takes ${needed} minutes at 2 GB/s.`;
  const fix = `set ${path} to ${startupBudget({ model, env })}, the default; to keep it, set ${join(at, "allowMisfit")} to true`;
  return [{ code: "conflict", path, got, why, fix }];
}

/** Every problem in the arguments of a ModelServer. `at` is the prefix of the paths. */
export function modelServerProblems(args: ModelServerArgs, at = ""): readonly Problem[] {
  return problemsIn(modelServer, args, at);
}
