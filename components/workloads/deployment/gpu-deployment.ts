import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Deployment, type DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import type { apps, core } from "@pulumi/kubernetes/types/input";
import { serviceName } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { makePriorityClass } from "../shared/priority";
import { workloadOptions, awaited, selectorLabels, serviceOf, workloadLabels } from "../shared/workload";
import { gpuDeployment, gpuDeploymentDefaults, type GpuDeploymentArgs } from "./gpu-deployment-schema";

type Settings = Omit<ValueOf<typeof gpuDeployment>, "cluster" | "transform">;

const workload = "gpu-deployment";
const portName = "server";

/** Commands that show a Deployment. */
export interface GpuDeploymentCommands {
  /** Waits for a rollout, and prints why the rollout does not end. */
  readonly rollout: pulumi.Output<string>;
  /** The pods with their nodes. */
  readonly pods: pulumi.Output<string>;
  /** The events of the pods: why they are pending. */
  readonly describe: pulumi.Output<string>;
  /** The addresses behind the Service. */
  readonly endpoints: pulumi.Output<string>;
}

/**
 * Runs a server on GPUs: a Deployment and a Service of the same name, whose rollout does not wait for a GPU that its own
 * old pod holds. By default it serves a list of its GPUs on port 8080.
 *
 * The default server is tested with a stub of nvidia-smi. It has not run on a GPU.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 * @cost No additional charge. Each pod holds its GPUs, and therefore a GPU node, until you delete the pod.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class GpuDeployment extends pulumi.ComponentResource {
  readonly deploymentName: pulumi.Output<string>;
  readonly serviceName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: GpuDeploymentCommands;

  constructor(name: string, args: GpuDeploymentArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuDeployment "${name}"`;
    const named = problemsIn(serviceName(), name, "name");
    const { cluster, transform, ...settings } = resolveArgs(subject, gpuDeployment, args, named);
    super(token("GpuDeployment"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const { priority } = settings;
    const rank = priority && makePriorityClass(workload, name, priority, transform?.priorityClass, options);
    const manifest = deployment(name, settings, rank?.metadata.name);
    const created = new Deployment(...transformed(transform?.deployment, name, manifest, options));
    const entryArgs = serviceOf(workload, name, portName, settings, settings.progressDeadlineSeconds);
    const entry = new Service(...transformed(transform?.service, `${name}-service`, entryArgs, options));

    this.deploymentName = created.metadata.name;
    this.serviceName = entry.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    this.commands = commands(name, this.deploymentName, this.serviceName, this.namespace);
    this.registerOutputs({
      deploymentName: this.deploymentName,
      serviceName: this.serviceName,
      namespace: this.namespace,
      commands: this.commands,
    });
  }
}

function commands(
  name: string,
  deploymentName: pulumi.Output<string>,
  serviceName: pulumi.Output<string>,
  namespace: pulumi.Output<string>,
): GpuDeploymentCommands {
  const own = `-l app.kubernetes.io/instance=${name}`;
  return {
    rollout: pulumi.interpolate`kubectl rollout status deployment/${deploymentName} -n ${namespace} --timeout=60s`,
    pods: pulumi.interpolate`kubectl get pods -n ${namespace} ${own} -o wide`,
    describe: pulumi.interpolate`kubectl describe pods -n ${namespace} ${own}`,
    endpoints: pulumi.interpolate`kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${serviceName}`,
  };
}

/** The field `strategy` of a Deployment for each kind of rollout. */
const strategies = {
  "in-place": { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  recreate: { type: "Recreate" },
  surge: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
} as const satisfies Record<Settings["rollout"], apps.v1.DeploymentStrategy>;

function deployment(
  name: string,
  settings: Settings,
  priorityClassName: pulumi.Output<string> | undefined,
): DeploymentArgs {
  const { namespace, replicas, rollout, revision, progressDeadlineSeconds, wait } = settings;
  const labels = workloadLabels(workload, name);
  return {
    metadata: { name, namespace, labels, ...awaited(wait, { deadlineSeconds: progressDeadlineSeconds }) },
    spec: {
      replicas,
      strategy: strategies[rollout],
      progressDeadlineSeconds,
      selector: { matchLabels: selectorLabels(workload, name) },
      template: {
        metadata: { labels, annotations: { "eks-gpu-lab/revision": revision } },
        spec: { ...podSpec(settings), priorityClassName },
      },
    },
  };
}

function podSpec(settings: Settings): core.v1.PodSpec {
  const { taints, user, pinnedTo, gpuProducts } = settings;
  return {
    ...podBasics(taints, user),
    ...(pinnedTo !== undefined && { nodeSelector: { "kubernetes.io/hostname": pinnedTo } }),
    ...(gpuProducts.length > 0 && { affinity: { nodeAffinity: onProducts(gpuProducts) } }),
    containers: [container(settings)],
    // For servers that need scratch space: the image itself is read-only.
    volumes: [{ name: "tmp", emptyDir: {} }],
  };
}

/** GPU feature discovery labels a node with the model of its GPUs. */
function onProducts(products: readonly string[]): core.v1.NodeAffinity {
  const expression = { key: "nvidia.com/gpu.product", operator: "In", values: [...products] };
  return {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
  };
}

/**
 * A server that answers every request with the GPUs of its container. It is Perl, the only language in the CUDA base
 * image, where it is part of Ubuntu.
 *
 * It handles one request at a time. It drops a client that sends nothing for a second, such as a TCP probe. When
 * nvidia-smi fails, the answer is 503 with the output of nvidia-smi.
 */
export function nvidiaSmiServer(): string {
  return readFileSync(join(__dirname, "scripts/nvidia-smi-server.pl"), "utf8").trimEnd();
}

function container(settings: Settings): core.v1.Container {
  const { image, command, args, env, port, revision, cpu, memory, gpus } = settings;
  const isOwn = image !== gpuDeploymentDefaults.image || command !== undefined || args !== undefined;
  const run = isOwn ? command : ["perl", "-e", nvidiaSmiServer()];
  const variables = { PORT: String(port), REVISION: revision, ...env };
  return {
    name: "server",
    image,
    imagePullPolicy: "IfNotPresent",
    ...(run && { command: [...run] }),
    ...(args && { args: [...args] }),
    env: Object.entries(variables).map(([name, value]) => ({ name, value })),
    ports: [{ name: portName, containerPort: port }],
    ...readiness(settings),
    resources: resources({ cpu, memory, gpus }),
    securityContext: leastRights,
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
}

function readiness(settings: Settings): Pick<core.v1.Container, "readinessProbe"> {
  switch (settings.readiness) {
    case "none":
      return {};
    case "tcp":
      return { readinessProbe: { tcpSocket: { port: portName }, periodSeconds: 5 } };
    case "http":
      return { readinessProbe: { httpGet: { path: "/", port: portName }, periodSeconds: 5, timeoutSeconds: 5 } };
  }
}
