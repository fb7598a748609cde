import * as pulumi from "@pulumi/pulumi";
import { Job, type JobArgs } from "@pulumi/kubernetes/batch/v1/job";
import type { core } from "@pulumi/kubernetes/types/input";
import { dnsLabel } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { faultAnnotations, stackProblems } from "../shared/faults";
import { leastRights, onNode, podBasics, resources } from "../shared/gpu-pod";
import { awaited, replacedWhole, workloadLabels, workloadOptions } from "../shared/workload";
import { injection, injectScript } from "./dcgm-faults";
import { faultInjection, type FaultInjectionArgs } from "./fault-injection-schema";

type Injection = ReturnType<typeof injection>;
type Settings = Omit<ValueOf<typeof faultInjection>, "cluster" | "transform">;

/** The XID without `xid`: the GPU has fallen off the bus. */
const defaultXid = 79;

/** Commands that follow an injection. */
export interface FaultInjectionCommands {
  /** Waits until the error is written for the last time. If that fails, it ends at its timeout. */
  readonly injected: pulumi.Output<string>;
  /** The output of dcgmi, with timestamps. */
  readonly logs: pulumi.Output<string>;
  /** Prints the condition AcceleratedHardwareReady of each GPU node: status, reason and last transition. */
  readonly condition: string;
  /**
   * Restarts the DaemonSets that keep the error: the agent starts with every condition True. A new node needs no restart.
   * For an XID it also restarts the engine. The exporter then loses its connection and exits, its container restarts
   * until the new engine answers, and GPU metrics have a gap of one or two minutes.
   *
   * @see https://github.com/NVIDIA/dcgm-exporter/pull/110
   */
  readonly restore: string;
}

const condition = (field: string) => `{.status.conditions[?(@.type=="AcceleratedHardwareReady")].${field}}`;

/**
 * Makes a healthy GPU look broken, in labs only: a Job that writes an error into the DCGM engine of the node monitoring
 * agent. Within a minute the node's condition AcceleratedHardwareReady turns False. With repair on, EKS then replaces the
 * node after its wait.
 *
 * The engine is the add-on's `dcgm-server`, which listens on port 5555 of each GPU node's address. The pod therefore
 * needs neither the node's network nor a GPU, so the observed workload keeps the GPU. The agent does not read other
 * engines, such as the one inside an exporter. Removing the injection does not restore the condition: run
 * `commands.restore`.
 *
 * Fields, reasons and the path of the error are derived from the source code of DCGM and of the agent. The script is
 * tested with a stub of dcgmi. It has not run on a GPU.
 *
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/e2e/suites/monitors/nvidia_monitor.go
 * @cost No additional charge. With repair on, EKS starts another GPU node, and you pay for both until the old one is
 * gone.
 * @throws InputError outside a lab's stack, past `expires`, and with every other problem of the arguments, before any
 *   resource is made.
 */
export class FaultInjection extends pulumi.ComponentResource {
  readonly jobName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** The reason of the node's condition. */
  readonly reason: string;
  readonly commands: FaultInjectionCommands;

  constructor(name: string, args: FaultInjectionArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `FaultInjection "${name}"`;
    const others = [...stackProblems(), ...problemsIn(dnsLabel(), name, "name")];
    const { cluster, transform, ...settings } = resolveArgs(subject, faultInjection, args, others);
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

function injectionJob(name: string, settings: Settings, error: Injection): JobArgs {
  const { namespace, taints, wait, timeoutSeconds, nodeName } = settings;
  const labels = workloadLabels("fault-injection", name);
  const waiting = awaited(wait, { deadlineSeconds: timeoutSeconds });
  return {
    // Not on the pods: another end of the fault must not inject it again.
    metadata: { name, namespace, labels, annotations: { ...faultAnnotations(settings), ...waiting.annotations } },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: timeoutSeconds,
      template: {
        metadata: { labels },
        spec: {
          ...podBasics(taints),
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 5,
          // Also with a name: after a typing error the pod must not run on a node without a GPU.
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
  const variables = { GPU: String(gpuIndex), FIELD: String(field), VALUE: String(value), ATTEMPT: attempt };
  return {
    name: "inject",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["/bin/sh", "-c", injectScript()],
    env: [
      ...Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
      // The image requests every GPU of the node, and with NVIDIA's runtime as the default one it would get them.
      { name: "NVIDIA_VISIBLE_DEVICES", value: "void" },
      { name: "NODE_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
    ],
    // dcgmi writes its log to the working directory.
    workingDir: "/tmp",
    resources: resources({ cpu: "50m", memory: "128Mi" }),
    securityContext: leastRights,
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
}
