import * as pulumi from "@pulumi/pulumi";
import { CronJob, type CronJobArgs } from "@pulumi/kubernetes/batch/v1/cronJob";
import { Pod, type PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import type { core } from "@pulumi/kubernetes/types/input";
import { problemsIn, resolveArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { dnsLabel } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { transformed } from "../../core/transform";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { makePriorityClass } from "../shared/priority";
import {
  replacedWhole,
  workloadOptions,
  awaited,
  untilReady,
  untilSucceeded,
  workloadLabels,
} from "../shared/workload";
import { gpuProbe, type GpuProbeArgs, type GpuProbeTransform } from "./gpu-probe-schema";

type Settings = Omit<ValueOf<typeof gpuProbe>, "cluster" | "transform">;

const workload = "gpu-probe";

/** Commands that show a probe. With a schedule they show all of its pods that still exist. */
export interface GpuProbeCommands {
  /** Prints the GPUs of the pod. For a pending pod it prints an error and continues. */
  readonly logs: pulumi.Output<string>;
  /** Prints the pod's events: why it is pending, or on which node it ran. */
  readonly describe: pulumi.Output<string>;
}

/**
 * Requests a GPU and prints it: a pod with the component's name that runs nvidia-smi. The probe shows within seconds
 * whether a cluster can schedule GPUs; if not, its events show the reason.
 *
 * The pod tolerates the taint of GPU nodes and has no rights on its node. While the GPU node group has no nodes, the
 * pod stays Pending, which is not an error. With `schedule` it is a canary: a CronJob creates the pod repeatedly, with
 * a priority lower than all others, so that other work preempts the probe. While every GPU is in use, the probe waits.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 * @cost No additional charge. With a Cluster Autoscaler, a single pending probe starts a GPU node; one with a
 *   schedule neither starts nor keeps a node, but Karpenter and EKS Auto Mode start one for both. With `stay` it holds
 *   its GPU, and so its node, until you delete it.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class GpuProbe extends pulumi.ComponentResource {
  /** Undefined with a schedule: each pod has a generated name. */
  readonly podName: pulumi.Output<string> | undefined;
  /** Undefined without a schedule. */
  readonly cronJobName: pulumi.Output<string> | undefined;
  readonly namespace: pulumi.Output<string>;
  readonly commands: GpuProbeCommands;

  constructor(name: string, args: GpuProbeArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuProbe "${name}"`;
    const named = nameProblems(name, args);
    const { cluster, transform, ...settings } = resolveArgs(subject, gpuProbe, args, named);
    super(token("GpuProbe"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const { schedule } = settings;
    if (schedule === undefined) {
      const podOptions = { ...options, ...replacedWhole };
      this.podName = new Pod(...transformed(transform?.pod, name, pod(name, settings), podOptions)).metadata.name;
    } else this.cronJobName = makeCronJob(name, settings, schedule, transform, options).metadata.name;

    this.namespace = pulumi.output(settings.namespace);
    const { podName, cronJobName, namespace } = this;
    const all = `-l app.kubernetes.io/instance=${name}`;
    this.commands = {
      logs: podName
        ? pulumi.interpolate`kubectl logs ${podName} -n ${namespace}`
        : pulumi.interpolate`kubectl logs -n ${namespace} ${all} --prefix --tail=-1 --ignore-errors`,
      describe: pulumi.interpolate`kubectl describe pod ${podName ?? all} -n ${namespace}`,
    };
    this.registerOutputs({ podName, cronJobName, namespace, commands: this.commands });
  }
}

function makeCronJob(
  name: string,
  settings: Settings,
  schedule: string,
  transform: GpuProbeTransform | undefined,
  options: pulumi.CustomResourceOptions,
): CronJob {
  const priority = makePriorityClass(workload, name, expendable, transform?.priorityClass, options);
  const manifest = cronJob(name, settings, schedule, priority.metadata.name);
  return new CronJob(...transformed(transform?.cronJob, name, manifest, options));
}

/**
 * Lower than every pod without a priority, and lower than -10, the Cluster Autoscaler's cutoff: below it, the autoscaler
 * does not start a node for a pending pod, and a running pod does not keep a node from being removed.
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/FAQ.md#how-does-cluster-autoscaler-work-with-pod-priority-and-preemption
 */
const expendable = { value: -100 } as const;

function pod(name: string, settings: Settings): PodArgs {
  const { namespace, wait, mode } = settings;
  const labels = workloadLabels(workload, name);
  const waiting = awaited(wait, mode === "once" ? untilSucceeded : untilReady);
  return { metadata: { name, namespace, labels, ...waiting }, spec: podSpec(settings) };
}

/** The same pod on a schedule. Pulumi does not wait for a CronJob. */
function cronJob(
  name: string,
  settings: Settings,
  schedule: string,
  priorityClassName: pulumi.Output<string>,
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

function podSpec({ taints, mode, gpus, image }: Settings): core.v1.PodSpec {
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

/** The names of a CronJob's Jobs end with eleven more characters. */
const longestCronJobName = 52;

/** With a schedule, the name is that of a CronJob. */
function nameProblems(name: string, args: unknown): readonly Problem[] {
  const isCronJob = isRecord(args) && args["schedule"] !== undefined;
  return problemsIn(dnsLabel(isCronJob ? { longest: longestCronJobName } : {}), name, "name");
}
