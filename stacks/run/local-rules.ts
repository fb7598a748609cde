import type { GpuEnvironmentArgs, Problem } from "../../components";
import { sharedSection, type LabSettings } from "./config-keys";
import { localGpus, type Lab, type LocalGpus } from "./lab";

type Choice = Pick<LabSettings, "localCluster" | "environment">;

/** The arguments of the environment that have a meaning on a local cluster, in addition to those that stack files have. */
const usedArguments: Readonly<Record<LocalGpus, readonly string[]>> = {
  fake: ["gpuNodes", "systemNodes"],
  mock: ["gpuOperator"],
};

/** Every problem of `localCluster`. `args` are the configured arguments of the environment. */
export function localClusterProblems(
  name: string,
  lab: Lab,
  { localCluster, environment }: Choice,
  args: Partial<GpuEnvironmentArgs>,
): Problem[] {
  if (localCluster === undefined) return [];
  const { context: got, gpus } = localCluster;
  const unsupported = unsupportedGpus(name, lab, gpus);
  if (unsupported) return [unsupported];
  return [
    ...(environment === undefined
      ? []
      : [conflict("environment", environment, "The lab runs either on a local cluster or in that of another stack.")]),
    ...(gpus === "mock" && localCluster.gpuNodes !== undefined
      ? [conflict("localCluster.gpuNodes", localCluster.gpuNodes, "The nodes with mock GPUs are those of kind.")]
      : []),
    ...Object.entries(args)
      .filter(([key]) => !isUsed(key, gpus))
      .map(([key, value]) => conflict(key, value, `It has no effect on ${got}, which has ${gpus} GPUs.`)),
  ];
}

function isUsed(key: string, gpus: LocalGpus): boolean {
  const simulated = Object.values(usedArguments).flat();
  return usedArguments[gpus].includes(key) || (Object.hasOwn(sharedSection.entries, key) && !simulated.includes(key));
}

function unsupportedGpus(name: string, { local }: Lab, got: LocalGpus): Problem | undefined {
  if (typeof local === "string") {
    const why = `${name} needs AWS. ${local}`;
    return { code: "not-allowed", path: "localCluster", got, why, fix: "pulumi config rm localCluster" };
  }
  if (local[got]) return undefined;
  const kinds = localGpus.filter((kind) => local[kind]);
  const fix = `pulumi config set --path localCluster.gpus ${kinds[0]}`;
  const why = `${name} runs on a local cluster only with ${kinds.join(" or ")} GPUs.`;
  return { code: "not-allowed", path: "localCluster.gpus", got, why, fix };
}

function conflict(path: string, got: unknown, why: string): Problem {
  return { code: "conflict", path, got, why, fix: `pulumi config rm ${path.includes(".") ? "--path " : ""}${path}` };
}
