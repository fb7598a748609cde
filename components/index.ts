/**
 * GPU labs on Amazon EKS: every public component, its arguments and defaults, and the pure functions that check,
 * explain and price them. Anything else may change in any release.
 */

// The whole environment.
export { GpuEnvironment } from "./gpu-environment";
export { gpuEnvironmentProblems, type GpuEnvironmentArgs } from "./environment/gpu-environment-schema";
export {
  environmentDefaults,
  type EnvironmentLease,
  type EnvironmentMonitoring,
  type GpuNodeSettings,
  type GpuOperatorSettings,
  type NetworkSettings,
} from "./environment/gpu-environment-sections";
export type { ControllerSettings } from "./cluster/controllers/controller-schema";
export type { GpuHealthSettings } from "./gpu/health/gpu-health-schema";
export type { GpuEnvironmentOutputs } from "./environment/gpu-environment-outputs";
export type {
  ControllersTransform,
  EnvironmentMonitoringTransform,
  GpuEnvironmentTransform,
} from "./environment/gpu-environment-transform";
export { clusterFactsProblems, gpuOperatorArgs, type ClusterFacts } from "./environment/cluster-facts";
export { clusterFacts, costSizes } from "./environment/gpu-environment-plan";

// What region and account must offer it.
export { readPreflightFacts } from "./preflight/preflight";
export { preflightRequest } from "./preflight/preflight-request";
export { preflightProblems, preflightWarnings } from "./preflight/preflight-checks";
export { zonesFor } from "./preflight/node-rules";
export type { CapacityRequest, PreflightFacts } from "./preflight/preflight-facts";
export type { ChangeOptions, ChangeRequest, Confirmations, RunningEnvironment } from "./preflight/running-environment";

// Network: made, or there before.
export { Vpc } from "./network/vpc/vpc";
export { vpcDefaults, vpcProblems, type NatGateways, type VpcArgs, type VpcTransform } from "./network/vpc/vpc-schema";
export { subnetPlan, type SubnetPlan, type SubnetPlanArgs } from "./network/vpc/subnet-plan";
export { existingNetworkProblems, type Network } from "./network/network";
export { NodeFirewall } from "./network/firewall/node-firewall";
export {
  nodeFirewallDefaults,
  nodeFirewallProblems,
  type NodeFirewallArgs,
  type NodeFirewallTransform,
} from "./network/firewall/node-firewall-schema";
export type { Traffic } from "./network/firewall/firewall-rules";

// Cluster and add-ons.
export { EksCluster } from "./cluster/eks-cluster";
export {
  eksClusterDefaults,
  eksClusterProblems,
  type ControlPlaneLog,
  type EksClusterArgs,
  type EksClusterTransform,
} from "./cluster/eks-cluster-schema";
export { isDocumentationCidr } from "./cluster/access/public-access";
export { supportedKubernetesVersions } from "./cluster/kubernetes-versions";
export { ClusterAddons } from "./cluster/addons/cluster-addons";
export { addonsOfPhase, knownAddons, vpcCniConfiguration, type AddonPhase } from "./cluster/addons/addon-plan";
export {
  clusterAddonsDefaults,
  clusterAddonsProblems,
  type Addons,
  type AddonSpec,
  type ClusterAddonsArgs,
  type ClusterAddonsTransform,
} from "./cluster/addons/addons-schema";

// Identities, and the controllers that have one.
export {
  WorkloadIdentity,
  workloadIdentityDefaults,
  workloadIdentityProblems,
  type WorkloadIdentityArgs,
  type WorkloadIdentityTransform,
} from "./cluster/identity/workload-identity";
export type { PolicyCondition, PolicyDocument, PolicyStatement } from "./cluster/identity/policy-document";
export type { ControllerTransform } from "./cluster/controllers/controller-schema";
export {
  LoadBalancerController,
  loadBalancerControllerDefaults,
  loadBalancerControllerProblems,
  type LoadBalancerControllerArgs,
} from "./cluster/controllers/load-balancer-controller";
export {
  ClusterAutoscaler,
  clusterAutoscalerDefaults,
  clusterAutoscalerProblems,
  type ClusterAutoscalerArgs,
} from "./cluster/controllers/cluster-autoscaler";
export {
  Karpenter,
  karpenterDefaults,
  karpenterProblems,
  type KarpenterArgs,
  type KarpenterTransform,
} from "./cluster/controllers/karpenter";
export {
  ExternalDnsIdentity,
  externalDnsIdentityDefaults,
  externalDnsIdentityProblems,
  type ExternalDnsIdentityArgs,
} from "./cluster/controllers/external-dns-identity";

// Nodes.
export { SystemNodeGroup, type SystemNodeGroupArgs } from "./nodes/system-node-group";
export {
  systemNodeGroupDefaults,
  systemNodeGroupProblems,
  type SystemNodeGroupSettings,
} from "./nodes/system-node-group-schema";
export { GpuNodeGroup, type GpuNodeGroupArgs } from "./nodes/gpu-node-group";
export {
  gpuNodeGroupDefaults,
  gpuNodeGroupProblems,
  type CapacityReservation,
  type GpuNodeGroupSettings,
} from "./nodes/gpu-node-group-schema";
export { GpuNodePool, type GpuNodePoolCommands } from "./nodes/pool/gpu-node-pool";
export {
  gpuNodePoolDefaults,
  gpuNodePoolProblems,
  type GpuNodePoolArgs,
  type GpuNodePoolTransform,
} from "./nodes/pool/gpu-node-pool-schema";
export type { GpuNodeGroupTransform, NodeGroupTransform } from "./nodes/node-group-transform";
export { instanceType, instanceTypeNames, type InstanceType } from "./nodes/machine/instance-types";
export { gpuTaint, type Taint, type TaintEffect } from "./nodes/scheduling/taints";
export { scaleCommand, type ScalingOwner } from "./nodes/scaling";
export type { NodeLimit, NodeRepair, RepairAction, RepairCondition, RepairOverride } from "./nodes/node-repair";

// GPU Operator, EFA device plugin and GPU health.
export { GpuOperator } from "./gpu/operator/gpu-operator";
export {
  gpuOperatorDefaults,
  gpuOperatorProblems,
  type GpuOperatorArgs,
  type GpuOperatorTransform,
  type GpuShares,
} from "./gpu/operator/gpu-operator-schema";
export { operatorValues, type OperatorSettings } from "./gpu/operator/operator-values";
export {
  EfaDevicePlugin,
  efaDevicePluginDefaults,
  efaDevicePluginProblems,
  type EfaDevicePluginArgs,
  type EfaDevicePluginTransform,
} from "./gpu/efa/efa-device-plugin";
export { NodeMonitoringAgent } from "./gpu/health/node-monitoring-agent";
export {
  nodeMonitoringAgentDefaults,
  nodeMonitoringAgentProblems,
  type NodeMonitoringAgentArgs,
  type NodeMonitoringAgentTransform,
} from "./gpu/health/node-monitoring-schema";
export {
  gpuHealth,
  gpuTolerations,
  type GpuHealth,
  type GpuHealthEngine,
  type Toleration,
} from "./gpu/health/gpu-health";
export { gpuHealthProblems, type GpuHealthChoice } from "./gpu/health/gpu-health-schema";
export type { Json, JsonObject } from "./gpu/operator/values";

// Workloads of the labs.
export { GpuProbe, type GpuProbeCommands } from "./workloads/probe/gpu-probe";
export {
  gpuProbeDefaults,
  gpuProbeProblems,
  type GpuProbeArgs,
  type GpuProbeTransform,
} from "./workloads/probe/gpu-probe-schema";
export { GpuDeployment, type GpuDeploymentCommands } from "./workloads/deployment/gpu-deployment";
export {
  gpuDeploymentDefaults,
  gpuDeploymentProblems,
  type GpuDeploymentArgs,
  type GpuDeploymentTransform,
} from "./workloads/deployment/gpu-deployment-schema";
export { ModelServer, type ModelServerCommands } from "./workloads/serving/model-server";
export {
  modelServerDefaults,
  modelServerProblems,
  type ModelServerArgs,
  type ModelServerTransform,
} from "./workloads/serving/model-server-schema";
export type { GpuPriority } from "./workloads/shared/priority";
export { NcclTest, type NcclTestCommands } from "./workloads/nccl/nccl-test";
export {
  ncclTestDefaults,
  ncclTestProblems,
  type NcclTestArgs,
  type NcclTestTransform,
} from "./workloads/nccl/nccl-test-schema";
export { FaultInjection, type FaultInjectionCommands } from "./workloads/fault/fault-injection";
export {
  faultInjectionDefaults,
  faultInjectionProblems,
  type FaultInjectionArgs,
  type FaultInjectionTransform,
} from "./workloads/fault/fault-injection-schema";
export { faultSwitch, type FaultSwitch } from "./workloads/fault/fault-switch";
export type { DcgmFault } from "./workloads/fault/dcgm-faults";
export { GangQueue } from "./workloads/queue/gang-queue";
export {
  gangQueueDefaults,
  gangQueueProblems,
  type GangQueueArgs,
  type GangQueueTransform,
} from "./workloads/queue/gang-queue-schema";
export { SocketWatch, type SocketWatchCommands } from "./workloads/socket/socket-watch";
export {
  socketWatchDefaults,
  socketWatchProblems,
  type SocketWatchArgs,
  type SocketWatchTransform,
} from "./workloads/socket/socket-watch-schema";
export { socketStateMetric, socketStates } from "./workloads/socket/socket-metrics";
export { SocketMount, type SocketMountCommands } from "./workloads/socket/socket-mount";
export {
  socketMountDefaults,
  socketMountProblems,
  type SocketMountArgs,
  type SocketMountTransform,
} from "./workloads/socket/socket-mount-schema";
export type { FaultArgs } from "./workloads/shared/faults";
export type { WorkloadArgs } from "./workloads/shared/workload";

// Labs on a local cluster.
export { FakeGpus } from "./local/fake-gpus";
export {
  fakeGpusDefaults,
  fakeGpusProblems,
  type FakeGpusArgs,
  type FakeGpusTransform,
} from "./local/fake-gpus-schema";
export { MockGpus, mockOperatorSettings } from "./local/mock-gpus";
export {
  mockGpusDefaults,
  mockGpusProblems,
  type MockGpusArgs,
  type MockGpusTransform,
} from "./local/mock-gpus-schema";

// Monitoring and alerts.
export { Monitoring } from "./observe/monitoring/monitoring";
export {
  monitoringDefaults,
  monitoringProblems,
  type MonitoringArgs,
  type MonitoringTransform,
} from "./observe/monitoring/monitoring-schema";
export { monitoringValues, type MonitoringSettings } from "./observe/monitoring/monitoring-values";
export {
  GpuDashboard,
  gpuDashboardDefaults,
  gpuDashboardProblems,
  type GpuDashboardArgs,
  type GpuDashboardTransform,
} from "./observe/dashboard/gpu-dashboard";
export { gpuDashboardJson } from "./observe/dashboard/gpu-dashboard";
export {
  GpuAlerts,
  gpuAlertsDefaults,
  gpuAlertsProblems,
  type GpuAlertsArgs,
  type GpuAlertsTransform,
} from "./observe/gpu-alerts";
export { rulesFileProblems, type GpuAlertSettings } from "./observe/alerts/alert-settings";
export type { AlertGroup, AlertRule, AlertSeverity } from "./observe/alerts/alert-rule";
export { gpuAlertGroups, rulesFile } from "./observe/alerts/gpu-alert-rules";

// When the GPU nodes of a lab end.
export { LabLease, type LabLeaseCommands } from "./lease/lab-lease";
export {
  labLeaseDefaults,
  labLeaseProblems,
  type LabLeaseArgs,
  type LabLeaseTransform,
} from "./lease/lab-lease-schema";
export { NodePoolLease, type NodePoolLeaseCommands } from "./lease/node-pool-lease";
export {
  nodePoolLeaseDefaults,
  nodePoolLeaseProblems,
  type NodePoolLeaseArgs,
  type NodePoolLeaseTransform,
} from "./lease/node-pool-lease-schema";

// What it costs.
export { environmentCost, type EnvironmentCost, type EnvironmentSizes, type NodeSizes } from "./cost/environment-cost";
export { describeTotal, type CostSummary } from "./cost/cost-summary";
export type { CostLine, UsageLine } from "./cost/cost-line";
export type { CapacityType } from "./cost/cost-lines";
export { isOffered, price, pricedRegions, priceTableDate, type Price, type PriceStatus } from "./cost/prices";

// What all of them share.
export { InputError, refuse, type Problem, type ProblemCode } from "./core/problems";
export { join } from "./core/reader/paths";
export { nearest } from "./core/suggest";
export type { Tags } from "./core/tokens";
export type { Transform } from "./core/transform";
/** Every pinned version, which is the default of an argument. */
export * as versions from "./core/versions";
