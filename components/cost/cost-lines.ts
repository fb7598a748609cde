import { notes, priced, unknownCost, usage, type CostLine, type UsageLine } from "./cost-line";
import { costNotes } from "./cost-notes";
import { kubernetesSupport } from "./kubernetes-support";

/**
 * The cost of each part of an EKS environment. The components' outputs and the offline plan build their totals from the
 * same lines, so that they agree.
 */

/** ON_DEMAND, SPOT and CAPACITY_BLOCK as EKS spells them. */
export type CapacityType = "ON_DEMAND" | "SPOT" | "CAPACITY_BLOCK";

export interface ControlPlane {
  readonly region: string;
  /** Minor version of the control plane, such as `1.35`. @default undefined - EKS uses its default version */
  readonly kubernetesVersion?: string | undefined;
  /**
   * What happens at the end of standard support: STANDARD upgrades the cluster, EXTENDED adds a surcharge.
   *
   * @default "EXTENDED" - the default of EKS
   */
  readonly supportType?: "STANDARD" | "EXTENDED" | undefined;
  /** The date at which the support phase is evaluated. */
  readonly now: Date;
}

/** One control plane, and the surcharge for a version that has left standard support. */
export function controlPlane({ region, kubernetesVersion, supportType = "EXTENDED", now }: ControlPlane): CostLine[] {
  const standard = (note?: string) => priced(region, "eks-control-plane-standard", "EKS control plane", 1, note);
  if (kubernetesVersion === undefined) return standard(costNotes.defaultVersion);
  const support = kubernetesSupport(kubernetesVersion, now);
  if (support.phase === "standard") return standard();
  if (support.phase === "unlisted") return standard(costNotes.unlistedVersion(kubernetesVersion));
  const endedPhase = support.phase === "ended" ? "extended" : "standard";
  const left = costNotes.supportEnded(kubernetesVersion, endedPhase, support.since);
  if (supportType === "STANDARD") return standard(notes(left, costNotes.automaticUpgrade));
  return [...standard(), ...priced(region, "eks-extended-support", "EKS extended support surcharge", 1, left)];
}

export function natGateways(region: string, count: number | undefined): CostLine[] {
  return priced(region, "nat-gateway", "NAT gateway", count);
}

/** Public IPv4 addresses, which cost the same in use and idle. */
export function publicIpv4Addresses(region: string, count: number | undefined): CostLine[] {
  return priced(region, "public-ipv4", "public IPv4 address", count);
}

export function kmsKeys(region: string, count: number | undefined): CostLine[] {
  return priced(region, "kms-key", "KMS key", count);
}

/** Load balancers of a type: `application`, `network`, `gateway` or `classic`. */
export function loadBalancers(region: string, type: string, count: number | undefined): CostLine[] {
  return priced(region, `load-balancer-${type}`, `${type} load balancer`, count, costNotes.loadBalancerTraffic);
}

/** Alarms of standard resolution, each on one metric. */
export function alarms(region: string, count: number | undefined): CostLine[] {
  return priced(region, "cloudwatch-alarm", "CloudWatch alarm", count);
}

/** Interface endpoints. An endpoint with a network interface in each of three zones counts three times. */
export function interfaceEndpoints(region: string, count: number | undefined): CostLine[] {
  return priced(region, "vpc-interface-endpoint", "interface endpoint, per zone", count);
}

/** Instances. The table has no spot prices: the on-demand price is their upper bound. */
export function instances(
  region: string,
  instanceType: string,
  count: number | undefined,
  capacityType: CapacityType = "ON_DEMAND",
  note?: string,
): CostLine[] {
  switch (capacityType) {
    case "ON_DEMAND":
      return priced(region, instanceType, `${instanceType}, on demand`, count, note);
    case "SPOT":
      return priced(region, instanceType, `${instanceType}, spot`, count, notes(note, costNotes.spot));
    case "CAPACITY_BLOCK": {
      const prepaid = notes(note, costNotes.capacityBlock);
      return count === 0 ? [] : [unknownCost(`${instanceType}, capacity block`, "instance-hour", count, prepaid)];
    }
  }
}

/** An EBS volume. */
export interface Volume {
  /** `undefined` when the plan does not contain it. */
  readonly sizeGiB: number | undefined;
  /** @default "gp3" - the only type with a known price */
  readonly volumeType?: string | undefined;
  /** @default 3000 - included in the price of a gp3 volume */
  readonly iops?: number | undefined;
  /** In MiB/s. @default 125 - included in the price of a gp3 volume */
  readonly throughput?: number | undefined;
  readonly note?: string;
}

/**
 * A number of equal volumes. The size of gp3 has a price; other types, and gp3 performance above the base, have none.
 */
export function volumes(region: string, volume: Volume, count: number | undefined): CostLine[] {
  if (count === 0) return [];
  const { sizeGiB, volumeType = "gp3", iops = 3000, throughput = 125, note } = volume;
  const total = sizeGiB === undefined || count === undefined ? undefined : sizeGiB * count;
  if (volumeType !== "gp3") {
    return [unknownCost(`EBS ${volumeType} storage`, "GB-month", total, notes(note, costNotes.onlyGp3))];
  }
  if (sizeGiB === undefined) {
    return [unknownCost("EBS gp3 storage", "GB-month", undefined, notes(note, costNotes.unknownVolumeSize))];
  }
  const storage = priced(region, "ebs-gp3-storage", "EBS gp3 storage", total, note);
  if (iops <= 3000 && throughput <= 125) return storage;
  const performance = costNotes.performance(iops, throughput);
  return [...storage, unknownCost("EBS gp3 performance", "volume-month", count, performance)];
}

export function natGatewayData(region: string): UsageLine {
  return usage(region, "nat-gateway-data", "NAT gateway data");
}

/** Ingestion into CloudWatch Logs, by the control plane or a flow log. */
export function logIngest(region: string): UsageLine {
  return usage(region, "cloudwatch-logs-ingest-standard", "CloudWatch Logs ingest", costNotes.logStorage);
}

export function interfaceEndpointData(region: string): UsageLine {
  return usage(region, "vpc-interface-endpoint-data", "interface endpoint data");
}
