import { countOf } from "../../../components/core/text";
import type { Finding, NextStep } from "../../conclusions";
import { nodeNamed, subjectPod, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { LogExcerpt } from "../../snapshot/dump";
import { journalSigns } from "../../snapshot/logs/containerd-journal";
import { conclusionOfLine, type LogConclusion } from "../../snapshot/logs/plugin-log";
import { conditionOf } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { kubectlName } from "../../snapshot/pods";
import type { CheckResult } from "../check-result";
import {
  evidenceOf,
  journalCommand,
  nvidiaSmiCommand,
  onNode,
  podEvidence,
  scopeOf,
  scopeOfNode,
  scopeOfPod,
} from "../finding-parts";
import { runtimeAdvice } from "./runtime-advice";

/** Layer 5: what logs show about the inside of a node. The Kubernetes API shows no more of it. */
export function checkRuntime(snapshot: ClusterSnapshot): CheckResult {
  const { logs, journal } = snapshot;
  const findings = [
    ...logs.flatMap((log) => logFindings(log, snapshot)),
    ...journalFindings(snapshot),
    ...socketMounts(snapshot),
  ];
  const lines = [
    ...(logs.length > 0 ? [`logs of ${countOf(logs.length, "pod")} with known errors`] : []),
    ...(journal.length > 0 ? [`${countOf(journal.length, "known error")} in the journal`] : []),
  ];
  const none = "not checked: the Kubernetes API does not show it; pass a journal of containerd with --log FILE";
  return { lines: lines.length > 0 ? lines : [none], findings };
}

interface LogAdvice {
  readonly what: string;
  /** What to run next, on the node of the pod if it is known. */
  readonly next: (snapshot: ClusterSnapshot, node: Node | undefined) => readonly NextStep[];
}

/** A disabled plugin is a conclusion of the operator check. */
const logAdvice: Readonly<Record<Exclude<LogConclusion, "device-plugin-disabled">, LogAdvice>> = {
  "plugin-finds-no-devices": {
    what: "The device plugin found no GPU and waits. Either the driver does not see a GPU (nouveau is loaded instead, or the driver does not support the GPU), or the container does not use the NVIDIA runtime.",
    next: (snapshot, node) => [
      {
        why: "Check that the driver sees the GPU, in a pod that has the GPU devices",
        command: nvidiaSmiCommand(snapshot, node?.metadata.name),
      },
      { why: "If not, check that the node has a GPU", command: onNode(node, "lspci -d 10de:") },
    ],
  },
  "plugin-incompatible-strategy": {
    what: "The device plugin runs without NVIDIA's libraries: containerd did not start it with the NVIDIA runtime.",
    next: () => [
      {
        why: "Check that the NVIDIA runtime is containerd's default on the node, as in the EKS NVIDIA AMI",
        command:
          "kubectl get nodes -o custom-columns='NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage,RUNTIME:.status.nodeInfo.containerRuntimeVersion'",
      },
    ],
  },
  "plugin-nvml-error": {
    what: "The device plugin has the GPU devices but cannot use the driver (NVML): the driver is not loaded, or its version does not match the libraries.",
    next: (snapshot, node) => [
      {
        why: "Run nvidia-smi in another pod that has the GPU devices",
        command: nvidiaSmiCommand(snapshot, node?.metadata.name, "nvidia-smi"),
      },
    ],
  },
  "toolkit-cannot-signal": {
    what: runtimeAdvice["toolkit-cannot-signal"].what,
    next: (_snapshot, node) => [
      {
        why: "Save the containerd journal on the node, and pass it to triage with --log",
        command: onNode(node, journalCommand),
      },
    ],
  },
};

function logFindings({ namespace, pod, lines }: LogExcerpt, snapshot: ClusterSnapshot): Finding[] {
  const object = snapshot.objects.pods.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === pod,
  );
  const name = object?.spec.nodeName;
  const ids = new Set(lines.flatMap((line) => conclusionOfLine(line) ?? []));
  return [...ids].flatMap((id): Finding[] => {
    if (id === "device-plugin-disabled") return [];
    const { what, next } = logAdvice[id];
    const line = lines.findLast((one) => conclusionOfLine(one) === id) ?? "";
    return [
      {
        id,
        subject: `pod ${namespace}/${pod}`,
        nodes: name === undefined ? [] : [name],
        pods: [`${namespace}/${pod}`],
        level: "problem",
        confidence: "certain",
        what,
        evidence: [evidenceOf(`-n ${namespace} pod/${pod}`, "log", line)],
        next: next(snapshot, nodeNamed(snapshot, name)),
      },
    ];
  });
}

function journalFindings(snapshot: ClusterSnapshot): Finding[] {
  const node = journalNode(snapshot);
  return journalSigns(snapshot.journal).map(({ id, line, count, isVague }): Finding => {
    const { level, confidence, what, next } = runtimeAdvice[id];
    const mounts = id === "containerd-socket-is-directory" ? riskyMounts(snapshot, node) : [];
    return {
      id,
      ...(node ? scopeOfNode(node) : scopeOf("the node of the journal")),
      level,
      confidence: isVague ? "possible" : confidence,
      what,
      evidence: [
        evidenceOf(node ? kubectlName("node", node.metadata) : "journal", `log, ${countOf(count, "line")}`, line),
        ...mounts.map(mountEvidence),
      ],
      next: next(snapshot, node),
    };
  });
}

/** The node in question, the node of the pod in question, or the only node that is not Ready. */
function journalNode(snapshot: ClusterSnapshot): Node | undefined {
  const { subject, objects } = snapshot;
  const name = subject?.kind === "node" ? subject.name : subjectPod(snapshot)?.spec.nodeName;
  if (name !== undefined) return nodeNamed(snapshot, name);
  const unready = objects.nodes.filter(({ status }) => {
    const ready = conditionOf(status.conditions, "Ready");
    return ready !== undefined && ready.status !== "True";
  });
  return unready.length === 1 ? unready[0] : undefined;
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
        confidence: "possible",
        what: `The pod mounts ${path} with a hostPath ${type === "" ? "without a type" : `of type ${type}`}. If the pod starts while the socket does not exist, Kubernetes creates a directory at its path, and the daemon cannot start again.`,
        evidence: [mountEvidence(mount)],
        next: [
          {
            why: "Show the owner of the pod. In its manifest, set type: Socket, or mount the directory of the socket",
            command: `kubectl get ${kubectlName("pod", pod.metadata)} -o jsonpath='{.metadata.ownerReferences}'`,
          },
        ],
      };
    });
}
