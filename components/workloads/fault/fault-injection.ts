import * as pulumi from "@pulumi/pulumi";
import { Job, type JobArgs } from "@pulumi/kubernetes/batch/v1/job";
import type { core } from "@pulumi/kubernetes/types/input";
import { withDefaults, type WithDefaults } from "../../core/defaults";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { faultAnnotations, stackProblems } from "../shared/faults";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { dnsLabelProblems } from "../shared/names";
import { onNode } from "../shared/placement";
import { awaited, replacedWhole, workloadLabels, workloadOptions } from "../shared/workload";
import { injection, injectScript, type DcgmFault, type Injection } from "./dcgm-faults";
import {
  defaultXid,
  faultInjectionDefaults,
  faultInjectionProblems,
  type FaultInjectionArgs,
  type FaultInjectionTransform,
} from "./fault-injection-args";

export {
  faultInjectionDefaults,
  faultInjectionProblems,
  type DcgmFault,
  type FaultInjectionArgs,
  type FaultInjectionTransform,
};

/** Commands that follow an injection. */
export interface FaultInjectionCommands {
  /** Ends when the error is written for the last time; where it cannot be, at its timeout. */
  readonly injected: pulumi.Output<string>;
  /** What dcgmi answered, and when. */
  readonly logs: pulumi.Output<string>;
  /** Each GPU node with the status and the reason of its condition AcceleratedHardwareReady, and since when. */
  readonly condition: string;
  /** Makes who remembers the error forget: the node monitor starts with every condition True. A new node never knew. */
  readonly restore: string;
}

const condition = (field: string) => `{.status.conditions[?(@.type=="AcceleratedHardwareReady")].${field}}`;

/**
 * Makes a healthy GPU look broken, for labs alone: a Job that writes an error into the DCGM engine which the node
 * monitor reads. Within a minute the node's condition AcceleratedHardwareReady turns False, and where repair is on EKS
 * replaces the node after its wait.
 *
 * The engine is the add-on's `dcgm-server`: each GPU node offers it at port 5555 of its address, so that the pod
 * needs neither the node's network nor a GPU, which the workload under observation holds. Another engine, such as one
 * inside an exporter, is not read by the node monitor. Removing the injection does not take the condition back:
 * `commands.restore` does.
 *
 * The fields, the reasons and the way of the error are read in the sources of DCGM and of the node monitor; the script
 * is proved with a stand-in for dcgmi. On a GPU it has not run.
 *
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/e2e/suites/monitors/nvidia_monitor.go
 * @cost No charge of its own. With repair on EKS starts another GPU node, and both are paid until the old one is gone.
 * @throws InputError before anything is made, outside a lab's stack, without a day on which the fault ends, past that
 *   day, and with every other problem of the arguments.
 */
export class FaultInjection extends pulumi.ComponentResource {
  readonly jobName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** What the node's condition will say: its reason. */
  readonly reason: string;
  readonly commands: FaultInjectionCommands;

  constructor(name: string, args: FaultInjectionArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `FaultInjection "${name}"`;
    refuse(subject, [...stackProblems(), ...dnsLabelProblems("name", name), ...faultInjectionProblems(args)]);
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, faultInjectionDefaults);
    super(token("FaultInjection"), name, settings, opts);
    const options = { ...workloadOptions(subject, this, opts, cluster), ...replacedWhole };

    const error = injection(settings.fault, settings.xid ?? defaultXid);
    const job = new Job(...transformed(transform?.job, name, injectionJob(name, settings, error), options));

    this.jobName = job.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    this.reason = error.reason;
    const { jobName, namespace, reason } = this;
    this.commands = {
      injected: pulumi.interpolate`kubectl wait --for=condition=Complete job/${jobName} -n ${namespace} --timeout=${settings.timeoutSeconds}s`,
      logs: pulumi.interpolate`kubectl logs job/${jobName} -n ${namespace} --timestamps`,
      condition: `kubectl get nodes -l nvidia.com/gpu.present=true -o jsonpath='{range .items[*]}{.metadata.name}{" "}${condition("status")}{" "}${condition("reason")}{" since "}${condition("lastTransitionTime")}{"\\n"}{end}'`,
      restore: `kubectl rollout restart ${error.memory.map((name) => `daemonset/${name}`).join(" ")} -n kube-system`,
    };
    this.registerOutputs({ jobName, namespace, reason, commands: this.commands });
  }
}

type Settings = WithDefaults<Omit<FaultInjectionArgs, "cluster" | "transform">, typeof faultInjectionDefaults>;

function injectionJob(name: string, settings: Settings, error: Injection): JobArgs {
  const { namespace, taints, wait, timeoutSeconds, nodeName } = settings;
  const labels = workloadLabels("fault-injection", name);
  return {
    // Not on the pods: another day on which the fault ends must not inject it again.
    metadata: { name, namespace, labels, annotations: { ...faultAnnotations(settings), ...awaited(wait).annotations } },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: timeoutSeconds,
      template: {
        metadata: { labels },
        spec: {
          ...podBasics(taints),
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 5,
          // Beside the name too: nobody who mistypes it meets a node that has no GPU, and other work.
          nodeSelector: { "nvidia.com/gpu.present": "true" },
          ...(nodeName !== undefined && { affinity: { nodeAffinity: onNode(nodeName) } }),
          containers: [container(settings, error)],
          volumes: [{ name: "tmp", emptyDir: {} }],
        },
      },
    },
  };
}

function container({ image, gpuIndex, attempt }: Settings, { field, value }: Injection): core.v1.Container {
  const texts = { GPU: String(gpuIndex), FIELD: String(field), VALUE: String(value), ATTEMPT: attempt };
  return {
    name: "inject",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["/bin/sh", "-c", injectScript()],
    env: [
      ...Object.entries(texts).map(([variable, text]) => ({ name: variable, value: text })),
      // The image asks for every GPU of the node, and where NVIDIA's runtime is the default one it would get them.
      { name: "NVIDIA_VISIBLE_DEVICES", value: "void" },
      { name: "NODE_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
    ],
    // dcgmi keeps its log where it is started.
    workingDir: "/tmp",
    resources: resources({ cpu: "50m", memory: "128Mi" }),
    securityContext: leastRights,
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
}
