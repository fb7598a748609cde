import type { Finding, NextStep } from "../../conclusions";
import { nodeNamed, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError, type KnownError } from "../../snapshot/logs/known-errors";
import { advertisesAllGpus, conditionOf, nodeGroupOf } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { kubectlName } from "../../snapshot/pods";
import { journalCommand, nvidiaSmiCommand, onNode, scopeOfNodes } from "../finding-parts";
import { meaningOf } from "../node/condition-reasons";
import type { Message } from "./messages";
import { runtimeAdvice } from "./runtime-advice";

/** Where the fault is, for the commands. */
interface Place {
  readonly snapshot: ClusterSnapshot;
  readonly node: Node | undefined;
  readonly pod: string | undefined;
}

interface Advice {
  /** The object that has the fault: one node has one finding, however many of its pods report the message. */
  readonly of: "node" | "pod";
  /** @default certain */
  readonly confidence?: Finding["confidence"];
  readonly what: string | ((text: string) => string);
  readonly next: (place: Place) => readonly NextStep[];
}

const showNodeGroups: NextStep = {
  why: "Show the image of the nodes and their node group. On EKS, the image must be an NVIDIA AMI such as AL2023_x86_64_NVIDIA",
  command: "kubectl get nodes -o wide -L eks.amazonaws.com/nodegroup,eks.amazonaws.com/nodegroup-image",
};

function showAmiType({ snapshot, node }: Place): NextStep[] {
  const group = node && nodeGroupOf(node);
  if (group === undefined) return [];
  const command = `aws eks describe-nodegroup --cluster-name ${snapshot.clusterName} --nodegroup-name ${group} --query nodegroup.amiType`;
  return [{ why: "Show the type of the AMI", command }];
}

/** `-n gpu-lab pod/probe` of `gpu-lab/probe`. */
function podArgument({ pod = "NAMESPACE/POD" }: Place): string {
  const [namespace = "", name = ""] = pod.split("/");
  return kubectlName("pod", { namespace, name });
}

/** What a known error means and what to do. A disabled plugin is a conclusion of the operator check. */
const advice: Readonly<Record<Exclude<KnownError, "device-plugin-disabled">, Advice>> = {
  "disk-full": {
    of: "node",
    confidence: "likely",
    what: "The disk of the node is full: writes fail, images cannot be pulled, and the kubelet evicts pods.",
    next: ({ node }) => [
      {
        why: "Show what fills the disk",
        command: onNode(node, "df -h; sudo du -xsh /var/lib/containerd /var/lib/kubelet"),
      },
      {
        why: "Unused images can be deleted on the node. In a lab, give the nodes a larger disk",
        command: "pulumi config set --path gpuNodes.diskSizeGiB 200 && pulumi up",
        changes: true,
      },
    ],
  },
  "nvidia-runtime-missing": {
    of: "node",
    what: "containerd on the node has no runtime named nvidia. The EKS NVIDIA AMIs have the driver, the toolkit and this runtime; a plain AMI has none of them. On other images, the toolkit of the GPU Operator configures the runtime.",
    next: (place) => [showNodeGroups, ...showAmiType(place)],
  },
  "cdi-device-missing": {
    of: "node",
    what: "containerd finds no CDI specification of the GPUs that a container requests. The specification is missing, or older than the last change of the GPUs: the driver or the toolkit did not write it.",
    next: (place) => [
      {
        why: "Show the CDI devices of the node",
        command: onNode(place.node, "nvidia-ctk cdi list; ls -l /var/run/cdi /etc/cdi"),
      },
      showNodeGroups,
    ],
  },
  "gpu-driver-missing": {
    of: "node",
    what: "The NVIDIA driver is not installed or not loaded on the node. The EKS NVIDIA AMIs include it; on a plain AMI, the GPU Operator installs it only if driver.enabled is true.",
    next: (place) => [
      showNodeGroups,
      ...showAmiType(place),
      {
        why: "Check on the node that the driver is loaded",
        command: onNode(place.node, "nvidia-smi; lsmod | grep nvidia"),
      },
    ],
  },
  "cuda-newer-than-driver": {
    of: "pod",
    what: "The image needs a newer driver than the node has: its CUDA version is newer than the driver supports.",
    next: ({ snapshot, node }) => [
      {
        why: "Show the driver and the CUDA version that it supports. Then use an image with this CUDA version or an older one, or a newer AMI",
        command: nvidiaSmiCommand(snapshot, node?.metadata.name, "nvidia-smi"),
      },
    ],
  },
  "kv-cache-too-small": {
    of: "pod",
    what: "vLLM has no GPU memory left for its KV cache: next to the model, too little is left for the longest request that vLLM accepts.",
    next: (place) => [
      {
        command: `kubectl logs ${podArgument(place)} --all-containers --previous --tail=60`,
        why: "Show the memory that vLLM found and needs. Then lower --max-model-len, raise --gpu-memory-utilization, use a quantized model or a larger GPU",
      },
    ],
  },
  "dcgm-engine-missing": {
    of: "pod",
    what: "The DCGM exporter cannot reach the DCGM engine (nv-hostengine) that it is configured to use. Metrics of the GPUs are missing; pods can use the GPUs without them.",
    next: ({ snapshot, node }) => [
      {
        why: "Check that an engine runs on the node: nvidia-dcgm of the operator, or dcgm-server of the node monitoring agent",
        command: `kubectl get pods -A -o wide --field-selector spec.nodeName=${node?.metadata.name ?? "NODE"} | grep -E 'nvidia-dcgm|dcgm-server'`,
      },
      {
        why: "Show the engine that the exporter uses (DCGM_REMOTE_HOSTENGINE_INFO; without it, the exporter runs its own)",
        command: `kubectl -n ${snapshot.operatorNamespace} get daemonset nvidia-dcgm-exporter -o jsonpath='{.spec.template.spec.containers[0].env}'`,
      },
    ],
  },
  "shared-gpu-request": {
    of: "pod",
    what: "The GPUs of the node are shared, and the device plugin refuses requests for more than 1 share (failRequestsGreaterThanOne). More shares would not give the pod more of a GPU.",
    next: (place) => [
      {
        why: "Show the request. Set it to 1, or use nodes without time slicing; then create the pod again",
        command: `kubectl get ${podArgument(place)} -o jsonpath='{.spec.containers[*].resources.limits}'`,
      },
    ],
  },
  "gpu-xid-error": {
    of: "pod",
    what: (text) => {
      const code = /Xid(?: \(PCI:[^)]*\))?\D{0,3}(\d+)/.exec(text)?.[1];
      const meaning = code === undefined ? undefined : meaningOf(`NvidiaXID${code}Error`);
      return `The driver reports a fatal error of a GPU${meaning === undefined ? "" : ` (${meaning})`}. The device plugin marks the GPU unhealthy until the plugin is restarted.`;
    },
    next: ({ node }) => [
      {
        why: "Show the XID errors of the driver in the kernel log",
        command: onNode(node, "sudo dmesg -T | grep -i xid"),
      },
      {
        why: "Keep new pods off the node, and replace it",
        command: `kubectl cordon ${node?.metadata.name ?? "NODE"}`,
        changes: true,
      },
    ],
  },
  "plugin-finds-no-devices": {
    of: "pod",
    what: "The device plugin found no GPU and waits. Either the driver does not see a GPU (nouveau is loaded instead, or the driver does not support the GPU), or the container does not use the NVIDIA runtime.",
    next: ({ snapshot, node }) => [
      {
        why: "Check that the driver sees the GPU, in a pod that has the GPU devices",
        command: nvidiaSmiCommand(snapshot, node?.metadata.name),
      },
      { why: "If not, check that the node has a GPU", command: onNode(node, "lspci -d 10de:") },
    ],
  },
  "plugin-incompatible-strategy": {
    of: "pod",
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
    of: "pod",
    what: "The pod has the GPU devices but cannot use the driver (NVML): the driver is not loaded, its version does not match the libraries, or the pod has lost its devices.",
    next: ({ snapshot, node }) => [
      {
        why: "Run nvidia-smi in another pod that has the GPU devices. If it works there, create the pod again",
        command: nvidiaSmiCommand(snapshot, node?.metadata.name, "nvidia-smi"),
      },
    ],
  },
  "toolkit-cannot-signal": {
    of: "pod",
    what: runtimeAdvice["toolkit-cannot-signal"].what,
    next: ({ node }) => [
      {
        why: "Save the containerd journal on the node, and pass it to triage with --log",
        command: onNode(node, journalCommand),
      },
    ],
  },
};

/** The conclusions that known errors in messages show. */
export function causesInMessages(messages: readonly Message[], snapshot: ClusterSnapshot): Finding[] {
  return messages.flatMap((message) => {
    const id = knownError(message.text);
    return id === undefined || id === "device-plugin-disabled" ? [] : knownCause(id, message, snapshot);
  });
}

/** A conclusion from a message; none about a node if the pod has no node. */
export function knownCause(
  id: keyof typeof advice,
  { text, evidence, node: name, pod, confidence }: Message,
  snapshot: ClusterSnapshot,
): Finding[] {
  const { of, what, next } = advice[id];
  if (of === "node" && name === undefined) return [];
  const nodes = name === undefined ? [] : [name];
  const node = nodeNamed(snapshot, name);
  return [
    {
      id,
      subject: of === "node" ? scopeOfNodes(nodes).subject : `pod ${pod}`,
      nodes,
      pods: pod === undefined ? [] : [pod],
      level: "problem",
      confidence: weakest(confidence, confidenceOf(id, node)),
      what: typeof what === "string" ? what : what(text),
      evidence: [evidence],
      next: next({ snapshot, node, pod }),
    },
  ];
}

const confidences = ["possible", "likely", "certain"] as const;

function weakest(one: Finding["confidence"] = "certain", other: Finding["confidence"]): Finding["confidence"] {
  return confidences.find((level) => level === one || level === other) ?? other;
}

/** How far the state of the node agrees with a known error. A node that advertises all of its GPUs has a driver. */
function confidenceOf(id: keyof typeof advice, node: Node | undefined): Finding["confidence"] {
  const { confidence = "certain" } = advice[id];
  const hasPressure = node && conditionOf(node.status.conditions, "DiskPressure")?.status === "True";
  if (id === "disk-full" && hasPressure) return "certain";
  const needsDriver = id === "gpu-driver-missing" || id === "gpu-xid-error" || id === "plugin-finds-no-devices";
  return needsDriver && node && advertisesAllGpus(node) ? "likely" : confidence;
}
