import type { RuntimeCase } from "../../classify/containerd-log";
import type { FindingId, NextStep } from "../../finding";
import type { Node } from "../../objects/node";
import { askDriver, instanceId, session } from "../node/node-facts";
import type { Scene } from "../scene";

interface Advice {
  readonly id: FindingId;
  readonly what: string;
  readonly sure: "certain" | "likely" | "possible";
  readonly level: "problem" | "notice";
  readonly next: (scene: Scene, node: Node | undefined) => readonly NextStep[];
}

const socket = "/run/containerd/containerd.sock";

/** On EKS a node is cattle: what is broken on it is not worth mending, and the group makes another. */
function replaceNode(node: Node | undefined): NextStep[] {
  const name = node?.metadata.name ?? "NODE";
  const instance = instanceId(node);
  return [
    {
      why: "First choice on EKS: replace the node. Drain what can be drained; with the runtime down some pods will not end, so it has a time limit",
      command: `kubectl cordon ${name} && kubectl drain ${name} --ignore-daemonsets --delete-emptydir-data --timeout=120s`,
      changes: true,
    },
    {
      why: "Then end the instance; its node group starts another one",
      command: `aws autoscaling terminate-instance-in-auto-scaling-group --instance-id ${instance} --no-should-decrement-desired-capacity`,
      changes: true,
    },
  ];
}

/** What each case means and asks for. Nothing here removes more than an empty directory, or resets a configuration. */
export const runtimeAdvice: Readonly<Record<RuntimeCase, Advice>> = {
  "socket-is-directory": {
    id: "containerd-socket-is-directory",
    level: "problem",
    sure: "certain",
    what: `A directory stands at ${socket}, where containerd must make its socket, so it cannot start. Such a directory appears when a pod mounts the socket's path with a hostPath without a type while the socket is away. The configuration is not to blame: leave it alone.`,
    next: (_scene, node) => [
      ...replaceNode(node),
      {
        why: "Or mend it in place: open a shell on the node, and look at what stands there (d is a directory, s a socket)",
        command: `${session(node)}   # then: ls -ld ${socket}`,
      },
      {
        why: "There: rmdir takes away an empty directory and nothing else. Where it refuses, something is inside or mounted: replace the node",
        command: `sudo systemctl stop containerd && sudo rmdir ${socket} && sudo systemctl start containerd && sudo systemctl restart kubelet && ls -ld ${socket}`,
        changes: true,
      },
    ],
  },
  hangs: {
    id: "containerd-hangs",
    level: "problem",
    sure: "likely",
    what: "containerd runs and does not answer: calls to it time out. Neither its socket nor its configuration is damaged as far as this journal shows.",
    next: (_scene, node) => [
      {
        why: "On the node: restart the daemon alone; running containers go on",
        command: `${session(node)}   # then: sudo systemctl restart containerd && sudo journalctl -u containerd --no-pager -n 50`,
        changes: true,
      },
      {
        why: "If it does not start, what it says then decides: give triage the new journal",
        command: "npx eks-gpu-lab triage --log JOURNAL",
      },
    ],
  },
  "config-broken": {
    id: "containerd-config-broken",
    level: "problem",
    sure: "certain",
    what: "containerd cannot read its configuration. On EKS nodeadm writes it, with the NVIDIA runtime as the default: a configuration reset by hand (containerd config default) would start, and leave the node without GPUs.",
    next: (_scene, node) => [
      ...replaceNode(node),
      {
        why: "Or let nodeadm write it anew, on the node; keep the broken file to see who wrote it",
        command: `${session(node)}   # then: sudo cp /etc/containerd/config.toml /root/config.toml.broken && sudo nodeadm init --skip run && sudo systemctl restart containerd kubelet`,
        changes: true,
      },
    ],
  },
  "left-over-shims": {
    id: "containerd-left-over-shims",
    level: "notice",
    sure: "certain",
    what: "Processes of earlier containers (containerd-shim) are still there. Those are the pods that go on while containerd is away, and no fault in themselves. Do not kill processes by the name containerd: every pod of the node would end, and anything with that word in its arguments.",
    next: (_scene, node) => [...replaceNode(node)].slice(0, 1),
  },
  "toolkit-cannot-signal": {
    id: "toolkit-cannot-signal",
    level: "problem",
    sure: "likely",
    what: "The NVIDIA container toolkit found nobody behind containerd's socket. It is a symptom: the runtime on that node is down, or its socket is no socket. On the EKS NVIDIA image the toolkit is part of the image and toolkit.enabled belongs off.",
    next: (_scene, node) => [
      {
        why: "On the node: how the socket and the daemon stand",
        command: `${session(node)}   # then: ls -ld ${socket}; sudo systemctl status containerd --no-pager; sudo journalctl -u containerd --no-pager -n 300`,
      },
      { why: "What that journal says", command: "npx eks-gpu-lab triage --log JOURNAL" },
    ],
  },
  "nvml-in-chroot": {
    id: "nvml-in-chroot",
    level: "notice",
    sure: "certain",
    what: "nvidia-smi failed with NVML's Unknown Error. In a chroot of a kubectl debug pod it fails on healthy nodes, too, because the pod may not use the GPU's devices. It proves nothing about the driver.",
    next: (scene, node) => [{ why: "Ask a pod that has the devices", command: askDriver(scene, node?.metadata.name) }],
  },
};
