import { listOf, type StepList } from "../steps";
import { causeIn, type Cause, type Entries } from "./entry";
import { launchCauses, type LaunchCause } from "./launch-causes";

/** A failed attempt to add a node. */
interface Attempt {
  /** How long ago it was. */
  readonly age: string | undefined;
  readonly cause: LaunchCause | undefined;
  /** The Auto Scaling group. */
  readonly group: string | undefined;
  /** The NodeClaims that exist, if Karpenter made the attempt. */
  readonly claims?: readonly string[] | undefined;
}

interface Refusal {
  /** What the autoscaler says. */
  readonly messages: readonly string[];
  readonly isKarpenter: boolean;
}

const showLimits =
  "Show the size and the limit of each group => aws autoscaling describe-auto-scaling-groups --query 'AutoScalingGroups[].[AutoScalingGroupName,DesiredCapacity,MaxSize]' --output table";
const showNodePools = "Show the limits and the requirements of the NodePools => kubectl describe nodepools";

/** Why an autoscaler does not try. */
const refusals: readonly Cause[] = [
  ...launchCauses,
  {
    pattern: /nodepool/i,
    what: "No NodePool of Karpenter fits the pod: its instance types, zones, capacity types and taints leave none that is offered. See the end of the message.",
  },
  {
    pattern: /didn't match|Insufficient|untolerated|tolerate/i,
    what: "No node group that the autoscaler knows would fit the pod. A group that is scaled to zero needs tags for its GPUs, labels and taints.",
  },
];

/** An autoscaler adds no node. */
export const scaleUps = {
  "scale-up-failed": {
    meaning: "an autoscaler tried to add a GPU node, and none joined",
    what: ({ age, cause }: Attempt) =>
      `An autoscaler tried to add a GPU node${age === undefined ? "" : ` ${age} ago`}, and none joined. ${cause?.what ?? "The Kubernetes API does not show why; AWS does."} Do not scale up again: that starts the same attempt.`,
    next: ({ cause, group, claims }: Attempt) => [
      ...(claims ? karpenterSteps(claims) : groupSteps(group)),
      ...listOf(cause?.next ?? []),
    ],
  },
  "scale-up-refused": {
    meaning: "an autoscaler adds no GPU node and states why",
    what: ({ messages }: Refusal) =>
      `The autoscaler adds no GPU node and states why. ${causeIn(refusals, ...messages)?.what ?? "See the evidence."}`,
    next: ({ isKarpenter }: Refusal) => (isKarpenter ? showNodePools : showLimits),
  },
} satisfies Entries;

/** `gpu` of `eks-gpu-0ec52f6e-1b7d-2b21-bf0d-0123456789ab`, the name that EKS gives the Auto Scaling group. */
const managedGroup = /^eks-(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Shows why a group starts no instance. */
export function groupSteps(group: string | undefined): StepList {
  const ofGroup = group === undefined ? "" : ` --auto-scaling-group-name ${group}`;
  const nodeGroup = managedGroup.exec(group ?? "")?.[1];
  return [
    `Show why the group starts no instance: no capacity, a quota, or a permission => aws autoscaling describe-scaling-activities${ofGroup} --max-items 5 --query 'Activities[].[StartTime,StatusCode,StatusMessage]' --output table`,
    nodeGroup === undefined
      ? undefined
      : `Show the health of the node group => aws eks describe-nodegroup --cluster-name {cluster} --nodegroup-name ${nodeGroup} --query nodegroup.health`,
  ];
}

function karpenterSteps(claims: readonly string[]): StepList {
  const command =
    claims.length > 0
      ? `kubectl describe nodeclaims ${claims.slice(0, 3).join(" ")}`
      : "kubectl get events -A --field-selector involvedObject.kind=NodeClaim --sort-by=.lastTimestamp";
  return [`Show why Karpenter's NodeClaims do not become nodes => ${command}`, showNodePools];
}
