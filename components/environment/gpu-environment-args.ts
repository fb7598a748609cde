import type { EksClusterArgs } from "../cluster/eks-cluster-schema";
import type { GpuHealthEngine } from "../gpu/health/gpu-health";
import type { GpuOperatorArgs } from "../gpu/operator/gpu-operator";
import type { MonitoringArgs } from "../observe/monitoring/monitoring-args";
import type { Network } from "../network/network";
import type { NodeFirewallArgs } from "../network/firewall/node-firewall-schema";
import type { VpcArgs } from "../network/vpc/vpc-schema";
import type { GpuNodeGroupSettings } from "../nodes/gpu-node-group-schema";
import type { NodeRepair } from "../nodes/node-repair";
import type { SystemNodeGroupSettings } from "../nodes/system-node-group-schema";
import type { Tags } from "../core/tokens";
import type { GpuEnvironmentTransform } from "./gpu-environment-transform";

/** The VPC to make, or one that is there. */
export interface NetworkSettings extends Omit<VpcArgs, "nameTag" | "tags" | "transform"> {
  /**
   * Uses this network and makes none. No other key may stand beside it.
   * @default none - the environment makes a VPC
   */
  readonly existing?: Network;
}

/** The GPU nodes. */
export interface GpuNodeSettings extends Omit<GpuNodeGroupSettings, "repair"> {
  /**
   * Which of the network's zones the GPU nodes live in, from 0. One zone only: traffic between zones would blur every
   * measurement of NCCL.
   * @default 0 - the zone of the single NAT gateway
   */
  readonly azIndex?: number;
}

/** The NVIDIA GPU Operator. */
export interface GpuOperatorSettings extends Omit<
  GpuOperatorArgs,
  "kubernetesVersion" | "migCapable" | "taints" | "health" | "controllerNodeSelector" | "cluster" | "transform"
> {
  /** Whether it is installed. @default false - it is the second step of a session, when GPU nodes are up */
  readonly enabled?: boolean;
}

/** Prometheus, Alertmanager and Grafana, with the alerts and the dashboard for GPUs. */
export interface EnvironmentMonitoring extends Omit<MonitoringArgs, "cluster" | "nodeSelector" | "transform"> {
  /** Whether they are installed. @default false - they take a third of a vCPU and 1.3 GiB of the system nodes */
  readonly enabled?: boolean;
}

/** Who watches the GPUs, and what happens to a node whose GPU fails. */
export interface GpuHealthSettings {
  /**
   * Which part runs the one DCGM engine of a GPU node.
   * @default "node-monitor" - the add-on, whose conditions node repair reads
   */
  readonly engine?: GpuHealthEngine;
  /**
   * Lets EKS replace or reboot unhealthy GPU nodes.
   * @default none - a replaced node takes the evidence of a lab with it
   */
  readonly repair?: NodeRepair;
}

export interface ClusterAutoscalerSettings {
  /** Whether its Helm release is installed. @default false - a session starts and ends its nodes by hand */
  readonly install?: boolean;
  /**
   * Tag of its image: one exact version of the cluster's Kubernetes minor, such as `v1.35.2`.
   * @default the tag pinned for the minor - where none is, as for 1.34 and 1.36, `install` needs one
   */
  readonly imageTag?: string;
}

/** The controllers that AWS users expect in a cluster. Each has its identity; its Helm release is a choice. */
export interface ControllerSettings {
  /** The AWS Load Balancer Controller. @default {} - its identity, without the release */
  readonly loadBalancerController?: { readonly install?: boolean };
  /**
   * The Cluster Autoscaler; installed, it decides the size of the system nodes too.
   * @default {} - its identity, without the release
   */
  readonly clusterAutoscaler?: ClusterAutoscalerSettings;
  /** Ids of the Route 53 zones that ExternalDNS may write, or "all". @default {} - it reads, and writes none */
  readonly externalDns?: { readonly hostedZoneIds?: readonly string[] | "all" };
}

export interface GpuEnvironmentArgs extends Pick<
  EksClusterArgs,
  | "publicAccessCidrs"
  | "kubernetesVersion"
  | "controlPlaneLogs"
  | "logRetentionDays"
  | "secretsKey"
  | "deletionProtection"
  | "credentials"
> {
  /**
   * Name of the cluster, up to 26 characters; the other physical names derive from it.
   * @default "myeks" - that of the Terraform original
   */
  readonly clusterName?: string;
  /**
   * ARNs of IAM roles and users that become cluster admins beside whoever creates the cluster, who must not stand here.
   * @default [] - the creator alone
   */
  readonly admins?: readonly string[];
  /** The VPC. @default {} - one with three zones and a single NAT gateway is made */
  readonly network?: NetworkSettings;
  /** The nodes of add-ons and controllers. @default {} - two t3.medium */
  readonly systemNodes?: SystemNodeGroupSettings;
  /** The GPU nodes. @default {} - up to two g5.xlarge, none of them running */
  readonly gpuNodes?: GpuNodeSettings;
  /**
   * Whether nodes reach each other's NCCL ports. `blocked` takes away every path between nodes that NCCL could use, and
   * nothing else.
   * @default "open" - distributed training needs it
   */
  readonly nccl?: NonNullable<NodeFirewallArgs["nccl"]>;
  /** The NVIDIA GPU Operator. @default {} - not installed: it is the second step of a session */
  readonly gpuOperator?: GpuOperatorSettings;
  /** Metrics, alerts and dashboard. @default {} - not installed: a lab asks for them */
  readonly monitoring?: EnvironmentMonitoring;
  /** GPU monitoring and node repair. @default {} - monitored by the add-on, not repaired */
  readonly gpuHealth?: GpuHealthSettings;
  /**
   * Add-on name to exact version.
   * @default {} - EKS's default for the Kubernetes version, with a warning, because it moves
   */
  readonly addons?: Readonly<Record<string, string>>;
  /** Controllers. @default {} - identities alone: a lab that needs none runs none */
  readonly controllers?: ControllerSettings;
  /** Tags of everything that takes tags. @default {} - Name, and what controllers look for */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the underlying resources, part by part. For programs alone: no configuration key leads here.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: GpuEnvironmentTransform;
}
