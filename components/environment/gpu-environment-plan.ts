import { addonsOfPhase, vpcCniConfiguration } from "../cluster/addons/addon-plan";
import type { Addons } from "../cluster/addons/addons-schema";
import { clusterAutoscalerDefaults } from "../cluster/controllers/cluster-autoscaler";
import { imageTagFor } from "../cluster/controllers/controller-schema";
import { externalDnsIdentityDefaults } from "../cluster/controllers/external-dns-identity";
import { loadBalancerControllerDefaults } from "../cluster/controllers/load-balancer-controller";
import { eksClusterDefaults } from "../cluster/eks-cluster-schema";
import { withDefaults } from "../core/defaults";
import { gpuOperatorDefaults } from "../gpu/operator/gpu-operator-args";
import type { EnvironmentSizes } from "../cost/environment-cost";
import { clusterFacts, gpuFacts, gpuOperatorArgs } from "./cluster-facts";
import { environmentDefaults } from "./environment-defaults";
import type { ControllerSettings, GpuEnvironmentArgs, NetworkSettings } from "./gpu-environment-args";
import { monitoringDefaults } from "../observe/monitoring/monitoring-args";
import { interfaceEndpointServices } from "../network/vpc/vpc-endpoints";
import { vpcDefaults } from "../network/vpc/vpc-schema";
import { defaultZoneCount } from "../network/vpc/zones";
import { gpuNodeGroupDefaults, completeGpuNodes } from "../nodes/gpu-node-group-schema";
import { instanceType } from "../nodes/machine/instance-types";
import { completeSystemNodes, systemLabels, systemNodeGroupDefaults } from "../nodes/system-node-group-schema";

/** The arguments with every choice made as the parts make it: what is built, and what policies judge. */
export type EnvironmentSettings = ReturnType<typeof settingsOf>;

export function settingsOf({ transform, ...args }: GpuEnvironmentArgs) {
  const { clusterName, kubernetesVersion, nccl, engine } = environmentDefaults;
  const own = { clusterName, kubernetesVersion, nccl, admins: [], addons: {}, tags: {} } as const;
  const settings = withDefaults(args, { ...eksClusterDefaults, ...own });
  return {
    ...settings,
    network: networkSettings(args.network ?? {}),
    ...nodeSettings(args, settings.kubernetesVersion),
    gpuOperator: {
      enabled: args.gpuOperator?.enabled ?? false,
      ...withDefaults(gpuOperatorArgs(clusterFacts(args), args.gpuOperator), gpuOperatorDefaults),
    },
    monitoring: {
      ...withDefaults(args.monitoring ?? {}, { ...monitoringDefaults, enabled: false }),
      nodeSelector: systemLabels,
    },
    gpuHealth: withDefaults(args.gpuHealth ?? {}, { engine }),
    controllers: controllerSettings(args.controllers ?? {}, settings.kubernetesVersion),
  };
}

/** The VPC that is made; one that is there keeps what it has. */
function networkSettings(network: NetworkSettings): NetworkSettings {
  const { tags, ...defaults } = vpcDefaults;
  return network.existing === undefined ? withDefaults(network, defaults) : network;
}

function nodeSettings(args: GpuEnvironmentArgs, kubernetesVersion: string) {
  const { azIndex } = environmentDefaults;
  // Managed groups are found by the Cluster Autoscaler whether they want it or not: Pulumi must not fight it.
  const resized = args.controllers?.clusterAutoscaler?.install === true ? { owner: "autoscaler" as const } : {};
  const systemNodes = withDefaults(args.systemNodes ?? {}, { ...systemNodeGroupDefaults, ...resized });
  const gpuNodes = withDefaults(args.gpuNodes ?? {}, { ...gpuNodeGroupDefaults, ...resized, azIndex });
  const { taints } = gpuFacts(args);
  return {
    systemNodes: completeSystemNodes(systemNodes, kubernetesVersion),
    gpuNodes: completeGpuNodes({ ...gpuNodes, taints }, kubernetesVersion),
  };
}

function controllerSettings(controllers: ControllerSettings, kubernetesVersion: string) {
  const { loadBalancerController = {}, clusterAutoscaler = {}, externalDns = {} } = controllers;
  const imageTag = imageTagFor(clusterAutoscaler.imageTag, kubernetesVersion);
  return {
    loadBalancerController: withDefaults(loadBalancerController, { install: loadBalancerControllerDefaults.install }),
    clusterAutoscaler: {
      ...withDefaults(clusterAutoscaler, { install: clusterAutoscalerDefaults.install }),
      ...(imageTag !== undefined && { imageTag }),
    },
    externalDns: withDefaults(externalDns, { hostedZoneIds: externalDnsIdentityDefaults.hostedZoneIds }),
  };
}

/** The add-ons that every environment has. */
export const defaultAddons = [
  "vpc-cni",
  "kube-proxy",
  "eks-pod-identity-agent",
  "coredns",
  "metrics-server",
  "external-dns",
  "cert-manager",
  "eks-node-monitoring-agent",
] as const;

/** How many zones the network has. Wrong input counts as the default: it is reported by its own check. */
export function azCount(network: NetworkSettings | undefined): number {
  const zones: unknown = network?.existing?.zones ?? network?.zones;
  return Array.isArray(zones) ? zones.length : defaultZoneCount;
}

/**
 * The add-ons of one phase with their versions and configuration; the node monitoring agent is a component of its own.
 */
export function phaseAddons(args: GpuEnvironmentArgs, phase: "before-nodes" | "after-nodes"): Addons {
  const versions = args.addons ?? {};
  const names = [...new Set([...defaultAddons, ...Object.keys(versions)])];
  const cni = vpcCniSettings(args);
  const specs = names.map((name) => {
    const version = versions[name];
    return [
      name,
      { ...(version !== undefined && { version }), ...(name === "vpc-cni" && cni && { configuration: cni }) },
    ] as const;
  });
  return addonsOfPhase(Object.fromEntries(specs), phase);
}

/** Prefix delegation, when one of the node groups wants more pods than its network interfaces have addresses for. */
function vpcCniSettings({ systemNodes, gpuNodes }: GpuEnvironmentArgs) {
  const groups = [
    [
      systemNodes?.instanceType ?? systemNodeGroupDefaults.instanceType,
      systemNodes?.maxPods ?? systemNodeGroupDefaults.maxPods,
    ],
    [gpuNodes?.instanceType ?? gpuNodeGroupDefaults.instanceType, gpuNodes?.maxPods],
  ] as const;
  return groups
    .map(([type, maxPods]) => {
      const instanceMaxPods = instanceType(type)?.maxPods;
      return maxPods !== undefined && instanceMaxPods !== undefined
        ? vpcCniConfiguration({ maxPods, instanceMaxPods })
        : undefined;
    })
    .find((configuration) => configuration !== undefined);
}

/** What the environment costs depends on this. */
export function costSizes(args: GpuEnvironmentArgs, region: string): EnvironmentSizes {
  const { network, systemNodes, gpuNodes } = args;
  const zones = azCount(network);
  const own = network?.existing === undefined;
  const gateways = network?.natGateways ?? vpcDefaults.natGateways;
  const natGateways = !own || gateways === "none" ? 0 : gateways === "perAz" ? zones : 1;
  return {
    region,
    kubernetesVersion: args.kubernetesVersion ?? environmentDefaults.kubernetesVersion,
    supportType: "STANDARD",
    natGateways,
    publicIpv4: natGateways,
    systemNodes: sizesOf(systemNodeGroupDefaults, systemNodes ?? {}),
    gpuNodes: {
      ...sizesOf(gpuNodeGroupDefaults, gpuNodes ?? {}),
      capacityType: gpuNodes?.capacityType ?? gpuNodeGroupDefaults.capacityType,
    },
    secretsKey: args.secretsKey ?? "own",
    interfaceEndpoints: own && network?.interfaceEndpoints === true ? interfaceEndpointServices.length * zones : 0,
    now: new Date(),
  };
}

interface Sized {
  readonly instanceType: string;
  readonly desiredSize: number;
  readonly diskSizeGiB: number;
}

function sizesOf(defaults: Sized, given: { [K in keyof Sized]?: Sized[K] | undefined }): Sized {
  return {
    instanceType: given.instanceType ?? defaults.instanceType,
    desiredSize: given.desiredSize ?? defaults.desiredSize,
    diskSizeGiB: given.diskSizeGiB ?? defaults.diskSizeGiB,
  };
}
