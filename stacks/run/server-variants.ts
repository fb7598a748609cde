import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { core } from "@pulumi/kubernetes/types/input";
import type { ModelServerArgs } from "../../components";
import type { failedStart, FailedStart } from "../../components/local/failed-start";
import { workloadImages } from "../../components/core/versions";

const pod = "spec.template.spec";
const update = (...paths: string[]) => `update Deployment chat: ${paths.sort().join(", ")}`;
const argument = (index: number) => `${pod}.containers[0].command[${index}]`;

/** The forms of the fault of model-server: arguments that fit another model, or another machine. */
export const serverVariants = {
  kvCache: { name: "a KV cache that is too small", changes: [update(argument(6))] },
  context: { name: "a context that is too long", changes: [update(argument(5))] },
  tensorParallel: {
    name: "a number of ranks that does not divide the model",
    changes: [update(argument(7), `${pod}.containers[0].volumeMounts[2]`, `${pod}.volumes[2]`)],
  },
} as const satisfies Readonly<Record<FailedStart, object>>;

/** The server of model-server on a g5.xlarge. */
export const healthyServer = { model: "Qwen/Qwen3-0.6B", maxModelLen: 32768 } as const;

/** What each form of the fault changes. The component would reject two of them. */
export const faultyServer: Readonly<Record<FailedStart, Partial<ModelServerArgs>>> = {
  kvCache: { gpuMemoryUtilization: 0.2 },
  context: { maxModelLen: 131072, allowMisfit: true },
  tensorParallel: { tensorParallelSize: 3, gpus: 1, allowMisfit: true },
};

/** Name of the ConfigMap with the recorded output, on a local cluster. */
export const recordingName = "chat-recording";

/** What the fault changes on a local cluster. */
export const recordedChanges = [
  `create ConfigMap ${recordingName}`,
  update(
    ...[3, 4, 5, 6].map((index) => `${pod}.containers[0].args[${index}]`),
    argument(2),
    `${pod}.containers[0].volumeMounts[2]`,
    `${pod}.volumes[2]`,
  ),
];

type Start = ReturnType<typeof failedStart>;

/** The model of the recordings: two layers with random weights. */
const tinyModel = "/models/tiny";

/** A server that answers only its probes. */
const healthyStart = {
  command: ["sh", "-c", "mkdir /tmp/www && touch /tmp/www/health && exec httpd -f -p 8000 -h /tmp/www"],
  args: ["vllm", "serve", tinyModel, "--max-model-len=1024", "--dtype=bfloat16", "--enforce-eager"],
};

/** A server on a local cluster: a small container that writes what vLLM wrote at a recorded start, or only lives. */
export function recordedServer(start: Start | undefined): Omit<ModelServerArgs, "namespace"> {
  const deployment = ({ spec }: DeploymentArgs) => {
    const { template } = spec as { readonly template: { readonly spec: Replayed } };
    replay(template.spec, start);
  };
  const size = { cpu: "50m", memory: "64Mi" };
  return { model: tinyModel, image: workloadImages.busybox, ...size, transform: { deployment } };
}

type Replayed = { readonly containers: core.v1.Container[]; readonly volumes: core.v1.Volume[] };

function replay({ containers, volumes }: Replayed, start: Start | undefined): void {
  const { command, args } = start ?? healthyStart;
  const [container] = containers;
  Object.assign(container ?? {}, { command, args });
  if (!start) return;
  (container?.volumeMounts as core.v1.VolumeMount[]).push({ name: "recording", mountPath: start.mountPath });
  volumes.push({ name: "recording", configMap: { name: recordingName } });
}
