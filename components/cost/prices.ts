import table from "./price-table.json";

/**
 * On-demand Linux prices of five regions, read from a committed table: nothing is asked of AWS. What the table does
 * not know is `undefined`, never free.
 */

/**
 * How a price is known: a source states it, it follows from a bill, or it is taken over from what is known elsewhere.
 */
export type PriceStatus = "stated" | "computed" | "inferred";

/** One price and where it comes from. */
export interface Price {
  readonly usd: number;
  /** What one costs that much: `instance-hour`, `GB-month`, `GB`, … */
  readonly unit: string;
  /** Day of the price; a month or a year alone where no more is known. */
  readonly date: string;
  readonly source: string;
  readonly status: PriceStatus;
  readonly note?: string;
}

/** Everything the table prices beside instance types. */
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
  | "vpc-interface-endpoint-data";

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

/** Day on which the prices were collected; the single prices are as old as their own date says. */
export const priceTableDate: string = table.collected;

/** The sources of all prices, each with its date. */
export function priceSources(): string[] {
  return [...new Set([...lists.values()].flat().map(citation))];
}

/** Names a source together with its date, as reports print it. */
export function citation(price: { readonly source: string; readonly date: string }): string {
  return `${price.source}, ${price.date}`;
}

/**
 * Looks up the price of a service item or an EC2 instance type. `undefined` means that it is not known: the region
 * is not in the table, or the item is not offered there, or nobody published its price.
 */
export function price(region: string, item: string): Price | undefined {
  const list = lists.get(region)?.find(({ usd }) => Object.hasOwn(usd, item));
  const usd = list?.usd[item];
  if (list === undefined || usd === undefined) return undefined;
  const { date, source, status, note } = list;
  return { usd, unit: priceUnit(item), date, source, status, ...(note !== undefined && { note }) };
}

/** The unit of an item, also where its price is not known: an instance type is paid by the `instance-hour`. */
export function priceUnit(item: string): string {
  const units: Readonly<Record<string, string>> = table.units satisfies Record<ServiceItem, string>;
  return units[item] ?? "instance-hour";
}
