import type { UsageLine } from "./cost-line";
import {
  alarms,
  autoModeFees,
  controlPlane,
  instances,
  interfaceEndpointData,
  interfaceEndpoints,
  kmsKeys,
  logIngest,
  natGatewayData,
  natGateways,
  publicIpv4Addresses,
  volumes,
  type CapacityType,
} from "./cost-lines";
import { summarize, summarizeUsage, type CostSummary } from "./cost-summary";

/** The properties of a node group that determine its cost. */
export interface NodeSizes {
  readonly instanceType: string;
  readonly desiredSize: number;
  /** Root volume of each node, gp3. */
  readonly diskSizeGiB: number;
}

/** The properties of an environment that determine its cost at rest. */
export interface EnvironmentSizes {
  readonly region: string;
  readonly kubernetesVersion: string;
  /**
   * What happens at the end of standard support: STANDARD upgrades the cluster, EXTENDED adds a surcharge.
   *
   * @default "EXTENDED" - the default of EKS
   */
  readonly supportType?: "STANDARD" | "EXTENDED";
  readonly natGateways: number;
  readonly publicIpv4: number;
  readonly systemNodes: NodeSizes;
  readonly gpuNodes: NodeSizes & { readonly capacityType: CapacityType };
  /** Whether EKS Auto Mode starts the GPU nodes, and charges for each of them. @default false */
  readonly autoMode?: boolean;
  /** `own` creates a KMS key, which has a price; an ARN or `none` creates none. */
  readonly secretsKey: string;
  /** Interface endpoints, each counted once for each of its zones. */
  readonly interfaceEndpoints: number;
  /** CloudWatch alarms: a lease has one. @default 0 - without a lease there is none */
  readonly alarms?: number;
  /** The date at which the support of the Kubernetes version is evaluated. */
  readonly now: Date;
}

/** The cost of an environment, by the on-demand price table. */
export interface EnvironmentCost {
  /** The cost at the desired sizes. */
  readonly atRest: CostSummary;
  /** In USD, for 730 hours at rest; a lower bound unless `atRest.complete`. */
  readonly perMonthAtRest: number;
  /** One more GPU node with its disk. */
  readonly perGpuNodeHour: CostSummary;
  /** Usage-based charges. */
  readonly usageBased: readonly UsageLine[];
}

/** Prices an environment from its sizes alone, before it exists. */
export function environmentCost(sizes: EnvironmentSizes): EnvironmentCost {
  const { region, kubernetesVersion, supportType, now, systemNodes, gpuNodes } = sizes;
  const nodes = (group: NodeSizes, count: number, capacityType?: CapacityType) => [
    ...instances(region, group.instanceType, count, capacityType),
    ...volumes(region, { sizeGiB: group.diskSizeGiB }, count),
  ];
  const atRest = summarize([
    ...controlPlane({ region, kubernetesVersion, supportType, now }),
    ...natGateways(region, sizes.natGateways),
    ...publicIpv4Addresses(region, sizes.publicIpv4),
    ...kmsKeys(region, sizes.secretsKey === "own" ? 1 : 0),
    ...interfaceEndpoints(region, sizes.interfaceEndpoints),
    ...alarms(region, sizes.alarms ?? 0),
    ...nodes(systemNodes, systemNodes.desiredSize),
    ...nodes(gpuNodes, gpuNodes.desiredSize, gpuNodes.capacityType),
  ]);
  return {
    atRest,
    perMonthAtRest: atRest.usdPerMonth,
    perGpuNodeHour: summarize([
      ...nodes(gpuNodes, 1, gpuNodes.capacityType),
      ...autoModeFees(region, gpuNodes.instanceType, sizes.autoMode ? 1 : 0),
    ]),
    usageBased: summarizeUsage([
      ...(sizes.natGateways > 0 ? [natGatewayData(region)] : []),
      ...(sizes.interfaceEndpoints > 0 ? [interfaceEndpointData(region)] : []),
      logIngest(region),
    ]),
  };
}
