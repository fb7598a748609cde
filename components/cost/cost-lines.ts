import { price } from "./prices";
import { noPrice, notes, priced, unknownCost, usage, type CostLine, type UsageLine } from "./cost-line";
import { kubernetesSupport } from "./kubernetes-support";

/**
 * What each part of an EKS environment costs. The components' outputs and the offline plan both build their totals from
 * these lines, so that they agree.
 */

/** ON_DEMAND, SPOT and CAPACITY_BLOCK as EKS spells them. */
export type CapacityType = "ON_DEMAND" | "SPOT" | "CAPACITY_BLOCK";

export interface ControlPlane {
  readonly region: string;
  /** Minor of the control plane, e.g. `1.35`. @default undefined - EKS takes its own default version */
  readonly kubernetesVersion?: string | undefined;
  /**
   * What happens at the end of standard support: STANDARD upgrades, EXTENDED pays.
   *
   * @default "EXTENDED" - what EKS takes
   */
  readonly supportType?: "STANDARD" | "EXTENDED" | undefined;
  /** The day for which the support phase is judged. */
  readonly now: Date;
}

/** One control plane: its hour, and beside it the surcharge when the version has left standard support. */
export function controlPlane({ region, kubernetesVersion, supportType = "EXTENDED", now }: ControlPlane): CostLine[] {
  const standard = (note?: string) => priced(region, "eks-control-plane-standard", "EKS control plane", 1, note);
  if (kubernetesVersion === undefined) return standard("Kubernetes version not stated: EKS takes its default");
  const support = kubernetesSupport(kubernetesVersion, now);
  if (support.phase === "standard") return standard();
  const version = `Kubernetes ${kubernetesVersion}`;
  if (support.phase === "unlisted") return standard(`${version} is not in the calendar: taken as in standard support`);
  const left = `${version} left ${support.phase === "ended" ? "extended" : "standard"} support on ${support.since}`;
  if (supportType === "STANDARD") return standard(`${left}: EKS upgrades the cluster`);
  return [...standard(), extendedSupport(region, left)];
}

/** AWS publishes the total of a cluster in extended support; the surcharge is what it has over the standard price. */
function extendedSupport(region: string, note: string): CostLine {
  const item = "EKS extended support surcharge";
  const total = price(region, "eks-control-plane-extended-total");
  const standard = price(region, "eks-control-plane-standard");
  if (!total || !standard) return unknownCost(item, "cluster-hour", 1, `${note}; ${noPrice(region)}`);
  const usd = total.usd - standard.usd;
  const known = { usdPerUnit: usd, usdPerHour: usd, status: total.status };
  return { item, quantity: 1, unit: total.unit, ...known, note, priceDate: total.date, source: total.source };
}

export function natGateways(region: string, count: number | undefined): CostLine[] {
  return priced(region, "nat-gateway", "NAT gateway", count);
}

/** Public IPv4 addresses cost the same in use and idle. */
export function publicIpv4Addresses(region: string, count: number | undefined): CostLine[] {
  return priced(region, "public-ipv4", "public IPv4 address", count);
}

export function kmsKeys(region: string, count: number | undefined): CostLine[] {
  return priced(region, "kms-key", "KMS key", count);
}

/** Interface endpoints; one that has a network interface in each of three zones counts three times. */
export function interfaceEndpoints(region: string, count: number | undefined): CostLine[] {
  return priced(region, "vpc-interface-endpoint", "interface endpoint, per zone", count);
}

/** Instances. Spot prices are not in the table: the on-demand price stands as their upper bound. */
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
      return priced(region, instanceType, `${instanceType}, spot`, count, notes(note, "up to the on-demand price"));
    case "CAPACITY_BLOCK": {
      const prepaid = notes(note, "paid in advance, when the capacity block is bought");
      return count === 0 ? [] : [unknownCost(`${instanceType}, capacity block`, "instance-hour", count, prepaid)];
    }
  }
}

/** An EBS volume. */
export interface Volume {
  /** `undefined` when the plan does not say. */
  readonly sizeGiB: number | undefined;
  /** @default "gp3" - the only type with a known price */
  readonly volumeType?: string | undefined;
  /** @default 3000 - what the price of a gp3 volume includes */
  readonly iops?: number | undefined;
  /** In MiB/s. @default 125 - what the price of a gp3 volume includes */
  readonly throughput?: number | undefined;
  readonly note?: string;
}

/**
 * `count` volumes of one kind. Size is priced for gp3; other types, and gp3 performance above its base, are unknown.
 */
export function volumes(region: string, volume: Volume, count: number | undefined): CostLine[] {
  if (count === 0) return [];
  const { sizeGiB, volumeType = "gp3", iops = 3000, throughput = 125, note } = volume;
  const total = sizeGiB === undefined || count === undefined ? undefined : sizeGiB * count;
  if (volumeType !== "gp3") {
    return [unknownCost(`EBS ${volumeType} storage`, "GB-month", total, notes(note, "only gp3 has a known price"))];
  }
  if (sizeGiB === undefined) {
    return [unknownCost("EBS gp3 storage", "GB-month", undefined, notes(note, "the plan does not hold its size"))];
  }
  const storage = priced(region, "ebs-gp3-storage", "EBS gp3 storage", total, note);
  if (iops <= 3000 && throughput <= 125) return storage;
  const faster = `${iops} IOPS and ${throughput} MiB/s are more than the price of the size includes`;
  return [...storage, unknownCost("EBS gp3 performance", "volume-month", count, faster)];
}

export function natGatewayData(region: string): UsageLine {
  return usage(region, "nat-gateway-data", "NAT gateway data");
}

/** What the control plane or a flow log writes to CloudWatch Logs. */
export function logIngest(region: string): UsageLine {
  return usage(region, "cloudwatch-logs-ingest-standard", "CloudWatch Logs ingest", "storage of what is kept is extra");
}

export function interfaceEndpointData(region: string): UsageLine {
  return usage(region, "vpc-interface-endpoint-data", "interface endpoint data");
}
