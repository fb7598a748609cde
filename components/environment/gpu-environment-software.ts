import * as pulumi from "@pulumi/pulumi";
import {
  ClusterAutoscaler,
  clusterAutoscalerDefaults,
  type clusterAutoscalerSchema,
} from "../cluster/controllers/cluster-autoscaler";
import { ExternalDnsIdentity, type externalDnsIdentitySchema } from "../cluster/controllers/external-dns-identity";
import {
  LoadBalancerController,
  loadBalancerControllerDefaults,
  type loadBalancerControllerSchema,
} from "../cluster/controllers/load-balancer-controller";
import type { EksCluster } from "../cluster/eks-cluster";
import { resolved, type ValueOf } from "../core/schema";
import { EfaDevicePlugin, efaDevicePluginDefaults, type efaDevicePlugin } from "../gpu/efa/efa-device-plugin";
import { gpuHealth } from "../gpu/health/gpu-health";
import { NodeMonitoringAgent } from "../gpu/health/node-monitoring-agent";
import type { nodeMonitoringAgent } from "../gpu/health/node-monitoring-schema";
import { GpuOperator } from "../gpu/operator/gpu-operator";
import type { gpuOperator } from "../gpu/operator/gpu-operator-schema";
import type { Network } from "../network/network";
import { GpuDashboard, gpuDashboardDefaults, type gpuDashboard } from "../observe/dashboard/gpu-dashboard";
import { GpuAlerts, gpuAlertsDefaults, type gpuAlerts } from "../observe/gpu-alerts";
import { Monitoring } from "../observe/monitoring/monitoring";
import type { monitoring } from "../observe/monitoring/monitoring-schema";
import type { EnvironmentSettings } from "./gpu-environment-plan";
import type { IdentityTags } from "./identity";

// What runs in the cluster: controllers, node monitoring, metrics and the GPU Operator.

/** What is needed to create each part. */
export interface Parts {
  readonly name: string;
  readonly settings: EnvironmentSettings;
  readonly identity: IdentityTags;
  readonly options: pulumi.ComponentResourceOptions;
}

/** Options that add what a part depends on. */
export function after(
  options: pulumi.ComponentResourceOptions,
  resources: pulumi.Resource[],
): pulumi.ComponentResourceOptions {
  return pulumi.mergeOptions(options, { dependsOn: resources });
}

/** The controllers' identities, and their releases where they are installed. */
export function makeControllers(parts: Parts, cluster: EksCluster, network: Network, first: pulumi.Resource[]) {
  const { name, settings, options } = parts;
  const release = { ...after(options, first), provider: cluster.provider };
  new LoadBalancerController(
    `${name}-load-balancer-controller`,
    loadBalancerControllerArgs(parts, cluster, network),
    release,
  );
  new ClusterAutoscaler(`${name}-autoscaler`, clusterAutoscalerArgs(settings, cluster), release);
  const externalDns = resolved<ValueOf<typeof externalDnsIdentitySchema>>({
    ...settings.controllers.externalDns,
    clusterName: cluster.clusterName,
    tags: settings.tags,
    transform: settings.transform?.controllers?.externalDns,
  });
  return { externalDns: new ExternalDnsIdentity(`${name}-external-dns`, externalDns, options) };
}

function loadBalancerControllerArgs({ settings, identity }: Parts, cluster: EksCluster, network: Network) {
  return resolved<ValueOf<typeof loadBalancerControllerSchema>>({
    ...loadBalancerControllerDefaults,
    ...settings.controllers.loadBalancerController,
    clusterName: cluster.clusterName,
    cluster: cluster.deletedWith,
    vpcId: network.vpcId,
    tags: { ...settings.tags, ...identity },
    transform: settings.transform?.controllers?.loadBalancerController,
  });
}

function clusterAutoscalerArgs(settings: EnvironmentSettings, cluster: EksCluster) {
  return resolved<ValueOf<typeof clusterAutoscalerSchema>>({
    ...clusterAutoscalerDefaults,
    ...settings.controllers.clusterAutoscaler,
    clusterName: cluster.clusterName,
    cluster: cluster.deletedWith,
    kubernetesVersion: settings.kubernetesVersion,
    tags: settings.tags,
    transform: settings.transform?.controllers?.clusterAutoscaler,
  });
}

export function makeNodeMonitoring({ name, settings, options }: Parts, cluster: EksCluster, first: pulumi.Resource[]) {
  const version = settings.addons["eks-node-monitoring-agent"];
  const health = gpuHealth({
    engine: settings.gpuHealth.engine,
    taints: settings.gpuNodes.taints,
    addonVersion: version,
    operatorNamespace: settings.gpuOperator.namespace,
  });
  return new NodeMonitoringAgent(
    `${name}-node-monitoring`,
    resolved<ValueOf<typeof nodeMonitoringAgent>>({
      clusterName: cluster.clusterName,
      kubernetesVersion: settings.kubernetesVersion,
      version,
      configuration: { ...health.addonConfiguration },
      tags: settings.tags,
      transform: settings.transform?.nodeMonitoring,
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
  const { deletedWith = options.deletedWith, provider } = cluster;
  const inCluster = { ...after(options, first), provider, deletedWith };
  const args = resolved<ValueOf<typeof monitoring>>({
    ...own,
    cluster: cluster.deletedWith,
    transform,
  });
  const release = new Monitoring(`${name}-monitoring`, args, inCluster);
  const behind = after(inCluster, [release]);
  const namespaces = { namespace: own.namespace, operatorNamespace: settings.gpuOperator.namespace };
  const alertArgs = resolved<ValueOf<typeof gpuAlerts>>({
    ...gpuAlertsDefaults,
    ...namespaces,
    transform: { rule: alerts },
  });
  new GpuAlerts(`${name}-gpu-alerts`, alertArgs, behind);
  const dashboardArgs = resolved<ValueOf<typeof gpuDashboard>>({
    ...gpuDashboardDefaults,
    ...namespaces,
    transform: { configMap: dashboard },
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
      cluster: cluster.deletedWith,
      transform: settings.transform?.gpuOperator,
    }),
    { ...after(options, first), provider: cluster.provider },
  );
}

/** The device plugin that nodes with EFA need to advertise `vpc.amazonaws.com/efa`. */
export function makeEfaDevicePlugin(
  { name, settings, options }: Parts,
  cluster: EksCluster,
  first: pulumi.Resource[],
): EfaDevicePlugin | undefined {
  const { efa, taints, instanceType } = settings.gpuNodes;
  if (!efa) return undefined;
  return new EfaDevicePlugin(
    `${name}-efa-device-plugin`,
    resolved<ValueOf<typeof efaDevicePlugin>>({
      ...efaDevicePluginDefaults,
      taints,
      instanceTypes: [instanceType],
      cluster: cluster.deletedWith,
      transform: settings.transform?.efaDevicePlugin,
    }),
    { ...after(options, first), provider: cluster.provider },
  );
}
