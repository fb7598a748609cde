import { notes, priced, unknownCost, usage, type CostLine, type UsageLine } from "./cost-line";
import { costNotes } from "./cost-notes";
import { eksCalendar, type EksSupport } from "../core/eks-calendar";
import { ownValue } from "../core/reader/records";

/**
 * The cost of each part of an EKS environment. The components' outputs and the offline plan build their totals from the
 * same lines, so that they agree.
 */

/** ON_DEMAND, SPOT and CAPACITY_BLOCK as EKS spells them. */
export type CapacityType = "ON_DEMAND" | "SPOT" | "CAPACITY_BLOCK";

interface ControlPlane {
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

/** How long before the end of standard support the cost says so. */
const warningDays = 60;

/** One control plane, and the surcharge for a version that has left standard support. */
export function controlPlane({ region, kubernetesVersion, supportType = "EXTENDED", now }: ControlPlane): CostLine[] {
  const standard = (note?: string) => priced(region, "eks-control-plane-standard", "EKS control plane", 1, note);
  if (kubernetesVersion === undefined) return standard(costNotes.defaultVersion);
  const support = kubernetesSupport(kubernetesVersion, now);
  const extended = (note?: string) => priced(region, "eks-extended-support", "EKS extended support surcharge", 1, note);
  if (support.phase === "standard") {
    if (Date.parse(support.until) - now.getTime() > warningDays * 24 * 3600_000) return standard();
    const usd = extended()[0]?.usdPerHour;
    const then = supportType === "STANDARD" ? costNotes.automaticUpgrade : costNotes.laterSurcharge(usd);
    const ends = costNotes.supportEnds(kubernetesVersion, support.until);
    return standard(notes(ends, then));
  }
  if (support.phase === "unlisted") return standard(costNotes.unlistedVersion(kubernetesVersion));
  const endedPhase = support.phase === "ended" ? "extended" : "standard";
  const left = costNotes.supportEnded(kubernetesVersion, endedPhase, support.since);
  if (supportType === "STANDARD") return standard(notes(left, costNotes.automaticUpgrade));
  return [...standard(), ...extended(left)];
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
      return priced(region, instanceType, `${instanceType}, spot, at most`, count, notes(note, costNotes.spot));
    case "CAPACITY_BLOCK": {
      const prepaid = notes(note, costNotes.capacityBlock);
      return count === 0 ? [] : [unknownCost(`${instanceType}, capacity block`, "instance-hour", count, prepaid)];
    }
  }
}

/**
 * For G types, the fee is this share of the on-demand price: 12 %, as of other types, less 35 % since July 2026. It was compared
 * with published copies of three rows of the price list, e.g. `EKS-Auto:g5.xlarge-management-hours`: 0.09649 USD in
 * ap-northeast-2, where the instance costs 1.237 USD (2026-10). `npm run prices` does not read these rows. No row of a P type,
 * whose fee is 60 % lower, was seen.
 * @see https://aws.amazon.com/about-aws/whats-new/2026/07/amazon-eks-auto-mode-gpu-price
 */
const feeOfGTypes = 0.078;

/** What EKS Auto Mode charges for each instance in addition to its price, on the spot market as well. */
export function autoModeFees(region: string, instanceType: string, count: number | undefined): CostLine[] {
  const label = `EKS Auto Mode for ${instanceType}`;
  return priced(region, instanceType, label, count, costNotes.autoModeFee).map((line): CostLine => {
    const { usdPerUnit, usdPerHour } = line;
    if (!/^g\d/.test(instanceType)) return unknownCost(label, "instance-hour", count, costNotes.noPrice);
    if (usdPerUnit === undefined || usdPerHour === undefined) return { ...line, usdPerUnit: undefined };
    return { ...line, usdPerUnit: usdPerUnit * feeOfGTypes, usdPerHour: usdPerHour * feeOfGTypes, status: "inferred" };
  });
}

/** An EBS volume. */
export interface Volume {
  /** `undefined` when the plan does not contain it. */
  readonly sizeGiB: number | undefined;
  /** @default "gp3" */
  readonly volumeType?: string | undefined;
  /** @default what the price of the volume includes */
  readonly iops?: number | undefined;
  /** In MiB/s. @default what the price of the volume includes */
  readonly throughput?: number | undefined;
  readonly note?: string;
}

/** What of its IOPS and MiB/s the price of a volume includes, by the types with a price. */
const included: Readonly<Record<string, { readonly iops: number; readonly throughput: number }>> = {
  gp2: { iops: Infinity, throughput: Infinity },
  gp3: { iops: 3000, throughput: 125 },
  io1: { iops: 0, throughput: Infinity },
  io2: { iops: 0, throughput: Infinity },
  sc1: { iops: Infinity, throughput: Infinity },
  st1: { iops: Infinity, throughput: Infinity },
};

/** IOPS above this number have lower prices in an io2 volume. @see https://aws.amazon.com/ebs/pricing/ */
const mostIo2Iops = 32_000;

/** A number of equal volumes: their size, and the performance above what its price includes. */
export function volumes(region: string, volume: Volume, count: number | undefined): CostLine[] {
  if (count === 0) return [];
  const { sizeGiB, volumeType = "gp3", note } = volume;
  const free = ownValue(included, volumeType);
  const total = sizeGiB === undefined || count === undefined ? undefined : sizeGiB * count;
  const label = `EBS ${volumeType} storage`;
  if (!free) return [unknownCost(label, "GB-month", total, notes(note, costNotes.noPrice))];
  if (sizeGiB === undefined) {
    return [unknownCost(label, "GB-month", undefined, notes(note, costNotes.unknownVolumeSize))];
  }
  const performance = (what: "iops" | "throughput", name: string) => {
    const given = volume[what] ?? (free[what] === 0 ? undefined : 0);
    if (given !== undefined && given <= free[what]) return [];
    const limit = volumeType === "io2" && given !== undefined && given > mostIo2Iops ? costNotes.upperBound : undefined;
    const each = given === undefined ? undefined : (given - free[what]) / (what === "iops" ? 1 : 1024); // Priced per GiB/s.
    const quantity = each === undefined || count === undefined ? undefined : each * count;
    return priced(region, `ebs-${volumeType}-${what}`, `EBS ${volumeType} ${name}`, quantity, limit);
  };
  const storage = priced(region, `ebs-${volumeType}-storage`, label, total, note);
  return [...storage, ...performance("iops", "IOPS"), ...performance("throughput", "throughput")];
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

/** `ended`: extended support has ended, too. `unlisted`: newer than the calendar, or not a Kubernetes minor version. */
type KubernetesSupport =
  | { readonly phase: "standard"; readonly until: string }
  | { readonly phase: "extended"; readonly until: string; readonly since: string }
  | { readonly phase: "ended"; readonly since: string }
  | { readonly phase: "unlisted" };

/** The EKS support phase of a Kubernetes minor version on a date. The last day (UTC) belongs to its phase. */
export function kubernetesSupport(kubernetesVersion: string, now: Date): KubernetesSupport {
  const day = now.toISOString().slice(0, 10);
  const ends = eksCalendar[kubernetesVersion] ?? endsBeforeTheCalendar(kubernetesVersion);
  if (!ends) return { phase: "unlisted" };
  if (day <= ends.standardSupportEnds) return { phase: "standard", until: ends.standardSupportEnds };
  if (day <= ends.extendedSupportEnds)
    return { phase: "extended", until: ends.extendedSupportEnds, since: ends.standardSupportEnds };
  return { phase: "ended", since: ends.extendedSupportEnds };
}

/** 1.29 was the last minor version before the calendar; older ones ended no later. */
function endsBeforeTheCalendar(kubernetesVersion: string): EksSupport | undefined {
  const minor = /^1\.(\d+)$/.exec(kubernetesVersion)?.[1];
  return minor !== undefined && Number(minor) < 30
    ? { standardSupportEnds: "2025-03-23", extendedSupportEnds: "2026-03-23" }
    : undefined;
}
