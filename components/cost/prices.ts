import table from "./price-table.json";

/**
 * On-demand Linux prices of five regions, from a committed table and without a request to AWS. A price that the table
 * does not contain is `undefined`, never 0.
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
  | "eks-control-plane-extended-total"
  | "nat-gateway"
  | "nat-gateway-data"
  | "ebs-gp3-storage"
  | "public-ipv4"
  | "kms-key"
  | "cloudwatch-logs-ingest-standard"
  | "vpc-interface-endpoint"
  | "vpc-interface-endpoint-data"
  | "cloudwatch-alarm";

interface PriceList {
  readonly date: string;
  readonly source: string;
  readonly status: PriceStatus;
  readonly note?: string;
  readonly usd: Readonly<Record<string, number>>;
}

const lists = new Map<string, readonly PriceList[]>(
  Object.entries(table.regions as Record<string, readonly PriceList[]>),
);

/** Regions with prices. */
export const pricedRegions: readonly string[] = [...lists.keys()];

/** Date on which the prices were collected. Each price has its own date, too. */
export const priceTableDate: string = table.collected;

/** The sources of all prices, each with its date. */
export function priceSources(): string[] {
  return [...new Set([...lists.values()].flat().map(citation))];
}

/** A source with its date, as reports print it. */
export function citation(price: { readonly source: string; readonly date: string }): string {
  return `${price.source}, ${price.date}`;
}

/**
 * The price of a service item or an EC2 instance type. `undefined` means unknown: the region is not in the table, or the
 * item is not offered there, or its price is not published.
 */
export function price(region: string, item: string): Price | undefined {
  const list = lists.get(region)?.find(({ usd }) => Object.hasOwn(usd, item));
  const usd = list?.usd[item];
  if (list === undefined || usd === undefined) return undefined;
  const { date, source, status, note } = list;
  return { usd, unit: priceUnit(item), date, source, status, ...(note !== undefined && { note }) };
}

/** The unit of an item, even without a known price: an instance type is billed by the `instance-hour`. */
export function priceUnit(item: string): string {
  const units: Readonly<Record<string, string>> = table.units satisfies Record<ServiceItem, string>;
  return units[item] ?? "instance-hour";
}
