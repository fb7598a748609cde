import {
  type ChangeRow,
  inPlace,
  switched,
  software,
  gpu,
  system,
  perNode,
  helm,
  seconds,
  gpuRolling,
  extraSystem,
  rolling,
  refused,
  unchanged,
  ofLab,
} from "./change-row";

const leaseTag = `LaunchTemplate ${gpu}-launch-template tagSpecifications[0].tags`;

export const otherRows: Readonly<Record<string, ChangeRow>> = {
  addons: inPlace(
    "EKS updates the add-on. Its pods restart, node by node for a DaemonSet. Running GPU pods continue.",
    "1 to 5 min for each",
    ["addons.coredns=v1.12.4-eksbuild.1"],
    "Addon gpu-lab-addons-coredns addonVersion",
  ),
  "controllers.loadBalancerController": switched(
    "Installs, upgrades or uninstalls the controller. Delete its Ingresses and Services first: without it, nothing deletes their load balancers.",
    helm,
    ["controllers.loadBalancerController.install=false"],
    "Release gpu-lab-load-balancer-controller-release",
  ),
  "controllers.clusterAutoscaler": switched(
    "Installs, upgrades or uninstalls the autoscaler, which then sets the number of nodes of both groups.",
    helm,
    ["controllers.clusterAutoscaler.install=true"],
    "Release gpu-lab-autoscaler-release",
  ),
  "controllers.externalDns": inPlace(
    "The role of the controller may change other hosted zones.",
    seconds,
    ["controllers.externalDns.hostedZoneIds[0]=Z0123456789ABCDEFGHIJ"],
    "RolePolicy gpu-lab-external-dns-policy policy",
  ),
  "lease.enabled": {
    effect: "rolling",
    what: `The schedules are created or deleted, and the tags \`lab\` and \`owner\` change. ${gpuRolling} The system nodes are replaced, too.`,
    time: perNode,
    cost: "without a lease, forgotten GPU nodes run on",
    proof: {
      preview: "removed",
      config: ["lease.enabled=false"],
      lines: [
        leaseTag,
        `LaunchTemplate ${system}-launch-template tagSpecifications`,
        "MetricAlarm gpu-lab-lease-failed",
        "Queue gpu-lab-lease-failures",
        "QueuePolicy gpu-lab-lease-failures-policy",
        "Role gpu-lab-lease-role",
        "RolePolicy gpu-lab-lease-policy",
        "Schedule gpu-lab-lease-nightly-gpu",
        "ScheduleGroup gpu-lab-lease-schedules",
        `Tag ${gpu}-expires-at`,
        `Tag ${system}-expires-at`,
      ],
    },
  },
  "lease.nightly": inPlace(
    "The nightly end moves.",
    seconds,
    ["lease.nightly=23:30"],
    "Schedule gpu-lab-lease-nightly-gpu scheduleExpression",
  ),
  "lease.hours": {
    ...unchanged("Only an output changes. It applies from the next `gpu up` on.", "lease.hours=8"),
    time: seconds,
  },
  "lease.timeZone": inPlace(
    "The nightly end moves.",
    seconds,
    ["lease.timeZone=Europe/Berlin"],
    "Schedule gpu-lab-lease-nightly-gpu scheduleExpressionTimezone",
  ),
  "lease.expiresAt": software(
    "A schedule for the end is created or moves. Running instances keep their tag `expires-at`.",
    seconds,
    ["lease.expiresAt=DAY"],
    "Schedule gpu-lab-lease-end-gpu",
    `Tag ${gpu}-expires-at tag.value`,
    `Tag ${system}-expires-at tag.value`,
  ),
  "lease.lab": {
    ...rolling("lease.lab=x", `${leaseTag}.lab`),
    what: `It is a tag. ${gpuRolling} The system nodes are replaced, too.`,
    cost: extraSystem,
  },
  "lease.owner": {
    ...rolling("lease.owner=me", `${leaseTag}.owner`),
    what: `It is a tag. ${gpuRolling} The system nodes are replaced, too.`,
    cost: extraSystem,
  },
  "lease.alarmTopicArns": inPlace(
    "The alarm of the lease notifies other topics.",
    seconds,
    ["lease.alarmTopicArns[0]=arn:aws:sns:ap-northeast-2:123456789012:alarms"],
    "MetricAlarm gpu-lab-lease-failed",
  ),
  "lease.budget": inPlace(
    "The budget is created, changed or deleted.",
    seconds,
    ["lease.budget.amountPerMonth=100", "lease.budget.emails[0]=gpu@example.com"],
    "Budget gpu-lab-lease-budget",
  ),
};

const otherCluster = "The stack would delete its own cluster. Use another stack, or destroy first.";
const ofFault =
  "`on` injects the fault of the lab, and `off` removes it: depending on the lab, a part of the operator, two firewall rules, the Deployment, a Job or a pod. No node ends. The page of each lab lists the objects.";
const ofLaptop = {
  file: "test/cluster/laptop.test.ts",
  title: "a change of localCluster.gpuNodes creates a node, and localCluster.confirm changes nothing",
};
const neverStarted = "Mock GPUs were never started; see [docs/laptop.md](laptop.md).";
const rollout = "gpu-rollout";
const faulty = ["fault=on", "expires=DAY", "node=ip-1.ec2.internal"];
const affinity = [...faulty, "remedy=affinity", "gpuProduct=NVIDIA-A10G"];
const podSpec = "Deployment inference spec.template.spec";

/** A change of the place of a lab whose stack has created a cluster. */
function elsewhere(...config: string[]): ChangeRow {
  return { effect: "refused", what: otherCluster, proof: { preview: "alone", stack: rollout, config } };
}

export const labRows: Readonly<Record<string, ChangeRow>> = {
  lab: refused(
    "The names of all resources begin with the name of the lab: the update would create everything again and delete what exists.",
    "lab=nccl-block",
  ),
  fault: {
    what: ofFault,
    time: "1 min; with the operator, 1 to 5 min",
    ...ofLab(rollout, [], faulty, "Deployment inference spec.strategy", "Deployment inference spec.template"),
  },
  expires: {
    what: "The end of the fault moves; annotations and outputs show it.",
    time: seconds,
    ...ofLab(
      "node-health",
      ["fault=on", "expires=DAY"],
      ["fault=on", "expires=NEXT_DAY"],
      "Job dcgm-fault metadata.annotations.eks-gpu-lab/expires",
    ),
  },
  environment: elsewhere("environment=organization/eks-gpu-lab/gpu-lab"),
  "localCluster.context": elsewhere("localCluster.context=kind-gpu-lab", "localCluster.gpus=fake"),
  "localCluster.gpus": {
    effect: "replaced",
    what: "The lab gets GPUs of the other kind: `fake` nodes of KWOK, or the mock driver of NVIDIA with the GPU Operator. Those of the former kind are deleted, and their pods end.",
    time: seconds,
    proof: { unproven: neverStarted },
  },
  "localCluster.gpuNodes": {
    effect: "in place",
    what: "Fake GPU nodes are created, or those with the highest numbers are deleted with their pods. The others stay.",
    time: seconds,
    proof: ofLaptop,
  },
  "localCluster.failure": {
    effect: "in place",
    what: "Helm changes the values of the mock driver. While the fault is on, its GPUs report the other failure.",
    time: seconds,
    proof: { unproven: neverStarted },
  },
  "localCluster.confirm": {
    effect: "no change",
    what: "Only allows an API server that has no loopback address. Nothing changes in the cluster.",
    proof: ofLaptop,
  },
  "confirm.replaceCluster": {
    effect: "no change",
    what: "Lets a refused change of the cluster through, or confirms that the cluster does not exist any more. Refused while neither needs it.",
    proof: { preview: "refused", config: ["confirm.replaceCluster=myeks"] },
  },
  "confirm.endSession": {
    effect: "no change",
    what: "Lets a change through that ends GPU nodes. Refused while no change needs it.",
    proof: { preview: "refused", config: ["confirm.endSession=gpu"] },
  },
  node: {
    what: "Only in gpu-rollout: the pods of the Deployment start on the other node, and those on the former node end.",
    time: seconds,
    ...ofLab(rollout, faulty, [...faulty, "node=ip-2.ec2.internal"], `${podSpec}.nodeSelector`),
  },
  remedy: {
    what: "Only in gpu-rollout: the Deployment gets the other way to fix the fault, and rolls out again. Its pods are replaced as that way does it.",
    time: seconds,
    ...ofLab(rollout, faulty, affinity, `${podSpec}.affinity`, `${podSpec}.nodeSelector`),
  },
  gpuProduct: {
    what: "Only in gpu-rollout with the remedy `affinity`: the Deployment rolls out again, to nodes with this GPU. Without such a node, new pods stay Pending.",
    time: seconds,
    ...ofLab(rollout, affinity, [...affinity, "gpuProduct=NVIDIA-L4"], `${podSpec}.affinity`),
  },
};
