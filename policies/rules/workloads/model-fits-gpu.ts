import { instanceType } from "../../../components/nodes/machine/instance-types";
import { defaultUtilization, fitModel, refusal, type Fit } from "../../../components/workloads/serving/fit";
import type { ServerSettings } from "../../../components/workloads/serving/model-memory";
import { knownModel, type ModelShape } from "../../../components/workloads/serving/model-shape";
import { adviseAt, failAt, failIf, onEach, type Check, type Resource, type Stack } from "../../engine/rule";
import { all, any, compare, equals, not, Reading, some, type Reader, type Truth } from "../../engine/values";
import { clusterRule } from "../../facts/each-cluster";
import { GpuMachines, machineSources } from "../../facts/gpu-machines";
import { isInjected, labStacks } from "../../facts/lab-faults";
import { someOf } from "../../facts/lists";
import { podTypes, podsIn, quantity, type PodTemplate } from "../../facts/pods";
import { vllmServer, type VllmServer } from "../../facts/vllm";

/** A container that runs vLLM, and what decides whether it starts. */
interface Start {
  readonly server: VllmServer;
  readonly container: Reader;
  readonly pod: PodTemplate;
  readonly machines: GpuMachines;
  /** GPUs of the container. */
  readonly gpus: Reading<number>;
  /** The model, if the table has it. */
  readonly shape: Reading<ModelShape>;
}

/**
 * The rule reads command lines of `vllm serve` and `vllm.entrypoints.openai.api_server`, and knows the models of
 * `eks-gpu-lab fit`. It rejects only what cannot start. An estimate on the boundary passes. So does a command line with
 * a flag whose effect on the memory is unknown, such as `--config`, `--quantization` or `--enable-lora`.
 *
 * The rule uses the memory of the program's GPU nodes on which the pod can run, or of the instance types that the pod
 * selects. On G instances, ranks exchange data in shared memory. On other instances, a pod without it gets advice.
 * @see https://docs.vllm.ai/en/v0.11.0/cli/serve.html
 * @see https://docs.vllm.ai/en/v0.11.0/configuration/env_vars.html
 */
export const modelFitsGpu = clusterRule({
  id: "model-fits-gpu",
  title: "A vLLM server has the GPUs, memory and settings to start its model.",
  severity: "high",
  incident:
    "a server for a context of 131,072 tokens loaded its model on a new GPU node for 10 minutes and stopped, again and again",
  types: [...podTypes, ...machineSources],
  parameters: { labStacks },
  *judge(stack, parameters, surroundings) {
    if (isInjected("model-server", parameters.labStacks, surroundings) === true) return;
    const machines = new GpuMachines(stack);
    yield* onEach(stack.ofType(...podTypes), (resource) => ofPods(resource, stack, machines));
  },
});

function* ofPods(resource: Resource, stack: Stack, machines: GpuMachines): Iterable<Check> {
  for (const pod of podsIn(resource)) {
    for (const container of [...(pod.containers.value ?? []), ...pod.others]) {
      const server = vllmServer(container);
      if (server === undefined) continue;
      const gpus = quantity(container.at(["resources", "limits", "nvidia.com/gpu"]));
      const start = { server, container, pod, machines, gpus, shape: server.text("model").map(known, () => "") };
      const checks = [...ofSettings(start), ofRanks(start, resource), ofMemory(start), ...ofSharedMemory(start)];
      for (const check of [...checks, ofService(start, stack)]) {
        yield { ...check, condition: all(server.runs, check.condition) };
      }
    }
  }
}

function known(name: string): ModelShape | undefined {
  const shape = knownModel(name);
  return "unknown" in shape ? undefined : shape;
}

function ofSettings({ server, shape }: Start): Check[] {
  const check = (setting: Reading<number>, judge: (shape: ModelShape, value: number) => ReturnType<typeof refusal>) => {
    const isRefused = shape.is((model) => setting.is((value) => judge(model, value) !== undefined));
    const refused = () => shape.value && judge(shape.value, setting.value ?? 0);
    return failIf(isRefused, () => {
      const { why = "", fix = "" } = refused() ?? {};
      return { path: setting.path, got: setting.shown, why: `vLLM does not start. ${why}`, fix };
    });
  };
  const heads = check(server.number("tensorParallel"), (model, tensorParallel) =>
    refusal(model, { tensorParallel, context: 1 }, Infinity),
  );
  const context = check(server.number("context"), (model, value) =>
    refusal(model, { tensorParallel: 1, context: value }, Infinity),
  );
  return [
    heads,
    { ...context, condition: all(context.condition, not(server.mayHave("VLLM_ALLOW_LONG_MAX_MODEL_LEN"))) },
  ];
}

/** Kinds whose pods can share one server. */
const groupsOfPods = /^kubernetes:(ray\.io|leaderworkerset\.x-k8s\.io)\//;

function ofRanks({ server, gpus }: Start, { type }: Resource): Check {
  const { ranks } = server;
  const isAlone = all(!groupsOfPods.test(type), server.text("nodes").isAbsent, not(server.mayHave("RAY_ADDRESS")));
  const lacks = compare(ranks, gpus, (wanted, given) => wanted > given);
  return failAt(gpus, all(isAlone, lacks), {
    why: `vLLM does not start. It divides the model among ${ranks.shown} GPUs, and Kubernetes gives the container fewer.`,
    fix: `set ${gpus.path} to ${ranks.shown}, or lower the tensor and pipeline parallel sizes`,
  });
}

function ofMemory({ server, container, pod, machines, gpus, shape }: Start): Check {
  let misfit: (Fit & { readonly name: string }) | undefined;
  const isTooSmall = (name: string, model: ModelShape, settings: ServerSettings) => {
    const type = instanceType(name);
    const fit = type && fitModel(model, type, settings);
    // Other checks judge the heads and the context.
    if (fit?.verdict !== "does-not-fit" || fit.limit === "heads" || fit.limit === "context") return false;
    misfit = { ...fit, name };
    return true;
  };
  const fitsNowhere = shape.is((model) =>
    settingsOf(server, model).is((settings) =>
      machines.every(pod, (type) => type.is((name) => isTooSmall(name, model, settings))),
    ),
  );
  const isInPod = compare(server.ranks, gpus, (ranks, given) => ranks <= given);
  const isOneStage = equals(server.number("pipelineParallel").or(1), 1);
  const hasClaims = not(container.list("resources.claims").isAbsent);
  const hasWeights = server
    .text("dtype")
    .or("auto")
    .is(() => true);
  const context = server.number("context");
  const [path, got] =
    context.isAbsent === true ? [server.text("model").path, "no --max-model-len"] : [context.path, context.shown];
  return failIf(all(isInPod, isOneStage, hasWeights, not(hasClaims), fitsNowhere), () => {
    const { name = "", why = "", fix = "" } = misfit ?? {};
    return { path, got, why: `vLLM does not start on ${name}. ${why}`, fix };
  });
}

/** The settings for the memory; where the command line does not state them, those that need least. */
function settingsOf(server: VllmServer, { defaultContext }: ModelShape): Reading<ServerSettings> {
  const { minor } = server;
  const context = server.number("context").or(defaultContext);
  const tensorParallel = server.number("tensorParallel").or(1);
  const utilization = server.number("utilization").or(defaultUtilization(minor));
  const [sequences, batchedTokens] = [server.number("sequences"), server.number("batchedTokens")];
  const open = [context, tensorParallel, utilization, sequences, batchedTokens].find(({ isUnknown }) => isUnknown);
  if (open) return Reading.unknown(open.path);
  const stated = { sequences: sequences.value, batchedTokens: batchedTokens.value };
  return tensorParallel.map(
    (ranks) => ({
      ...stated,
      ...{ minor, tensorParallel: ranks, context: context.value ?? 0, utilization: utilization.value ?? 0 },
    }),
    () => "",
  );
}

function ofSharedMemory({ server, container, pod, machines, gpus }: Start): Check[] {
  const mounts = container.list("volumeMounts");
  const isMounted = someOf(mounts, (mount) => mount.text("mountPath").is((path) => /^\/dev\/shm\/?$/.test(path)));
  const hasSeveral = all(
    server.ranks.is((number) => number > 1),
    gpus.is((number) => number > 1),
  );
  const lacks = all(hasSeveral, not(isMounted), not(equals(pod.spec.boolean("hostIPC"), true)));
  const isOverPcie = lacks === false ? false : machines.every(pod, (type) => type.is((name) => /^gr?\d/.test(name)));
  const fault = {
    got: "no volume at /dev/shm",
    why: "The ranks of vLLM exchange data in shared memory, and a container has only 64 MiB. Without NVLink, NCCL does not start with this size.",
    fix: 'add a volume with emptyDir { medium: "Memory", sizeLimit: "2Gi" }, and mount it at /dev/shm',
  };
  return [failAt(mounts, all(lacks, isOverPcie), fault), adviseAt(mounts, all(lacks, not(isOverPcie)), fault)];
}

/** Kubernetes sets VLLM_PORT for a Service of the name vllm, unless the Service has no address. */
function ofService({ server, pod }: Start, stack: Stack): Check {
  const links = pod.spec.boolean("enableServiceLinks").or(true, "nothing, which means true");
  const isInNamespace = (service: Resource): Truth =>
    service
      .text("metadata.namespace")
      .or("default")
      .is((name) => not(pod.isOutside([name])));
  const hasNoAddress = (service: Resource) =>
    any(equals(service.text("spec.clusterIP"), "None"), equals(service.text("spec.type"), "ExternalName"));
  const collides = some(stack.ofType("kubernetes:core/v1:Service"), (service) =>
    all(equals(service.text("metadata.name"), "vllm"), isInNamespace(service), not(hasNoAddress(service))),
  );
  return failAt(links, all(equals(links, true), collides, not(server.mayHave("VLLM_PORT"))), {
    why: "vLLM does not start. Kubernetes sets VLLM_PORT to the address of the Service vllm, and vLLM reads its own port from this variable.",
    fix: `set ${links.path} to false, or rename the Service`,
  });
}
