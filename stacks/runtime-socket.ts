import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import { SocketMount, SocketWatch } from "../components";
import type { Lab } from "./run/lab";

/** Replaces the socket of a container runtime in this lab; the real one is never touched. */
const socket = "/run/eks-gpu-lab/runtime.sock";

/** The name of the pod in the cluster, which does not name the cause. */
const podName = "node-info";

/** A pod mounts a socket that does not exist, and the kubelet creates a directory in its place. */
export const runtimeSocket: Lab = {
  question: "Why does a container runtime, once stopped, exit at every start?",
  hypothesis:
    "a hostPath volume without a type creates an empty directory where the socket is missing, and no process can listen there; with the type Socket the same pod waits and changes nothing",
  watch: [
    "kubectl get pods -n runtime-socket -o wide",
    `eval "$(pulumi stack output sockets --json | jq -r .metrics)"`,
    `kubectl describe pod ${podName} -n runtime-socket`,
  ],
  restore: `eval "$(pulumi stack output mount --json | jq -r .restore)"; pulumi config rm remedy; pulumi config set fault off && pulumi up`,
  local:
    "The lab is about the file system and the container runtime of an EC2 instance. A fake node has neither, and a kind node is a container.",
  clusterName: "socket",
  minutes: 20,
  gpuNodes: 1,
  environment: { monitoring: { enabled: true } },
  supportsSharedCluster: true,
  keys: ["node"],
  // The fault mounts a path of the node.
  podSecurity: "privileged",
  fault: { name: "a socket mounted without a type", changes: ["create Pod socket-mount"] },
  remedies: {
    typed: {
      does: "set the type Socket: the pod waits until the socket exists",
      changes: ["replace Pod socket-mount"],
    },
  },
  add({ isFaulty, expires, node, remedy, namespace, taints, isMonitored, options, cluster }) {
    const shared = cluster ? { cluster } : {};
    const paths = ["/run/containerd/containerd.sock", socket];
    const watch = new SocketWatch("socket-watch", { ...shared, paths, serviceMonitor: isMonitored }, options);
    if (!isFaulty) return { sockets: watch.commands };
    const place = { namespace, taints, nodeName: node };
    const rename = (pod: PodArgs) => (pod.metadata = { ...(pod.metadata as object), name: podName });
    const settings = { path: socket, expires: expires ?? "", typed: remedy === "typed", transform: { pod: rename } };
    const mount = new SocketMount("socket-mount", { ...shared, ...place, ...settings }, options);
    return { sockets: watch.commands, mount: mount.commands };
  },
};
