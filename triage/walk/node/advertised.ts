import type { Finding, NextStep } from "../../finding";
import type { Node } from "../../objects/node";
import { aboutCluster, aboutNode, aboutNodes, podKey } from "../about";
import { duration, isYoung, secondsBetween } from "../age";
import { pluginComes } from "../operator/plugin-daemonsets";
import { asksForGpu, isPending, kubectlName } from "../pods";
import { numberOf } from "../requests";
import { gpuResource, isGpuResource, type Scene } from "../scene";
import { counted } from "../seen";
import { askDriver } from "./node-facts";

/** How a node stands with GPUs: what it offers, or why it offers nothing. */
export type Offer = "offers" | "zero" | "missing";

/**
 * A key with 0 is another fault than no key: a plugin was there and went. With MIG or renamed shares the plain resource
 * stays 0 while another is offered.
 */
export function offerOf({ status }: Node): Offer {
  const offers = Object.entries(status.allocatable).filter(([name]) => isGpuResource(name));
  if (offers.some(([, amount]) => numberOf(amount) > 0)) return "offers";
  return offers.length > 0 ? "zero" : "missing";
}

/** What the GPU nodes offer to the scheduler. */
export function advertisedFindings(nodes: readonly Node[], scene: Scene): Finding[] {
  const by = (offer: Offer) => nodes.filter((node) => offerOf(node) === offer);
  return [
    ...by("zero").map((node) => zero(node, scene)),
    ...by("missing").map((node) => missing(node, scene)),
    ...low(nodes, scene),
    ...onlyNew(nodes, scene),
  ];
}

const lookInside = (node: Node, scene: Scene): NextStep[] => [
  {
    why: "Whether the driver lives: nvidia-smi in a pod that has the devices. In a chroot of a debug pod it fails on healthy nodes, too",
    command: askDriver(scene, node.metadata.name),
  },
  {
    why: "Whether the plugin has registered: nvidia-gpu.sock beside kubelet.sock",
    command: `kubectl debug node/${node.metadata.name} -it --profile=sysadmin --image=public.ecr.aws/amazonlinux/amazonlinux:2023 -- ls -la /host/var/lib/kubelet/device-plugins/`,
  },
];

/** One conclusion for each node: what is alike and has the same cause is folded together in the end. */
function zero(node: Node, scene: Scene): Finding {
  const { metadata, status } = node;
  const lately =
    numberOf(status.capacity[gpuResource]) > 0
      ? " A capacity that is still above 0 means less than 5 minutes ago, or that every GPU was marked unhealthy."
      : "";
  return {
    id: "gpu-allocatable-zero",
    ...aboutNode(node),
    level: "problem",
    sure: "certain",
    what: `Offered are 0 of ${gpuResource}. The key is there, so a device plugin was there and has stopped.${lately}`,
    evidence: [
      {
        object: kubectlName("node", metadata),
        field: `status.allocatable[${gpuResource}], capacity`,
        value: `"${status.allocatable[gpuResource] ?? "0"}", "${status.capacity[gpuResource] ?? "missing"}"`,
      },
    ],
    next: lookInside(node, scene),
  };
}

function missing(node: Node, scene: Scene): Finding {
  const { metadata } = node;
  const young = isYoung(node, scene.now);
  const wait = young && pluginComes(scene) ? " It is only minutes old: the driver and the plugin need some." : "";
  return {
    id: "gpu-allocatable-missing",
    ...aboutNode(node),
    level: young ? "notice" : "problem",
    sure: young ? "possible" : "certain",
    what: `There is no ${gpuResource} among the resources at all: no device plugin has registered since the node came.${wait}`,
    evidence: [
      {
        object: kubectlName("node", metadata),
        field: `status.allocatable[${gpuResource}]`,
        value: "missing",
        ...(metadata.creationTimestamp !== undefined && { at: metadata.creationTimestamp }),
      },
    ],
    next: [
      {
        why: "Which DaemonSets put pods on the node",
        command: `kubectl get pods -A -o wide --field-selector spec.nodeName=${metadata.name}`,
      },
    ],
  };
}

function low(nodes: readonly Node[], scene: Scene): Finding[] {
  return nodes.flatMap((node): Finding[] => {
    const { metadata, status } = node;
    const [offered, has] = [numberOf(status.allocatable[gpuResource]), numberOf(status.capacity[gpuResource])];
    if (offered === 0 || offered >= has) return [];
    return [
      {
        id: "gpu-allocatable-low",
        ...aboutNode(node),
        level: "problem",
        sure: "likely",
        what: `The node has ${has} of ${gpuResource} and offers ${offered}: the device plugin has marked the others unhealthy.`,
        evidence: [
          {
            object: kubectlName("node", metadata),
            field: `status.allocatable[${gpuResource}], capacity`,
            value: `"${offered}", "${has}"`,
          },
        ],
        next: [
          {
            why: "Which GPU and why: the plugin logs the XID",
            command: `kubectl -n ${scene.operatorNamespace} logs -l app=nvidia-device-plugin-daemonset --tail=100 --prefix | grep -i -E 'unhealthy|xid'`,
          },
        ],
      },
    ];
  });
}

/** Old nodes are well and new ones are not: a plugin that starts before the node has its labels stays empty. */
function onlyNew(nodes: readonly Node[], scene: Scene): Finding[] {
  const born = ({ metadata }: Node) => Date.parse(metadata.creationTimestamp ?? "");
  const bad = nodes.filter((node) => offerOf(node) !== "offers" && !isYoung(node, scene.now));
  const good = nodes.filter((node) => offerOf(node) === "offers");
  const [first] = bad;
  if (!first || good.length === 0 || Math.min(...bad.map(born)) <= Math.max(...good.map(born))) return [];
  const name = first.metadata.name;
  return [
    {
      id: "gpu-zero-on-new-nodes",
      ...aboutNodes(bad.map(({ metadata }) => metadata.name)),
      level: "problem",
      sure: "possible",
      what: `Only the newest nodes offer no GPU, the older ones do. Where Karpenter labels nodes late, device plugins from v0.18.2 on can start with an empty configuration and stay so.`,
      evidence: [...bad.slice(0, 3), ...good.slice(0, 2)].map((node) => ({
        object: kubectlName("node", node.metadata),
        field: `age, status.allocatable[${gpuResource}]`,
        value: `${duration(secondsBetween(node.metadata.creationTimestamp, scene.now) ?? 0)}, ${node.status.allocatable[gpuResource] ?? "missing"}`,
      })),
      next: [
        {
          why: "Start the plugin on that node anew, and see whether the GPU comes",
          command: `kubectl -n ${scene.operatorNamespace} delete pod -l app=nvidia-device-plugin-daemonset --field-selector spec.nodeName=${name}`,
          changes: true,
        },
      ],
    },
  ];
}

/** A cluster without GPU nodes: at rest it is meant to be so. */
export function noGpuNodes(scene: Scene): Finding[] {
  if (scene.gpuNodes.length > 0 || !scene.sees("nodes")) return [];
  const waiting = scene.dump.objects.pods.filter((pod) => isPending(pod) && asksForGpu(pod));
  const refusals = scene.dump.objects.events.filter(({ reason }) => reason === "NotTriggerScaleUp").slice(-1);
  const [wait] = waiting;
  return [
    {
      id: "no-gpu-nodes",
      ...{ ...aboutCluster("cluster"), pods: waiting.map(podKey) },
      level: wait ? "problem" : "notice",
      sure: "certain",
      what: wait
        ? `There is no GPU node, and ${counted(waiting.length, "pod")} ${waiting.length === 1 ? "waits" : "wait"} for a GPU. A lab's GPU nodes come for a session: start one.`
        : "There is no GPU node. That is how a lab rests: GPU nodes come for a session and cost money while they run.",
      evidence: [
        {
          object: "nodes",
          field: "instance types, labels, taints and capacity",
          value: `none of ${scene.dump.objects.nodes.length} nodes has a GPU`,
        },
        ...refusals.map(({ involvedObject, message, lastTimestamp }) => ({
          object: kubectlName("pod", involvedObject),
          field: "event NotTriggerScaleUp",
          value: message,
          ...(lastTimestamp !== undefined && { at: lastTimestamp }),
        })),
      ],
      next: [
        {
          why: "Start a session; GPU nodes cost money while they run",
          command: "$(pulumi stack output scaleUp)",
          changes: true,
        },
        {
          why: "The same without Pulumi",
          command:
            "aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP --scaling-config minSize=0,maxSize=2,desiredSize=1",
          changes: true,
        },
      ],
    },
  ];
}
