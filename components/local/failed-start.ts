import recorded from "./vllm-output.json";

/** Why a recorded start of vLLM fails. */
export type FailedStart = keyof typeof recorded.starts;

const directory = "/recording";
const file = "vllm.log";

/**
 * What a container needs to replay a recorded start of vLLM: a ConfigMap with `data` at `mountPath`. The container has the
 * arguments of `vllm serve`, writes its output to standard error, and ends with status 1, as vLLM does.
 */
export function failedStart(start: FailedStart) {
  const { args, log } = recorded.starts[start];
  return {
    mountPath: directory,
    data: { [file]: `${log.join("\n")}\n` },
    command: ["sh", "-c", `cat ${directory}/${file} >&2; exit 1`],
    args: ["vllm", "serve", ...args],
  };
}
