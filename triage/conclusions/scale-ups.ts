import { causeIn, listOf, type Cause, type Entries, type Entry, type Step, type StepList } from "./entry";

/** Why a group does not start a node, by the text of an autoscaler, of a scaling activity or of a node group's health. */
interface LaunchCause extends Cause {
  readonly id: string;
  /** Whether it ends on its own, so that waiting helps. @default false */
  readonly passes?: true;
}

/**
 * The first one whose pattern matches is the cause. Health issues have the form `CODE: message`.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-instancelaunchfailure.html
 */
const table = [
  {
    id: "quota",
    pattern: /VcpuLimitExceeded|vCPU (?:capacity|limit)|MaxSpotInstanceCountExceeded|InstanceLimitExceeded/i,
    what: "The account's vCPU quota for this kind of instance is used up.",
    next: "Show the quotas of GPU instances. An increase takes hours to days => aws service-quotas list-service-quotas --service-code ec2 --query \"Quotas[?contains(QuotaName,'G and VT')||contains(QuotaName,' P ')||contains(QuotaName,' P4')||contains(QuotaName,' P5')].[QuotaName,Value]\" --output table",
  },
  {
    id: "addresses",
    pattern: /InsufficientFreeAddresses|not enough free addresses/i,
    what: "The subnet of the group has no free IP address left. Delete resources that use its addresses, or use a larger subnet.",
    next: "Show the free addresses of each subnet => aws ec2 describe-subnets --query 'Subnets[].[SubnetId,AvailabilityZone,CidrBlock,AvailableIpAddressCount]' --output table",
  },
  {
    id: "capacity",
    pattern:
      /InsufficientInstanceCapacity|insufficient capacity|sufficient \S+ capacity|cannot provision any more|Unfulfillable|no Spot capacity/i,
    what: "EC2 has no capacity for the instance type in the zones of the group. Wait, or use other zones or instance types.",
    passes: true,
  },
  {
    id: "join",
    pattern: /^(?:AccessDenied|ClusterUnreachable|NodeCreationFailure): |failed to join/,
    what: "Instances start but cannot join the cluster: they cannot reach the Kubernetes API, or cannot sign in to it.",
  },
  {
    id: "permission",
    // The first spot instance of an account needs the service-linked role of EC2 Spot.
    pattern: /UnauthorizedOperation|AccessDenied|not authorized|ServiceLinkedRoleCreationNotPermitted/i,
    what: "A role lacks a permission to start the instance.",
  },
  {
    id: "launch-template",
    pattern:
      /^Ec2LaunchTemplate|^SourceEc2LaunchTemplate|launch template|InvalidLaunchTemplate|InvalidAMIID|^AmiIdNotFound/i,
    what: "The launch template of the group cannot be used: the template, its version or its AMI is missing or has changed.",
  },
  {
    id: "not-offered",
    pattern:
      /not supported in your requested Availability Zone|^Ec2InstanceTypeDoesNotExist|configuration is currently not supported/i,
    what: "EC2 does not offer the instance type in the zone of the group. Use another zone or instance type.",
    next: "Show the zones that offer GPU instances of the families g5 and g6 => aws ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=instance-type,Values='g5.*','g6.*' --query 'InstanceTypeOfferings[].[InstanceType,Location]' --output table",
  },
  {
    id: "volume-key",
    pattern: /Client\.InternalError|InvalidKMSKey|Client error on launch/i,
    what: "EC2 cannot use the KMS key of the volumes: the role of Auto Scaling has no grant for it.",
  },
  {
    id: "registration",
    pattern: /failed to register/i,
    what: "An instance was requested but did not become a node in time: it did not start, or it cannot join the cluster.",
    next: "Show the instances that were started in the last hours, and their state => aws ec2 describe-instances --filters Name=instance-state-name,Values=pending,running,shutting-down,terminated --query 'sort_by(Reservations[].Instances[],&LaunchTime)[-5:].[InstanceId,InstanceType,State.Name,StateReason.Message]' --output table",
  },
  {
    id: "limit",
    pattern: /max node group size reached|max limit reached|max cluster \w+ limit|exceed limits/i,
    what: "The limit of the group, the NodePool or the cluster is reached.",
  },
  {
    id: "node-class",
    pattern: /nodeclass\b.*\bnot ready/i,
    what: "The NodeClass is not ready: its AMI, subnets, security groups or role were not found.",
    next: [
      "Show the conditions of the NodeClasses => kubectl describe ec2nodeclasses",
      "With EKS Auto Mode => kubectl describe nodeclasses.eks.amazonaws.com",
    ],
  },
] as const satisfies readonly LaunchCause[];

/** The known reasons. Their ids are stable: scripts may rely on them. */
export const launchCauses: readonly (LaunchCause & { readonly id: (typeof table)[number]["id"] })[] = table;

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

const thenNodePools = (step: Step): StepList => [step, showNodePools];

/** Why a NodePool does not start a node for a pod. */
interface PoolReason extends Entry {
  readonly pattern: RegExp;
  /** As a clause about the NodePool. */
  readonly short: string;
}

/**
 * In the order of their depth. A message has a reason for each NodePool, most of which it does not name.
 * @see https://github.com/kubernetes-sigs/karpenter/blob/v1.14.0/pkg/controllers/provisioning/scheduling/nodeclaim.go
 */
const poolReasons = {
  "nodepool-claim": {
    pattern: /Dynamic Resource Allocation/,
    short: "the pod has a ResourceClaim (DRA)",
    what: "Karpenter does not start a node for the pod because it has a ResourceClaim (DRA), which this version of Karpenter does not support.",
    next: thenNodePools(
      "Show the claims of the pod. Request nvidia.com/gpu instead, or use a node group with a fixed size => kubectl get {pod} -o jsonpath='{.spec.resourceClaims}'",
    ),
  },
  // Of a NodePool at its limit, Karpenter looks at nothing else: the pod may not even select it.
  "nodepool-limit": {
    pattern: /exceed limits/,
    short: "its limit is reached",
    meaning: "the NodePool has reached its limit",
    what: "Karpenter does not start a node for the pod: its NodePool has reached its limit. The pod may also wait for other reasons, which Karpenter does not check.",
    next: [
      "Compare the limits with what the nodes use. Delete pods, or raise the limit, which costs money => kubectl get nodepools -o custom-columns='NAME:.metadata.name,LIMITS:.spec.limits,USED:.status.resources'",
      "In a lab, a limit of 0 GPUs means that the lease has terminated the nodes. Restore the limit; the nodes that start for waiting pods cost money =!> npx eks-gpu-lab gpu up",
      showNodePools,
    ],
  },
  "nodepool-taint": {
    pattern: /did not tolerate taint/,
    short: "the pod does not tolerate its taint",
    meaning: "the pod does not tolerate a taint of the NodePool",
    what: "Karpenter does not start a node for the pod: the pod does not tolerate a taint of the NodePool. The evidence names it.",
    next: thenNodePools(
      "Compare the tolerations of the pod with the taint => kubectl get {pod} -o jsonpath='{.spec.tolerations}'",
    ),
  },
  "nodepool-shares": {
    pattern: /no instance type .*"nvidia\.com\/(?:gpu\.shared|mig-[\w.-]+)"/,
    short: "the pod requests shares of a GPU, which no instance type lists",
    meaning: "no instance type lists the shares of a GPU that the pod requests",
    what: "Karpenter does not start a node for the pod: it requests shares or partitions of a GPU. They exist only after the device plugin of a node offers them, and Karpenter does not know them before that.",
    next: thenNodePools(
      "Request nvidia.com/gpu, or keep nodes whose device plugin offers the shares => kubectl get {pod} -o jsonpath='{.spec.containers[*].resources.limits}'",
    ),
  },
  "nodepool-labels": {
    pattern: /incompatible requirements|met (?:all|the scheduling) requirements|required offering/,
    short: "its nodes lack a label that the pod selects, such as a zone",
    meaning: "the NodePool has no instance type with the labels that the pod selects",
    atMost: "likely",
    what: "Karpenter does not start a node for the pod: the NodePool has no instance type with the labels that the pod selects, such as a zone. For some minutes after EC2 had no capacity, Karpenter leaves out that type and zone.",
    next: thenNodePools(
      "Compare what the pod selects with the requirements of the NodePools and the zones of their subnets => kubectl get {pod} -o jsonpath='{.spec.nodeSelector}{.spec.affinity.nodeAffinity}'",
    ),
  },
  "nodepool-too-small": {
    pattern: /no instance type/,
    short: "its instance types are too small for the pod",
    meaning: "the instance types of the NodePool are too small for the pod",
    what: "Karpenter does not start a node for the pod: the instance types of the NodePool are too small. A node reserves a part of its CPUs and its memory for the system and for DaemonSets.",
    next: thenNodePools(
      "Compare the requests with the instance types of the NodePool => kubectl get {pod} -o jsonpath='{.spec.containers[*].resources.requests}'",
    ),
  },
} as const satisfies Readonly<Record<string, PoolReason>>;

type PoolReasonId = keyof typeof poolReasons;

/** The ids of reasons for which a NodePool does not start a node. */
export const poolReasonIds = Object.keys(poolReasons) as readonly PoolReasonId[];

/** What Karpenter says of each NodePool, for each of several pods. */
export function poolReasonsIn(messages: readonly string[]): readonly PoolReasonId[] {
  const parts = messages.flatMap((message) => message.split("; "));
  const found = parts.map((part) => poolReasonIds.find((id) => poolReasons[id].pattern.test(part)));
  return poolReasonIds.filter((id) => found.includes(id));
}

function karpenterText(messages: readonly string[]): string {
  const found = poolReasonsIn(messages).map((id) => poolReasons[id].short);
  if (found.length === 0) return causeIn(launchCauses, ...messages)?.what ?? "See the evidence.";
  return `No NodePool of Karpenter can start a node for the pod: ${found.join(", or ")}.`;
}

/** Why an autoscaler does not try. */
const refusals: readonly Cause[] = [
  ...launchCauses,
  {
    pattern: /didn't match|Insufficient|untolerated|tolerate/i,
    what: "The pod does not fit any node group that the autoscaler knows. A group that is scaled to zero needs tags for its GPUs, labels and taints.",
  },
];

function refusalText(messages: readonly string[]): string {
  return causeIn(refusals, ...messages)?.what ?? "See the evidence.";
}

/** An autoscaler adds no node. */
export const scaleUps = {
  "scale-up-failed": {
    meaning: "an autoscaler tried to add a GPU node, but no node joined",
    what: ({ age, cause }: Attempt) =>
      `An autoscaler tried to add a GPU node${age === undefined ? "" : ` ${age} ago`}, but no node joined. ${cause?.what ?? "The Kubernetes API does not show why; AWS does."} Do not scale up again: that repeats the same attempt.`,
    next: ({ cause, group, claims }: Attempt) => [
      ...(claims ? karpenterSteps(claims) : groupSteps(group)),
      ...listOf(cause?.next ?? []),
    ],
  },
  "scale-up-refused": {
    meaning: "an autoscaler does not add a GPU node and states why",
    what: ({ messages, isKarpenter }: Refusal) =>
      `The autoscaler does not add a GPU node and states why. ${isKarpenter ? karpenterText(messages) : refusalText(messages)}`,
    next: ({ isKarpenter }: Refusal) => (isKarpenter ? showNodePools : showLimits),
  },
  ...poolReasons,
} satisfies Entries;

/** `gpu` of `eks-gpu-0ec52f6e-1b7d-2b21-bf0d-0123456789ab`, the name that EKS gives the Auto Scaling group. */
const managedGroup = /^eks-(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Shows why a group does not start an instance. */
export function groupSteps(group: string | undefined): StepList {
  const ofGroup = group === undefined ? "" : ` --auto-scaling-group-name ${group}`;
  const nodeGroup = managedGroup.exec(group ?? "")?.[1];
  return [
    `Show why the group does not start an instance: no capacity, a quota, or a permission => aws autoscaling describe-scaling-activities${ofGroup} --max-items 5 --query 'Activities[].[StartTime,StatusCode,StatusMessage]' --output table`,
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
