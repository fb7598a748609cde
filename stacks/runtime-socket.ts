import { SocketMount, SocketWatch } from "../components";
import type { Lab } from "./run/lab";

/** Stands for the socket of a container runtime; the real one is never touched. */
const socket = "/run/eks-gpu-lab/runtime.sock";

/** A pod mounts a socket that is not there, and a directory takes its place. */
export const runtimeSocket: Lab = {
  question: "How does the socket of a container runtime become a directory, so that the runtime cannot start again?",
  hypothesis:
    "a volume of the node's path without a type makes an empty directory where no socket is, and nothing can listen there any more; with the type Socket the same pod waits and harms nothing",
  watch: [
    "kubectl get pods -n runtime-socket -o wide",
    `eval "$(pulumi stack output sockets --json | jq -r .metrics)"`,
    "kubectl describe pod socket-mount -n runtime-socket",
  ],
  restore: `eval "$(pulumi stack output mount --json | jq -r .restore)"; pulumi config rm remedy; pulumi config set fault off && pulumi up`,
  minutes: 20,
  gpuNodes: 1,
  environment: { monitoring: { enabled: true } },
  mayBorrow: true,
  keys: ["node"],
  // The accident is a mount of the node's path.
  podSecurity: "privileged",
  fault: { name: "a socket mounted without a type", changes: ["create Pod socket-mount"] },
  remedies: {
    typed: { does: "state the type Socket: the pod waits until there is one", changes: ["replace Pod socket-mount"] },
  },
  add({ isFaulty, expires, node, remedy, namespace, taints, isMonitored, options, cluster }) {
    const shared = cluster ? { cluster } : {};
    const paths = ["/run/containerd/containerd.sock", socket];
    const watch = new SocketWatch("socket-watch", { ...shared, paths, serviceMonitor: isMonitored }, options);
    if (!isFaulty) return { sockets: watch.commands };
    const place = { namespace, taints, ...(node !== undefined && { nodeName: node }) };
    const mount = new SocketMount(
      "socket-mount",
      { ...shared, ...place, path: socket, expires: expires ?? "", typed: remedy === "typed" },
      options,
    );
    return { sockets: watch.commands, mount: mount.commands };
  },
};
