import type * as pulumi from "@pulumi/pulumi";
import { Karpenter, karpenterDefaults, type karpenterSchema } from "../cluster/controllers/karpenter";
import type { EksCluster } from "../cluster/eks-cluster";
import { resolved, type ValueOf } from "../core/schema";
import { nodePoolLeaseDefaults, type nodePoolLease } from "../lease/node-pool-lease-schema";
import { NodePoolLease } from "../lease/node-pool-lease";
import type { NodeFirewall } from "../network/firewall/node-firewall";
import type { Network } from "../network/network";
import { GpuNodePool } from "../nodes/pool/gpu-node-pool";
import { gpuNodePoolDefaults, type CompletePool } from "../nodes/pool/gpu-node-pool-schema";
import type { EnvironmentSettings } from "./gpu-environment-plan";
import { after, type Parts } from "./gpu-environment-software";
import { gpuLimit, isAutoMode, isOnDemand, poolName } from "./on-demand-conflicts";

// GPU nodes that Karpenter or EKS Auto Mode starts, instead of a managed node group.

/** What nodes on demand use of the environment. */
interface Surroundings {
  readonly cluster: EksCluster;
  readonly network: Network;
  readonly firewall: NodeFirewall;
}

/** The pool with what starts its nodes, and the lease that ends them. Undefined with a managed node group. */
export function makeNodesOnDemand(parts: Parts, around: Surroundings, first: pulumi.Resource[]) {
  const { name, settings, options } = parts;
  if (!isOnDemand(settings)) return {};
  const { cluster } = around;
  const inCluster = { ...after(options, first), provider: cluster.provider };
  const karpenter = isAutoMode(settings)
    ? undefined
    : new Karpenter(`${name}-karpenter`, karpenterArgs(settings, cluster), inCluster);
  const lease = settings.lease && new NodePoolLease(`${name}-lease`, leaseArgs(parts, cluster), inCluster);
  // On destroy, the nodes of the pool end while Karpenter runs, and while their lease exists.
  const behind = after(inCluster, [...(karpenter ? [karpenter] : []), ...(lease ? [lease] : [])]);
  const args = resolved<CompletePool>(poolArgs(parts, around, karpenter));
  return {
    gpuNodePool: new GpuNodePool(poolName(name), args, { ...behind, deletedWith: undefined }),
    nodePoolLease: lease,
  };
}

function karpenterArgs(settings: EnvironmentSettings, cluster: EksCluster) {
  return resolved<ValueOf<typeof karpenterSchema>>({
    ...karpenterDefaults,
    install: true,
    nodeRepair: settings.gpuHealth.repair !== undefined,
    clusterName: cluster.clusterName,
    cluster: cluster.deletedWith,
    tags: settings.tags,
    transform: settings.transform?.controllers?.karpenter,
  });
}

function leaseArgs({ name, settings, identity }: Parts, cluster: EksCluster) {
  const { nightly = "none", timeZone = "UTC", expiresAt, alarmTopicArns = [] } = settings.lease ?? {};
  const { tags } = settings;
  return resolved<ValueOf<typeof nodePoolLease>>({
    ...nodePoolLeaseDefaults,
    ...{ nightly, timeZone, expiresAt, nodePools: [poolName(name)] },
    secondLine: { clusterName: cluster.clusterName, alarmTopicArns, tags: { ...tags, ...identity } },
    cluster: cluster.deletedWith,
    transform: settings.transform?.nodePoolLease,
  });
}

function poolArgs(
  { settings, identity }: Parts,
  { cluster, network, firewall }: Surroundings,
  karpenter: Karpenter | undefined,
): CompletePool {
  const { gpuNodes, tags } = settings;
  const { instanceType: type, diskSizeGiB, labels, taints } = gpuNodes;
  return {
    ...gpuNodePoolDefaults,
    ...(karpenter ? ofKarpenter(settings, karpenter) : ofAutoMode(cluster)),
    ...{ diskSizeGiB, labels, taints },
    instanceTypes: [type],
    startupTaints: [],
    gpuLimit: gpuLimit(settings),
    capacityType: gpuNodes.capacityType === "SPOT" ? "SPOT" : "ON_DEMAND",
    subnetId: network.privateSubnetIds[gpuNodes.azIndex],
    securityGroupIds: firewall.securityGroupIds,
    tags: { ...tags, ...identity },
    transform: settings.transform?.gpuNodePool,
  };
}

function ofKarpenter({ gpuNodes, kubernetesVersion }: EnvironmentSettings, { instanceProfileName }: Karpenter) {
  const { releaseVersion, localStorage, maxPods, tools } = gpuNodes;
  return { instanceProfileName, kubernetesVersion, releaseVersion, localStorage, maxPods, tools };
}

function ofAutoMode({ autoModeNodeRoleName }: EksCluster) {
  return { provisioner: "autoMode" as const, nodeRoleName: autoModeNodeRoleName };
}
