import { runtimeSigns } from "../../classify/containerd-log";
import { signOf, type LogSign } from "../../classify/plugin-log";
import type { Finding, FindingId, NextStep } from "../../finding";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import { aboutCluster, aboutNode, aboutPod } from "../about";
import { askDriver, session } from "../node/node-facts";
import { kubectlName } from "../pods";
import { askedPod, nodeNamed, type Scene } from "../scene";
import { counted, type Seen } from "../seen";
import { runtimeAdvice } from "./runtime-advice";

/** Last station: what the logs tell of the inside of a node. The API shows no more of it. */
export function insideStation(scene: Scene): Seen {
  const { logs, journal } = scene.dump;
  const findings = [...pluginFindings(scene), ...journalFindings(scene), ...socketMounts(scene)];
  const read = [
    ...(logs.length > 0 ? [`logs of ${counted(logs.length, "pod")} read`] : []),
    ...(journal.length > 0 ? [`${counted(journal.length, "telling line")} of a journal`] : []),
  ];
  const lines =
    read.length > 0 ? read : ["not looked into: the API does not show it; --log FILE takes a journal of containerd"];
  return { lines, findings };
}

interface PluginSign {
  readonly id: FindingId;
  readonly what: string;
  /** What to run next, where the pod's node is known on that node. */
  readonly next: (scene: Scene, node: Node | undefined) => readonly NextStep[];
}

const pluginSigns: Readonly<Partial<Record<LogSign, PluginSign>>> = {
  "no-devices": {
    id: "plugin-finds-no-devices",
    what: "The device plugin found no GPU and waits: the driver does not see one (nouveau in its place, a driver that does not know the GPU), or the container has no NVIDIA runtime.",
    next: (scene, node) => [
      {
        why: "Whether the driver sees the GPU, in a pod that has the devices",
        command: askDriver(scene, node?.metadata.name),
      },
      { why: "If not: whether the node has one at all", command: `${session(node)}   # then: lspci -d 10de:` },
    ],
  },
  "incompatible-strategy": {
    id: "plugin-incompatible-strategy",
    what: "The device plugin runs without NVIDIA's libraries: containerd did not start it with the NVIDIA runtime.",
    next: () => [
      {
        why: "Whether the NVIDIA runtime is containerd's default on the node; the EKS NVIDIA image makes it so",
        command:
          "kubectl get nodes -o custom-columns='NAME:.metadata.name,IMAGE:.status.nodeInfo.osImage,RUNTIME:.status.nodeInfo.containerRuntimeVersion'",
      },
    ],
  },
  "nvml-error": {
    id: "plugin-nvml-error",
    what: "The device plugin, which does have the GPU's devices, cannot talk to the driver (NVML): the driver is not loaded, or does not fit its libraries.",
    next: (scene, node) => [
      { why: "What another pod with the devices says", command: askDriver(scene, node?.metadata.name, "nvidia-smi") },
    ],
  },
  "toolkit-cannot-signal": {
    id: "toolkit-cannot-signal",
    what: runtimeAdvice["toolkit-cannot-signal"].what,
    next: (_scene, node) => [
      {
        why: "On the node: save its journal, and let triage read it with --log",
        command: `${session(node)}   # then: sudo journalctl -u containerd --no-pager -n 300`,
      },
    ],
  },
};

function pluginFindings(scene: Scene): Finding[] {
  return scene.dump.logs.flatMap(({ namespace, pod, lines }) => {
    const signs = [...new Set(lines.flatMap((line) => signOf(line) ?? []))];
    const { pods } = scene.dump.objects;
    const name = pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === pod)?.spec.nodeName;
    const node = nodeNamed(scene, name);
    return signs.flatMap((sign): Finding[] => {
      const known = pluginSigns[sign];
      if (!known) return [];
      const line = lines.filter((one) => signOf(one) === sign).at(-1) ?? "";
      return [
        {
          id: known.id,
          subject: `pod ${namespace}/${pod}`,
          nodes: name === undefined ? [] : [name],
          pods: [`${namespace}/${pod}`],
          level: "problem",
          sure: "certain",
          what: known.what,
          evidence: [{ object: `-n ${namespace} pod/${pod}`, field: "log", value: line }],
          next: known.next(scene, node),
        },
      ];
    });
  });
}

function journalFindings(scene: Scene): Finding[] {
  const node = journalNode(scene);
  return runtimeSigns(scene.dump.journal).map((sign): Finding => {
    const advice = runtimeAdvice[sign.case];
    const suspects = sign.case === "socket-is-directory" ? mounts(scene, node) : [];
    return {
      id: advice.id,
      ...(node ? aboutNode(node) : aboutCluster("the node of the journal")),
      level: advice.level,
      sure: sign.vague ? "possible" : advice.sure,
      what: advice.what,
      evidence: [
        {
          object: node ? kubectlName("node", node.metadata) : "journal",
          field: `log, ${counted(sign.count, "line")}`,
          value: sign.line,
        },
        ...suspects.map(({ pod, path, type }) => ({
          object: kubectlName("pod", pod.metadata),
          field: "spec.volumes[].hostPath",
          value: `${path}, type ${type === "" ? "none" : type}`,
        })),
      ],
      next: advice.next(scene, node),
    };
  });
}

/** The node asked about, or that of the pod asked about, or the only one that is not Ready. */
function journalNode(scene: Scene): Node | undefined {
  const { subject, objects } = scene.dump;
  const name = subject?.kind === "node" ? subject.name : askedPod(scene)?.spec.nodeName;
  if (name !== undefined) return nodeNamed(scene, name);
  const unwell = objects.nodes.filter(({ status }) =>
    status.conditions.some(({ type, status: state }) => type === "Ready" && state !== "True"),
  );
  return unwell.length === 1 ? unwell[0] : undefined;
}

interface Mount {
  readonly pod: Pod;
  readonly path: string;
  readonly type: string;
}

/** Pods that mount a socket's own path, in a way that makes a directory of it while the socket is away. */
function mounts(scene: Scene, node?: Node): Mount[] {
  const pods = node ? scene.podsOn(node.metadata.name) : scene.dump.objects.pods;
  return pods.flatMap((pod) =>
    pod.spec.volumes.flatMap((volume) => {
      if (!("hostPath" in volume)) return [];
      const { path, type = "" } = volume.hostPath;
      const risky = path.endsWith(".sock") && (type === "" || type === "DirectoryOrCreate");
      return risky ? [{ pod, path, type }] : [];
    }),
  );
}

function socketMounts(scene: Scene): Finding[] {
  return mounts(scene)
    .slice(0, 10)
    .map(({ pod, path, type }): Finding => ({
      id: "socket-mount-untyped",
      ...aboutPod(pod),
      level: "notice",
      sure: "possible",
      what: `The pod mounts ${path} by a hostPath ${type === "" ? "without a type" : `of type ${type}`}. Starts it while the socket is away, a directory is made in its place, and the daemon behind it cannot start again.`,
      evidence: [
        {
          object: kubectlName("pod", pod.metadata),
          field: "spec.volumes[].hostPath",
          value: `${path}, type ${type === "" ? "none" : type}`,
        },
      ],
      next: [
        {
          why: "Let its manifest say type: Socket, or mount the socket's folder; who makes the pod",
          command: `kubectl get ${kubectlName("pod", pod.metadata)} -o jsonpath='{.metadata.ownerReferences}'`,
        },
      ],
    }));
}
