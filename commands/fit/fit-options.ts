import { workloadImages } from "../../components/core/versions";
import { nearest } from "../../components/core/suggest";
import { instanceType, instanceTypeNames } from "../../components/nodes/machine/instance-types";
import { defineCommand } from "../core/define-command";
import { flag, list, mapped, number, text, whole } from "../core/options";

/** `0.11.0` of the image. */
const [, pinnedVersion = ""] = /:v([\d.]+)/.exec(workloadImages.vllm) ?? [];
const version = /^v?0\.(\d{1,3})(?:\.\d{1,3})?$/;

/** The command line of `eks-gpu-lab fit`. */
export const fitCommand = defineCommand({
  summary: "show whether a language model fits on GPU instances, and which limit applies",
  options: {
    model: mapped(
      text("NAME", "name of the model, or the path of its config.json; required", { offers: ["files"] }),
      (model = "") => model,
    ),
    instance: list("TYPE", "EC2 instance type", {
      default: "the smallest type of each GPU family",
      form: [isGpuType, "Must be a GPU instance type of the catalog.", typeFix],
    }),
    context: number(
      "TOKENS",
      "longest request including its response, --max-model-len of vLLM",
      whole(1, 100_000_000, "use a number of tokens, e.g. --context 8192", "of tokens "),
      "the limit of the model",
    ),
    tensorParallel: mapped(
      number(
        "N",
        "GPUs that share one copy of the model",
        whole(1, 64, "use a number of GPUs, e.g. --tensor-parallel 4", "of GPUs "),
        "1",
      ),
      (given = 1) => given,
    ),
    gpuMemoryUtilization: mapped(
      text("SHARE", "share of each GPU's memory that vLLM uses", {
        default: "0.9, and 0.92 from vLLM 0.12 on",
        form: [isShare, "Must be a number from 0.01 to 1.", "use a number such as --gpu-memory-utilization 0.9"],
      }),
      (given) => (given === undefined ? undefined : Number(given)),
    ),
    vllm: mapped(
      text("VERSION", "version of vLLM, from 0.8 on", {
        default: pinnedVersion,
        form: [isVersion, "Must be a version of vLLM, from 0.8 on.", `use a version such as --vllm ${pinnedVersion}`],
      }),
      (given = pinnedVersion) => Number(version.exec(given)?.[1]),
    ),
    json: flag("print the result as JSON"),
  },
  conflicts: ({ model }) => [
    [model === undefined, "model", "The model is missing.", "name one, e.g. --model Qwen/Qwen3-8B", "missing"],
  ],
  help: (options) => `usage: eks-gpu-lab fit --model NAME [options]

Shows whether vLLM can start a language model on an instance: the weights, the cache for one request
of the longest length, and the heads that GPUs share. Does not read from AWS or load the model. A
model that the table does not list needs its config.json. The result is an estimate, within 10 % of
the cache in 25 published logs, and a range on several GPUs of 70 GiB and more.

${options(34)}

Examples:
  eks-gpu-lab fit --model Qwen/Qwen2.5-7B-Instruct --instance g5.xlarge --context 32768
  eks-gpu-lab fit --model ./config.json --instance g6.12xlarge --tensor-parallel 4

exit status:
  0  the model fits on an instance, or may fit
  1  the model does not fit on any instance
  2  the input is invalid
  3  the tool failed
`,
});

function isGpuType(name: string): boolean {
  return (instanceType(name)?.gpus ?? 0) > 0;
}

function typeFix(given: string): string {
  const guess = nearest(given, instanceTypeNames.filter(isGpuType));
  return guess === undefined ? "use a GPU type such as g5.xlarge" : `did you mean ${guess}?`;
}

function isShare(given: string): boolean {
  return /^\d*\.?\d+$/.test(given) && Number(given) >= 0.01 && Number(given) <= 1;
}

/** Versions before 0.8 divide the memory in another way. */
function isVersion(given: string): boolean {
  return Number(version.exec(given)?.[1] ?? 0) >= 8;
}
