import type { CronJobArgs } from "@pulumi/kubernetes/batch/v1/cronJob";
import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import type { core } from "@pulumi/kubernetes/types/input";
import type { Output } from "@pulumi/pulumi";
import type { WithDefaults } from "../../core/defaults";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { awaited, workloadLabels } from "../shared/workload";
import type { GpuProbeArgs, gpuProbeDefaults } from "./gpu-probe-args";

/** The arguments of a GpuProbe with their defaults. */
export type GpuProbeSettings = WithDefaults<Omit<GpuProbeArgs, "cluster" | "transform">, typeof gpuProbeDefaults>;

export const workload = "gpu-probe";

/**
 * Below every pod that states no priority, and below -10, where the Cluster Autoscaler begins to overlook pods: it starts
 * no node for one that waits, and counts none that runs when it looks for idle nodes.
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/FAQ.md#how-does-cluster-autoscaler-work-with-pod-priority-and-preemption
 */
export const expendable = { value: -100 } as const;

export function probePod(name: string, settings: GpuProbeSettings): PodArgs {
  const { namespace, wait } = settings;
  const labels = workloadLabels(workload, name);
  return { metadata: { name, namespace, labels, ...awaited(wait) }, spec: podSpec(settings) };
}

/** The same pod, again and again. Pulumi does not wait for a CronJob. */
export function probeCronJob(
  name: string,
  settings: GpuProbeSettings,
  schedule: string,
  priorityClassName: Output<string>,
): CronJobArgs {
  const labels = workloadLabels(workload, name);
  return {
    metadata: { name, namespace: settings.namespace, labels },
    spec: {
      schedule,
      timeZone: "Etc/UTC",
      concurrencyPolicy: "Forbid",
      // A run that was due while another waited may still start within a minute; older ones are let go.
      startingDeadlineSeconds: 60,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: { labels },
        spec: {
          // The kubelet refuses a pod whose GPU went between scheduling and start: UnexpectedAdmissionError. Another one
          // comes after 10, 20 and 40 seconds, by when the node offers none. No deadline: a pod that waits is the news.
          backoffLimit: 3,
          template: { metadata: { labels }, spec: { ...podSpec(settings), priorityClassName } },
        },
      },
    },
  };
}

const scripts = {
  once: "nvidia-smi -L && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv",
  // As process 1 sleep would ignore the signal that ends a pod, and hold the GPU for the whole grace period.
  stay: "nvidia-smi && { trap 'exit 0' TERM; sleep infinity & wait; }",
} as const;

function podSpec({ taints, mode, gpus, image }: GpuProbeSettings): core.v1.PodSpec {
  return {
    ...podBasics(taints),
    restartPolicy: "Never",
    containers: [
      {
        name: "probe",
        image,
        imagePullPolicy: "IfNotPresent",
        command: ["/bin/sh", "-c", scripts[mode]],
        resources: resources({ cpu: "100m", memory: "256Mi", gpus }),
        securityContext: leastRights,
      },
    ],
  };
}
