import { inDays } from "../../../components/core/faults";
import type { LabName } from "../../../stacks/labs";
import { ownAddress } from "./engine";
import { newerChart, nextKubernetesPins } from "./versions";

// How the engine test of docs/changes.md changes each configuration key, and what it must see.

const gpuGroup = "NodeGroup gpu-lab-gpu";
const gpuTemplate = "LaunchTemplate gpu-lab-gpu-launch-template";
const systemGroup = "NodeGroup gpu-lab-system";
const systemTemplate = "LaunchTemplate gpu-lab-system-launch-template";
const operator = "Release gpu-lab-gpu-operator";
const prometheus = "Release gpu-lab-monitoring";
const podSpec = "Deployment inference spec.template.spec";

/** A change and what a preview of it shows. */
export interface Shown {
  /** `key=value` strings over the base configuration, as `pulumi config set --path` reads them. */
  readonly config: readonly string[];
  /** Beginnings of the lines that the preview must have, as `NodeGroup gpu-lab-gpu labels.x`. */
  readonly lines: readonly string[];
}

function shows(config: string | readonly string[], ...lines: string[]): Shown {
  return { config: [config].flat(), lines };
}

/** The changes that are previewed together, with all parts of the environment, by the name of the preview and the key. */
export const sharedPreviews = {
  nodes: {
    publicAccessCidrs: shows(
      `publicAccessCidrs=["8.8.4.4/32"]`,
      "Cluster gpu-lab-cluster-eksCluster vpcConfig.publicAccessCidrs",
    ),
    admins: shows(
      "admins[0]=arn:aws:iam::123456789012:role/x",
      "AccessEntry gpu-lab-cluster-admin",
      "AccessPolicyAssociation gpu-lab-cluster-admin",
    ),
    controlPlaneLogs: shows(`controlPlaneLogs=["api"]`, "Cluster gpu-lab-cluster-eksCluster enabledClusterLogTypes"),
    logRetentionDays: shows("logRetentionDays=14", "LogGroup gpu-lab-cluster-logs retentionInDays"),
    deletionProtection: shows("deletionProtection=true", "Cluster gpu-lab-cluster-eksCluster deletionProtection"),
    "network.natGateways": shows(
      "network.natGateways=perAz",
      "NatGateway gpu-lab-vpc-nat-",
      "Eip gpu-lab-vpc-nat-",
      "Route gpu-lab-vpc-private-internet-",
      "RouteTable gpu-lab-vpc-private-routes-",
      "RouteTableAssociation gpu-lab-vpc-private-",
      "VpcEndpoint gpu-lab-vpc-endpoint-s3 routeTableIds",
    ),
    "network.flowLogs": shows(
      "network.flowLogs=true",
      "FlowLog gpu-lab-vpc-flow-log",
      "LogGroup gpu-lab-vpc-flow-log-group",
      "Role gpu-lab-vpc-flow-log-role",
      "RolePolicy gpu-lab-vpc-flow-log-policy",
    ),
    nccl: shows(
      "nccl=blocked",
      "SecurityGroupIngressRule gpu-lab-firewall-auxiliary-vpc-wide",
      "SecurityGroupIngressRule gpu-lab-firewall-node-to-node",
    ),
    "systemNodes.desiredSize": shows("systemNodes.desiredSize=3", `${systemGroup} scalingConfig.desiredSize`),
    "systemNodes.minSize": shows("systemNodes.minSize=2", `${systemGroup} scalingConfig.minSize`),
    "systemNodes.maxSize": shows("systemNodes.maxSize=5", `${systemGroup} scalingConfig.maxSize`),
    "systemNodes.labels": shows("systemNodes.labels.x=y", `${systemGroup} labels.x`),
    "gpuNodes.minSize": shows("gpuNodes.minSize=1", `${gpuGroup} scalingConfig.minSize`),
    "gpuNodes.maxSize": shows("gpuNodes.maxSize=3", `${gpuGroup} scalingConfig.maxSize`),
    "gpuNodes.labels": shows("gpuNodes.labels.x=y", `${gpuGroup} labels.x`, "Tag gpu-lab-gpu-label-x"),
    "gpuNodes.taints": shows(
      ["gpuNodes.taints[0].key=a", "gpuNodes.taints[0].value=b", "gpuNodes.taints[0].effect=NO_SCHEDULE"],
      `${gpuGroup} taints`,
      "Tag gpu-lab-gpu-taint-a",
      operator,
      "Addon gpu-lab-node-monitoring configurationValues",
    ),
    "gpuOperator.timeSlicing": shows("gpuOperator.timeSlicing.replicas=4", `${operator} values.devicePlugin.config`),
    "gpuHealth.repair": shows("gpuHealth.repair.maxUnhealthy=1", `${gpuGroup} nodeRepairConfig`),
    addons: shows("addons.coredns=v1.12.4-eksbuild.1", "Addon gpu-lab-addons-coredns addonVersion"),
    "controllers.externalDns": shows(
      "controllers.externalDns.hostedZoneIds[0]=Z0123456789ABCDEFGHIJ",
      "RolePolicy gpu-lab-external-dns-policy policy",
    ),
    "lease.nightly": shows("lease.nightly=23:30", "Schedule gpu-lab-lease-nightly-gpu scheduleExpression"),
    "lease.timeZone": shows(
      "lease.timeZone=Europe/Berlin",
      "Schedule gpu-lab-lease-nightly-gpu scheduleExpressionTimezone",
    ),
    "lease.alarmTopicArns": shows(
      "lease.alarmTopicArns[0]=arn:aws:sns:ap-northeast-2:123456789012:alarms",
      "MetricAlarm gpu-lab-lease-failed",
    ),
    "lease.budget": shows(
      ["lease.budget.amountPerMonth=100", "lease.budget.emails[0]=gpu@example.com"],
      "Budget gpu-lab-lease-budget",
    ),
  },
  rolling: {
    tags: shows("tags.team=b", `${gpuTemplate} tagSpecifications[0].tags.team`),
    "systemNodes.diskSizeGiB": shows("systemNodes.diskSizeGiB=100", `${systemTemplate} blockDeviceMappings`),
    "systemNodes.releaseVersion": shows("systemNodes.releaseVersion=1.35.99-20991230", `${systemGroup} releaseVersion`),
    "systemNodes.maxPods": shows("systemNodes.maxPods=60", `${systemTemplate} userData`),
    "gpuNodes.diskSizeGiB": shows(
      "gpuNodes.diskSizeGiB=200",
      `${gpuTemplate} blockDeviceMappings`,
      "Tag gpu-lab-gpu-resources-ephemeral-storage tag.value",
    ),
    "gpuNodes.releaseVersion": shows("gpuNodes.releaseVersion=1.35.99-20991230", `${gpuGroup} releaseVersion`),
    "gpuNodes.capacityReservation": shows(
      "gpuNodes.capacityReservation.id=cr-0123456789abcdef0",
      `${gpuTemplate} capacityReservationSpecification`,
    ),
    "gpuNodes.placementGroup": shows("gpuNodes.placementGroup=close", `${gpuTemplate} placement`),
    "gpuNodes.maxPods": shows("gpuNodes.maxPods=60", `${gpuTemplate} userData`),
    "gpuOperator.mps": shows("gpuOperator.mps.replicas=4", `${operator} values.devicePlugin.config`),
    "lease.lab": shows("lease.lab=x", `${gpuTemplate} tagSpecifications[0].tags.lab`),
    "lease.owner": shows("lease.owner=me", `${gpuTemplate} tagSpecifications[0].tags.owner`),
  },
  replaced: {
    "systemNodes.instanceType": shows("systemNodes.instanceType=t3.large", `${systemGroup} instanceTypes`),
    "systemNodes.tools": shows("systemNodes.tools[0]=htop", `${systemTemplate} userData`),
    "gpuNodes.azIndex": shows("gpuNodes.azIndex=1", `${gpuGroup} subnetIds`),
    "gpuNodes.instanceType": shows("gpuNodes.instanceType=g5.8xlarge", `${gpuGroup} instanceTypes`),
    "gpuNodes.capacityType": shows("gpuNodes.capacityType=SPOT", `${gpuGroup} capacityType`),
    "gpuNodes.efa": shows(
      "gpuNodes.efa=true",
      `${gpuTemplate} networkInterfaces`,
      `${gpuTemplate} vpcSecurityGroupIds`,
      "SecurityGroupEgressRule gpu-lab-firewall-",
      "SecurityGroupIngressRule gpu-lab-firewall-",
      "Release gpu-lab-efa-device-plugin",
    ),
    "gpuNodes.localStorage": shows("gpuNodes.localStorage=raid0", `${gpuTemplate} userData`),
    "gpuOperator.namespace": shows(
      "gpuOperator.namespace=nvidia",
      operator,
      "Namespace gpu-lab-gpu-operator-namespace",
      "ConfigMap gpu-lab-gpu-dashboard",
      "PrometheusRule gpu-lab-gpu-alerts",
    ),
    "monitoring.namespace": shows(
      "monitoring.namespace=metrics",
      prometheus,
      "Namespace gpu-lab-monitoring-namespace",
      "ConfigMap gpu-lab-gpu-dashboard",
      "PrometheusRule gpu-lab-gpu-alerts",
    ),
  },
  software: {
    "gpuOperator.chartVersion": shows("gpuOperator.chartVersion=v26.3.3", `${operator} version`),
    "gpuOperator.repository": shows(
      "gpuOperator.repository=oci://123456789012.dkr.ecr.ap-northeast-2.amazonaws.com/nvidia",
      `${operator} chart`,
      `${operator} repositoryOpts`,
    ),
    "gpuOperator.devicePlugin": shows("gpuOperator.devicePlugin=false", `${operator} values.devicePlugin`),
    "gpuOperator.dcgmExporter": shows("gpuOperator.dcgmExporter=false", `${operator} values.dcgmExporter.enabled`),
    "gpuOperator.serviceMonitor": shows(
      "gpuOperator.serviceMonitor=false",
      `${operator} values.dcgmExporter.serviceMonitor`,
    ),
    "gpuOperator.validatorWorkload": shows("gpuOperator.validatorWorkload=false", `${operator} values.validator`),
    "gpuOperator.values": shows("gpuOperator.values.gfd.enabled=false", `${operator} values.gfd`),
    "gpuOperator.timeoutSeconds": shows("gpuOperator.timeoutSeconds=1200", `${operator} timeout`),
    "gpuHealth.engine": shows(
      "gpuHealth.engine=operator",
      "Addon gpu-lab-node-monitoring configurationValues",
      `${operator} values.dcgm.`,
      `${operator} values.dcgmExporter.env`,
      `${operator} values.dcgmExporter.hostNetwork`,
    ),
    "monitoring.chartVersion": shows("monitoring.chartVersion=88.9.9", `${prometheus} version`),
    "monitoring.repository": shows(
      "monitoring.repository=https://charts.example.com/prometheus",
      `${prometheus} repositoryOpts`,
    ),
    "monitoring.grafana": shows(
      "monitoring.grafana=false",
      `${prometheus} values.grafana`,
      "ConfigMap gpu-lab-gpu-dashboard",
    ),
    "monitoring.alertmanager": shows("monitoring.alertmanager=false", `${prometheus} values.alertmanager`),
    "monitoring.retentionHours": shows(
      "monitoring.retentionHours=48",
      `${prometheus} values.prometheus.prometheusSpec.retention`,
    ),
    "monitoring.retentionGiB": shows(
      "monitoring.retentionGiB=4",
      `${prometheus} values.prometheus.prometheusSpec.retentionSize`,
      `${prometheus} values.prometheus.prometheusSpec.storageSpec`,
    ),
    "monitoring.nodeLabels": shows("monitoring.nodeLabels[0]=team", `${prometheus} values.kube-state-metrics`),
    "monitoring.values": shows(
      "monitoring.values.prometheus.prometheusSpec.scrapeInterval=15s",
      `${prometheus} values.prometheus.prometheusSpec.scrapeInterval`,
    ),
    "monitoring.timeoutSeconds": shows("monitoring.timeoutSeconds=1200", `${prometheus} timeout`),
    "lease.expiresAt": shows(
      "lease.expiresAt=DAY",
      "Schedule gpu-lab-lease-end-gpu",
      "Tag gpu-lab-gpu-expires-at tag.value",
      "Tag gpu-lab-system-expires-at tag.value",
    ),
  },
  removed: {
    "network.interfaceEndpoints": shows(
      "network.interfaceEndpoints=true",
      "VpcEndpoint gpu-lab-vpc-endpoint-",
      "SecurityGroup gpu-lab-vpc-endpoints",
      "SecurityGroupIngressRule gpu-lab-vpc-endpoints-https",
    ),
    "gpuNodes.tools": shows("gpuNodes.tools[0]=htop", `${gpuTemplate} userData`),
    "gpuOperator.enabled": shows("gpuOperator.enabled=false", operator, "Namespace gpu-lab-gpu-operator-namespace"),
    "monitoring.enabled": shows(
      "monitoring.enabled=false",
      prometheus,
      "Namespace gpu-lab-monitoring-namespace",
      "ConfigMap gpu-lab-gpu-dashboard",
      "PrometheusRule gpu-lab-gpu-alerts",
    ),
    "controllers.loadBalancerController": shows(
      "controllers.loadBalancerController.install=false",
      "Release gpu-lab-load-balancer-controller-release",
    ),
    "controllers.clusterAutoscaler": shows(
      "controllers.clusterAutoscaler.install=true",
      "Release gpu-lab-autoscaler-release",
    ),
    "lease.enabled": shows(
      "lease.enabled=false",
      `${gpuTemplate} tagSpecifications[0].tags`,
      `${systemTemplate} tagSpecifications`,
      "MetricAlarm gpu-lab-lease-failed",
      "Queue gpu-lab-lease-failures",
      "QueuePolicy gpu-lab-lease-failures-policy",
      "Role gpu-lab-lease-role",
      "RolePolicy gpu-lab-lease-policy",
      "Schedule gpu-lab-lease-nightly-gpu",
      "ScheduleGroup gpu-lab-lease-schedules",
      "Tag gpu-lab-gpu-expires-at",
      "Tag gpu-lab-system-expires-at",
    ),
  },
  kubernetes: {
    kubernetesVersion: shows(
      "kubernetesVersion=1.36",
      "Cluster gpu-lab-cluster-eksCluster version",
      `${gpuGroup} version`,
      `${systemGroup} version`,
    ),
  },
  unchanged: {
    "systemNodes.owner": shows("systemNodes.owner=session"),
    "gpuNodes.owner": shows("gpuNodes.owner=autoscaler"),
    "gpuNodes.desiredSize": shows("gpuNodes.desiredSize=1"),
    "lease.hours": shows("lease.hours=8"),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Shown>>>>;
export type SharedPreview = keyof typeof sharedPreviews;

/** The configuration that is changed: all parts of the environment. */
export const baseConfig: readonly string[] = [
  ownAddress,
  "gpuOperator.enabled=true",
  "monitoring.enabled=true",
  "controllers.loadBalancerController.install=true",
  "tags.team=a",
];

/** What a preview needs in addition to the changes of its rows. */
export const contextOf: Readonly<Record<SharedPreview, readonly string[]>> = {
  nodes: ["gpuNodes.desiredSize=1"],
  rolling: [],
  // With EFA, an older chart is rejected.
  replaced: ["gpuOperator.chartVersion=v26.3.3"],
  software: [],
  removed: [],
  unchanged: [],
  kubernetes: [...newerChart, ...nextKubernetesPins],
};

/** Blocks of the subnets, as `key=value` strings. */
function subnetCidrs(publicThirds: readonly number[], privateThirds: readonly number[]): string[] {
  return [
    ...publicThirds.map((third, index) => `network.publicSubnetCidrs[${index}]=192.168.${third}.0/22`),
    ...privateThirds.map((third, index) => `network.privateSubnetCidrs[${index}]=192.168.${third}.0/22`),
  ];
}

/** The changes that a preview refuses, each previewed alone, by key. */
export const refusedChanges: Readonly<Record<string, readonly string[]>> = {
  clusterName: ["clusterName=other"],
  secretsKey: ["secretsKey=none"],
  "network.existing": [
    "network.existing.vpcId=vpc-0123456789abcdef0",
    "network.existing.cidrBlock=10.0.0.0/16",
    "network.existing.zones[0]=ap-northeast-2a",
    "network.existing.zones[1]=ap-northeast-2b",
    "network.existing.publicSubnetIds[0]=subnet-0123456789abcdef2",
    "network.existing.privateSubnetIds[0]=subnet-0123456789abcdef0",
    "network.existing.privateSubnetIds[1]=subnet-0123456789abcdef1",
  ],
  "network.cidr": ["network.cidr=10.20.0.0/16"],
  "network.zones": ["network.zones[0]=ap-northeast-2a", "network.zones[1]=ap-northeast-2b"],
  "network.publicSubnetCidrs": subnetCidrs([96, 100, 104], [12, 16, 20]),
  "network.privateSubnetCidrs": subnetCidrs([0, 4, 8], [96, 100, 104]),
  lab: ["lab=nccl-block"],
  "confirm.replaceCluster": ["confirm.replaceCluster=myeks"],
  "confirm.endSession": ["confirm.endSession=gpu"],
};

/** A change of a stack whose configuration was `from`. */
interface ChangeAlone extends Shown {
  readonly stack: LabName;
  readonly from: readonly string[];
}

/** A change of a lab with its fault. */
function ofLab(stack: LabName, from: readonly string[], config: readonly string[], ...lines: string[]): ChangeAlone {
  return { stack, from, config, lines };
}

const rollout = "gpu-rollout";
const faulty = ["fault=on", "expires=DAY", "node=ip-1.ec2.internal"];
const affinity = [...faulty, "remedy=affinity", "gpuProduct=NVIDIA-A10G"];

/** What the pool and its lease replace, for both provisioners. */
const onDemand = [
  ...["NodePool gpu-lab-gpu", "NodeGroup gpu-lab-gpu", "Tag gpu-lab-gpu-"],
  ...[gpuTemplate, "Role gpu-lab-gpu-role", "RolePolicyAttachment gpu-lab-gpu-role-"],
  ...["ServiceAccount gpu-lab-lease", "ClusterRole gpu-lab-lease-role", "ClusterRoleBinding gpu-lab-lease-binding"],
  ...["CronJob gpu-lab-lease-nightly-gpu-lab-gpu", "Schedule gpu-lab-lease-nightly-gpu"],
  ...["ScheduleGroup gpu-lab-lease-schedules", "Role gpu-lab-lease-role", "RolePolicy gpu-lab-lease-policy"],
  ...["Queue", "QueuePolicy"].map((kind) => `${kind} gpu-lab-lease-failures`),
  "MetricAlarm gpu-lab-lease-failed",
  ...[
    ...["Document", "EventRule", "EventTarget", "MetricAlarm", "Queue", "QueuePolicy", "Role", "RolePolicy"],
    ...["Schedule", "ScheduleGroup"],
  ].map((kind) => `${kind} gpu-lab-lease-second-line-`),
];

/** The changes that are previewed alone, by key. */
export const changesAlone: Readonly<Record<string, ChangeAlone>> = {
  "gpuOperator.migStrategy": ofLab(
    "gpu-lab",
    ["gpuNodes.instanceType=p4d.24xlarge"],
    ["gpuOperator.migStrategy=mixed"],
    `${operator} values.mig`,
  ),
  "gpuNodes.provisioner": ofLab(
    "gpu-lab",
    [],
    ["gpuNodes.provisioner=karpenter"],
    ...["EC2NodeClass gpu-lab-gpu-class", ...onDemand],
    ...["Release", "Role", "RolePolicy", "PodIdentityAssociation"].map((kind) => `${kind} gpu-lab-karpenter`),
    ...["RolePolicyAttachment", "InstanceProfile", "AccessEntry"].map((kind) => `${kind} gpu-lab-karpenter-nodes`),
    ...["Queue", "QueuePolicy"].map((kind) => `${kind} gpu-lab-karpenter-interruptions`),
    ...["EventRule", "EventTarget"].map((kind) => `${kind} gpu-lab-karpenter-events-`),
    // Pods wait for nodes of Karpenter.
    `${operator} values.validator`,
  ),
  fault: ofLab(rollout, [], faulty, "Deployment inference spec.strategy", "Deployment inference spec.template"),
  expires: ofLab(
    "node-health",
    ["fault=on", "expires=DAY"],
    ["fault=on", "expires=NEXT_DAY"],
    "Job dcgm-fault metadata.annotations.eks-gpu-lab/expires",
  ),
  environment: ofLab(rollout, [], ["environment=organization/eks-gpu-lab/gpu-lab"]),
  "localCluster.context": ofLab(rollout, [], ["localCluster.context=kind-gpu-lab", "localCluster.gpus=fake"]),
  faultVariant: ofLab(
    "model-server",
    ["fault=on", "expires=DAY"],
    ["fault=on", "expires=DAY", "faultVariant=context"],
    "Deployment chat spec.template.spec.containers",
  ),
  node: ofLab(rollout, faulty, [...faulty, "node=ip-2.ec2.internal"], `${podSpec}.nodeSelector`),
  remedy: ofLab(rollout, faulty, affinity, `${podSpec}.affinity`, `${podSpec}.nodeSelector`),
  gpuProduct: ofLab(rollout, affinity, [...affinity, "gpuProduct=NVIDIA-L4"], `${podSpec}.affinity`),
};

/** `DAY` stands for a day of the next week, `NEXT_DAY` for the day after it. */
export function dated(config: readonly string[]): string[] {
  const now = new Date();
  return config.map((text) => text.replace("NEXT_DAY", inDays(8, now)).replace("DAY", inDays(7, now)));
}

/** A test with another kind of stack. */
interface OtherTest {
  /** Its file, from the root of the project. */
  readonly file: string;
  readonly title: string;
}

const wrongAccount = "test/engine/wrong-account.test.ts";
const laptop: OtherTest = {
  file: "test/cluster/laptop.test.ts",
  title: "a change of localCluster.gpuNodes creates a node, and localCluster.confirm changes nothing",
};

/** The changes that other tests make, by key. */
export const otherTests: Readonly<Record<string, OtherTest>> = {
  "localCluster.gpuNodes": laptop,
  "localCluster.confirm": laptop,
  "aws:region": { file: wrongAccount, title: "another aws:region is refused" },
  "aws:profile": {
    file: wrongAccount,
    title: "another aws:profile is refused, in a preview and in an update, and names the account",
  },
};

/** Other values of the keys above, as `key=value`. */
export const otherValues: Readonly<Record<string, ChangeAlone>> = {
  "gpuNodes.provisioner=autoMode": ofLab(
    "gpu-lab",
    [],
    ["gpuNodes.provisioner=autoMode", "gpuOperator.enabled=false"],
    ...["NodeClass gpu-lab-gpu-class", ...onDemand],
    ...["computeConfig", "storageConfig", "kubernetesNetworkConfig"].map(
      (part) => `Cluster gpu-lab-cluster-eksCluster ${part}`,
    ),
    ...["RolePolicyAttachment gpu-lab-cluster-role-", "RolePolicy gpu-lab-cluster-role-tags"],
    ...[operator, "Namespace gpu-lab-gpu-operator-namespace"],
    ...["Role", "RolePolicyAttachment", "AccessEntry", "AccessPolicyAssociation"].map(
      (kind) => `${kind} gpu-lab-cluster-auto-nodes-`,
    ),
  ),
};
