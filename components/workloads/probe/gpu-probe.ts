import * as pulumi from "@pulumi/pulumi";
import { Pod, type PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import { withDefaults, type WithDefaults } from "../../core/defaults";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { dnsLabelProblems } from "../shared/names";
import { awaited, replacedWhole, workloadLabels, workloadOptions } from "../shared/workload";
import { gpuProbeDefaults, gpuProbeProblems, type GpuProbeArgs, type GpuProbeTransform } from "./gpu-probe-args";

export { gpuProbeDefaults, gpuProbeProblems, type GpuProbeArgs, type GpuProbeTransform };

/** Commands that show a probe. */
export interface GpuProbeCommands {
  /** Prints the GPUs that it found. */
  readonly logs: pulumi.Output<string>;
  /** Prints its events: why it waits, or on which node it ran. */
  readonly describe: pulumi.Output<string>;
}

/**
 * Asks for a GPU and prints what it was given: a pod of the component's name that runs nvidia-smi. It shows within
 * seconds whether a cluster gives out GPUs, and its events tell why not.
 *
 * The pod tolerates the taint of GPU nodes and has no rights on its node. On a cluster whose GPU nodes are at zero it
 * stays Pending, which is no error.
 *
 * @cost No charge of its own; where a Cluster Autoscaler runs, a probe that waits buys a GPU node. Under `stay` it
 *   holds its GPU, and the node with it, until it is deleted.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class GpuProbe extends pulumi.ComponentResource {
  readonly podName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: GpuProbeCommands;

  constructor(name: string, args: GpuProbeArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuProbe "${name}"`;
    refuse(subject, [...dnsLabelProblems("name", name), ...gpuProbeProblems(args)]);
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, gpuProbeDefaults);
    super(token("GpuProbe"), name, settings, opts);
    const options = { ...workloadOptions(subject, this, opts, cluster), ...replacedWhole };

    const pod = new Pod(...transformed(transform?.pod, name, probePod(name, settings), options));

    this.podName = pod.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    const place = pulumi.interpolate`${this.podName} -n ${this.namespace}`;
    this.commands = {
      logs: pulumi.interpolate`kubectl logs ${place}`,
      describe: pulumi.interpolate`kubectl describe pod ${place}`,
    };
    this.registerOutputs({ podName: this.podName, namespace: this.namespace, commands: this.commands });
  }
}

type Settings = WithDefaults<Omit<GpuProbeArgs, "cluster" | "transform">, typeof gpuProbeDefaults>;

const scripts = {
  once: "nvidia-smi -L && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv",
  // As process 1 sleep would ignore the signal that ends a pod, and hold the GPU for the whole grace period.
  stay: "nvidia-smi && { trap 'exit 0' TERM; sleep infinity & wait; }",
} as const;

function probePod(name: string, { namespace, taints, wait, mode, gpus, image, attempt }: Settings): PodArgs {
  return {
    metadata: { name, namespace, labels: workloadLabels("gpu-probe", name), ...awaited(wait) },
    spec: {
      ...podBasics(taints),
      restartPolicy: "Never",
      containers: [
        {
          name: "probe",
          image,
          imagePullPolicy: "IfNotPresent",
          command: ["/bin/sh", "-c", scripts[mode]],
          // In the specification, which nobody may change: hence a new attempt is a new pod.
          env: [{ name: "ATTEMPT", value: attempt }],
          resources: resources({ cpu: "100m", memory: "256Mi", gpus }),
          securityContext: leastRights,
        },
      ],
    },
  };
}
