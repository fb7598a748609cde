import * as pulumi from "@pulumi/pulumi";
import { Pod, type PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import { withDefaults, type WithDefaults } from "../../core/defaults";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { faultAnnotations, stackProblems } from "../shared/faults";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { dnsLabelProblems } from "../shared/names";
import { onNode } from "../shared/placement";
import { awaited, replacedWhole, workloadLabels, workloadOptions } from "../shared/workload";
import {
  socketMountDefaults,
  socketMountProblems,
  type SocketMountArgs,
  type SocketMountTransform,
} from "./socket-mount-args";
import { normalPath } from "./socket-paths";

export { socketMountDefaults, socketMountProblems, type SocketMountArgs, type SocketMountTransform };

/** Commands that follow a mount. */
export interface SocketMountCommands {
  /** The pod's events: with the type it says why it does not start. */
  readonly describe: pulumi.Output<string>;
  /** What the pod found at the path: `d` leads a directory, `s` a socket. */
  readonly logs: pulumi.Output<string>;
  /**
   * Takes the directory off the node, if it is one and empty; else it prints why not. To be run before the pod is
   * deleted: it knows the node.
   */
  readonly restore: pulumi.Output<string>;
}

/**
 * Brings about what turns a socket into a directory, at a path where it hurts nobody: a pod that mounts the socket's path
 * from the node without a type. While the socket is missing the container runtime makes what it is to mount, a
 * directory, and what should listen there cannot start. With `typed` the same pod waits instead, and says why.
 *
 * For labs alone, and never at a path that a node lives by. The directory stays when the pod is gone, until the node
 * boots or is replaced: that is the accident. Read in the sources of containerd and of Kubernetes; on a node it has not
 * run.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/52318
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types
 * @cost No charge of its own. Without a GPU node it waits, and where a Cluster Autoscaler runs it buys one.
 * @throws InputError before anything is made, outside a lab's stack, without a day on which the fault ends, past that
 *   day, for a path outside /run/eks-gpu-lab, and with every other problem of the arguments.
 */
export class SocketMount extends pulumi.ComponentResource {
  readonly podName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** The path on the node, in its one spelling. */
  readonly path: string;
  readonly commands: SocketMountCommands;

  constructor(name: string, args: SocketMountArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `SocketMount "${name}"`;
    refuse(subject, [...stackProblems(), ...dnsLabelProblems("name", name), ...socketMountProblems(args)]);
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, socketMountDefaults);
    super(token("SocketMount"), name, settings, opts);
    const options = { ...workloadOptions(subject, this, opts, cluster), ...replacedWhole };

    this.path = normalPath(settings.path);
    const pod = new Pod(...transformed(transform?.pod, name, mountingPod(name, settings, this.path), options));

    this.podName = pod.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    this.commands = commands(this.podName, this.namespace, this.path, settings.image);
    const { podName, namespace, path } = this;
    this.registerOutputs({ podName, namespace, path, commands: this.commands });
  }
}

function commands(
  podName: pulumi.Output<string>,
  namespace: pulumi.Output<string>,
  path: string,
  image: string,
): SocketMountCommands {
  const place = pulumi.interpolate`${podName} -n ${namespace}`;
  const node = pulumi.interpolate`$(kubectl get pod ${place} -o jsonpath={.spec.nodeName})`;
  return {
    describe: pulumi.interpolate`kubectl describe pod ${place}`,
    logs: pulumi.interpolate`kubectl logs ${place}`,
    restore: pulumi.interpolate`kubectl debug node/${node} --attach --profile=sysadmin --image=${image} -- rmdir /host${path}`,
  };
}

type Settings = WithDefaults<Omit<SocketMountArgs, "cluster" | "transform">, typeof socketMountDefaults>;

function mountingPod(name: string, settings: Settings, path: string): PodArgs {
  const { namespace, taints, wait, typed, nodeName, nodeSelector, attempt, image } = settings;
  const annotations = { ...faultAnnotations(settings), ...awaited(wait).annotations };
  return {
    // Nothing of the end is in the specification: another day must not mount it again.
    metadata: { name, namespace, labels: workloadLabels("socket-mount", name), annotations },
    spec: {
      ...podBasics(taints),
      restartPolicy: "Never",
      nodeSelector: { ...nodeSelector },
      ...(nodeName !== undefined && { affinity: { nodeAffinity: onNode(nodeName) } }),
      containers: [
        {
          name: "mount",
          image,
          imagePullPolicy: "IfNotPresent",
          command: ["ls", "-ld", "/mounted"],
          env: [{ name: "ATTEMPT", value: attempt }],
          resources: resources({ cpu: "5m", memory: "16Mi" }),
          securityContext: leastRights,
          volumeMounts: [{ name: "socket", mountPath: "/mounted", readOnly: true }],
        },
      ],
      volumes: [{ name: "socket", hostPath: { path, ...(typed && { type: "Socket" }) } }],
    },
  };
}
