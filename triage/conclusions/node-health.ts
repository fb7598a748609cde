import type { Entries, Step } from "./entry";
import { checkGpu, passJournal, showXids } from "./common-steps";

const showInstance =
  "Check that the instance is running => aws ec2 describe-instance-status --include-all-instances --instance-ids {instance}";
const showKubelet =
  "Show what the kubelet reports => kubectl describe node {node} | sed -n '/Conditions/,/Addresses/p'";

/** A condition that is False. */
interface Unhealthy {
  readonly reason: string | undefined;
  readonly reasonText: string;
  /** When EKS repairs the node. */
  readonly repair: string;
}

function unhealthy(part: string, ...more: readonly Step[]) {
  return {
    meaning: `the ${part} of the node is unhealthy`,
    what: ({ reason = "", reasonText, repair }: Unhealthy) =>
      `The ${isNeuron(reason) ? "Neuron device" : part} of the node is unhealthy (${reason === "" ? "no reason" : reason}): ${reasonText}. ${repair}`.trim(),
    next: ({ reason = "" }: Unhealthy): readonly Step[] => [
      "Show what the node monitoring agent found => kubectl -n kube-system logs -l app.kubernetes.io/name=eks-node-monitoring-agent --tail=200 --prefix | grep {node}",
      ...(isNeuron(reason) ? [] : more),
      "Keep new pods off the node. Node repair, if enabled, does this automatically =!> kubectl cordon {node}",
    ],
  } as const;
}

/** The condition AcceleratedHardwareReady is also about Neuron devices, which have no XIDs. */
function isNeuron(reason: string): boolean {
  return reason.startsWith("Neuron");
}

/** The health of nodes: what the kubelet and EKS's node monitoring agent report. */
export const nodeHealth = {
  "node-not-ready": {
    meaning: "the condition `Ready` is not True",
    what: ({ joiningFor, reasonText, repair }: NotReady) => {
      if (joiningFor !== undefined) {
        return `The node is ${joiningFor} old and has not been Ready yet. Its kubelet and its network plugin are starting.`;
      }
      return `The node is not Ready${reasonText === undefined ? "" : `: ${reasonText}`}. ${repair}`.trim();
    },
    next: ({ isSilent }: NotReady) => [isSilent ? showInstance : showKubelet, passJournal],
  },
  "node-cordoned": {
    meaning: "the node is cordoned",
    what: ({ isUnhealthy }: { isUnhealthy: boolean }) =>
      isUnhealthy
        ? "The node is cordoned and unhealthy: node repair or a user is taking it out of service. A replacement needs free capacity within the group's maxSize and the vCPU quota."
        : "The node is cordoned and accepts no new pods. A user, a node group update or an autoscaler cordoned it.",
    next: ({ isUnhealthy }: { isUnhealthy: boolean }) => [
      "Show who cordoned the node and why => kubectl get events -A --field-selector involvedObject.kind=Node,involvedObject.name={node}",
      isUnhealthy ? undefined : "Allow new pods on the node again =!> kubectl uncordon {node}",
    ],
  },
  "accelerated-hardware-not-ready": { ...unhealthy("GPU", showXids), meaning: "a GPU or Neuron device is unhealthy" },
  "dcgm-false-alarm": {
    meaning: "a GPU counts as unhealthy only because the monitor has a problem of its own",
    what: ({ why, isAbsent }: Alarm) => {
      const cause = isAbsent
        ? `because the monitoring agent cannot reach a DCGM engine, not because of its GPU. dcgm-server does not run on the node: ${why}.`
        : `because of the monitor, not because of its GPU: ${why}`;
      return `The node counts as unhealthy ${cause} Node repair, if enabled, would replace a healthy node.`;
    },
    next: ({ isAbsent, canTolerate }: Alarm) =>
      isAbsent
        ? [
            "Show the nodes that dcgm-server covers => kubectl get pods -A -l k8s-app=dcgm-server -o wide",
            canTolerate ? tolerateTaints : useOperatorEngine,
            checkGpu,
          ]
        : [checkGpu, restartAgent],
  },
  "container-runtime-not-ready": {
    ...unhealthy("container runtime"),
    meaning: "the container runtime is unhealthy",
  },
  "kernel-not-ready": { ...unhealthy("kernel"), meaning: "the kernel is unhealthy" },
  "networking-not-ready": unhealthy("network"),
  "storage-not-ready": unhealthy("storage"),
} satisfies Entries;

interface NotReady {
  /** The age of a node that is joining. */
  readonly joiningFor: string | undefined;
  readonly reasonText: string | undefined;
  readonly repair: string;
  /** Whether the kubelet has stopped reporting. */
  readonly isSilent: boolean;
}

/** Why the condition of a node says nothing about its GPU. */
interface Alarm {
  readonly why: string;
  /** Whether dcgm-server does not run on the node. */
  readonly isAbsent: boolean;
  /** Whether it would run if it tolerated the taints of the node. */
  readonly canTolerate: boolean;
}

/** Why an alarm is false; from `noDaemonSet` on, why dcgm-server does not run on the node. */
export const alarms = {
  latched:
    "the monitoring agent lost its DCGM engine for a while, and dcgm-server is ready on the node now. The agent does not clear the condition by itself; the condition stays until the agent's pod on the node is restarted.",
  noNvlinkDomain: "DCGM checks IMEX, which only systems with NVLink across nodes (GB200) have.",
  noDaemonSet: "the DaemonSet dcgm-server does not exist",
  noPod: "it has no pod there",
  isArm: "it supports amd64 only, and the node is arm64",
  notReady: (pod: string) => `its pod ${pod} is not ready`,
  repelled: (taints: string) => `it does not tolerate the taint ${taints} of the node`,
};

const restartAgent =
  "Then restart the agent's pod on the node; it sets the condition again =!> kubectl -n kube-system delete pod -l app.kubernetes.io/name=eks-node-monitoring-agent --field-selector spec.nodeName={node}";
const useOperatorEngine =
  "In a lab, let the GPU Operator run the engine =!> pulumi config set --path gpuHealth.engine operator && pulumi up";
const tolerateTaints =
  'Let dcgm-server tolerate the taints of GPU nodes. A lab with gpuHealth.engine node-monitor sets this toleration =!> aws eks update-addon --cluster-name CLUSTER --addon-name eks-node-monitoring-agent --resolve-conflicts PRESERVE --configuration-values \'{"dcgmAgent":{"tolerations":[{"operator":"Exists"}]}}\'';
