import { nodePoolLabel } from "../../components/core/instance-tags";
import type { Node } from "../snapshot/objects/resources";
import type { Entries, StepList } from "./entry";

const socket = "/run/containerd/containerd.sock";

const drainNode =
  "Recommended on EKS: replace the node. First drain it. Some pods cannot stop while the runtime is down, so the drain has a timeout =!> kubectl cordon {node} && kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --timeout=120s";
const deleteNode =
  "Then delete the node: Karpenter terminates its instance, and starts another one for waiting pods =!> kubectl delete node {node}";
const terminateInstance =
  "Then terminate the instance. Its node group starts a new one =!> aws autoscaling terminate-instance-in-auto-scaling-group --instance-id {instance} --no-should-decrement-desired-capacity";

/** On EKS, a broken node is replaced rather than repaired: its node group or Karpenter starts another one. */
export function replaceNode(node: Node | undefined): StepList {
  return [drainNode, nodePoolLabel in (node?.metadata.labels ?? {}) ? deleteNode : terminateInstance];
}

interface OfNode {
  readonly node: Node | undefined;
}

/** The inside of a node. No command here deletes more than an empty directory or resets a configuration. */
export const runtime = {
  "containerd-config-broken": {
    meaning: "containerd cannot parse its configuration (case C)",
    what: "containerd cannot parse its configuration. On EKS, nodeadm writes the configuration with the NVIDIA runtime as the default. With a configuration from containerd config default, containerd would start, but without GPUs.",
    next: ({ node }: OfNode) => [
      ...replaceNode(node),
      `Or, on the node, let nodeadm write the configuration again. Keep the broken file to find out what wrote it =!> {shell}sudo cp /etc/containerd/config.toml /root/config.toml.broken && sudo nodeadm init --skip run && sudo systemctl restart containerd kubelet`,
    ],
  },
  "containerd-socket-is-directory": {
    meaning: "a directory replaces the socket of containerd (case A)",
    what: `containerd cannot start because ${socket} is a directory. Kubernetes creates such a directory when a pod mounts the path with an untyped hostPath while the socket does not exist. The configuration is not the cause; do not change it.`,
    next: ({ node }: OfNode) => [
      ...replaceNode(node),
      `Or repair the node: open a shell on it and check the type of the path (d is a directory, s is a socket) => {shell}ls -ld ${socket}`,
      `There, delete the directory. rmdir deletes only an empty directory; if it fails, the directory has content or is a mount point, so replace the node =!> sudo systemctl stop containerd && sudo rmdir ${socket} && sudo systemctl start containerd && sudo systemctl restart kubelet && ls -ld ${socket}`,
    ],
  },
  "containerd-hangs": {
    meaning: "containerd runs but does not respond (case B)",
    what: "containerd runs but does not respond: calls to it time out. The journal shows no error of its socket or its configuration.",
    next: [
      "On the node, restart only containerd. Running containers continue =!> {shell}sudo systemctl restart containerd && sudo journalctl -u containerd --no-pager -n 50",
      "If it does not start, pass the new journal to triage => npx eks-gpu-lab triage --log JOURNAL",
    ],
  },
  "containerd-left-over-shims": {
    meaning: "processes of earlier containers are still running",
    level: "notice",
    what: "Processes of earlier containers (containerd-shim) are still running. They belong to pods that continue while containerd is down, and are not a fault. Do not kill processes by the name containerd: that would stop every pod of the node, and any process with this word in its arguments.",
    next: drainNode,
  },
  "socket-mount-untyped": {
    meaning: "a pod mounts a socket in a way that can replace the socket with a directory",
    level: "notice",
    atMost: "possible",
    what: ({ path, type }: { path: string; type: string }) =>
      `The pod mounts ${path} with a hostPath ${type === "" ? "without a type" : `of type ${type}`}. If the pod starts while the socket does not exist, Kubernetes creates a directory at its path, and the daemon cannot start again.`,
    next: "Show the owner of the pod. In its manifest, set type: Socket, or mount the directory of the socket => kubectl get {pod} -o jsonpath='{.metadata.ownerReferences}'",
  },
  "node-log-errors": {
    meaning: "the logs of the node have errors, none of which triage knows",
    level: "notice",
    atMost: "possible",
    what: "Triage knows none of the errors in the logs of the node. The evidence shows the last ones; healthy nodes also log errors.",
    next: "Save the objects of the cluster, and pass the file to triage with a second --from => kubectl get nodes,pods,events,daemonsets,deployments -A -o json > cluster.json",
  },
  "nvml-in-chroot": {
    meaning: "nvidia-smi failed in a chroot, which also happens on healthy nodes",
    level: "notice",
    what: "nvidia-smi failed with the NVML error Unknown Error. In a chroot of a kubectl debug pod, it also fails on healthy nodes, because the pod has no access to the GPU devices. The error does not show that the driver is broken.",
    next: "Run nvidia-smi in a pod that has the GPU devices => {smi} -L",
  },
} satisfies Entries;
