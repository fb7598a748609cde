import * as pulumi from "@pulumi/pulumi";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import { Deployment, type DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import type { core } from "@pulumi/kubernetes/types/input";
import { serviceName } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { serviceMonitor } from "../shared/service-monitor";
import { awaited, selectorLabels, serviceOf, workloadLabels, workloadOptions } from "../shared/workload";
import { modelServer, type ModelServerArgs } from "./model-server-schema";
import { startupBudget } from "./startup";

type Settings = Omit<ValueOf<typeof modelServer>, "cluster" | "transform">;

const workload = "model-server";
const portName = "http";
/** Seconds between two probes of a pod that starts. */
const probePeriod = 10;
/** Seconds that the pull of the image may take: 8 GB, on a new node. */
const pullSeconds = 900;

/** Commands that show a model server. */
export interface ModelServerCommands {
  /** Waits until the pods serve, and prints why they do not. */
  readonly rollout: pulumi.Output<string>;
  /** The end of the log, of the run before the last restart if there was one. */
  readonly log: pulumi.Output<string>;
  /** Forwards the port of the Service to your machine. */
  readonly forward: pulumi.Output<string>;
  /** Sends one request to the forwarded port. */
  readonly ask: pulumi.Output<string>;
}

/**
 * Serves a language model with vLLM: a Deployment and a Service of the same name. A rollout needs no spare GPU, the
 * variables of other Services do not reach the server, and several ranks have shared memory.
 *
 * It has not run on a GPU. Its manifests are checked against the schemas of Kubernetes.
 *
 * @see https://docs.vllm.ai/en/v0.11.0/deployment/k8s.html
 * @cost No additional charge. Each pod holds its GPUs, and therefore a GPU node, until you delete the pod.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class ModelServer extends pulumi.ComponentResource {
  readonly deploymentName: pulumi.Output<string>;
  readonly serviceName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: ModelServerCommands;

  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `ModelServer "${name}"`;
    const named = problemsIn(serviceName(), name, "name");
    const { cluster, transform, ...settings } = resolveArgs(subject, modelServer, args, named);
    super(token("ModelServer"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const created = new Deployment(...transformed(transform?.deployment, name, deployment(name, settings), options));
    const entryArgs = serviceOf(workload, name, portName, settings, deadline(settings));
    const entry = new Service(...transformed(transform?.service, `${name}-service`, entryArgs, options));
    if (settings.serviceMonitor) {
      const endpoint = { port: portName, path: "/metrics", interval: "15s" };
      const monitor = serviceMonitor(workload, name, { ...settings, endpoint });
      new CustomResource(...transformed(transform?.serviceMonitor, `${name}-monitor`, monitor, options));
    }

    this.deploymentName = created.metadata.name;
    this.serviceName = entry.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    this.commands = commands(this, settings);
    const { deploymentName, serviceName: nameOfService, namespace } = this;
    this.registerOutputs({ deploymentName, serviceName: nameOfService, namespace, commands: this.commands });
  }
}

function commands(server: ModelServer, { model, port }: Settings): ModelServerCommands {
  const { deploymentName, serviceName: nameOfService, namespace } = server;
  const body = JSON.stringify({ model, prompt: "The capital of France is", max_tokens: 8 });
  return {
    rollout: pulumi.interpolate`kubectl rollout status deployment/${deploymentName} -n ${namespace} --timeout=60s`,
    log: pulumi.interpolate`kubectl logs deployment/${deploymentName} -n ${namespace} --previous --tail=200 || kubectl logs deployment/${deploymentName} -n ${namespace} --tail=200`,
    forward: pulumi.interpolate`kubectl port-forward -n ${namespace} service/${nameOfService} ${port}:${port}`,
    ask: pulumi.output(
      `curl -s http://localhost:${port}/v1/completions -H 'Content-Type: application/json' -d '${body}'`,
    ),
  };
}

/** Seconds until a rollout counts as failed. */
function deadline(settings: Settings): number {
  return startupBudget(settings) * 60 + pullSeconds;
}

function deployment(name: string, settings: Settings): DeploymentArgs {
  const { namespace, replicas, revision, wait } = settings;
  const labels = workloadLabels(workload, name);
  const deadlineSeconds = deadline(settings);
  return {
    metadata: { name, namespace, labels, ...awaited(wait, { deadlineSeconds }) },
    spec: {
      replicas,
      // A new pod waits for the GPU of the old one, so the old one ends first.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      progressDeadlineSeconds: deadlineSeconds,
      selector: { matchLabels: selectorLabels(workload, name) },
      template: {
        metadata: { labels, annotations: { "eks-gpu-lab/revision": revision } },
        spec: podSpec(settings),
      },
    },
  };
}

/** The directory of models, compiled kernels and settings. */
const cacheDirectory = "/cache";

function podSpec(settings: Settings): core.v1.PodSpec {
  const { taints, cache } = settings;
  const shared = sharedMemory(settings);
  const { securityContext, ...basics } = podBasics(taints);
  return {
    ...basics,
    // The server writes to its cache as its own group.
    securityContext: { ...securityContext, fsGroup: securityContext.runAsGroup },
    containers: [container(settings)],
    volumes: [
      { name: "tmp", emptyDir: {} },
      cache.claim === undefined
        ? { name: "cache", emptyDir: { sizeLimit: cache.size } }
        : { name: "cache", persistentVolumeClaim: { claimName: cache.claim } },
      ...(shared === undefined ? [] : [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: shared } }]),
    ],
  };
}

function sharedMemory({ sharedMemory: size, tensorParallelSize }: Settings): string | undefined {
  return size ?? (tensorParallelSize > 1 ? "2Gi" : undefined);
}

function container(settings: Settings): core.v1.Container {
  const { image, model, port, cpu, memory, tensorParallelSize, gpus = tensorParallelSize } = settings;
  const shared = sharedMemory(settings) !== undefined;
  return {
    name: "vllm",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["vllm", "serve", model, ...serveArguments(settings)],
    env: variables(settings),
    ports: [{ name: portName, containerPort: port }],
    ...probes(settings),
    resources: resources({ cpu, memory, gpus }),
    securityContext: leastRights,
    volumeMounts: [
      { name: "tmp", mountPath: "/tmp" },
      { name: "cache", mountPath: cacheDirectory },
      ...(shared ? [{ name: "shm", mountPath: "/dev/shm" }] : []),
    ],
  };
}

function serveArguments(settings: Settings): string[] {
  const { port, dtype, maxModelLen, gpuMemoryUtilization, tensorParallelSize, extraArgs } = settings;
  return [
    `--port=${port}`,
    `--dtype=${dtype}`,
    `--max-model-len=${maxModelLen}`,
    `--gpu-memory-utilization=${gpuMemoryUtilization}`,
    `--tensor-parallel-size=${tensorParallelSize}`,
    ...extraArgs,
  ];
}

/**
 * All caches are below one directory. PyTorch asks for the name of the user, which has no entry in the image, unless USER
 * is set.
 */
function variables({ env, token }: Settings): core.v1.EnvVar[] {
  const set = {
    HOME: cacheDirectory,
    USER: workload,
    HF_HOME: `${cacheDirectory}/huggingface`,
    VLLM_NO_USAGE_STATS: "1",
    ...env,
  };
  const plain = Object.entries(set).map(([name, value]) => ({ name, value }));
  if (token === undefined) return plain;
  const { secret: name, key } = token;
  return [...plain, { name: "HF_TOKEN", valueFrom: { secretKeyRef: { name, key } } }];
}

function probes(settings: Settings): Partial<core.v1.Container> {
  const httpGet = { path: "/health", port: portName };
  const failureThreshold = Math.ceil((startupBudget(settings) * 60) / probePeriod);
  return {
    startupProbe: { httpGet, periodSeconds: probePeriod, timeoutSeconds: 5, failureThreshold },
    readinessProbe: { httpGet, periodSeconds: 5, timeoutSeconds: 5 },
    // A server whose engine has died answers 503.
    livenessProbe: { httpGet, periodSeconds: probePeriod, timeoutSeconds: 5, failureThreshold: 3 },
  };
}
