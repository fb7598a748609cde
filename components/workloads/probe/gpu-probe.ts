import * as pulumi from "@pulumi/pulumi";
import { CronJob } from "@pulumi/kubernetes/batch/v1/cronJob";
import { Pod } from "@pulumi/kubernetes/core/v1/pod";
import { resolveArgs } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { makePriorityClass } from "../shared/priority";
import { replacedWhole, workloadOptions } from "../shared/workload";
import { expendable, probeCronJob, probePod, workload } from "./gpu-probe-manifests";
import {
  gpuProbe,
  gpuProbeNameProblems,
  type GpuProbeArgs,
  type GpuProbeSettings,
  type GpuProbeTransform,
} from "./gpu-probe-schema";

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
    const named = gpuProbeNameProblems(name, args);
    const { cluster, transform, ...settings } = resolveArgs(subject, gpuProbe, args, named);
    super(token("GpuProbe"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const { schedule } = settings;
    if (schedule === undefined) this.podName = makePod(name, settings, transform, options).metadata.name;
    else this.cronJobName = makeCronJob(name, settings, schedule, transform, options).metadata.name;

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

function makePod(
  name: string,
  settings: GpuProbeSettings,
  transform: GpuProbeTransform | undefined,
  options: pulumi.CustomResourceOptions,
): Pod {
  return new Pod(...transformed(transform?.pod, name, probePod(name, settings), { ...options, ...replacedWhole }));
}

function makeCronJob(
  name: string,
  settings: GpuProbeSettings,
  schedule: string,
  transform: GpuProbeTransform | undefined,
  options: pulumi.CustomResourceOptions,
): CronJob {
  const priority = makePriorityClass(workload, name, expendable, transform?.priorityClass, options);
  const cronJob = probeCronJob(name, settings, schedule, priority.metadata.name);
  return new CronJob(...transformed(transform?.cronJob, name, cronJob, options));
}
