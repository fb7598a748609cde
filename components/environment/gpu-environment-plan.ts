import { addonsOfPhase, vpcCniConfiguration } from "../cluster/addons/addon-plan";
import type { Addons } from "../cluster/addons/addons-schema";
import { imageTagFor } from "../cluster/controllers/controller-schema";
import { completeArgs, type ValueOf } from "../core/schema";
import type { EnvironmentSizes } from "../cost/environment-cost";
import { leaseTags } from "../lease/lease-tags";
import { interfaceEndpointServices } from "../network/vpc/vpc-endpoints";
import { completeGpuNodes } from "../nodes/gpu-node-group-schema";
import { instanceType } from "../nodes/machine/instance-types";
import { completeSystemNodes, systemLabels } from "../nodes/system-node-group-schema";
import { factsOf, operatorArguments, type ClusterFacts } from "./cluster-facts";
import { isAutoMode, nameProblems } from "./on-demand-conflicts";
import { environment, type GpuEnvironmentArgs, zoneCount } from "./gpu-environment-schema";

/** The complete arguments, from which the resources are created and which policies judge. */
export type EnvironmentSettings = ReturnType<typeof completeEnvironment>;

/**
 * The arguments of an environment, checked and completed.
 *
 * @throws InputError with every problem
 */
export function environmentSettings(args: GpuEnvironmentArgs, name = "environment"): EnvironmentSettings {
  return completeArgs(`GpuEnvironment "${name}"`, environment, args, completeEnvironment, nameProblems(name, args));
}

/** Fills in what follows from several arguments. */
export function completeEnvironment(values: ValueOf<typeof environment>) {
  const { kubernetesVersion, controllers, network } = values;
  // The Cluster Autoscaler finds managed groups whether they want it or not: Pulumi must not work against it.
  const isAutoscaled = controllers.clusterAutoscaler.install;
  const systemNodes = {
    ...values.systemNodes,
    owner: values.systemNodes.owner ?? (isAutoscaled ? "autoscaler" : "pulumi"),
  };
  const gpuNodes = { ...values.gpuNodes, owner: values.gpuNodes.owner ?? (isAutoscaled ? "autoscaler" : "session") };
  const lease = values.lease?.enabled ? { ...values.lease, lab: values.lease.lab ?? values.clusterName } : undefined;
  const imageTag = imageTagFor(controllers.clusterAutoscaler.imageTag, kubernetesVersion);
  const facts = factsOf(values);
  return {
    ...values,
    network,
    systemNodes: completeSystemNodes(systemNodes, kubernetesVersion),
    gpuNodes: completeGpuNodes(gpuNodes, kubernetesVersion),
    gpuOperator: { enabled: facts.gpuOperator, ...operatorArguments(facts, values.gpuOperator) },
    monitoring: { ...values.monitoring, nodeSelector: systemLabels },
    lease,
    tags: { ...(lease && { lab: lease.lab, ...leaseTags(lease) }), ...values.tags },
    controllers: {
      ...controllers,
      clusterAutoscaler: { ...controllers.clusterAutoscaler, imageTag },
    },
  };
}

/** The facts of an environment with these arguments. @throws InputError with every problem of the arguments */
export function clusterFacts(args: GpuEnvironmentArgs): ClusterFacts {
  return factsOf(environmentSettings(args));
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

/**
 * The add-ons of one phase with their versions and configuration; the node monitoring agent is a separate component.
 */
export function phaseAddons(settings: EnvironmentSettings, phase: "before-nodes" | "after-nodes"): Addons {
  const versions = settings.addons;
  const names = [...new Set([...defaultAddons, ...Object.keys(versions)])];
  const cni = vpcCniSettings(settings);
  const specs = names.map((name) => {
    const version = versions[name];
    return [name, { version, ...(name === "vpc-cni" && cni && { configuration: cni }) }] as const;
  });
  return addonsOfPhase(Object.fromEntries(specs), phase);
}

/** Prefix delegation, when a node group wants more pods than its network interfaces have addresses for. */
function vpcCniSettings({ systemNodes, gpuNodes }: EnvironmentSettings) {
  return [systemNodes, gpuNodes]
    .map(({ instanceType: type, maxPods }) => {
      const instanceMaxPods = instanceType(type)?.maxPods;
      return maxPods !== undefined && instanceMaxPods !== undefined
        ? vpcCniConfiguration({ maxPods, instanceMaxPods })
        : undefined;
    })
    .find((configuration) => configuration !== undefined);
}

/** The properties that determine the cost of an environment. @throws InputError with every problem of the arguments */
export function costSizes(args: GpuEnvironmentArgs, region: string): EnvironmentSizes {
  return sizesOf(environmentSettings(args), region);
}

/** The properties that determine the cost of an environment. */
export function sizesOf(settings: EnvironmentSettings, region: string): EnvironmentSizes {
  const { network, systemNodes, gpuNodes } = settings;
  const zones = zoneCount(network);
  const own = network.existing === undefined;
  const natGateways = !own || network.natGateways === "none" ? 0 : network.natGateways === "perAz" ? zones : 1;
  return {
    region,
    kubernetesVersion: settings.kubernetesVersion,
    supportType: "STANDARD",
    natGateways,
    publicIpv4: natGateways,
    systemNodes: pick(systemNodes),
    gpuNodes: { ...pick(gpuNodes), capacityType: gpuNodes.capacityType },
    autoMode: isAutoMode(settings),
    secretsKey: settings.secretsKey,
    alarms: settings.lease ? 1 : 0,
    interfaceEndpoints: own && network.interfaceEndpoints ? interfaceEndpointServices.length * zones : 0,
    now: new Date(),
  };
}

interface Sized {
  readonly instanceType: string;
  readonly desiredSize: number;
  readonly diskSizeGiB: number;
}

function pick({ instanceType: type, desiredSize, diskSizeGiB }: Sized): Sized {
  return { instanceType: type, desiredSize, diskSizeGiB };
}
