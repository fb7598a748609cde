import { ownValue } from "../core/reader/records";
import table from "./price-table.json";

/**
 * On-demand Linux prices of the commercial regions, from a committed table and without a request to AWS. A price that the
 * table does not contain is `undefined`, never 0.
 */

/** How a price is known: a source states it, it is computed from a bill, or it is inferred from another price. */
export type PriceStatus = "stated" | "computed" | "inferred";

/** One price and its source. */
export interface Price {
  readonly usd: number;
  /** The unit that has this price: `instance-hour`, `GB-month`, `GB`, … */
  readonly unit: string;
  /** Date of the price; only a month or a year if the day is not known. */
  readonly date: string;
  readonly source: string;
  readonly status: PriceStatus;
  readonly note?: string;
}

/** The items of the price table other than instance types. */
export type ServiceItem =
  | "eks-control-plane-standard"
  | "eks-extended-support"
  | "nat-gateway"
  | "nat-gateway-data"
  | VolumeItem
  | "public-ipv4"
  | "kms-key"
  | "cloudwatch-logs-ingest-standard"
  | "vpc-interface-endpoint"
  | "vpc-interface-endpoint-data"
  | "cloudwatch-alarm"
  | "load-balancer-application"
  | "load-balancer-network"
  | "load-balancer-gateway"
  | "load-balancer-classic";

/** What EBS bills: the size of volumes, and the performance that their size does not include. */
export type VolumeItem = `ebs-${"gp2" | "gp3" | "io1" | "io2" | "st1" | "sc1"}-storage` | PerformanceItem;
type PerformanceItem = `ebs-${"gp3" | "io1" | "io2"}-iops` | "ebs-gp3-throughput";

interface PriceList {
  readonly date: string;
  readonly source: string;
  readonly status: PriceStatus;
  readonly note?: string;
  /** The regions of this list. @default all regions of the table */
  readonly regions?: readonly string[];
  readonly usd: Readonly<Partial<Record<string, PriceRow>>>;
}

/** One price for all regions of the list, or a cell for each of them, separated by spaces. */
type PriceRow = number | string;

/** A type that the region does not offer; any other cell without a number is not known. */
const notOffered = "-";

const lists: readonly PriceList[] = table.lists as readonly PriceList[];

/** The regions of the price table: those of AWS's commercial partition. */
export const pricedRegions: readonly string[] = table.regions;

/** Date on which the prices were collected. Each price has its own date, too. */
export const priceTableDate: string = table.collected;

/** A source with its date, as reports print it. */
export function citation(price: { readonly source: string; readonly date: string }): string {
  return `${price.source}, ${price.date}`;
}

/**
 * The price of a service item or an EC2 instance type. `undefined` means unknown: the region is not in the table, or the
 * item is not offered there, or its price is not published.
 */
export function price(region: string, item: string): Price | undefined {
  const list = lists.find((one) => isPrice(cellOf(one, region, item)));
  if (list === undefined) return priceInFamily(region, item);
  const { date, source, status, note } = list;
  const usd = Number(cellOf(list, region, item));
  return { usd, unit: priceUnit(item), date, source, status, note };
}

/** The sizes of families whose types cost in proportion to their size, such as `large=1 xlarge=2`. */
export const families: Readonly<Record<string, string>> = table.families;

/** The families, each with the size that its row in the table has the price of. */
export const pricedSizes: ReadonlyMap<string, string> = new Map(
  Object.entries(families).map(([family, sizes]) => [family, /(\S+)=1(?: |$)/.exec(sizes)?.[1] ?? ""]),
);

function priceInFamily(region: string, instanceType: string): Price | undefined {
  const [family = "", size = ""] = instanceType.split(".");
  const sizes = new Map((ownValue(families, family) ?? "").split(" ").map((one) => one.split("=") as [string, string]));
  const factor = sizes.get(size);
  const known = factor === undefined ? undefined : price(region, `${family}.*`);
  return known && { ...known, usd: Number((known.usd * Number(factor)).toFixed(6)) };
}

/** Whether a region offers an EC2 instance type. `undefined` if the price table does not tell. */
export function isOffered(region: string, instanceType: string): boolean | undefined {
  const cells = lists.map((list) => cellOf(list, region, instanceType));
  if (price(region, instanceType)) return true;
  return cells.includes(notOffered) ? false : undefined;
}

/** The unit of an item, even without a known price: an instance type is billed by the `instance-hour`. */
export function priceUnit(item: string): string {
  const units: Readonly<Record<string, string>> = table.units satisfies Record<ServiceItem, string>;
  return units[item] ?? "instance-hour";
}

function cellOf({ regions = pricedRegions, usd }: PriceList, region: string, item: string): string | undefined {
  const row = Object.hasOwn(usd, item) ? usd[item] : undefined;
  const column = regions.indexOf(region);
  if (row === undefined || column < 0) return undefined;
  return typeof row === "number" ? String(row) : row.split(" ")[column];
}

function isPrice(cell: string | undefined): boolean {
  return Number(cell) > 0;
}
