import { meaningOf, repairMinutes } from "../../classify/condition-reasons";
import type { Finding, FindingId } from "../../finding";
import type { Condition } from "../../objects/common";
import type { Node } from "../../objects/node";
import { aboutNode } from "../about";
import { duration, secondsBetween } from "../age";
import { kubectlName } from "../pods";
import { conditionOf, type Scene } from "../scene";
import { dcgmFalseAlarm } from "./dcgm";
import { isJoining } from "./joining";
import { conditionEvidence, instanceId, session } from "./node-facts";

/** Conditions of the EKS node monitoring agent, and what a False one is called here. */
const agents: readonly (readonly [string, FindingId, string])[] = [
  ["AcceleratedHardwareReady", "accelerated-hardware-not-ready", "GPU"],
  ["ContainerRuntimeReady", "container-runtime-not-ready", "container runtime"],
  ["KernelReady", "kernel-not-ready", "kernel"],
  ["NetworkingReady", "networking-not-ready", "network"],
  ["StorageReady", "storage-not-ready", "storage"],
];

/** What a node's conditions say, each looked up by its type. */
export function conditionFindings(node: Node, scene: Scene): Finding[] {
  const agent = agents.flatMap(([type, id, part]) => {
    const condition = conditionOf(node.status.conditions, type);
    if (condition?.status !== "False") return [];
    const alarm = type === "AcceleratedHardwareReady" ? dcgmFalseAlarm(node, condition, scene) : undefined;
    return [alarm ?? unhealthy(node, condition, id, part, scene)];
  });
  return [...notReady(node, scene), ...agent, ...cordoned(node, agent.length > 0, scene)];
}

function notReady(node: Node, scene: Scene): Finding[] {
  const ready = conditionOf(node.status.conditions, "Ready");
  if (ready?.status === "True" || node.status.conditions.length === 0) return [];
  const { name } = node.metadata;
  const silent = ready?.status === "Unknown";
  const joins = isJoining(node, scene.now);
  return [
    {
      id: "node-not-ready",
      ...aboutNode(node),
      level: joins ? "notice" : "problem",
      sure: ready && !joins ? "certain" : "possible",
      what: joins ? joiningText(node, scene) : notReadyText(ready, scene),
      evidence: [
        ready
          ? conditionEvidence(node, ready)
          : { object: kubectlName("node", node.metadata), field: "condition Ready", value: "missing" },
      ],
      next: [
        {
          why: silent ? "Whether the instance still runs" : "What the kubelet complains about",
          command: silent ? instanceStatus(node) : `kubectl describe node ${name} | sed -n '/Conditions/,/Addresses/p'`,
        },
        {
          why: "Whether it is the container runtime: read its journal on the node, and let triage look at it",
          command: `${session(node)}   # then: sudo journalctl -u containerd --no-pager -n 300`,
        },
      ],
    },
  ];
}

function notReadyText(ready: Condition | undefined, scene: Scene): string {
  const meaning = meaningOf(ready?.reason ?? "");
  return `The node is not Ready${meaning === undefined ? "" : `: ${meaning}`}. ${repairText("Ready", ready, scene)}`;
}

function joiningText({ metadata }: Node, { now }: Scene): string {
  const age = duration(secondsBetween(metadata.creationTimestamp, now) ?? 0);
  return `The node is ${age} old and has not been Ready yet: its kubelet and its network plugin still start.`;
}

function unhealthy(node: Node, condition: Condition, id: FindingId, part: string, scene: Scene): Finding {
  const reason = condition.reason ?? "";
  const meaning = meaningOf(reason) ?? condition.message ?? "the agent gives no reason";
  const { name } = node.metadata;
  const gpu = id === "accelerated-hardware-not-ready";
  return {
    id,
    ...aboutNode(node),
    level: "problem",
    sure: reason === "DCGMError" ? "likely" : "certain",
    what: `The node's ${part} is unhealthy (${reason || "no reason"}): ${meaning}. ${repairText(condition.type, condition, scene)}`,
    evidence: [conditionEvidence(node, condition)],
    next: [
      {
        why: "What the monitoring agent saw on the node",
        command: `kubectl -n kube-system logs -l app.kubernetes.io/name=eks-node-monitoring-agent --tail=200 --prefix | grep ${name}`,
      },
      ...(gpu
        ? [
            {
              why: "What the driver said; XID errors stand in the kernel's log",
              command: `${session(node)}   # then: sudo dmesg -T | grep -i xid`,
            },
          ]
        : []),
      {
        why: "Take new pods off the node; node repair, where it is on, does so by itself",
        command: `kubectl cordon ${name}`,
        changes: true,
      },
    ],
  };
}

/** When EKS would repair the node, if repair is on: the cluster does not tell whether it is. */
function repairText(type: string, condition: Condition | undefined, scene: Scene): string {
  const wait = repairMinutes[type];
  const since = secondsBetween(condition?.lastTransitionTime, scene.now);
  if (wait === undefined || since === undefined) return "";
  const left = wait * 60 - since;
  const rule = `EKS repairs it ${wait} minutes after it began, where node repair is on`;
  return left > 0 ? `${rule}: in ${duration(left)}.` : `${rule}: that was due ${duration(-left)} ago.`;
}

function cordoned(node: Node, unwell: boolean, scene: Scene): Finding[] {
  if (node.spec.unschedulable !== true) return [];
  const taint = node.spec.taints.find(({ key }) => key === "node.kubernetes.io/unschedulable");
  const isGpu = scene.gpuNodes.includes(node);
  const { name } = node.metadata;
  return [
    {
      id: "node-cordoned",
      ...aboutNode(node),
      level: isGpu ? "problem" : "notice",
      sure: unwell ? "likely" : "possible",
      what: unwell
        ? "The node is cordoned and unhealthy: node repair, or somebody, is taking it out of service. A replacement needs room in the group's maxSize and in the vCPU quota."
        : "The node is cordoned, so no new pod comes to it: by somebody, an update of the node group or an autoscaler.",
      evidence: [
        {
          object: kubectlName("node", node.metadata),
          field: "spec.unschedulable",
          value: "true",
          ...(taint?.timeAdded !== undefined && { at: taint.timeAdded }),
        },
      ],
      next: [
        {
          why: "Who and why",
          command: `kubectl get events -A --field-selector involvedObject.kind=Node,involvedObject.name=${name}`,
        },
        ...(unwell
          ? []
          : [{ why: "Let pods come again", command: `kubectl uncordon ${name}`, changes: true as const }]),
      ],
    },
  ];
}

function instanceStatus(node: Node): string {
  return `aws ec2 describe-instance-status --include-all-instances --instance-ids ${instanceId(node)}`;
}
