import * as pulumi from "@pulumi/pulumi";
import type { clusterAddonsSchema } from "./cluster/addons/addons-schema";
import { ClusterAddons } from "./cluster/addons/cluster-addons";
import { EksCluster } from "./cluster/eks-cluster";
import type { eksClusterSchema } from "./cluster/eks-cluster-schema";
import { regionOf } from "./core/lookups";
import { childOptions } from "./core/options";
import { resolved, type ValueOf } from "./core/schema";
import { idTag } from "./core/stack-tags";
import { token } from "./core/tokens";
import { environmentOutputs, type GpuEnvironmentOutputs } from "./environment/gpu-environment-outputs";
import { environmentSettings, phaseAddons } from "./environment/gpu-environment-plan";
import type { GpuEnvironmentArgs } from "./environment/gpu-environment-schema";
import {
  makeControllers,
  makeEfaDevicePlugin,
  makeGpuOperator,
  makeMonitoring,
  makeNodeMonitoring,
  after,
  type Parts,
} from "./environment/gpu-environment-software";
import { identityTags, makeIdentity } from "./environment/identity";
import { makeNodesOnDemand } from "./environment/nodes-on-demand";
import { isAutoMode, isOnDemand } from "./environment/on-demand-conflicts";
import type { GpuOperator } from "./gpu/operator/gpu-operator";
import { LabLease } from "./lease/lab-lease";
import type { labLease } from "./lease/lab-lease-schema";
import type { NodePoolLease } from "./lease/node-pool-lease";
import { trafficModes } from "./network/firewall/firewall-rules";
import { NodeFirewall } from "./network/firewall/node-firewall";
import type { CompleteNodeFirewallArgs } from "./network/firewall/node-firewall-schema";
import type { Network } from "./network/network";
import { Vpc } from "./network/vpc/vpc";
import type { CompleteVpcArgs } from "./network/vpc/vpc-schema";
import { GpuNodeGroup } from "./nodes/gpu-node-group";
import type { CompleteGpuNodeGroupArgs } from "./nodes/gpu-node-group-schema";
import type { GpuNodePool } from "./nodes/pool/gpu-node-pool";
import { SystemNodeGroup } from "./nodes/system-node-group";
import type { CompleteSystemNodeGroupArgs } from "./nodes/system-node-group-schema";
import type { Monitoring } from "./observe/monitoring/monitoring";

/**
 * Builds a whole GPU lab: network, EKS cluster, system nodes, GPU nodes that cost nothing until they are scaled up,
 * add-ons in the order of their dependencies, identities for the controllers, GPU health monitoring, the EFA device plugin
 * for nodes with EFA, and optionally the GPU Operator and a lease that ends forgotten GPU nodes.
 *
 * @cost At rest 0.277 USD an hour in ap-northeast-2 (2026-10): control plane, two t3.medium, one NAT gateway with its
 * address, a KMS key. In use 1.25 USD an hour for each g5.xlarge with its disk.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class GpuEnvironment extends pulumi.ComponentResource {
  readonly network: Network;
  readonly cluster: EksCluster;
  readonly firewall: NodeFirewall;
  readonly systemNodes: SystemNodeGroup;
  /** Undefined unless `gpuNodes.provisioner` is `managedNodeGroup`. */
  readonly gpuNodes: GpuNodeGroup | undefined;
  /** Undefined if `gpuNodes.provisioner` is `managedNodeGroup`. */
  readonly gpuNodePool: GpuNodePool | undefined;
  /** Undefined unless `monitoring.enabled`. */
  readonly monitoring: Monitoring | undefined;
  /** Undefined unless `gpuOperator.enabled`. */
  readonly gpuOperator: GpuOperator | undefined;
  /** Undefined without `lease`, or without `gpuNodes`. */
  readonly lease: LabLease | undefined;
  /** Undefined without `lease`, or without `gpuNodePool`. */
  readonly nodePoolLease: NodePoolLease | undefined;
  /** What a stack exports: names, ids, commands and costs. */
  readonly outputs: GpuEnvironmentOutputs;

  constructor(name: string, args: GpuEnvironmentArgs, opts?: pulumi.ComponentResourceOptions) {
    const settings = environmentSettings(args, name);
    const { transform, ...judged } = settings;
    super(token("GpuEnvironment"), name, judged, opts);
    const identity = makeIdentity(this, name);
    const options = { ...childOptions(this, opts), transformations: [identityTags(identity)] };
    const parts: Parts = { name, settings, identity, options };

    this.network = makeNetwork(parts);
    this.cluster = makeCluster(parts, this.network);
    this.firewall = makeFirewall(parts, this.network, this.cluster);
    const baseAddons = makeAddons(parts, this.cluster, "before-nodes", []);
    const beforeNodes = [baseAddons, this.firewall, ...(this.network.ready ?? [])];
    const wiring = nodeWiring(parts, this.cluster, this.firewall);
    this.systemNodes = makeSystemNodes(parts, wiring, this.network, beforeNodes);
    this.gpuNodes = makeGpuNodes(parts, wiring, this.network, beforeNodes);
    this.lease = makeLease(parts, this.cluster, this.gpuNodes);
    const controllers = makeControllers(parts, this.cluster, this.network, [
      this.systemNodes,
      ...this.cluster.accessEntries,
    ]);
    const addons = makeAddons(parts, this.cluster, "after-nodes", [this.systemNodes, controllers.externalDns]);
    makeNodeMonitoring(parts, this.cluster, [this.systemNodes]);
    const inCluster = [this.systemNodes, ...this.cluster.accessEntries];
    makeEfaDevicePlugin(parts, this.cluster, inCluster);
    this.monitoring = makeMonitoring(parts, this.cluster, inCluster);
    this.gpuOperator = makeGpuOperator(parts, this.cluster, [
      ...inCluster,
      ...(this.monitoring ? [this.monitoring] : []),
    ]);

    // Without the DNS of the cluster, Karpenter cannot call AWS, and its nodes do not end.
    const onDemand = makeNodesOnDemand(parts, this, [...inCluster, addons]);
    this.gpuNodePool = onDemand.gpuNodePool;
    this.nodePoolLease = onDemand.nodePoolLease;

    const region = regionOf(this);
    this.outputs = environmentOutputs(this, settings, region, identity[idTag]);
    this.registerOutputs(this.outputs);
  }
}

// The environment checks and completes the arguments of its parts; `resolved` keeps them from being checked again.

function makeNetwork({ name, settings, options }: Parts): Network {
  const { existing, ...own } = settings.network;
  if (existing) return existing;
  const { clusterName: nameTag, tags } = settings;
  const args = resolved<CompleteVpcArgs>({ ...own, nameTag, tags, transform: settings.transform?.network });
  return new Vpc(`${name}-vpc`, args, options);
}

function makeCluster({ name, settings, options }: Parts, network: Network): EksCluster {
  const { clusterName, kubernetesVersion, publicAccessCidrs, admins, credentials, tags } = settings;
  const { controlPlaneLogs, logRetentionDays, secretsKey, deletionProtection } = settings;
  return new EksCluster(
    `${name}-cluster`,
    resolved<ValueOf<typeof eksClusterSchema>>({
      ...{ clusterName, kubernetesVersion, publicAccessCidrs, admins, credentials, tags },
      ...{ controlPlaneLogs, logRetentionDays, secretsKey, deletionProtection },
      ...(isAutoMode(settings) && { autoMode: true }),
      vpcId: network.vpcId,
      subnetIds: network.privateSubnetIds,
      transform: settings.transform?.cluster,
    }),
    options,
  );
}

function makeFirewall({ name, settings, options }: Parts, network: Network, cluster: EksCluster): NodeFirewall {
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

function makeAddons(
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

/** What all node groups have in common. */
function nodeWiring({ settings }: Parts, cluster: EksCluster, firewall: NodeFirewall) {
  return {
    clusterName: cluster.clusterName,
    kubernetesVersion: settings.kubernetesVersion,
    securityGroupIds: firewall.securityGroupIds,
    tags: settings.tags,
  };
}

function makeSystemNodes(
  { name, settings, options }: Parts,
  wiring: ReturnType<typeof nodeWiring>,
  network: Network,
  first: pulumi.Resource[],
): SystemNodeGroup {
  return new SystemNodeGroup(
    `${name}-system`,
    resolved<CompleteSystemNodeGroupArgs>({
      ...settings.systemNodes,
      ...wiring,
      physicalName: `${settings.clusterName}-system`,
      subnetIds: network.privateSubnetIds,
      transform: settings.transform?.systemNodes,
    }),
    after(options, first),
  );
}

function makeGpuNodes(
  { name, settings, options }: Parts,
  wiring: ReturnType<typeof nodeWiring>,
  network: Network,
  first: pulumi.Resource[],
): GpuNodeGroup | undefined {
  if (isOnDemand(settings)) return undefined;
  const { azIndex, provisioner, ...own } = settings.gpuNodes;
  const { repair } = settings.gpuHealth;
  return new GpuNodeGroup(
    `${name}-gpu`,
    resolved<CompleteGpuNodeGroupArgs>({
      ...own,
      repair,
      ...wiring,
      physicalName: `${settings.clusterName}-gpu`,
      subnetId: network.privateSubnetIds[azIndex] as pulumi.Input<string>,
      transform: settings.transform?.gpuNodes,
    }),
    after(options, first),
  );
}

/** Undefined without a lease, or without a node group. */
function makeLease(
  { name, settings, options }: Parts,
  cluster: EksCluster,
  gpuNodes: GpuNodeGroup | undefined,
): LabLease | undefined {
  if (!settings.lease || !gpuNodes) return undefined;
  const { enabled, ...lease } = settings.lease;
  const { maxSize } = settings.gpuNodes;
  return new LabLease(
    `${name}-lease`,
    resolved<ValueOf<typeof labLease>>({
      ...lease,
      clusterName: cluster.clusterName,
      nodeGroups: { gpu: { nodeGroupName: gpuNodes.nodeGroupName, maxSize } },
      tags: settings.tags,
      transform: settings.transform?.lease,
    }),
    options,
  );
}
