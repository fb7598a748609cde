import { clusterAddonsSchema, type ClusterAddonsTransform } from "../cluster/addons/addons-schema";
import { controllerTransform, type ControllerTransform } from "../cluster/controllers/controller-schema";
import { karpenterSchema, type KarpenterTransform } from "../cluster/controllers/karpenter";
import { eksClusterSchema, type EksClusterTransform } from "../cluster/eks-cluster-schema";
import { workloadIdentityTransform, type WorkloadIdentityTransform } from "../cluster/identity/workload-identity";
import { transformOf, transformsOf } from "../core/transform";
import { efaDevicePlugin, type EfaDevicePluginTransform } from "../gpu/efa/efa-device-plugin";
import { nodeMonitoringAgent, type NodeMonitoringAgentTransform } from "../gpu/health/node-monitoring-schema";
import { gpuOperator, type GpuOperatorTransform } from "../gpu/operator/gpu-operator-schema";
import { labLease, type LabLeaseTransform } from "../lease/lab-lease-schema";
import { nodePoolLease, type NodePoolLeaseTransform } from "../lease/node-pool-lease-schema";
import { nodeFirewallSchema, type NodeFirewallTransform } from "../network/firewall/node-firewall-schema";
import { vpcSchema, type VpcTransform } from "../network/vpc/vpc-schema";
import { nodeGroupTransform, type GpuNodeGroupTransform, type NodeGroupTransform } from "../nodes/node-group-transform";
import { gpuNodePool, type GpuNodePoolTransform } from "../nodes/pool/gpu-node-pool-schema";
import type { GpuDashboardTransform } from "../observe/dashboard/gpu-dashboard";
import type { GpuAlertsTransform } from "../observe/gpu-alerts";
import type { MonitoringTransform } from "../observe/monitoring/monitoring-schema";

/** Adjusts the underlying resources of each part, with the part's own `transform`. */
export interface GpuEnvironmentTransform {
  /** The VPC that the environment creates; excludes `network.existing`. */
  readonly network?: VpcTransform;
  readonly cluster?: EksClusterTransform;
  readonly firewall?: NodeFirewallTransform;
  /** Applies to each add-on except the node monitoring agent. */
  readonly addons?: ClusterAddonsTransform;
  readonly systemNodes?: NodeGroupTransform;
  /** Refused unless `gpuNodes.provisioner` is `managedNodeGroup`. */
  readonly gpuNodes?: GpuNodeGroupTransform;
  /** Refused if `gpuNodes.provisioner` is `managedNodeGroup`. */
  readonly gpuNodePool?: GpuNodePoolTransform;
  /** Has no effect while the operator is not installed. */
  readonly gpuOperator?: GpuOperatorTransform;
  /** Has no effect while `gpuNodes.efa` is off. */
  readonly efaDevicePlugin?: EfaDevicePluginTransform;
  readonly nodeMonitoring?: NodeMonitoringAgentTransform;
  /** Has no effect while the monitoring is not installed. */
  readonly monitoring?: EnvironmentMonitoringTransform;
  readonly controllers?: ControllersTransform;
  /** Has no effect without a lease. Refused unless `gpuNodes.provisioner` is `managedNodeGroup`. */
  readonly lease?: LabLeaseTransform;
  /** Has no effect without a lease. Refused if `gpuNodes.provisioner` is `managedNodeGroup`. */
  readonly nodePoolLease?: NodePoolLeaseTransform;
}

/** Adjusts the resources of the monitoring. */
export interface EnvironmentMonitoringTransform extends MonitoringTransform {
  readonly alerts?: GpuAlertsTransform["rule"];
  readonly dashboard?: GpuDashboardTransform["configMap"];
}

/** Adjusts the resources of each controller. A release that is not installed has nothing to adjust. */
export interface ControllersTransform {
  readonly loadBalancerController?: ControllerTransform;
  readonly clusterAutoscaler?: ControllerTransform;
  readonly externalDns?: WorkloadIdentityTransform;
  readonly karpenter?: KarpenterTransform;
}

const controllersTransform = transformsOf<ControllersTransform>({
  loadBalancerController: controllerTransform,
  clusterAutoscaler: controllerTransform,
  externalDns: workloadIdentityTransform,
  karpenter: karpenterSchema.entries.transform,
});

/** `transform` of an environment: a key for each part. */
export const environmentTransform = transformsOf<GpuEnvironmentTransform>({
  network: vpcSchema.entries.transform,
  cluster: eksClusterSchema.entries.transform,
  firewall: nodeFirewallSchema.entries.transform,
  addons: clusterAddonsSchema.entries.transform,
  systemNodes: nodeGroupTransform,
  gpuNodes: nodeGroupTransform,
  gpuNodePool: gpuNodePool.entries.transform,
  gpuOperator: gpuOperator.entries.transform,
  efaDevicePlugin: efaDevicePlugin.entries.transform,
  nodeMonitoring: nodeMonitoringAgent.entries.transform,
  monitoring: transformOf<EnvironmentMonitoringTransform>({
    namespace: true,
    release: true,
    alerts: true,
    dashboard: true,
  }),
  controllers: controllersTransform,
  lease: labLease.entries.transform,
  nodePoolLease: nodePoolLease.entries.transform,
});
