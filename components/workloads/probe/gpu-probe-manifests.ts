import type { CronJobArgs } from "@pulumi/kubernetes/batch/v1/cronJob";
import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import type { core } from "@pulumi/kubernetes/types/input";
import type { Output } from "@pulumi/pulumi";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { awaited, untilReady, untilSucceeded, workloadLabels } from "../shared/workload";
import type { GpuProbeSettings } from "./gpu-probe-schema";

export const workload = "gpu-probe";

/**
 * Lower than every pod without a priority, and lower than -10, the Cluster Autoscaler's cutoff: below it, the autoscaler
 * starts no node for a pending pod, and a running pod does not keep a node from being removed.
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/FAQ.md#how-does-cluster-autoscaler-work-with-pod-priority-and-preemption
 */
export const expendable = { value: -100 } as const;

export function probePod(name: string, settings: GpuProbeSettings): PodArgs {
  const { namespace, wait, mode } = settings;
  const labels = workloadLabels(workload, name);
  const waiting = awaited(wait, mode === "once" ? untilSucceeded : untilReady);
  return { metadata: { name, namespace, labels, ...waiting }, spec: podSpec(settings) };
}

/** The same pod on a schedule. Pulumi does not wait for a CronJob. */
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
      // A run that was due while another waited may start up to a minute late. Older runs are skipped.
      startingDeadlineSeconds: 60,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: { labels },
        spec: {
          // The kubelet rejects a pod whose GPU fails between scheduling and start (UnexpectedAdmissionError). Retries
          // follow after 10, 20 and 40 seconds; by then the node advertises no GPU. There is no deadline: a pending pod
          // is the result.
          backoffLimit: 3,
          template: { metadata: { labels }, spec: { ...podSpec(settings), priorityClassName } },
        },
      },
    },
  };
}

const scripts = {
  once: "nvidia-smi -L && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv",
  // As process 1, sleep would ignore SIGTERM and hold the GPU for the whole grace period.
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
