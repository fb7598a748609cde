import * as pulumi from "@pulumi/pulumi";
import { Pod, type PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import { dnsLabel } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { faultAnnotations, stackProblems } from "../shared/faults";
import { leastRights, onNode, podBasics, resources } from "../shared/gpu-pod";
import { awaited, replacedWhole, untilSucceeded, workloadLabels, workloadOptions } from "../shared/workload";
import { socketMount, type SocketMountArgs } from "./socket-mount-schema";
import { normalPath } from "../../core/host-paths";

type Settings = Omit<ValueOf<typeof socketMount>, "cluster" | "transform">;

/** Commands that follow a mount. */
export interface SocketMountCommands {
  /** The pod's events. With `typed` they show why it does not start. */
  readonly describe: pulumi.Output<string>;
  /** The entry that the pod found at the path. A directory begins with `d`, a socket with `s`. */
  readonly logs: pulumi.Output<string>;
  /**
   * Removes the directory from the node if it is empty, or prints why it cannot. Run it before you delete the pod, which
   * knows the node.
   */
  readonly restore: pulumi.Output<string>;
}

/**
 * Turns a socket into a directory, at a path that nothing uses: a pod mounts the path of a socket from the node without
 * a type. While the socket is missing, the container runtime creates a directory to mount, and the server of the socket
 * cannot start. With `typed` the same pod waits instead, and its events show why.
 *
 * Use it only in labs, and never at a path that the node needs. After the pod is deleted, the directory remains until
 * the node boots or is replaced. This is the fault. The fault is derived from the source code of containerd and
 * Kubernetes, and has not been tested on a node.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/52318
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types
 * @cost No additional charge. Without a GPU node the pod is pending, and a Cluster Autoscaler starts a node.
 * @throws InputError outside a lab's stack, past `expires`, for a path outside /run/eks-gpu-lab, and with every other
 *   problem of the arguments, before any resource is made.
 */
export class SocketMount extends pulumi.ComponentResource {
  readonly podName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** The normal form of the path on the node. */
  readonly path: string;
  readonly commands: SocketMountCommands;

  constructor(name: string, args: SocketMountArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `SocketMount "${name}"`;
    const others = [...stackProblems(), ...problemsIn(dnsLabel(), name, "name")];
    const { cluster, transform, ...settings } = resolveArgs(subject, socketMount, args, others);
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

function mountingPod(name: string, settings: Settings, path: string): PodArgs {
  const { namespace, taints, wait, typed, nodeName, nodeSelector, attempt, image } = settings;
  const annotations = { ...faultAnnotations(settings), ...awaited(wait, untilSucceeded).annotations };
  return {
    // The end is not in the specification: another end must not mount it again.
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
