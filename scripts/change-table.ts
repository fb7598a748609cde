// What happens to a running environment when a configuration key changes. docs/changes.md shows the table, a unit test
// requires a row for every key, and an engine test compares the rows with previews.

/**
 * `in place`: no node and no pod outside of the changed part ends. `rolling`: nodes are replaced one by one. `replaced`:
 * something is created again, and the existing one deleted. `refused`: the preview stops. `no change`: nothing in AWS.
 */
export type Effect = "in place" | "rolling" | "replaced" | "refused" | "no change";

/** What a change of one key does. */
export interface ChangeRow {
  readonly effect: Effect;
  /** What happens, and what is interrupted. */
  readonly what: string;
  /** Typical time. @default "-" - nothing waits for it */
  readonly time?: string;
  /** What it costs in addition, meanwhile and afterwards. @default "-" - nothing worth naming */
  readonly cost?: string;
  /** How the engine test makes the change, and what the preview must show. Without it, the row is not verified there. */
  readonly proof?: Proof;
}

export interface Proof {
  /** Changes with the same name are previewed together. */
  readonly preview: "nodes" | "rolling" | "replaced" | "software" | "removed" | "kubernetes" | "refused";
  /** `key=value` strings over the base configuration, as `pulumi config set --path` reads them. */
  readonly config: readonly string[];
  /** Beginnings of the lines that the preview must have, as `NodeGroup gpu-lab-gpu labels.x`; for `refused`, no lines. */
  readonly lines?: readonly string[];
}

const gpu = "gpu-lab-gpu";
const system = "gpu-lab-system";
const operator = "Release gpu-lab-gpu-operator";
const prometheus = "Release gpu-lab-monitoring";
const perNode = "10 min per node";
const helm = "1 to 5 min";
const seconds = "seconds";

const gpuRolling =
  "EKS drains and replaces the GPU nodes one by one, and their pods start again. Refused while pods hold GPUs. Without nodes, only the launch template or the group changes.";
const gpuReplaced =
  "A new group is created with `desiredSize` nodes, then the old one is deleted with its nodes. Refused while pods hold GPUs.";
const systemRolling =
  "EKS starts new system nodes, then drains the old ones. Controllers and Prometheus restart, and Prometheus loses its metrics.";
const systemReplaced =
  "A new group is created, then the old one is deleted. Controllers and Prometheus restart, and Prometheus loses its metrics.";
const extraSystem = "both node sets meanwhile";
const bothGroups = "the nodes of both groups meanwhile";
const clusterLost = "The cluster would be replaced, and the update fails halfway.";

function rolling(config: string, ...lines: string[]): ChangeRow {
  return { effect: "rolling", what: gpuRolling, time: perNode, proof: { preview: "rolling", config: [config], lines } };
}

function replaced(config: readonly string[], line: string): ChangeRow {
  const proof = { preview: "replaced", config, lines: [line] } as const;
  return { effect: "replaced", what: gpuReplaced, time: "5 to 10 min", cost: bothGroups, proof };
}

function sized(key: string, group: string, what: string, value: number): ChangeRow {
  const config = [`${group === gpu ? "gpuNodes" : "systemNodes"}.${key}=${value}`];
  const lines = [`NodeGroup ${group} scalingConfig.${key}`];
  return { effect: "in place", what, time: "1 min", proof: { preview: "nodes", config, lines } };
}

function upgrade(what: string, config: readonly string[], ...lines: string[]): ChangeRow {
  return { effect: "in place", what, time: helm, proof: { preview: "software", config, lines } };
}

function refused(what: string, ...config: string[]): ChangeRow {
  return { effect: "refused", what, proof: { preview: "refused", config } };
}

const unchanged = (what: string): ChangeRow => ({ effect: "no change", what });

const clusterRows: Readonly<Record<string, ChangeRow>> = {
  clusterName: refused(`${clusterLost} EKS cannot rename a cluster.`, "clusterName=other"),
  kubernetesVersion: {
    effect: "rolling",
    what: "The control plane is updated first, without an interruption of the API for most clients, then kube-proxy, then both node groups, node by node. It cannot be lowered. Refused while pods hold GPUs.",
    time: "10 to 15 min for the control plane, then 10 min per node",
    cost: "additional system nodes meanwhile",
    proof: {
      preview: "kubernetes",
      config: ["kubernetesVersion=1.36"],
      lines: ["Cluster gpu-lab-cluster-eksCluster version", `NodeGroup ${gpu} version`, `NodeGroup ${system} version`],
    },
  },
  publicAccessCidrs: {
    effect: "in place",
    what: "Clients of other addresses lose the API. Nodes and pods use the private endpoint and notice nothing.",
    time: "2 to 5 min",
    proof: {
      preview: "nodes",
      config: [`publicAccessCidrs=["8.8.4.4/32"]`],
      lines: ["Cluster gpu-lab-cluster-eksCluster vpcConfig.publicAccessCidrs"],
    },
  },
  admins: {
    effect: "in place",
    what: "An access entry is created or deleted. A removed admin loses access at once.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["admins[0]=arn:aws:iam::123456789012:role/x"],
      lines: ["AccessEntry gpu-lab-cluster-admin", "AccessPolicyAssociation gpu-lab-cluster-admin"],
    },
  },
  controlPlaneLogs: {
    effect: "in place",
    what: "EKS starts or stops to write these logs. With an empty list, the log group and its logs are deleted.",
    time: "2 to 5 min",
    cost: "CloudWatch, by GB; the audit log is most of it",
    proof: {
      preview: "nodes",
      config: [`controlPlaneLogs=["api"]`],
      lines: ["Cluster gpu-lab-cluster-eksCluster enabledClusterLogTypes"],
    },
  },
  logRetentionDays: {
    effect: "in place",
    what: "CloudWatch deletes older logs within 72 hours.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["logRetentionDays=14"],
      lines: ["LogGroup gpu-lab-cluster-logs retentionInDays"],
    },
  },
  secretsKey: refused(
    `A first key is added in place. ${clusterLost} With another key, EKS keeps the existing one while Pulumi deletes it.`,
    "secretsKey=none",
  ),
  deletionProtection: {
    effect: "in place",
    what: "See [protection](#protection).",
    time: "1 min",
    proof: {
      preview: "nodes",
      config: ["deletionProtection=true"],
      lines: ["Cluster gpu-lab-cluster-eksCluster deletionProtection"],
    },
  },
  tags: {
    ...rolling("tags.team=b", `LaunchTemplate ${gpu}-launch-template tagSpecifications[0].tags.team`),
    what: `Tags of instances and volumes are part of the launch template. ${gpuRolling} The system nodes are replaced, too.`,
    cost: extraSystem,
  },
};

const networkRows: Readonly<Record<string, ChangeRow>> = {
  "network.existing": refused(
    "EKS cannot move a cluster to another VPC. Other subnets of the same VPC and the same zones are an update in place.",
    "network.existing.vpcId=vpc-0123456789abcdef0",
    "network.existing.cidrBlock=10.0.0.0/16",
    "network.existing.zones[0]=ap-northeast-2a",
    "network.existing.zones[1]=ap-northeast-2b",
    "network.existing.publicSubnetIds[0]=subnet-0123456789abcdef2",
    "network.existing.privateSubnetIds[0]=subnet-0123456789abcdef0",
    "network.existing.privateSubnetIds[1]=subnet-0123456789abcdef1",
  ),
  "network.cidr": refused(
    "A VPC keeps its block. The update would fail halfway with DependencyViolation, and fail again after the value is set back.",
    "network.cidr=10.20.0.0/16",
  ),
  "network.zones": refused(
    "EKS accepts only subnets in the zones in which a cluster was created. Another order would move blocks to other zones.",
    "network.zones[0]=ap-northeast-2a",
    "network.zones[1]=ap-northeast-2b",
  ),
  "network.publicSubnetCidrs": refused(
    "A subnet keeps its block, and load balancers and NAT gateways use it.",
    ...["96", "100", "104"].map((third, index) => `network.publicSubnetCidrs[${index}]=192.168.${third}.0/22`),
    ...["12", "16", "20"].map((third, index) => `network.privateSubnetCidrs[${index}]=192.168.${third}.0/22`),
  ),
  "network.privateSubnetCidrs": refused(
    "A subnet keeps its block, and nodes and the cluster use it.",
    ...["0", "4", "8"].map((third, index) => `network.publicSubnetCidrs[${index}]=192.168.${third}.0/22`),
    ...["96", "100", "104"].map((third, index) => `network.privateSubnetCidrs[${index}]=192.168.${third}.0/22`),
  ),
  "network.natGateways": {
    effect: "in place",
    what: "Open connections to the internet break when the route of a subnet changes. `none` removes the internet access of all nodes.",
    time: "3 min",
    cost: "each NAT gateway by the hour and by GB",
    proof: {
      preview: "nodes",
      config: ["network.natGateways=perAz"],
      lines: [
        "NatGateway gpu-lab-vpc-nat-",
        "Eip gpu-lab-vpc-nat-",
        "Route gpu-lab-vpc-private-internet-",
        "RouteTable gpu-lab-vpc-private-routes-",
        "RouteTableAssociation gpu-lab-vpc-private-",
        "VpcEndpoint gpu-lab-vpc-endpoint-s3 routeTableIds",
      ],
    },
  },
  "network.interfaceEndpoints": {
    effect: "in place",
    what: "Connections to AWS services move to the endpoints, or back to the NAT gateway; clients retry.",
    time: "3 to 5 min",
    cost: "each endpoint in each zone by the hour",
    proof: {
      preview: "removed",
      config: ["network.interfaceEndpoints=true"],
      lines: [
        "VpcEndpoint gpu-lab-vpc-endpoint-",
        "SecurityGroup gpu-lab-vpc-endpoints",
        "SecurityGroupIngressRule gpu-lab-vpc-endpoints-https",
      ],
    },
  },
  "network.flowLogs": {
    effect: "in place",
    what: "Without them, their log group is deleted with its logs.",
    time: "1 min",
    cost: "CloudWatch, by GB",
    proof: {
      preview: "nodes",
      config: ["network.flowLogs=true"],
      lines: [
        "FlowLog gpu-lab-vpc-flow-log",
        "LogGroup gpu-lab-vpc-flow-log-group",
        "Role gpu-lab-vpc-flow-log-role",
        "RolePolicy gpu-lab-vpc-flow-log-policy",
      ],
    },
  },
  nccl: {
    effect: "in place",
    what: "`blocked` ends traffic between nodes, also of running jobs. Open connections can continue until they are idle.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["nccl=blocked"],
      lines: [
        "SecurityGroupIngressRule gpu-lab-firewall-auxiliary-vpc-wide",
        "SecurityGroupIngressRule gpu-lab-firewall-node-to-node",
      ],
    },
  },
};

const systemRows: Readonly<Record<string, ChangeRow>> = {
  "systemNodes.owner": unchanged("From then on, Pulumi ignores or sets the number of nodes."),
  "systemNodes.instanceType": {
    effect: "replaced",
    what: systemReplaced,
    time: "5 to 10 min",
    cost: extraSystem,
    proof: {
      preview: "replaced",
      config: ["systemNodes.instanceType=t3.large"],
      lines: [`NodeGroup ${system} instanceTypes`],
    },
  },
  "systemNodes.desiredSize": sized("desiredSize", system, "Fewer nodes: the pods of the ended nodes move.", 3),
  "systemNodes.minSize": sized(
    "minSize",
    system,
    "No node ends. Refused above the current number with another owner than `pulumi`.",
    2,
  ),
  "systemNodes.maxSize": sized(
    "maxSize",
    system,
    "No node ends. Refused below the current number with another owner than `pulumi`.",
    5,
  ),
  "systemNodes.diskSizeGiB": {
    effect: "rolling",
    what: systemRolling,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "rolling",
      config: ["systemNodes.diskSizeGiB=100"],
      lines: [`LaunchTemplate ${system}-launch-template blockDeviceMappings`],
    },
  },
  "systemNodes.releaseVersion": {
    effect: "rolling",
    what: systemRolling,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "rolling",
      config: ["systemNodes.releaseVersion=1.35.99-20991230"],
      lines: [`NodeGroup ${system} releaseVersion`],
    },
  },
  "systemNodes.labels": {
    effect: "in place",
    what: "EKS changes the labels of running nodes. Pods that run stay.",
    time: "1 min",
    proof: { preview: "nodes", config: ["systemNodes.labels.x=y"], lines: [`NodeGroup ${system} labels.x`] },
  },
  "systemNodes.maxPods": {
    effect: "rolling",
    what: `${systemRolling} The VPC CNI changes to prefix delegation if the number needs it.`,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "rolling",
      config: ["systemNodes.maxPods=60"],
      lines: [
        `LaunchTemplate ${system}-launch-template userData`,
        "Addon gpu-lab-base-addons-vpc-cni configurationValues",
      ],
    },
  },
  "systemNodes.tools": {
    effect: "rolling",
    what: systemRolling,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "replaced",
      config: ["systemNodes.tools[0]=htop"],
      lines: [`LaunchTemplate ${system}-launch-template userData`],
    },
  },
};

const gpuRows: Readonly<Record<string, ChangeRow>> = {
  "gpuNodes.owner": unchanged(
    "From then on, Pulumi ignores or sets the number of nodes. With `pulumi`, the update sets `desiredSize`.",
  ),
  "gpuNodes.azIndex": replaced(["gpuNodes.azIndex=1"], `NodeGroup ${gpu} subnetIds`),
  "gpuNodes.instanceType": replaced(["gpuNodes.instanceType=g5.8xlarge"], `NodeGroup ${gpu} instanceTypes`),
  "gpuNodes.desiredSize": unchanged(
    "Only the size at creation. With the owner `pulumi` it is an update in place that starts or ends nodes.",
  ),
  "gpuNodes.minSize": sized(
    "minSize",
    gpu,
    "No node ends. Refused above the current number with another owner than `pulumi`.",
    1,
  ),
  "gpuNodes.maxSize": sized(
    "maxSize",
    gpu,
    "No node ends. Refused below the current number with another owner than `pulumi`.",
    3,
  ),
  "gpuNodes.diskSizeGiB": rolling(
    "gpuNodes.diskSizeGiB=200",
    `LaunchTemplate ${gpu}-launch-template blockDeviceMappings`,
  ),
  "gpuNodes.releaseVersion": rolling("gpuNodes.releaseVersion=1.35.99-20991230", `NodeGroup ${gpu} releaseVersion`),
  "gpuNodes.capacityType": replaced(["gpuNodes.capacityType=SPOT"], `NodeGroup ${gpu} capacityType`),
  "gpuNodes.capacityReservation": rolling(
    "gpuNodes.capacityReservation.id=cr-0123456789abcdef0",
    `LaunchTemplate ${gpu}-launch-template capacityReservationSpecification`,
  ),
  "gpuNodes.placementGroup": rolling(
    "gpuNodes.placementGroup=close",
    `LaunchTemplate ${gpu}-launch-template placement`,
  ),
  "gpuNodes.efa": {
    ...rolling("gpuNodes.efa=true", `LaunchTemplate ${gpu}-launch-template networkInterfaces`),
    proof: {
      preview: "replaced",
      config: ["gpuNodes.efa=true"],
      lines: [
        `LaunchTemplate ${gpu}-launch-template networkInterfaces`,
        `LaunchTemplate ${gpu}-launch-template vpcSecurityGroupIds`,
        "SecurityGroupEgressRule gpu-lab-firewall-",
        "SecurityGroupIngressRule gpu-lab-firewall-",
        "DaemonSet gpu-lab-efa-device-plugin",
      ],
    },
  },
  "gpuNodes.localStorage": {
    ...rolling("", ""),
    proof: {
      preview: "replaced",
      config: ["gpuNodes.localStorage=raid0"],
      lines: [`LaunchTemplate ${gpu}-launch-template userData`, `Tag ${gpu}-resources-ephemeral-storage tag.value`],
    },
  },
  "gpuNodes.labels": {
    effect: "in place",
    what: "EKS changes the labels of running nodes. Pods that run stay.",
    time: "1 min",
    proof: {
      preview: "nodes",
      config: ["gpuNodes.labels.x=y"],
      lines: [`NodeGroup ${gpu} labels.x`, `Tag ${gpu}-label-x`],
    },
  },
  "gpuNodes.taints": {
    effect: "in place",
    what: "EKS changes the taints of running nodes. `NO_EXECUTE` evicts pods that do not tolerate it.",
    time: "1 min",
    proof: {
      preview: "nodes",
      config: ["gpuNodes.taints[0].key=a", "gpuNodes.taints[0].value=b", "gpuNodes.taints[0].effect=NO_SCHEDULE"],
      lines: [`NodeGroup ${gpu} taints`, `Tag ${gpu}-taint-a`, operator],
    },
  },
  "gpuNodes.maxPods": {
    ...rolling("", ""),
    what: `${gpuRolling} The VPC CNI changes to prefix delegation if the number needs it.`,
    proof: {
      preview: "rolling",
      config: ["gpuNodes.maxPods=60"],
      lines: [
        `LaunchTemplate ${gpu}-launch-template userData`,
        "Addon gpu-lab-base-addons-vpc-cni configurationValues",
      ],
    },
  },
  "gpuNodes.tools": {
    ...rolling("", ""),
    proof: {
      preview: "removed",
      config: ["gpuNodes.tools[0]=htop"],
      lines: [`LaunchTemplate ${gpu}-launch-template userData`],
    },
  },
};

const restarts = "The pods of the operator restart. Running GPU pods continue.";

const operatorRows: Readonly<Record<string, ChangeRow>> = {
  "gpuOperator.enabled": {
    effect: "in place",
    what: "Installs or uninstalls the operator. Without it, the device plugin ends: running GPU pods continue, new ones stay Pending.",
    time: helm,
    proof: {
      preview: "removed",
      config: ["gpuOperator.enabled=false"],
      lines: [operator, "Namespace gpu-lab-gpu-operator-namespace"],
    },
  },
  "gpuOperator.chartVersion": upgrade(
    "Helm upgrades the release. The DaemonSets restart node by node; running GPU pods continue.",
    ["gpuOperator.chartVersion=v26.3.3"],
    `${operator} version`,
  ),
  "gpuOperator.namespace": {
    effect: "replaced",
    what: "The old release is uninstalled, then the new one is installed. New GPU pods stay Pending meanwhile.",
    time: "5 to 10 min",
    proof: {
      preview: "replaced",
      config: ["gpuOperator.namespace=nvidia"],
      lines: [
        operator,
        "Namespace gpu-lab-gpu-operator-namespace",
        "ConfigMap gpu-lab-gpu-dashboard",
        "PrometheusRule gpu-lab-gpu-alerts",
      ],
    },
  },
  "gpuOperator.repository": upgrade(
    "Helm reads the chart from there. The objects stay the same if the chart does.",
    ["gpuOperator.repository=oci://123456789012.dkr.ecr.ap-northeast-2.amazonaws.com/nvidia"],
    `${operator} chart`,
    `${operator} repositoryOpts`,
  ),
  "gpuOperator.devicePlugin": upgrade(
    "Without the device plugin, the node advertises no GPU: running GPU pods continue, new ones stay Pending.",
    ["gpuOperator.devicePlugin=false"],
    `${operator} values.devicePlugin`,
  ),
  "gpuOperator.dcgmExporter": upgrade(
    `${restarts} Without the exporter, there are no GPU metrics.`,
    ["gpuOperator.dcgmExporter=false"],
    `${operator} values.dcgmExporter.enabled`,
  ),
  "gpuOperator.serviceMonitor": upgrade(
    "Prometheus starts or stops to read the exporter.",
    ["gpuOperator.serviceMonitor=false"],
    `${operator} values.dcgmExporter.serviceMonitor`,
  ),
  "gpuOperator.validatorWorkload": upgrade(
    restarts,
    ["gpuOperator.validatorWorkload=false"],
    `${operator} values.validator`,
  ),
  "gpuOperator.timeSlicing": upgrade(
    "The device plugin restarts and advertises another number of GPUs. Running GPU pods continue.",
    ["gpuOperator.timeSlicing.replicas=4"],
    `${operator} values.devicePlugin.config`,
  ),
  "gpuOperator.mps": {
    effect: "in place",
    what: "The device plugin restarts and advertises another number of GPUs. End GPU pods first: those that run do not use MPS.",
    time: helm,
  },
  "gpuOperator.migStrategy": {
    effect: "in place",
    what: "The device plugin restarts and advertises other resources. Pods that request the former ones stay Pending.",
    time: helm,
  },
  "gpuOperator.values": upgrade(
    "It depends on the value; a preview shows the objects that Helm changes.",
    ["gpuOperator.values.gfd.enabled=false"],
    `${operator} values.gfd`,
  ),
  "gpuOperator.timeoutSeconds": upgrade(
    "Nothing restarts.",
    ["gpuOperator.timeoutSeconds=1200"],
    `${operator} timeout`,
  ),
  "gpuHealth.engine": upgrade(
    "DCGM moves between the node monitoring agent and the operator. GPU metrics have a gap.",
    ["gpuHealth.engine=operator"],
    "Addon gpu-lab-node-monitoring configurationValues",
    `${operator} values.dcgm.`,
    `${operator} values.dcgmExporter.env`,
    `${operator} values.dcgmExporter.hostNetwork`,
  ),
  "gpuHealth.repair": {
    effect: "in place",
    what: "EKS may replace or restart nodes that are unhealthy now, with their pods.",
    time: "1 min",
    proof: {
      preview: "nodes",
      config: ["gpuHealth.repair.maxUnhealthy=1"],
      lines: [`NodeGroup ${gpu} nodeRepairConfig`],
    },
  },
};

const noMetrics = "Prometheus keeps its metrics in memory of the node (emptyDir) and loses them when its pod restarts.";

const monitoringRows: Readonly<Record<string, ChangeRow>> = {
  "monitoring.enabled": {
    effect: "in place",
    what: "Installs or uninstalls Prometheus, Grafana and Alertmanager, with their metrics.",
    time: helm,
    proof: {
      preview: "removed",
      config: ["monitoring.enabled=false"],
      lines: [
        prometheus,
        "Namespace gpu-lab-monitoring-namespace",
        "ConfigMap gpu-lab-gpu-dashboard",
        "PrometheusRule gpu-lab-gpu-alerts",
      ],
    },
  },
  "monitoring.chartVersion": { effect: "in place", what: `Helm upgrades the release. ${noMetrics}`, time: helm },
  "monitoring.namespace": {
    effect: "replaced",
    what: "The old release is uninstalled with its metrics, then the new one is installed.",
    time: "5 to 10 min",
    proof: {
      preview: "replaced",
      config: ["monitoring.namespace=metrics"],
      lines: [
        prometheus,
        "Namespace gpu-lab-monitoring-namespace",
        "ConfigMap gpu-lab-gpu-dashboard",
        "PrometheusRule gpu-lab-gpu-alerts",
      ],
    },
  },
  "monitoring.repository": upgrade(
    "Helm reads the chart from there. The objects stay the same if the chart does.",
    ["monitoring.repository=https://charts.example.com/prometheus"],
    `${prometheus} repositoryOpts`,
  ),
  "monitoring.grafana": upgrade(
    "Installs or removes Grafana, with what users changed in it.",
    ["monitoring.grafana=false"],
    `${prometheus} values.grafana`,
    "ConfigMap gpu-lab-gpu-dashboard",
  ),
  "monitoring.alertmanager": upgrade(
    "Installs or removes Alertmanager, with its silences.",
    ["monitoring.alertmanager=false"],
    `${prometheus} values.alertmanager`,
  ),
  "monitoring.retentionHours": upgrade(
    `Prometheus restarts. ${noMetrics}`,
    ["monitoring.retentionHours=48"],
    `${prometheus} values.prometheus.prometheusSpec.retention`,
  ),
  "monitoring.retentionGiB": upgrade(
    `Prometheus restarts. ${noMetrics}`,
    ["monitoring.retentionGiB=4"],
    `${prometheus} values.prometheus.prometheusSpec.retentionSize`,
    `${prometheus} values.prometheus.prometheusSpec.storageSpec`,
  ),
  "monitoring.nodeLabels": {
    effect: "in place",
    what: "kube-state-metrics restarts.",
    time: helm,
  },
  "monitoring.values": {
    effect: "in place",
    what: "It depends on the value; a preview shows the objects that Helm changes.",
    time: helm,
  },
  "monitoring.timeoutSeconds": upgrade(
    "Nothing restarts.",
    ["monitoring.timeoutSeconds=1200"],
    `${prometheus} timeout`,
  ),
};

const leaseTag = `LaunchTemplate ${gpu}-launch-template tagSpecifications[0].tags`;

const otherRows: Readonly<Record<string, ChangeRow>> = {
  addons: {
    effect: "in place",
    what: "EKS updates the add-on. Its pods restart, node by node for a DaemonSet. Running GPU pods continue.",
    time: "1 to 5 min for each",
    proof: {
      preview: "nodes",
      config: ["addons.coredns=v1.12.4-eksbuild.1"],
      lines: ["Addon gpu-lab-addons-coredns addonVersion"],
    },
  },
  "controllers.loadBalancerController": {
    effect: "in place",
    what: "Installs or uninstalls the controller. Delete its Ingresses and Services first: without it, nothing deletes their load balancers.",
    time: helm,
    proof: {
      preview: "removed",
      config: ["controllers.loadBalancerController.install=false"],
      lines: ["Release gpu-lab-load-balancer-controller-release"],
    },
  },
  "controllers.clusterAutoscaler": {
    effect: "in place",
    what: "Installs or uninstalls the autoscaler, which then sets the number of nodes of both groups.",
    time: helm,
    proof: {
      preview: "nodes",
      config: ["controllers.clusterAutoscaler.install=true"],
      lines: ["Release gpu-lab-autoscaler-release"],
    },
  },
  "controllers.externalDns": {
    effect: "in place",
    what: "The role of the controller may change other hosted zones.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["controllers.externalDns.hostedZoneIds[0]=Z0123456789ABCDEFGHIJ"],
      lines: ["RolePolicy gpu-lab-external-dns-policy policy"],
    },
  },
  "lease.enabled": {
    effect: "rolling",
    what: `The schedules are created or deleted, and the tags \`lab\` and \`owner\` change. ${gpuRolling} The system nodes are replaced, too.`,
    time: perNode,
    cost: "without it, forgotten GPU nodes",
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
  "lease.nightly": {
    effect: "in place",
    what: "The nightly end moves.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["lease.nightly=23:30"],
      lines: ["Schedule gpu-lab-lease-nightly-gpu scheduleExpression"],
    },
  },
  "lease.timeZone": {
    effect: "in place",
    what: "The nightly end moves.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["lease.timeZone=Europe/Berlin"],
      lines: ["Schedule gpu-lab-lease-nightly-gpu scheduleExpressionTimezone"],
    },
  },
  "lease.expiresAt": {
    effect: "in place",
    what: "A schedule for the end is created or moves. Running instances keep their tag `expires-at`.",
    time: seconds,
    proof: { preview: "software", config: ["lease.expiresAt=2126-12-24"], lines: ["Schedule gpu-lab-lease-end-gpu"] },
  },
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
  "lease.alarmTopicArns": {
    effect: "in place",
    what: "The alarm of the lease notifies other topics.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["lease.alarmTopicArns[0]=arn:aws:sns:ap-northeast-2:123456789012:alarms"],
      lines: ["MetricAlarm gpu-lab-lease-failed"],
    },
  },
  "lease.budget": { effect: "in place", what: "The budget is created, changed or deleted.", time: seconds },
};

const otherCluster = "The stack would delete its own cluster. Use another stack, or destroy first.";
const ofLocal = "Only for a local cluster; see [docs/laptop.md](laptop.md).";
const ofFault = "The page of each lab lists the objects that its fault changes.";

const labRows: Readonly<Record<string, ChangeRow>> = {
  lab: refused(
    "The names of all resources begin with the lab's: everything would be created again and the existing deleted.",
    "lab=nccl-block",
  ),
  fault: { effect: "in place", what: ofFault, time: "see the page of the lab" },
  expires: { effect: "in place", what: "The end of the fault moves; labels and outputs show it.", time: seconds },
  environment: { effect: "refused", what: otherCluster },
  "localCluster.context": { effect: "refused", what: otherCluster },
  "localCluster.gpus": { effect: "replaced", what: ofLocal, time: seconds },
  "localCluster.gpuNodes": { effect: "in place", what: ofLocal, time: seconds },
  "localCluster.failure": { effect: "in place", what: ofLocal, time: seconds },
  "localCluster.confirm": unchanged(ofLocal),
  "confirm.replaceCluster": unchanged(
    "Lets a refused change of the cluster through. Refused while no change needs it.",
  ),
  "confirm.endSession": unchanged("Lets a change through that ends GPU nodes. Refused while no change needs it."),
  node: { effect: "in place", what: ofFault, time: seconds },
  remedy: { effect: "in place", what: ofFault, time: seconds },
  gpuProduct: { effect: "in place", what: ofFault, time: seconds },
};

/** The rows by key, in the order of the page. */
export const changeTable: Readonly<Record<string, ChangeRow>> = {
  ...clusterRows,
  ...networkRows,
  ...systemRows,
  ...gpuRows,
  ...operatorRows,
  ...monitoringRows,
  ...otherRows,
  ...labRows,
};
