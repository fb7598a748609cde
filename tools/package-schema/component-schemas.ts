import type * as library from "../../components";
import { clusterAddonsSchema } from "../../components/cluster/addons/addons-schema";
import { clusterAutoscalerSchema } from "../../components/cluster/controllers/cluster-autoscaler";
import { externalDnsIdentitySchema } from "../../components/cluster/controllers/external-dns-identity";
import { karpenterSchema } from "../../components/cluster/controllers/karpenter";
import { loadBalancerControllerSchema } from "../../components/cluster/controllers/load-balancer-controller";
import { eksClusterSchema } from "../../components/cluster/eks-cluster-schema";
import { workloadIdentitySchema } from "../../components/cluster/identity/workload-identity";
import type { Schema } from "../../components/core/schema";
import { environment } from "../../components/environment/gpu-environment-schema";
import { efaDevicePlugin } from "../../components/gpu/efa/efa-device-plugin";
import { nodeMonitoringAgent } from "../../components/gpu/health/node-monitoring-schema";
import { gpuOperator } from "../../components/gpu/operator/gpu-operator-schema";
import { labLease } from "../../components/lease/lab-lease-schema";
import { nodePoolLease } from "../../components/lease/node-pool-lease-schema";
import { fakeGpus } from "../../components/local/fake-gpus-schema";
import { mockGpus } from "../../components/local/mock-gpus-schema";
import { nodeFirewallSchema } from "../../components/network/firewall/node-firewall-schema";
import { vpcSchema } from "../../components/network/vpc/vpc-schema";
import { gpuNodeGroup } from "../../components/nodes/gpu-node-group-schema";
import { gpuNodePool } from "../../components/nodes/pool/gpu-node-pool-schema";
import { systemNodeGroup } from "../../components/nodes/system-node-group-schema";
import { gpuDashboard } from "../../components/observe/dashboard/gpu-dashboard";
import { gpuAlerts } from "../../components/observe/gpu-alerts";
import { monitoring } from "../../components/observe/monitoring/monitoring-schema";
import { gpuDeployment } from "../../components/workloads/deployment/gpu-deployment-schema";
import { faultInjection } from "../../components/workloads/fault/fault-injection-schema";
import { modelServer } from "../../components/workloads/serving/model-server-schema";
import { ncclTest } from "../../components/workloads/nccl/nccl-test-schema";
import { gangQueue } from "../../components/workloads/queue/gang-queue-schema";
import { gpuProbe } from "../../components/workloads/probe/gpu-probe-schema";
import { socketMount } from "../../components/workloads/socket/socket-mount-schema";
import { socketWatch } from "../../components/workloads/socket/socket-watch-schema";

type Library = typeof library;

/** The classes that components/index.ts exports and that create resources. */
type ComponentName = {
  [K in keyof Library]: Library[K] extends new (name: string, ...rest: never[]) => { readonly urn: unknown }
    ? K
    : never;
}[keyof Library];

/** The schema of each component's arguments. */
export const componentSchemas: Readonly<Record<ComponentName, Schema>> = {
  ClusterAddons: clusterAddonsSchema,
  ClusterAutoscaler: clusterAutoscalerSchema,
  EfaDevicePlugin: efaDevicePlugin,
  EksCluster: eksClusterSchema,
  ExternalDnsIdentity: externalDnsIdentitySchema,
  FakeGpus: fakeGpus,
  FaultInjection: faultInjection,
  GangQueue: gangQueue,
  GpuAlerts: gpuAlerts,
  GpuDashboard: gpuDashboard,
  GpuDeployment: gpuDeployment,
  GpuEnvironment: environment,
  GpuNodeGroup: gpuNodeGroup,
  GpuNodePool: gpuNodePool,
  GpuOperator: gpuOperator,
  GpuProbe: gpuProbe,
  Karpenter: karpenterSchema,
  LabLease: labLease,
  LoadBalancerController: loadBalancerControllerSchema,
  MockGpus: mockGpus,
  ModelServer: modelServer,
  Monitoring: monitoring,
  NcclTest: ncclTest,
  NodeFirewall: nodeFirewallSchema,
  NodeMonitoringAgent: nodeMonitoringAgent,
  NodePoolLease: nodePoolLease,
  SocketMount: socketMount,
  SocketWatch: socketWatch,
  SystemNodeGroup: systemNodeGroup,
  Vpc: vpcSchema,
  WorkloadIdentity: workloadIdentitySchema,
};
