import * as pulumi from "@pulumi/pulumi";
import { regionOf } from "./core/lookups";
import type { EksCluster } from "./cluster/eks-cluster";
import { childOptions } from "./core/options";
import { idTag } from "./core/stack-tags";
import { token } from "./core/tokens";
import type { GpuEnvironmentArgs } from "./environment/gpu-environment-schema";
import { environmentOutputs, type GpuEnvironmentOutputs } from "./environment/gpu-environment-outputs";
import {
  makeAddons,
  makeCluster,
  makeFirewall,
  makeGpuNodes,
  makeLease,
  makeNetwork,
  makeSystemNodes,
  type Parts,
} from "./environment/gpu-environment-parts";
import { environmentSettings } from "./environment/gpu-environment-plan";
import {
  makeControllers,
  makeEfaDevicePlugin,
  makeGpuOperator,
  makeMonitoring,
  makeNodeMonitoring,
} from "./environment/gpu-environment-software";
import { identityTags, makeIdentity } from "./environment/identity";
import type { GpuOperator } from "./gpu/operator/gpu-operator";
import type { LabLease } from "./lease/lab-lease";
import type { Monitoring } from "./observe/monitoring/monitoring";
import type { Network } from "./network/network";
import type { NodeFirewall } from "./network/firewall/node-firewall";
import type { GpuNodeGroup } from "./nodes/gpu-node-group";
import type { SystemNodeGroup } from "./nodes/system-node-group";

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
  readonly gpuNodes: GpuNodeGroup;
  /** Undefined unless `monitoring.enabled`. */
  readonly monitoring: Monitoring | undefined;
  /** Undefined unless `gpuOperator.enabled`. */
  readonly gpuOperator: GpuOperator | undefined;
  /** Undefined without `lease`. */
  readonly lease: LabLease | undefined;
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
    this.systemNodes = makeSystemNodes(parts, this.cluster, this.firewall, this.network, beforeNodes);
    this.gpuNodes = makeGpuNodes(parts, this.cluster, this.firewall, this.network, beforeNodes);
    this.lease = makeLease(parts, this.cluster, this.gpuNodes);
    const controllers = makeControllers(parts, this.cluster, this.network, [
      this.systemNodes,
      ...this.cluster.accessEntries,
    ]);
    makeAddons(parts, this.cluster, "after-nodes", [this.systemNodes, controllers.externalDns]);
    makeNodeMonitoring(parts, this.cluster, [this.systemNodes]);
    const inCluster = [this.systemNodes, ...this.cluster.accessEntries];
    makeEfaDevicePlugin(parts, this.cluster, inCluster);
    this.monitoring = makeMonitoring(parts, this.cluster, inCluster);
    this.gpuOperator = makeGpuOperator(parts, this.cluster, [
      ...inCluster,
      ...(this.monitoring ? [this.monitoring] : []),
    ]);

    const region = regionOf(this);
    this.outputs = environmentOutputs(this, settings, region, identity[idTag]);
    this.registerOutputs(this.outputs);
  }
}
