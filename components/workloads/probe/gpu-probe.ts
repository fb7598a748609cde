import * as pulumi from "@pulumi/pulumi";
import { CronJob } from "@pulumi/kubernetes/batch/v1/cronJob";
import { Pod } from "@pulumi/kubernetes/core/v1/pod";
import { PriorityClass } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import { withDefaults } from "../../core/defaults";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { priorityClass } from "../shared/priority";
import { replacedWhole, workloadOptions } from "../shared/workload";
import {
  gpuProbeDefaults,
  gpuProbeNameProblems,
  gpuProbeProblems,
  type GpuProbeArgs,
  type GpuProbeTransform,
} from "./gpu-probe-args";
import { expendable, probeCronJob, probePod, workload, type GpuProbeSettings } from "./gpu-probe-manifests";

export { gpuProbeDefaults, gpuProbeProblems, type GpuProbeArgs, type GpuProbeTransform };

/** Commands that show a probe. With a schedule they show all of its pods that are still there. */
export interface GpuProbeCommands {
  /** Prints the GPUs that it found. Of a pod that waits it says so, and goes on. */
  readonly logs: pulumi.Output<string>;
  /** Prints its events: why it waits, or on which node it ran. */
  readonly describe: pulumi.Output<string>;
}

/**
 * Asks for a GPU and prints what it was given: a pod of the component's name that runs nvidia-smi. It shows within
 * seconds whether a cluster gives out GPUs, and its events tell why not.
 *
 * The pod tolerates the taint of GPU nodes and has no rights on its node. On a cluster whose GPU nodes are at zero it
 * stays Pending, which is no error. With `schedule` it is a canary: a CronJob makes the pod again and again, at a priority
 * below all others, so that work which needs the GPU takes it from the probe. Where every GPU is in use it waits too.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 * @cost No charge of its own. Where a Cluster Autoscaler runs, a single probe that waits buys a GPU node; one by a schedule
 *   neither buys nor keeps one, but Karpenter and EKS Auto Mode buy for both. Under `stay` it holds its GPU, and the node
 *   with it, until it is deleted.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class GpuProbe extends pulumi.ComponentResource {
  /** None with a schedule: each of its pods has a name of its own. */
  readonly podName: pulumi.Output<string> | undefined;
  /** None without a schedule. */
  readonly cronJobName: pulumi.Output<string> | undefined;
  readonly namespace: pulumi.Output<string>;
  readonly commands: GpuProbeCommands;

  constructor(name: string, args: GpuProbeArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuProbe "${name}"`;
    refuse(subject, [...gpuProbeNameProblems(name, args), ...gpuProbeProblems(args)]);
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, gpuProbeDefaults);
    super(token("GpuProbe"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const { schedule } = settings;
    if (schedule === undefined) this.podName = onePod(name, settings, transform, options).metadata.name;
    else this.cronJobName = canary(name, settings, schedule, transform, options).metadata.name;

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

type Adjusted = GpuProbeTransform | undefined;

function onePod(
  name: string,
  settings: GpuProbeSettings,
  adjust: Adjusted,
  options: pulumi.CustomResourceOptions,
): Pod {
  return new Pod(...transformed(adjust?.pod, name, probePod(name, settings), { ...options, ...replacedWhole }));
}

function canary(
  name: string,
  settings: GpuProbeSettings,
  schedule: string,
  adjust: Adjusted,
  options: pulumi.CustomResourceOptions,
): CronJob {
  const rank = priorityClass(workload, name, expendable);
  const ranked = new PriorityClass(
    // Neither value nor policy of a class can be changed.
    ...transformed(adjust?.priorityClass, `${name}-priority`, rank, { ...options, deleteBeforeReplace: true }),
  );
  const pods = probeCronJob(name, settings, schedule, ranked.metadata.name);
  return new CronJob(...transformed(adjust?.cronJob, name, pods, options));
}
