import * as pulumi from "@pulumi/pulumi";
import { ClusterAddons } from "../cluster/addons/cluster-addons";
import type { clusterAddonsSchema } from "../cluster/addons/addons-schema";
import {
  ClusterAutoscaler,
  clusterAutoscalerDefaults,
  type CompleteClusterAutoscalerArgs,
} from "../cluster/controllers/cluster-autoscaler";
import { ExternalDnsIdentity, type externalDnsIdentitySchema } from "../cluster/controllers/external-dns-identity";
import {
  LoadBalancerController,
  loadBalancerControllerDefaults,
  type loadBalancerControllerSchema,
} from "../cluster/controllers/load-balancer-controller";
import { EksCluster } from "../cluster/eks-cluster";
import type { eksClusterSchema } from "../cluster/eks-cluster-schema";
import { resolved, type ValueOf } from "../core/schema";
import { gpuHealth } from "../gpu/health/gpu-health";
import { NodeMonitoringAgent } from "../gpu/health/node-monitoring-agent";
import type { nodeMonitoringAgent } from "../gpu/health/node-monitoring-schema";
import { GpuOperator } from "../gpu/operator/gpu-operator";
import type { gpuOperator } from "../gpu/operator/gpu-operator-schema";
import { trafficModes } from "../network/firewall/firewall-rules";
import { NodeFirewall } from "../network/firewall/node-firewall";
import type { CompleteNodeFirewallArgs } from "../network/firewall/node-firewall-schema";
import type { Network } from "../network/network";
import { Vpc } from "../network/vpc/vpc";
import type { CompleteVpcArgs } from "../network/vpc/vpc-schema";
import { GpuNodeGroup } from "../nodes/gpu-node-group";
import type { CompleteGpuNodeGroupArgs } from "../nodes/gpu-node-group-schema";
import { SystemNodeGroup } from "../nodes/system-node-group";
import type { CompleteSystemNodeGroupArgs } from "../nodes/system-node-group-schema";
import { GpuDashboard, gpuDashboardDefaults, type gpuDashboard } from "../observe/dashboard/gpu-dashboard";
import { GpuAlerts, gpuAlertsDefaults, type gpuAlerts } from "../observe/gpu-alerts";
import { Monitoring } from "../observe/monitoring/monitoring";
import type { monitoring } from "../observe/monitoring/monitoring-schema";
import { phaseAddons, type EnvironmentSettings } from "./gpu-environment-plan";

// The environment checks and completes the arguments of its parts; `resolved` keeps them from being checked again.

/** What is needed to create each part. */
export interface Parts {
  readonly name: string;
  readonly settings: EnvironmentSettings;
  readonly options: pulumi.ComponentResourceOptions;
}

function after(
  options: pulumi.ComponentResourceOptions,
  resources: pulumi.Resource[],
): pulumi.ComponentResourceOptions {
  return pulumi.mergeOptions(options, { dependsOn: resources });
}

/** The argument `transform` of a part, where the environment has one for it. */
function adjusted<T extends object>(transform: T | undefined): { transform?: T } {
  return transform ? { transform } : {};
}

export function makeNetwork({ name, settings, options }: Parts): Network {
  const { existing, ...own } = settings.network;
  if (existing) return existing;
  const { clusterName: nameTag, tags } = settings;
  const args = resolved<CompleteVpcArgs>({ ...own, nameTag, tags, ...adjusted(settings.transform?.network) });
  return new Vpc(`${name}-vpc`, args, options);
}

export function makeCluster({ name, settings, options }: Parts, network: Network): EksCluster {
  const { publicAccessCidrs, admins, controlPlaneLogs, logRetentionDays, secretsKey, deletionProtection } = settings;
  const { credentials } = settings;
  return new EksCluster(
    `${name}-cluster`,
    resolved<ValueOf<typeof eksClusterSchema>>({
      clusterName: settings.clusterName,
      kubernetesVersion: settings.kubernetesVersion,
      publicAccessCidrs,
      admins,
      controlPlaneLogs,
      logRetentionDays,
      secretsKey,
      deletionProtection,
      ...(credentials && { credentials }),
      vpcId: network.vpcId,
      subnetIds: network.privateSubnetIds,
      tags: settings.tags,
      ...adjusted(settings.transform?.cluster),
    }),
    options,
  );
}

export function makeFirewall({ name, settings, options }: Parts, network: Network, cluster: EksCluster): NodeFirewall {
  return new NodeFirewall(
    `${name}-firewall`,
    resolved<CompleteNodeFirewallArgs>({
      vpcId: network.vpcId,
      vpcCidr: network.cidrBlock,
      clusterName: settings.clusterName,
      clusterSecurityGroupId: cluster.clusterSecurityGroupId,
      ...trafficModes({ nccl: settings.nccl, efa: settings.gpuNodes.efa }),
      tags: settings.tags,
      ...adjusted(settings.transform?.firewall),
    }),
    options,
  );
}

export function makeAddons(
  { name, settings, options }: Parts,
  cluster: EksCluster,
  phase: "before-nodes" | "after-nodes",
  first: pulumi.Resource[],
): ClusterAddons {
  return new ClusterAddons(
    phase === "before-nodes" ? `${name}-base-addons` : `${name}-addons`,
    resolved<ValueOf<typeof clusterAddonsSchema>>({
      clusterName: cluster.clusterName,
      kubernetesVersion: settings.kubernetesVersion,
      addons: phaseAddons(settings, phase),
      tags: settings.tags,
      ...adjusted(settings.transform?.addons),
    }),
    after(options, first),
  );
}

function nodeWiring({ settings }: Parts, cluster: EksCluster, firewall: NodeFirewall) {
  return {
    clusterName: cluster.clusterName,
    kubernetesVersion: settings.kubernetesVersion,
    securityGroupIds: firewall.securityGroupIds,
    tags: settings.tags,
  };
}

export function makeSystemNodes(
  parts: Parts,
  cluster: EksCluster,
  firewall: NodeFirewall,
  network: Network,
  first: pulumi.Resource[],
): SystemNodeGroup {
  const { name, settings, options } = parts;
  return new SystemNodeGroup(
    `${name}-system`,
    resolved<CompleteSystemNodeGroupArgs>({
      ...settings.systemNodes,
      ...nodeWiring(parts, cluster, firewall),
      physicalName: `${settings.clusterName}-system`,
      subnetIds: network.privateSubnetIds,
      ...adjusted(settings.transform?.systemNodes),
    }),
    after(options, first),
  );
}

export function makeGpuNodes(
  parts: Parts,
  cluster: EksCluster,
  firewall: NodeFirewall,
  network: Network,
  first: pulumi.Resource[],
): GpuNodeGroup {
  const { name, settings, options } = parts;
  const { azIndex, ...own } = settings.gpuNodes;
  const { repair } = settings.gpuHealth;
  return new GpuNodeGroup(
    `${name}-gpu`,
    resolved<CompleteGpuNodeGroupArgs>({
      ...own,
      ...(repair && { repair }),
      ...nodeWiring(parts, cluster, firewall),
      physicalName: `${settings.clusterName}-gpu`,
      subnetId: network.privateSubnetIds[azIndex] as pulumi.Input<string>,
      ...adjusted(settings.transform?.gpuNodes),
    }),
    after(options, first),
  );
}

export function makeControllers(
  { name, settings, options }: Parts,
  cluster: EksCluster,
  network: Network,
  first: pulumi.Resource[],
) {
  const { loadBalancerController, clusterAutoscaler, externalDns } = settings.controllers;
  const { tags, kubernetesVersion } = settings;
  const transform = settings.transform?.controllers;
  const shared = { clusterName: cluster.clusterName, tags };
  const charted = { ...shared, cluster: cluster.core };
  const release = { ...after(options, first), provider: cluster.provider };
  return {
    loadBalancer: new LoadBalancerController(
      `${name}-load-balancer-controller`,
      resolved<ValueOf<typeof loadBalancerControllerSchema>>({
        ...loadBalancerControllerDefaults,
        ...loadBalancerController,
        ...charted,
        vpcId: network.vpcId,
        ...adjusted(transform?.loadBalancerController),
      }),
      release,
    ),
    autoscaler: new ClusterAutoscaler(
      `${name}-autoscaler`,
      resolved<CompleteClusterAutoscalerArgs>({
        ...clusterAutoscalerDefaults,
        ...clusterAutoscaler,
        ...charted,
        kubernetesVersion,
        ...adjusted(transform?.clusterAutoscaler),
      }),
      release,
    ),
    externalDns: new ExternalDnsIdentity(
      `${name}-external-dns`,
      resolved<ValueOf<typeof externalDnsIdentitySchema>>({
        ...externalDns,
        ...shared,
        ...adjusted(transform?.externalDns),
      }),
      options,
    ),
  };
}

export function makeNodeMonitoring({ name, settings, options }: Parts, cluster: EksCluster, first: pulumi.Resource[]) {
  const { engine } = settings.gpuHealth;
  const version = settings.addons["eks-node-monitoring-agent"];
  return new NodeMonitoringAgent(
    `${name}-node-monitoring`,
    resolved<ValueOf<typeof nodeMonitoringAgent>>({
      clusterName: cluster.clusterName,
      kubernetesVersion: settings.kubernetesVersion,
      ...(version !== undefined && { version }),
      configuration: { ...gpuHealth({ engine, taints: settings.gpuNodes.taints }).addonConfiguration },
      tags: settings.tags,
      ...adjusted(settings.transform?.nodeMonitoring),
    }),
    after(options, first),
  );
}

/** Metrics with the alerts and the dashboard that are read in them. */
export function makeMonitoring(
  { name, settings, options }: Parts,
  cluster: EksCluster,
  first: pulumi.Resource[],
): Monitoring | undefined {
  const { enabled, ...own } = settings.monitoring;
  if (!enabled) return undefined;
  const { alerts, dashboard, ...transform } = settings.transform?.monitoring ?? {};
  const inCluster = { ...after(options, first), provider: cluster.provider, deletedWith: cluster.core };
  const args = resolved<ValueOf<typeof monitoring>>({
    ...own,
    cluster: cluster.core,
    ...adjusted(settings.transform?.monitoring && transform),
  });
  const release = new Monitoring(`${name}-monitoring`, args, inCluster);
  const behind = after(inCluster, [release]);
  const { namespace } = own;
  const alertArgs = resolved<ValueOf<typeof gpuAlerts>>({
    ...gpuAlertsDefaults,
    namespace,
    ...(alerts && { transform: { rule: alerts } }),
  });
  new GpuAlerts(`${name}-gpu-alerts`, alertArgs, behind);
  const dashboardArgs = resolved<ValueOf<typeof gpuDashboard>>({
    ...gpuDashboardDefaults,
    namespace,
    ...(dashboard && { transform: { configMap: dashboard } }),
  });
  if (own.grafana) new GpuDashboard(`${name}-gpu-dashboard`, dashboardArgs, behind);
  return release;
}

export function makeGpuOperator(
  { name, settings, options }: Parts,
  cluster: EksCluster,
  first: pulumi.Resource[],
): GpuOperator | undefined {
  const { enabled, ...own } = settings.gpuOperator;
  if (!enabled) return undefined;
  return new GpuOperator(
    `${name}-gpu-operator`,
    resolved<ValueOf<typeof gpuOperator>>({
      ...own,
      cluster: cluster.core,
      ...adjusted(settings.transform?.gpuOperator),
    }),
    { ...after(options, first), provider: cluster.provider },
  );
}
