import { clusterAddonsTransformKeys, type ClusterAddonsTransform } from "../cluster/addons/addons-schema";
import { controllerTransformKeys, type ControllerTransform } from "../cluster/controllers/controller-schema";
import { eksClusterTransformKeys, type EksClusterTransform } from "../cluster/eks-cluster-schema";
import { workloadIdentityTransformKeys, type WorkloadIdentityTransform } from "../cluster/identity/workload-identity";
import type { Problem } from "../core/problems";
import { transformProblems, type TransformCheck } from "../core/transform";
import {
  nodeMonitoringAgentTransformKeys,
  type NodeMonitoringAgentTransform,
} from "../gpu/health/node-monitoring-rules";
import type { GpuDashboardTransform } from "../observe/dashboard/gpu-dashboard-args";
import type { GpuAlertsTransform } from "../observe/gpu-alerts-args";
import type { MonitoringTransform } from "../observe/monitoring/monitoring-args";
import { monitoringTransformKeys } from "../observe/monitoring/monitoring-rules";
import type { GpuOperatorTransform } from "../gpu/operator/gpu-operator-args";
import { gpuOperatorTransformKeys } from "../gpu/operator/gpu-operator-rules";
import { nodeFirewallTransformKeys, type NodeFirewallTransform } from "../network/firewall/node-firewall-schema";
import { vpcTransformKeys, type VpcTransform } from "../network/vpc/vpc-schema";
import { type GpuNodeGroupTransform, type NodeGroupTransform } from "../nodes/node-group-transform";
import type { GpuEnvironmentArgs } from "./gpu-environment-args";

/** Adjusts the underlying resources of each part, with the part's own `transform`. */
export interface GpuEnvironmentTransform {
  /** The VPC that the environment makes; nothing beside `network.existing`. */
  readonly network?: VpcTransform;
  readonly cluster?: EksClusterTransform;
  readonly firewall?: NodeFirewallTransform;
  /** Applies to each add-on, those before the nodes and those after them, but the node monitoring agent. */
  readonly addons?: ClusterAddonsTransform;
  readonly systemNodes?: NodeGroupTransform;
  readonly gpuNodes?: GpuNodeGroupTransform;
  /** Without effect while the operator is not installed. */
  readonly gpuOperator?: GpuOperatorTransform;
  readonly nodeMonitoring?: NodeMonitoringAgentTransform;
  /** Without effect while the monitoring is not installed. */
  readonly monitoring?: EnvironmentMonitoringTransform;
  readonly controllers?: ControllersTransform;
}

/** Adjusts what the monitoring is made of. */
export interface EnvironmentMonitoringTransform extends MonitoringTransform {
  readonly alerts?: GpuAlertsTransform["rule"];
  readonly dashboard?: GpuDashboardTransform["configMap"];
}

/** Adjusts what each controller is made of. A release that is not installed has nothing to adjust. */
export interface ControllersTransform {
  readonly loadBalancerController?: ControllerTransform;
  readonly clusterAutoscaler?: ControllerTransform;
  readonly externalDns?: WorkloadIdentityTransform;
}

/** Problems of a transform that has a key for each of `T`, each with a check of its own. */
function among<T extends object>(checks: Readonly<Record<keyof T, TransformCheck>>): TransformCheck {
  const byKey: Readonly<Record<string, TransformCheck>> = checks;
  return (path, got) =>
    transformProblems(path, got, Object.keys(checks), (inner, value, key) => byKey[key]?.(inner, value, key) ?? []);
}

/** Problems of the transform of one part, which has these keys. */
function part(keys: readonly string[]): TransformCheck {
  return (path, got) => transformProblems(path, got, keys);
}

const transformChecks = among<GpuEnvironmentTransform>({
  network: part(vpcTransformKeys),
  cluster: part(eksClusterTransformKeys),
  firewall: part(nodeFirewallTransformKeys),
  addons: part(clusterAddonsTransformKeys),
  systemNodes: part(["role", "rolePolicyAttachment", "launchTemplate", "nodeGroup"]),
  gpuNodes: part(["role", "rolePolicyAttachment", "launchTemplate", "nodeGroup", "autoscalingTag"]),
  gpuOperator: part(gpuOperatorTransformKeys),
  nodeMonitoring: part(nodeMonitoringAgentTransformKeys),
  monitoring: part([...monitoringTransformKeys, "alerts", "dashboard"]),
  controllers: among<ControllersTransform>({
    loadBalancerController: part(controllerTransformKeys),
    clusterAutoscaler: part(controllerTransformKeys),
    externalDns: part(workloadIdentityTransformKeys),
  }),
});

/** Problems of the environment's `transform`, e.g. at `transform.gpuNodes.nodeGroup`. */
export function environmentTransformProblems({ transform, network }: GpuEnvironmentArgs): Problem[] {
  const problems = transformChecks("transform", transform, "transform");
  if (network?.existing === undefined || transform?.network === undefined) return problems;
  const why = "It adjusts a VPC to make, and network.existing says to make none.";
  const path = "transform.network";
  return [...problems, { code: "conflict", path, got: "an object", why, fix: "remove one of the two" }];
}
