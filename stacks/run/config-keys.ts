import type { GpuEnvironmentArgs } from "../../components";

/** What one configuration key takes. */
export interface ConfigKey {
  readonly type: "string" | "integer" | "boolean" | "array" | "object";
  /** As Pulumi.yaml declares it; undefined where a stack must state the value. */
  readonly default?: string | number | boolean | readonly string[] | Readonly<Record<string, never>>;
  readonly doc: string;
  /** For an object: its keys, with a line on each. Absent where any key may stand, as in `tags`. */
  readonly keys?: Readonly<Record<string, string>>;
}

type Section<K extends keyof GpuEnvironmentArgs> = Record<keyof NonNullable<GpuEnvironmentArgs[K]>, string>;

const network = {
  cidr: "VPC block; the computed layout needs a /21 for three zones; default 192.168.0.0/16",
  zones: "availability zones, two to six; default the region's first three",
  publicSubnetCidrs: "blocks of the public subnets, one a zone; default computed from cidr",
  privateSubnetCidrs: "blocks of the private subnets, one a zone; default computed from cidr",
  natGateways: "single, perAz or none; default single",
  interfaceEndpoints: "private endpoints of the AWS services that nodes call; default false",
  flowLogs: "VPC flow logs to CloudWatch; default false",
  existing: "use this network instead: vpcId, cidrBlock, zones, publicSubnetIds, privateSubnetIds; default a new VPC",
} satisfies Section<"network">;

const systemNodes = {
  instanceType: "EC2 instance type; default t3.medium",
  desiredSize: "number of nodes, 1 to 450; default 2",
  minSize: "fewest nodes, 0 to 450; default 1",
  maxSize: "most nodes, 1 to 450; default 4",
  diskSizeGiB: "root volume in GiB, 20 to 16384, gp3 encrypted; default 30",
  maxPods: "pods a node takes, 1 to 110, or to 250 on types of 30 vCPUs and more; default 50",
  owner: "who sets the size after creation: pulumi, session or autoscaler; default pulumi",
  releaseVersion: "AMI release, e.g. 1.35.8-20260930; default the pinned one",
  labels: "Kubernetes labels beside tier; default none",
  tools: "packages of Amazon Linux 2023 to install at boot; default network and disk tools",
} satisfies Section<"systemNodes">;

const gpuNodes = {
  instanceType: "EC2 instance type with GPUs; default g5.xlarge",
  desiredSize: "number of nodes at creation, 0 to 450; default 0, which costs nothing",
  minSize: "fewest nodes, 0 to 450; default 0",
  maxSize: "most nodes, 1 to 450; default 2",
  diskSizeGiB: "root volume in GiB, 100 to 16384, gp3 encrypted; default 100",
  azIndex: "which of the network's zones, from 0; default 0",
  capacityType: "ON_DEMAND, SPOT or CAPACITY_BLOCK; default ON_DEMAND",
  owner: "who sets the size after creation: session (you, by CLI), pulumi or autoscaler; default session",
  releaseVersion: "AMI release, e.g. 1.35.8-20260930; default the pinned one",
  maxPods:
    "pods a node takes, 1 to 110, or to 250 on types of 30 vCPUs and more; default what the type's network interfaces give",
  taints: "taints beside nvidia.com/gpu=true:NO_SCHEDULE, which is always there; default none",
  labels: "Kubernetes labels beside tier, nvidia.com/gpu and k8s.amazonaws.com/accelerator; default none",
  capacityReservation: "{id} or {resourceGroupArn} of a capacity reservation; default none",
  placementGroup: "name of a placement group; default none",
  efa: "Elastic Fabric Adapter interfaces, where the type has them; default false",
  localStorage: "none or raid0 over the local NVMe disks; default none",
  tools: "packages of Amazon Linux 2023 to install at boot; default the system nodes' and pciutils",
} satisfies Section<"gpuNodes">;

/** Keys that people bring from Terraform or from EKS's own API, with the key that stands for them here. */
export const foreignKeys: Readonly<Record<string, string>> = {
  "gpuNodes.subnetIds": "GPU nodes live in one subnet; choose its zone with gpuNodes.azIndex",
  "gpuNodes.subnets": "GPU nodes live in one subnet; choose its zone with gpuNodes.azIndex",
  "gpuNodes.repair": "set gpuHealth.repair",
  "gpuNodes.nodeRepairConfig": "set gpuHealth.repair",
  "gpuNodes.scaling": "set gpuNodes.owner",
  "gpuOperator.driver": "the AMI has the driver; nothing need be set",
  "gpuOperator.toolkit": "the AMI has the container toolkit; nothing need be set",
  "gpuOperator.version": "set gpuOperator.chartVersion",
};

const gpuOperator = {
  enabled: "install the NVIDIA GPU Operator; default false",
  chartVersion: "exact chart version; default v26.3.1",
  namespace: "Kubernetes namespace of the release; default gpu-operator",
  repository: "chart repository or mirror; default NVIDIA's",
  devicePlugin: "false takes the device plugin away (an experiment); default true",
  dcgmExporter: "GPU metrics; default true",
  serviceMonitor: "a ServiceMonitor for the exporter, where Prometheus Operator is installed; default false",
  validatorWorkload: "run a CUDA pod before a node counts as ready; default true",
  timeSlicing: "{replicas}: several pods share a GPU in turn; default off",
  mps: "{replicas}: several pods share a GPU at a time; default off",
  migStrategy: "single or mixed, how MIG devices are named; default single where the GPUs have MIG",
  timeoutSeconds: "seconds the release may take, 600 to 7200; default 900",
  values: "further Helm values of the chart; default none",
} satisfies Section<"gpuOperator">;

const monitoring = {
  enabled: "install Prometheus, Alertmanager and Grafana with the GPU alerts and dashboard; default false",
  chartVersion: "exact version of kube-prometheus-stack; default 88.5.3",
  namespace: "Kubernetes namespace of the release; default monitoring",
  repository: "chart repository or mirror; default the project's own",
  grafana: "Grafana with the GPU dashboard; default true",
  alertmanager: "Alertmanager; default true",
  retentionHours: "hours that metrics are kept, 3 to 360; default 24",
  retentionGiB: "GiB that metrics may take, 1 to 20; default 2",
  nodeLabels: "node labels that become labels of kube_node_labels, beside those that alerts need; default none",
  timeoutSeconds: "seconds the release may take, 60 to 3600; default 900",
  values: "further Helm values of the chart; default none",
} satisfies Section<"monitoring">;

const gpuHealth = {
  engine: "which DCGM engine runs on a GPU node: node-monitor, operator or off; default node-monitor",
  repair: "{maxParallel, overrides…}: let EKS repair unhealthy GPU nodes; default off",
} satisfies Section<"gpuHealth">;

const controllers = {
  loadBalancerController:
    "{install}: its identity always, its Helm release when install is true; default identity alone",
  clusterAutoscaler:
    "{install, imageTag}: the same for the Cluster Autoscaler; imageTag is needed where none is pinned for the Kubernetes minor; default identity alone",
  externalDns: "{hostedZoneIds}: ids of the Route 53 zones it may write, or all; default none",
} satisfies Section<"controllers">;

const empty = {} as const;

/**
 * Every key of the namespace `eks-gpu-lab`: the source of Pulumi.yaml's `config` block and of the table in the README.
 */
export const configKeys = {
  lab: { type: "string", default: "", doc: "which lab this stack runs; empty for the stack's own name" },
  clusterName: { type: "string", default: "myeks", doc: "name of the EKS cluster; other names derive from it" },
  kubernetesVersion: { type: "string", default: "1.35", doc: "Kubernetes minor of the control plane" },
  publicAccessCidrs: { type: "array", doc: "CIDRs that may reach the Kubernetes API, e.g. your address with /32" },
  admins: {
    type: "array",
    default: [],
    doc: "IAM role and user ARNs that become cluster admins beside whoever creates the cluster",
  },
  network: { type: "object", default: empty, doc: "the VPC", keys: network },
  systemNodes: { type: "object", default: empty, doc: "the nodes of add-ons and controllers", keys: systemNodes },
  gpuNodes: { type: "object", default: empty, doc: "the GPU nodes", keys: gpuNodes },
  nccl: {
    type: "string",
    default: "open",
    doc: "blocked closes every node-to-node path that NCCL could take, and with them metrics and scraping between nodes; API, DNS and webhooks stay",
  },
  gpuOperator: { type: "object", default: empty, doc: "the NVIDIA GPU Operator", keys: gpuOperator },
  monitoring: { type: "object", default: empty, doc: "metrics, alerts and dashboard", keys: monitoring },
  gpuHealth: { type: "object", default: empty, doc: "GPU monitoring and node repair", keys: gpuHealth },
  addons: { type: "object", default: empty, doc: "add-on name to version; EKS's default version where none stands" },
  controllers: { type: "object", default: empty, doc: "the controllers that AWS users expect", keys: controllers },
  controlPlaneLogs: {
    type: "array",
    default: ["api", "audit", "scheduler"],
    doc: "log types the control plane writes to CloudWatch",
  },
  logRetentionDays: { type: "integer", default: 7, doc: "days the control plane's log group keeps its logs" },
  secretsKey: {
    type: "string",
    default: "own",
    doc: "KMS key for Kubernetes secrets: own makes one, none leaves it to EKS, or the ARN of yours",
  },
  deletionProtection: { type: "boolean", default: false, doc: "EKS refuses to delete the cluster while true" },
  tags: { type: "object", default: empty, doc: "tags for every resource" },
  fault: {
    type: "string",
    default: "off",
    doc: "on brings the lab's accident about, off takes it back; gpu-lab has none",
  },
  expires: {
    type: "string",
    default: "",
    doc: "until when fault: on is meant, at most 14 days ahead: a time such as 2026-12-01T18:00:00Z, or a day, which ends at midnight UTC",
  },
  environment: {
    type: "string",
    default: "",
    doc: "a stack whose cluster is used instead of one of its own: ORGANISATION/eks-gpu-lab/gpu-lab",
  },
  node: {
    type: "string",
    default: "",
    doc: "name of the node that a fault is about, for gpu-rollout, node-health and runtime-socket",
  },
  remedy: {
    type: "string",
    default: "",
    doc: "which remedy to try while the fault is on, for gpu-rollout and runtime-socket",
  },
  gpuProduct: {
    type: "string",
    default: "",
    doc: "model of GPU that the remedy affinity of gpu-rollout selects, as kubectl get nodes -L nvidia.com/gpu.product shows it",
  },
} as const satisfies Record<Exclude<keyof GpuEnvironmentArgs, "credentials" | "transform">, ConfigKey> &
  Record<string, ConfigKey>;
