import { countOf } from "../../../components/core/text";
import { listOf, type Evidence, type Finding } from "../../conclusions";
import type { Steps } from "../../known-causes/known-cause";
import { knownCauses } from "../../known-causes/table";
import { nodeNamed, subjectPod, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { journalSigns, type JournalConclusion } from "../../snapshot/logs/containerd-journal";
import { advertisesAllGpus, conditionOf, isNodeDown } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { kubectlName } from "../../snapshot/pods";
import {
  conditionEvidence,
  drainNode,
  evidenceOf,
  podEvidence,
  replaceNode,
  scopeOf,
  scopeOfNode,
  scopeOfPod,
  type CheckResult,
} from "../finding-parts";
import { causesInMessages } from "./known-causes";
import { messagesInJournal, messagesInLogs } from "./messages";

/** Layer 5: what logs show about the inside of a node. The Kubernetes API shows no more of it. */
export function checkRuntime(snapshot: ClusterSnapshot): CheckResult {
  const { logs, journal } = snapshot;
  const { node, isGuess } = journalNode(snapshot);
  const findings = [
    ...causesInMessages(messagesInLogs(snapshot), snapshot),
    ...journalFindings(snapshot, node),
    ...causesInMessages(messagesInJournal(snapshot, node, isGuess && "likely"), snapshot),
    ...socketMounts(snapshot),
  ];
  const lines = [
    ...(logs.length > 0 ? [`logs of ${countOf(logs.length, "pod")} with errors`] : []),
    ...(journal.length > 0 ? [`${countOf(journal.length, "known error")} in the journal`] : []),
  ];
  const none = "not checked: the Kubernetes API does not show it; pass a journal of containerd with --log FILE";
  return { lines: lines.length > 0 ? lines : [none], findings };
}

function journalFindings(snapshot: ClusterSnapshot, node: Node | undefined): Finding[] {
  return journalSigns(snapshot.journal).map(({ id, line, count, isVague }): Finding => {
    const { level, what, replaces, next } = runtimeAdvice[id];
    const isFatal = id === "containerd-config-broken" || id === "containerd-socket-is-directory";
    const signs = node && isFatal ? runtimeSigns(node) : [];
    const mounts = id === "containerd-socket-is-directory" ? riskyMounts(snapshot, node) : [];
    return {
      id,
      ...(node ? scopeOfNode(node) : scopeOf("the node of the journal")),
      level,
      atMost: isVague ? "possible" : signs.length > 0 ? undefined : "likely",
      what,
      evidence: [
        evidenceOf(node ? kubectlName("node", node.metadata) : "journal", `log, ${countOf(count, "line")}`, line),
        ...signs,
        ...mounts.map(mountEvidence),
      ],
      next: [...(replaces ? replaceNode(node) : []), ...listOf(next)],
    };
  });
}

/** What a conclusion from a journal means and what to do. */
interface Advice extends Pick<Finding, "what" | "level"> {
  /** Whether to replace the node first. */
  readonly replaces?: true;
  readonly next: Steps;
}

const socket = "/run/containerd/containerd.sock";
const readNewJournal = "npx eks-gpu-lab triage --log JOURNAL";

/** No command here deletes more than an empty directory or resets a configuration. */
const runtimeAdvice: Readonly<Record<JournalConclusion, Advice>> = {
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
    next: `Or, on the node, let nodeadm write the configuration again. Keep the broken file to find out what wrote it =!> {shell}sudo cp /etc/containerd/config.toml /root/config.toml.broken && sudo nodeadm init --skip run && sudo systemctl restart containerd kubelet`,
  },
  "containerd-left-over-shims": {
    level: "notice",
    what: "Processes of earlier containers (containerd-shim) are still running. They belong to pods that continue while containerd is down, and are not a fault. Do not kill processes by the name containerd: that would stop every pod of the node, and any process with this word in its arguments.",
    next: [drainNode],
  },
  "toolkit-cannot-signal": knownCauses["toolkit-cannot-signal"],
  "nvml-in-chroot": {
    level: "notice",
    what: "nvidia-smi failed with the NVML error Unknown Error. In a chroot of a kubectl debug pod it fails on healthy nodes, too, because the pod has no access to the GPU devices. The error does not show that the driver is broken.",
    next: [`Run nvidia-smi in a pod that has the GPU devices => {smi} -L`],
  },
};

/** What the kubelet says of a runtime that does not respond. A network plugin that is not ready is something else. */
const runtimeDown = /container runtime (?:is down|not ready|status check)|PLEG is not healthy|containerd\.sock/i;

/** The conditions of a node that show that its runtime is down. A line of a journal alone may be an old one. */
function runtimeSigns(node: Node): Evidence[] {
  const [runtime, ready] = ["ContainerRuntimeReady", "Ready"].map((type) => conditionOf(node.status.conditions, type));
  const isDown = ready?.status === "False" && runtimeDown.test(ready.message ?? "");
  const signs = [runtime?.status === "False" ? runtime : undefined, isDown ? ready : undefined];
  return signs.flatMap((sign) => (sign ? [conditionEvidence(node, sign)] : []));
}

/** The node of a journal. */
interface JournalNode {
  readonly node?: Node | undefined;
  /** Because it is the only one that lacks GPUs. Then the lack of GPUs is no second sign. */
  readonly isGuess?: true;
}

/** The node in question, the node of the pod in question, or the only node that is not Ready or lacks GPUs. */
function journalNode(snapshot: ClusterSnapshot): JournalNode {
  const { subject, objects, gpuNodes } = snapshot;
  const name = subject?.kind === "node" ? subject.name : subjectPod(snapshot)?.spec.nodeName;
  if (name !== undefined) return { node: nodeNamed(snapshot, name) };
  const unready = objects.nodes.filter(isNodeDown);
  if (unready.length > 0) return unready.length === 1 ? { node: unready[0] } : {};
  const lacking = gpuNodes.filter((node) => !advertisesAllGpus(node));
  return lacking.length === 1 ? { node: lacking[0], isGuess: true } : {};
}

interface SocketMount {
  readonly pod: Pod;
  readonly path: string;
  readonly type: string;
}

/** Mounts of a socket that create a directory at its path while the socket does not exist. */
function riskyMounts({ podsOn, objects }: ClusterSnapshot, node?: Node): SocketMount[] {
  const pods = node ? podsOn(node.metadata.name) : objects.pods;
  return pods.flatMap((pod) =>
    pod.spec.volumes.flatMap((volume) => {
      if (!("hostPath" in volume)) return [];
      const { path, type = "" } = volume.hostPath;
      const isRisky = path.endsWith(".sock") && (type === "" || type === "DirectoryOrCreate");
      return isRisky ? [{ pod, path, type }] : [];
    }),
  );
}

function mountEvidence({ pod, path, type }: SocketMount) {
  return podEvidence(pod, "spec.volumes[].hostPath", `${path}, type ${type === "" ? "none" : type}`);
}

const maxMounts = 10;

function socketMounts(snapshot: ClusterSnapshot): Finding[] {
  return riskyMounts(snapshot)
    .slice(0, maxMounts)
    .map((mount): Finding => {
      const { pod, path, type } = mount;
      return {
        id: "socket-mount-untyped",
        ...scopeOfPod(pod),
        level: "notice",
        atMost: "possible",
        what: `The pod mounts ${path} with a hostPath ${type === "" ? "without a type" : `of type ${type}`}. If the pod starts while the socket does not exist, Kubernetes creates a directory at its path, and the daemon cannot start again.`,
        evidence: [mountEvidence(mount)],
        next: "Show the owner of the pod. In its manifest, set type: Socket, or mount the directory of the socket => kubectl get {pod} -o jsonpath='{.metadata.ownerReferences}'",
      };
    });
}
