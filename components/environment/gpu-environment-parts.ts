import * as pulumi from "@pulumi/pulumi";
import { ClusterAddons } from "../cluster/addons/cluster-addons";
import type { clusterAddonsSchema } from "../cluster/addons/addons-schema";
import { EksCluster } from "../cluster/eks-cluster";
import type { eksClusterSchema } from "../cluster/eks-cluster-schema";
import { resolved, type ValueOf } from "../core/schema";
import { LabLease } from "../lease/lab-lease";
import type { CompleteLabLeaseArgs } from "../lease/lab-lease-schema";
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
import type { IdentityTags } from "./identity";
import { phaseAddons, type EnvironmentSettings } from "./gpu-environment-plan";

// The environment checks and completes the arguments of its parts; `resolved` keeps them from being checked again.

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

export function makeNetwork({ name, settings, options }: Parts): Network {
  const { existing, ...own } = settings.network;
  if (existing) return existing;
  const { clusterName: nameTag, tags } = settings;
  const args = resolved<CompleteVpcArgs>({ ...own, nameTag, tags, transform: settings.transform?.network });
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
      credentials,
      vpcId: network.vpcId,
      subnetIds: network.privateSubnetIds,
      tags: settings.tags,
      transform: settings.transform?.cluster,
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
      transform: settings.transform?.firewall,
    }),
    options,
  );
}

export function makeAddons(
  { name, settings, identity, options }: Parts,
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
      tags: { ...settings.tags, ...identity },
      transform: settings.transform?.addons,
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
      transform: settings.transform?.systemNodes,
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
      repair,
      ...nodeWiring(parts, cluster, firewall),
      physicalName: `${settings.clusterName}-gpu`,
      subnetId: network.privateSubnetIds[azIndex] as pulumi.Input<string>,
      transform: settings.transform?.gpuNodes,
    }),
    after(options, first),
  );
}

/** Undefined without a lease. */
export function makeLease(
  { name, settings, options }: Parts,
  cluster: EksCluster,
  gpuNodes: GpuNodeGroup,
): LabLease | undefined {
  if (!settings.lease) return undefined;
  const { enabled, ...lease } = settings.lease;
  const { maxSize } = settings.gpuNodes;
  return new LabLease(
    `${name}-lease`,
    resolved<CompleteLabLeaseArgs>({
      ...lease,
      clusterName: cluster.clusterName,
      nodeGroups: { gpu: { nodeGroupName: gpuNodes.nodeGroupName, maxSize } },
      tags: settings.tags,
      transform: settings.transform?.lease,
    }),
    options,
  );
}
