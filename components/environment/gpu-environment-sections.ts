import * as v from "valibot";
import { addonVersions } from "../cluster/addons/addons-schema";
import { controllerSettings } from "../cluster/controllers/controller-schema";
import { clusterSettings } from "../cluster/eks-cluster-schema";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { s, type GivenOf, type ValueOf } from "../core/schema";
import { kubernetesVersion } from "../core/versions";
import { gpuHealthSettings } from "../gpu/health/gpu-health-schema";
import { gpuOperatorSettings } from "../gpu/operator/gpu-operator-schema";
import { leaseSettings } from "../lease/lab-lease-schema";
import { ncclMode, nodeTags } from "../network/firewall/node-firewall-schema";
import { existingNetwork } from "../network/network";
import { vpcSettings } from "../network/vpc/vpc-schema";
import { gpuNodes } from "../nodes/gpu-node-group-schema";
import { scalingOwner } from "../nodes/scaling";
import { systemNodes } from "../nodes/system-node-group-schema";
import { monitoringSettings } from "../observe/monitoring/monitoring-schema";
import { environmentTransform } from "./gpu-environment-transform";

/** The VPC to create, or an existing one. */
const networkSection = s.section(
  {
    ...vpcSettings.entries,
    /**
     * Uses this network and creates none: vpcId, cidrBlock, zones, publicSubnetIds, privateSubnetIds. It excludes every
     * other key.
     *
     * @default none - the environment creates a VPC
     * @change refused - EKS cannot move a cluster to another VPC. Other subnets of the same VPC and the same zones are
     * an update in place.
     */
    existing: s.optional(existingNetwork),
  },
  { transform: "set transform.network" },
);

/** With an existing network, each key that describes a new VPC is a conflict. */
const existingSection = s.section(
  {
    ...Object.fromEntries(
      Object.keys(vpcSettings.entries).map((key) => [
        key,
        s.optional(v.pipe(s.anything<unknown>(), s.check(describesNewVpc))),
      ]),
    ),
    existing: existingNetwork,
  },
  { transform: "set transform.network" },
);

function describesNewVpc(got: unknown, path: string): Problem[] {
  const existing = "network.existing";
  const why = `Describes a new VPC, but the environment uses ${existing} and creates none.`;
  return [{ code: "conflict", path, got, why, fix: `remove ${path} or ${existing}` }];
}

const network = s.typed<GivenOf<typeof networkSection>, ValueOf<typeof networkSection>>(
  Object.assign(
    v.lazy((given) => (isRecord(given) && given["existing"] !== undefined ? existingSection : networkSection)),
    { entries: networkSection.entries },
  ),
);

const systemNodesSection = s.section(
  {
    ...systemNodes.entries,
    /**
     * Who sets the number of nodes after creation: `pulumi`, `session` or `autoscaler`.
     *
     * @default "pulumi" - or "autoscaler" if the environment installs the Cluster Autoscaler, whose changes Pulumi
     * would revert
     * @change no change - From then on, Pulumi ignores or sets the number of nodes.
     */
    owner: s.optional(scalingOwner()),
  },
  { transform: "set transform.systemNodes" },
);

const { repair, ...gpuNodeEntries } = gpuNodes.entries;

const oneSubnet = "GPU nodes use one subnet: choose its zone with gpuNodes.azIndex";

const gpuNodesSection = s.section(
  {
    /**
     * The provisioner of the nodes: `managedNodeGroup`, which you scale for a session, or `karpenter` or `autoMode`,
     * which start a node when a pod needs one and terminate it when it is empty. With these two, `maxSize` multiplied
     * by the GPUs of the type is the limit of the pool. `karpenter` also installs the GPU Operator. `autoMode` is EKS
     * Auto Mode: it chooses the AMI, provides the driver and the device plugin, and excludes the GPU Operator. The
     * system nodes stay a node group.
     *
     * @default "managedNodeGroup" - a session has a start, an end and a price that you decide
     * @change replaced - The nodes are terminated with their pods. The node group or the pool is deleted, and the other
     * is created. Auto Mode stays enabled in a cluster that had it: the preview prints the command that disables it.
     */
    provisioner: s.optional(s.oneOf(["managedNodeGroup", "karpenter", "autoMode"]), "managedNodeGroup"),
    ...gpuNodeEntries,
    /**
     * Who sets the number of nodes after creation: `session` (you, by CLI), `pulumi` or `autoscaler`.
     *
     * @default "session" - or "autoscaler" if the environment installs the Cluster Autoscaler
     * @change no change - From then on, Pulumi ignores or sets the number of nodes. With `pulumi`, the update sets
     * `desiredSize`.
     */
    owner: s.optional(scalingOwner()),
    /**
     * Zone of the GPU nodes: index into the network's zones, from 0. One zone only: traffic between zones would distort
     * every measurement of NCCL.
     *
     * @default 0 - the zone of the single NAT gateway
     * @change replaced
     */
    azIndex: s.optional(s.wholeNumber({ min: 0 }), 0),
  },
  {
    subnetIds: oneSubnet,
    subnets: oneSubnet,
    zone: oneSubnet,
    gpuLimit: "set gpuNodes.maxSize: multiplied by the GPUs of the type, it is the limit of the pool",
    expireAfterHours: "set the limits of a pool with transform.gpuNodePool, in a program",
    repair: "set gpuHealth.repair",
    nodeRepairConfig: "set gpuHealth.repair",
    scaling: "set gpuNodes.owner",
    transform: "set transform.gpuNodes",
  },
);

const gpuOperatorSection = s.section(
  {
    /**
     * Whether the operator is installed. With `karpenter` and `false`, install another device plugin: until a node
     * advertises GPUs, Karpenter does not terminate it when it is empty.
     * @default false - you install the operator during a session, when GPU nodes run; true with `karpenter`
     * @change in place, 1 to 5 min - Installs or uninstalls the operator. Without it, running GPU pods continue, and
     * new ones stay Pending.
     */
    enabled: s.optional(s.flag()),
    ...gpuOperatorSettings.entries,
    /**
     * Whether a ServiceMonitor points Prometheus at the exporter. The cluster must have its CRD.
     *
     * @default the value of monitoring.enabled - Prometheus brings the CRD
     * @change in place, 1 to 5 min - Prometheus starts or stops reading the exporter.
     */
    serviceMonitor: s.optional(s.flag()),
  },
  {
    driver: "remove it: the AMI has the driver",
    toolkit: "remove it: the AMI has the container toolkit",
    version: "set gpuOperator.chartVersion",
    transform: "set transform.gpuOperator",
  },
);

const monitoringSection = s.section(
  {
    /**
     * Whether Prometheus and the alerts are installed.
     * @default false - the monitoring uses a third of a vCPU and 1.3 GiB of the system nodes
     * @change in place, 1 to 5 min - Installs or uninstalls Prometheus, Grafana and Alertmanager, with their metrics.
     */
    enabled: s.optional(s.flag(), false),
    ...monitoringSettings.entries,
  },
  { transform: "set transform.monitoring" },
);

const gpuHealthSection = s.section(gpuHealthSettings.entries, { transform: "set transform.nodeMonitoring" });

const leaseSection = s.section(
  {
    /**
     * Whether there is a lease.
     * @default true - a section that is set describes a lease
     * @change rolling - The schedules are created or deleted, and the tags `lab` and `owner` change.
     * @changeCost without a lease, forgotten GPU nodes keep running
     */
    enabled: s.optional(s.flag(), true),
    ...leaseSettings.entries,
  },
  { transform: "set transform.lease" },
);

const controllersSection = s.section(controllerSettings.entries, { transform: "set transform.controllers" });

const {
  clusterName,
  kubernetesVersion: clusterVersion,
  publicAccessCidrs: accessCidrs,
  admins,
  ...clusterEntries
} = clusterSettings.entries;

/** The arguments of a GpuEnvironment: the stacks' configuration has the same keys. */
export const environmentSection = s.section({
  /**
   * Name of the cluster, up to 26 characters; the other physical names are derived from it.
   * @default "myeks" - the name in the Terraform original
   */
  clusterName: s.optional(clusterName, "myeks"),
  /**
   * Kubernetes minor version of the control plane. You can raise it one minor at a time. You cannot lower it.
   * @default the pinned version - AMI, add-on and chart versions are pinned for it
   * @change rolling, 10 to 15 min for the control plane, then 10 min per node - The control plane is updated first,
   * then kube-proxy, then both node groups, node by node. Most clients of the API notice nothing. Refused while pods
   * hold GPUs.
   * @changeCost additional system nodes meanwhile
   */
  kubernetesVersion: s.optional(clusterVersion, kubernetesVersion),
  /**
   * IPv4 blocks that may reach the Kubernetes API from the internet, 1 to 40. The machine that runs `pulumi up` must be
   * in one of them. Nodes and pods use the private endpoint.
   * @change in place, 2 to 5 min - Clients with other addresses can no longer reach the API.
   */
  publicAccessCidrs: accessCidrs,
  /**
   * ARNs of IAM roles and users that become cluster admins in addition to the creator of the cluster, who must not be
   * listed.
   * @default [] - only the creator
   * @change in place, seconds - An access entry is created or deleted. A removed admin loses access at once.
   */
  admins: s.optional(admins, []),
  /** The VPC. @default {} - the environment creates one with three zones and a single NAT gateway */
  network: s.optional(network, {}),
  /** The nodes of add-ons and controllers. @default {} - two t3.medium */
  systemNodes: s.optional(systemNodesSection, {}),
  /** The GPU nodes. @default {} - up to two g5.xlarge, none of them running */
  gpuNodes: s.optional(gpuNodesSection, {}),
  /**
   * Whether nodes reach each other's NCCL ports. `blocked` closes every path between nodes except DNS, also for metrics
   * and for Services whose backend is on another node. API and webhooks keep working.
   *
   * @default "open" - distributed training needs it
   * @change in place, seconds - `blocked` ends traffic between nodes, even of running jobs. Open connections can
   * continue until they are idle.
   */
  nccl: s.optional(ncclMode, "open"),
  /** The NVIDIA GPU Operator. @default {} - not installed: you install the operator during a session */
  gpuOperator: s.optional(gpuOperatorSection, {}),
  /** Metrics, alerts and dashboard. @default {} - not installed: labs that need metrics enable them */
  monitoring: s.optional(monitoringSection, {}),
  /** GPU monitoring and node repair. @default {} - monitored by the add-on, not repaired */
  gpuHealth: s.optional(gpuHealthSection, {}),
  /**
   * Exact versions of the add-ons, by name. In a lab stack with the default Kubernetes version, the other add-ons have
   * pinned versions.
   * @default {} - EKS's default for the Kubernetes version, with a warning, because it changes over time
   * @change in place, 1 to 5 min for each - The pods of the add-on restart, node by node for a DaemonSet. Running GPU
   * pods continue.
   */
  addons: s.optional(addonVersions, {}),
  /** The controllers that AWS users expect. @default {} - only identities, because most labs need no controllers */
  controllers: s.optional(controllersSection, {}),
  /**
   * Terminates the GPU nodes of forgotten sessions, and tags everything with `lab`, `owner` and `expires-at`. Lab
   * stacks have a lease unless `lease.enabled` is false, by default with `hours` 6 and `timeZone` Asia/Seoul.
   * @default none - a program that uses the component decides itself when nodes are terminated
   */
  lease: s.optional(leaseSection),
  ...clusterEntries,
  /**
   * Tags for every resource that supports tags.
   * @default {} - only Name, and tags that controllers require
   * @change rolling - Tags of instances and volumes are part of the launch template.
   */
  tags: s.optional(nodeTags(), {}),
  /**
   * Adjusts the underlying resources, part by part. For programs only: no configuration key sets it.
   *
   * @default none - none is adjusted
   */
  transform: s.optional(environmentTransform),
});

/** Arguments with defaults filled in, before values that follow from several arguments. */
export type EnvironmentValues = ValueOf<typeof environmentSection>;

/** The VPC to create, or an existing one. */
export interface NetworkSettings extends Readonly<GivenOf<typeof networkSection>> {}

/** The GPU nodes. */
export interface GpuNodeSettings extends Readonly<GivenOf<typeof gpuNodesSection>> {}

/** The NVIDIA GPU Operator. */
export interface GpuOperatorSettings extends Readonly<GivenOf<typeof gpuOperatorSection>> {}

/** When GPU nodes end, and who hears of it. */
export interface EnvironmentLease extends Readonly<GivenOf<typeof leaseSection>> {}

/** Prometheus, Alertmanager and Grafana, with the alerts and the dashboard for GPUs. */
export interface EnvironmentMonitoring extends Readonly<GivenOf<typeof monitoringSection>> {}

/** Defaults of the environment itself; the other defaults are those of the component that an argument belongs to. */
export const environmentDefaults = {
  clusterName: v.getDefault(environmentSection.entries.clusterName),
  kubernetesVersion,
  nccl: v.getDefault(environmentSection.entries.nccl),
  azIndex: v.getDefault(gpuNodesSection.entries.azIndex),
  engine: v.getDefault(gpuHealthSettings.entries.engine),
} as const;
