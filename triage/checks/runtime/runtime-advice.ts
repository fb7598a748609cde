import type { Finding } from "../../conclusions";
import type { Steps } from "../../known-causes/known-cause";
import { knownCauses } from "../../known-causes/table";
import type { JournalConclusion } from "../../snapshot/logs/containerd-journal";
import { drainNode, readJournal } from "../finding-parts";

/** What a conclusion from a journal means and what to do. */
interface Advice extends Pick<Finding, "what" | "level"> {
  /** Whether to replace the node first. */
  readonly replaces?: true;
  readonly next: Steps;
}

const socket = "/run/containerd/containerd.sock";
const readNewJournal = "npx eks-gpu-lab triage --log JOURNAL";

/** No command here deletes more than an empty directory or resets a configuration. */
export const runtimeAdvice: Readonly<Record<JournalConclusion, Advice>> = {
  "containerd-socket-is-directory": {
    what: `containerd cannot start because ${socket} is a directory. Kubernetes creates such a directory when a pod mounts the path with an untyped hostPath while the socket does not exist. The configuration is not the cause; do not change it.`,
    replaces: true,
    next: [
      `Or repair the node: open a shell on it and check the type of the path (d is a directory, s is a socket) => {shell}ls -ld ${socket}`,
      `There, delete the directory. rmdir deletes only an empty directory; if it fails, the directory has content or is a mount point, so replace the node =!> sudo systemctl stop containerd && sudo rmdir ${socket} && sudo systemctl start containerd && sudo systemctl restart kubelet && ls -ld ${socket}`,
    ],
  },
  "containerd-hangs": {
    what: "containerd runs but does not respond: calls to it time out. The journal shows no error of its socket or its configuration.",
    next: [
      `On the node, restart only containerd. Running containers continue =!> {shell}sudo systemctl restart containerd && sudo journalctl -u containerd --no-pager -n 50`,
      `If it does not start, pass the new journal to triage => ${readNewJournal}`,
    ],
  },
  "containerd-config-broken": {
    what: "containerd cannot parse its configuration. On EKS, nodeadm writes the configuration with the NVIDIA runtime as the default. With a configuration from containerd config default, containerd would start, but without GPUs.",
    replaces: true,
    next: [
      `Or, on the node, let nodeadm write the configuration again. Keep the broken file to find out what wrote it =!> {shell}sudo cp /etc/containerd/config.toml /root/config.toml.broken && sudo nodeadm init --skip run && sudo systemctl restart containerd kubelet`,
    ],
  },
  "containerd-left-over-shims": {
    level: "notice",
    what: "Processes of earlier containers (containerd-shim) are still running. They belong to pods that continue while containerd is down, and are not a fault. Do not kill processes by the name containerd: that would stop every pod of the node, and any process with this word in its arguments.",
    next: [drainNode],
  },
  "toolkit-cannot-signal": {
    what: knownCauses["toolkit-cannot-signal"].what,
    next: [
      `On the node, check the socket and the daemon => {shell}ls -ld ${socket}; sudo systemctl status containerd --no-pager; ${readJournal}`,
      `Pass the journal to triage => ${readNewJournal}`,
    ],
  },
  "nvml-in-chroot": {
    level: "notice",
    what: "nvidia-smi failed with the NVML error Unknown Error. In a chroot of a kubectl debug pod it fails on healthy nodes, too, because the pod has no access to the GPU devices. The error does not show that the driver is broken.",
    next: [`Run nvidia-smi in a pod that has the GPU devices => {smi} -L`],
  },
};
