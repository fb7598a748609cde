import type { NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import type * as pulumi from "@pulumi/pulumi";
import type { Transform } from "../../core/transform";
import { gpuOperatorChart } from "../../core/versions";
import type { Taint } from "../../nodes/scheduling/taints";
import type { GpuHealthEngine } from "../health/gpu-health";
import type { GpuShares } from "./gpu-sharing";
import type { JsonObject } from "./values";

export interface GpuOperatorArgs {
  /** Minor version of the cluster's Kubernetes, e.g. `"1.35"`: the chart must fit it. */
  readonly kubernetesVersion: string;
  /**
   * One exact version of the chart; the leading v may be left out. Ranges, `latest` and series that nobody has checked
   * against Kubernetes are refused; `transform.release` still takes any version.
   * @default "v26.3.1" - fits Kubernetes 1.32 to 1.35. On nodes with EFA devices state "v26.3.3": 26.3.0 to 26.3.2 put
   *   every ibverbs device of a node into GPU pods
   */
  readonly chartVersion?: string;
  /**
   * Namespace that the component makes for the operator.
   * @default "gpu-operator" - the name in NVIDIA's documentation
   */
  readonly namespace?: string;
  /**
   * An https:// chart repository, or an oci:// registry with or without the chart's name at its end.
   * @default "https://helm.ngc.nvidia.com/nvidia" - NVIDIA's own; a mirror saves a lab from its outages
   */
  readonly repository?: string;
  /** Whether GPUs are offered to pods as nvidia.com/gpu. @default true - off only to show what breaks without it */
  readonly devicePlugin?: boolean;
  /** Whether GPU metrics are offered to Prometheus. @default true - dashboards and alerts read them */
  readonly dcgmExporter?: boolean;
  /**
   * Whether a ServiceMonitor points Prometheus at the exporter. Its CRD must be in the cluster: until it is, the
   * ClusterPolicy stays notReady.
   * @default false - the cluster may have no Prometheus Operator
   */
  readonly serviceMonitor?: boolean;
  /**
   * Whether the validator also runs a CUDA pod that takes one GPU. On a node whose only GPU is in use a restarted
   * validator waits for it.
   * @default true - a node is called ready only after CUDA has run on it
   */
  readonly validatorWorkload?: boolean;
  /** Offers each GPU to several pods in turn, with no isolation of memory. @default none - a pod has its GPU alone */
  readonly timeSlicing?: GpuShares;
  /**
   * Offers each GPU to several pods at once with equal parts of its memory; not together with `timeSlicing`. NVIDIA
   * calls it experimental.
   * @default none - a pod has its GPU alone
   */
  readonly mps?: GpuShares;
  /**
   * Whether the nodes' GPUs have MIG; decides about the MIG manager.
   * @default false - the A10G of a g5.xlarge has none
   */
  readonly migCapable?: boolean;
  /**
   * How MIG devices are named: `single` calls them nvidia.com/gpu, `mixed` names their profiles.
   * @default none - "single" where `migCapable`, as in the chart
   */
  readonly migStrategy?: "single" | "mixed";
  /**
   * Taints of all GPU node groups: every part that runs on a GPU node tolerates them.
   * @default [] - the chart's own toleration of nvidia.com/gpu:NoSchedule is always there
   */
  readonly taints?: readonly Taint[];
  /**
   * Which part runs the one DCGM engine of a node.
   * @default "node-monitor" - the add-on eks-node-monitoring-agent, which must then be installed
   */
  readonly health?: GpuHealthEngine;
  /**
   * Labels of the nodes that carry the controller, the NFD master and the NFD garbage collector.
   * `{ tier: "primary" }` are the nodes of a SystemNodeGroup; on a GPU node they would end when the group scales to
   * zero.
   * @default {} - any node without a taint: what nodes a cluster has is for its owner to say
   */
  readonly controllerNodeSelector?: Readonly<Record<string, string>>;
  /**
   * Values of the chart, laid over the component's own. Turning on the driver, the toolkit or NRI, a second DCGM
   * engine, what an argument above says, and keys unknown to the chart are refused.
   * @default none - the arguments above cover the labs
   */
  readonly values?: JsonObject;
  /**
   * How long Helm waits for the chart's own pods, in seconds: 600 to 7200. The DaemonSets that the operator makes
   * later are not waited for.
   * @default 900 - a fresh node pulls all images first
   */
  readonly timeoutSeconds?: number;
  /**
   * The cluster: goes with it on destroy, without asking an API server that may be gone.
   * @default none - uninstalled by Helm
   */
  readonly cluster?: pulumi.Resource;
  /** Adjusts the underlying resources. @default none - they are made as described */
  readonly transform?: GpuOperatorTransform;
}

/** Adjusts each underlying resource before it is made. */
export interface GpuOperatorTransform {
  readonly namespace?: Transform<NamespaceArgs>;
  readonly release?: Transform<ReleaseArgs>;
}

export const gpuOperatorDefaults = {
  chartVersion: gpuOperatorChart.version,
  namespace: "gpu-operator",
  repository: gpuOperatorChart.repository,
  devicePlugin: true,
  dcgmExporter: true,
  serviceMonitor: false,
  validatorWorkload: true,
  migCapable: false,
  taints: [],
  health: "node-monitor",
  controllerNodeSelector: {},
  timeoutSeconds: 900,
} as const;
