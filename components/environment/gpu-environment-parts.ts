import * as pulumi from "@pulumi/pulumi";
import { ClusterAddons } from "../cluster/addons/cluster-addons";
import { ClusterAutoscaler } from "../cluster/controllers/cluster-autoscaler";
import { ExternalDnsIdentity } from "../cluster/controllers/external-dns-identity";
import { LoadBalancerController } from "../cluster/controllers/load-balancer-controller";
import { EksCluster } from "../cluster/eks-cluster";
import type { GpuEnvironmentArgs } from "./gpu-environment-args";
import { gpuFacts, phaseAddons, type EnvironmentSettings } from "./gpu-environment-plan";
import { gpuHealth } from "../gpu/health/gpu-health";
import { GpuOperator } from "../gpu/operator/gpu-operator";
import { NodeMonitoringAgent } from "../gpu/health/node-monitoring-agent";
import type { Network } from "../network/network";
import { NodeFirewall } from "../network/firewall/node-firewall";
import { Vpc } from "../network/vpc/vpc";
import { GpuNodeGroup } from "../nodes/gpu-node-group";
import { SystemNodeGroup } from "../nodes/system-node-group";

/** What every maker of a part needs to know. */
export interface Parts {
  readonly name: string;
  readonly args: GpuEnvironmentArgs;
  readonly settings: EnvironmentSettings;
  readonly options: pulumi.ComponentResourceOptions;
}

function after(
  options: pulumi.ComponentResourceOptions,
  resources: pulumi.Resource[],
): pulumi.ComponentResourceOptions {
  return pulumi.mergeOptions(options, { dependsOn: resources });
}

export function makeNetwork({ name, args, settings, options }: Parts): Network {
  const { existing, ...own } = args.network ?? {};
  if (existing) return existing;
  return new Vpc(`${name}-vpc`, { ...own, nameTag: settings.clusterName, tags: settings.tags }, options);
}

export function makeCluster({ name, args, settings, options }: Parts, network: Network): EksCluster {
  const { publicAccessCidrs, admins = [], controlPlaneLogs, logRetentionDays, secretsKey, deletionProtection } = args;
  const { credentials } = args;
  return new EksCluster(
    `${name}-cluster`,
    {
      clusterName: settings.clusterName,
      kubernetesVersion: settings.kubernetesVersion,
      vpcId: network.vpcId,
      subnetIds: network.privateSubnetIds,
      publicAccessCidrs,
      admins,
      ...(controlPlaneLogs && { controlPlaneLogs }),
      ...(logRetentionDays !== undefined && { logRetentionDays }),
      ...(secretsKey !== undefined && { secretsKey }),
      ...(deletionProtection !== undefined && { deletionProtection }),
      ...(credentials && { credentials }),
      tags: settings.tags,
    },
    options,
  );
}

export function makeFirewall(
  { name, args, settings, options }: Parts,
  network: Network,
  cluster: EksCluster,
): NodeFirewall {
  return new NodeFirewall(
    `${name}-firewall`,
    {
      vpcId: network.vpcId,
      vpcCidr: network.cidrBlock,
      clusterName: settings.clusterName,
      clusterSecurityGroupId: cluster.clusterSecurityGroupId,
      nccl: settings.nccl,
      efa: args.gpuNodes?.efa ?? false,
      tags: settings.tags,
    },
    options,
  );
}

export function makeAddons(
  { name, args, settings, options }: Parts,
  cluster: EksCluster,
  phase: "before-nodes" | "after-nodes",
  first: pulumi.Resource[],
): ClusterAddons {
  return new ClusterAddons(
    phase === "before-nodes" ? `${name}-base-addons` : `${name}-addons`,
    {
      clusterName: cluster.clusterName,
      kubernetesVersion: settings.kubernetesVersion,
      addons: phaseAddons(args, phase),
      tags: settings.tags,
    },
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
    {
      ...settings.systemNodes,
      ...nodeWiring(parts, cluster, firewall),
      physicalName: `${settings.clusterName}-system`,
      subnetIds: network.privateSubnetIds,
    },
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
    {
      ...own,
      ...(repair && { repair }),
      ...nodeWiring(parts, cluster, firewall),
      physicalName: `${settings.clusterName}-gpu`,
      subnetId: network.privateSubnetIds[azIndex] as pulumi.Input<string>,
    },
    after(options, first),
  );
}

export function makeControllers(
  { name, args, settings, options }: Parts,
  cluster: EksCluster,
  network: Network,
  first: pulumi.Resource[],
) {
  const { loadBalancerController, clusterAutoscaler, externalDns } = args.controllers ?? {};
  const { clusterName } = cluster;
  const { tags, kubernetesVersion } = settings;
  const release = { ...after(options, first), provider: cluster.provider };
  return {
    loadBalancer: new LoadBalancerController(
      `${name}-load-balancer-controller`,
      { ...loadBalancerController, clusterName, cluster: cluster.core, vpcId: network.vpcId, tags },
      release,
    ),
    autoscaler: new ClusterAutoscaler(
      `${name}-autoscaler`,
      { ...clusterAutoscaler, clusterName, cluster: cluster.core, kubernetesVersion, tags },
      release,
    ),
    externalDns: new ExternalDnsIdentity(
      `${name}-external-dns`,
      { clusterName, ...(externalDns?.hostedZoneIds && { hostedZoneIds: externalDns.hostedZoneIds }), tags },
      options,
    ),
  };
}

export function makeNodeMonitoring(
  { name, args, settings, options }: Parts,
  cluster: EksCluster,
  first: pulumi.Resource[],
) {
  const { engine } = settings.gpuHealth;
  const version = args.addons?.["eks-node-monitoring-agent"];
  return new NodeMonitoringAgent(
    `${name}-node-monitoring`,
    {
      clusterName: cluster.clusterName,
      kubernetesVersion: settings.kubernetesVersion,
      ...(version !== undefined && { version }),
      configuration: { ...gpuHealth({ engine, taints: gpuFacts(args).taints }).addonConfiguration },
      tags: settings.tags,
    },
    after(options, first),
  );
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
    { ...own, kubernetesVersion: settings.kubernetesVersion, cluster: cluster.core },
    { ...after(options, first), provider: cluster.provider },
  );
}
