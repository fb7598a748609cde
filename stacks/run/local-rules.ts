import type { GpuEnvironmentArgs, Problem } from "../../components";
import { isRecord, ownValue } from "../../components/core/reader/records";
import { sharedSection, type LabSettings } from "./config-keys";
import { fewNodes, refused, remedyOf, type Given, type LabRun } from "./fault-rules";
import { localGpus, type LocalGpus } from "./lab";

type LocalCluster = NonNullable<LabSettings["localCluster"]>;

/** The arguments of the environment that have a meaning on a local cluster, in addition to those that stack files have. */
const usedArguments: Readonly<Record<LocalGpus, Readonly<Record<string, readonly string[]>>>> = {
  fake: { gpuNodes: ["instanceType", "labels", "taints"], systemNodes: ["desiredSize", "instanceType"] },
  mock: {
    gpuOperator: [
      ...["enabled", "chartVersion", "namespace", "repository", "devicePlugin", "dcgmExporter"],
      ...["timeSlicing", "mps", "values", "timeoutSeconds"],
    ],
  },
};

/** Every problem of `localCluster`. */
export function localClusterProblems(run: LabRun, given: Given): Problem[] {
  const { localCluster, environment } = given;
  if (localCluster === undefined) return [];
  const unsupported = unsupportedGpus(run, localCluster);
  if (unsupported) return [unsupported];
  const { context, gpus } = localCluster;
  const another = "The lab runs either on a local cluster or in the cluster of another stack.";
  return [
    ...(environment === undefined ? [] : [conflict("environment", environment, another)]),
    ...nodeCountProblems(run, localCluster, given),
    ...failureProblems(run, localCluster, given),
    ...variantProblems(run, given),
    ...remedyProblems(run, localCluster, given),
    ...unusedArguments(run.args, gpus).map(([path, got]) =>
      conflict(path, got, `It has no effect on ${context}, which has ${gpus} GPUs.`),
    ),
  ];
}

function nodeCountProblems(run: LabRun, { gpus, gpuNodes: got }: LocalCluster, given: Given): Problem[] {
  const path = "localCluster.gpuNodes";
  if (got === undefined) return [];
  if (gpus === "mock")
    return [
      conflict(path, got, "Mock GPUs use the existing nodes of the kind cluster, so the stack creates no nodes."),
    ];
  return fewNodes(run, given, path, got, "");
}

/** A form of the fault that needs AWS. */
function variantProblems({ name, lab }: LabRun, { faultVariant: got }: Given): Problem[] {
  const why = ownValue(lab.fault?.variants ?? {}, got ?? "")?.notLocal;
  return why === undefined ? [] : [refused("faultVariant", got, `This form of ${name} needs AWS. ${why}`)];
}

/** A remedy whose containers must run. */
function remedyProblems({ lab }: LabRun, { gpus }: LocalCluster, { remedy: got = "" }: Given): Problem[] {
  const why = remedyOf(lab, got)?.refusedByFakeGpus;
  return gpus === "mock" || why === undefined ? [] : [refused("remedy", got, why)];
}

/** How mock GPUs fail, and where: the mock fails on all nodes. */
function failureProblems({ name, lab }: LabRun, { gpus, failure }: LocalCluster, { node }: Given): Problem[] {
  const fails = gpus === "mock" && lab.fault?.failsMockGpus === true;
  if (!fails && failure !== undefined) {
    return [conflict("localCluster.failure", failure, `The fault of ${name} does not make ${gpus} GPUs fail.`)];
  }
  return fails && node !== undefined ? [conflict("node", node, "The mock GPUs of all nodes fail.")] : [];
}

/** The arguments without an effect: whole sections, or keys of them. */
function unusedArguments(args: Partial<GpuEnvironmentArgs>, gpus: LocalGpus): (readonly [string, unknown])[] {
  const simulated = Object.values(usedArguments).flatMap((sections) => Object.keys(sections));
  return Object.entries(args).flatMap(([name, value]: [string, unknown]) => {
    const used = usedArguments[gpus][name];
    if (used === undefined) {
      const isInStackFiles = Object.hasOwn(sharedSection.entries, name) && !simulated.includes(name);
      return isInStackFiles ? [] : [[name, value] as const];
    }
    const unused = isRecord(value) ? Object.entries(value).filter(([key]) => !used.includes(key)) : [];
    return unused.map(([key, inner]) => [`${name}.${key}`, inner] as const);
  });
}

function unsupportedGpus({ name, lab: { local } }: LabRun, localCluster: LocalCluster): Problem | undefined {
  if (typeof local === "string") return refused("localCluster", localCluster, `${name} needs AWS. ${local}`);
  const { gpus: got } = localCluster;
  if (local[got]) return undefined;
  const kinds = localGpus.filter((kind) => local[kind]);
  const fix = `pulumi config set --path localCluster.gpus ${kinds[0]}`;
  return refused(
    "localCluster.gpus",
    got,
    `${name} runs on a local cluster only with ${kinds.join(" or ")} GPUs.`,
    fix,
  );
}

function conflict(path: string, got: unknown, why: string): Problem {
  const remove = `pulumi config rm ${path.includes(".") ? "--path " : ""}${path}`;
  // Users of the labs on AWS know the number of nodes by these names.
  const isCount = /^gpuNodes\.(desired|min|max)Size$/.test(path);
  const fix = isCount ? `${remove}; localCluster.gpuNodes sets the number of fake nodes` : remove;
  return { code: "conflict", path, got, why, fix };
}
