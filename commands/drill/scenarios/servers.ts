import { failedStart, type FailedStart } from "../../../components/local/failed-start";
import type { ConclusionId } from "../../../triage/conclusions";
import { namespace, pod } from "../manifests";
import type { Scenario } from "../scenario";

const log = "recording";
const readLog = `The program ends by itself. Read what its last run wrote: kubectl -n ${namespace} logs server --previous`;
const showArguments = `kubectl -n ${namespace} get pod server -o jsonpath='{.spec.containers[*].args}'`;
const replays = "The container replays the start-up output of vLLM 0.17.1.";

const wrong: readonly ConclusionId[] = [
  ...(["kv-cache-too-small", "kv-cache-no-memory", "context-above-model", "tensor-parallel-not-divisible"] as const),
  ...(["model-larger-than-gpu", "gpu-memory-taken", "model-gated", "model-files-missing"] as const),
];

/** What model servers have in common that do not start. */
function modelServer(start: FailedStart) {
  const { mountPath, data, command, args } = failedStart(start);
  return {
    wrong,
    needs: {
      text: "a GPU node with a kubelet, such as one with mock GPUs: KWOK does not run containers",
      accepts: ({ target }) => !target.isFake,
    },
    symptom: (name) => `Pod ${namespace}/${name}, a model server, restarts again and again. Find out why.`,
    injection: ({ target }) => ({
      objects: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: log }, data },
        pod("server", target, {
          onTarget: true,
          container: { command, args, volumeMounts: [{ name: log, mountPath }] },
          spec: { volumes: [{ name: log, configMap: { name: log } }] },
        }),
      ],
      appears: "restarting",
    }),
  } satisfies Partial<Scenario>;
}

/** Recreates the pod, whose arguments cannot change. */
const recreate = (change: string) => `kubectl -n ${namespace} delete pod server   # then create it again ${change}`;

/** Model servers that do not start. */
export const serverScenarios: readonly Scenario[] = [
  {
    id: "kv-cache",
    conclusion: "kv-cache-too-small",
    words: "out of kv cache, cache does not hold one sequence, context too large for the cache",
    ...modelServer("kvCache"),
    hints: () => [
      readLog,
      "The last error names only the part that failed. Find the first ERROR with a number in it.",
      `How much memory does one request need, and how much is left? Compare with the arguments: ${showArguments}`,
    ],
    sign: "the log would state how much cache one request needs, and a smaller size that is available",
    cause: () =>
      `${replays} One request of 2,097,152 tokens needs 2 GiB of KV cache, and 1 GiB is left: the cache holds 1,048,576 tokens.`,
    repair: () => [recreate("with --max-model-len=1048576, a larger GPU, or --kv-cache-dtype=fp8")],
  },
  {
    id: "context",
    conclusion: "context-above-model",
    words: "context too long for the model, longer than supported, max model len above max position embeddings",
    ...modelServer("context"),
    hints: () => [
      readLog,
      "The program ends before it loads the weights, so the memory of the GPU does not matter. Which of its values is rejected?",
      `One argument has a limit that is set in the config.json of the model: ${showArguments}`,
    ],
    sign: "the log would compare max_model_len with a smaller value from the config.json of the model",
    cause: () => `${replays} --max-model-len is 4096, and the model supports 2048 tokens (max_position_embeddings).`,
    repair: () => [recreate("with --max-model-len=2048, or with a model that supports more")],
  },
  {
    id: "tensor-parallel",
    conclusion: "tensor-parallel-not-divisible",
    words: "attention heads, number of gpus does not divide the model, wrong tensor parallel size",
    ...modelServer("tensorParallel"),
    hints: () => [
      readLog,
      "The program ends before it loads the weights. Two numbers in the error do not fit together.",
      `One is a property of the model. The other is how many GPUs share it: ${showArguments}`,
    ],
    sign: "the log would name the attention heads of the model and a number that does not divide them",
    cause: () =>
      `${replays} --tensor-parallel-size is 3, and the 4 attention heads of the model cannot be divided equally among 3 GPUs.`,
    repair: () => [recreate("with --tensor-parallel-size=1, 2 or 4, and as many GPUs")],
  },
];
