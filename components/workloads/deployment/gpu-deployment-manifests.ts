import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type { apps, core } from "@pulumi/kubernetes/types/input";
import type * as pulumi from "@pulumi/pulumi";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { awaited, selectorLabels, workloadLabels } from "../shared/workload";
import { gpuDeploymentDefaults, type GpuDeploymentSettings } from "./gpu-deployment-schema";

export const workload = "gpu-deployment";
const portName = "server";

/** The field `strategy` of a Deployment for each kind of rollout. */
const strategies = {
  "in-place": { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  recreate: { type: "Recreate" },
  surge: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
} as const satisfies Record<GpuDeploymentSettings["rollout"], apps.v1.DeploymentStrategy>;

export function deployment(
  name: string,
  settings: GpuDeploymentSettings,
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

function podSpec(settings: GpuDeploymentSettings): core.v1.PodSpec {
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

function container(settings: GpuDeploymentSettings): core.v1.Container {
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

function readiness(settings: GpuDeploymentSettings): Pick<core.v1.Container, "readinessProbe"> {
  switch (settings.readiness) {
    case "none":
      return {};
    case "tcp":
      return { readinessProbe: { tcpSocket: { port: portName }, periodSeconds: 5 } };
    case "http":
      return { readinessProbe: { httpGet: { path: "/", port: portName }, periodSeconds: 5, timeoutSeconds: 5 } };
  }
}

export function service(name: string, settings: GpuDeploymentSettings): ServiceArgs {
  const { namespace, port, wait, progressDeadlineSeconds: deadlineSeconds } = settings;
  return {
    // Without the annotation Pulumi waits until the Service has a pod that is ready.
    metadata: { name, namespace, labels: workloadLabels(workload, name), ...awaited(wait, { deadlineSeconds }) },
    spec: {
      type: "ClusterIP",
      selector: selectorLabels(workload, name),
      ports: [{ name: portName, port, targetPort: portName }],
    },
  };
}
