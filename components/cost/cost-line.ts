import { price, priceUnit, type Price, type PriceStatus, type ServiceItem } from "./prices";

/** AWS counts 730 hours in a month. @see https://aws.amazon.com/ebs/pricing/ */
export const hoursPerMonth = 730;

/** Something that is paid by use: its amount is not in a plan, its price is. */
export interface UsageLine {
  readonly item: string;
  /** What {@link usdPerUnit} buys one of: `GB`, `instance-hour`, `GB-month`, … */
  readonly unit: string;
  /** `undefined` when the price is not known, which is never the same as free. */
  readonly usdPerUnit: number | undefined;
  /** How the price is known; `unknown` when it, or the quantity, is not. */
  readonly status: PriceStatus | "unknown";
  readonly note?: string;
  readonly priceDate?: string;
  readonly source?: string;
}

/** Something that is paid by the hour as long as it exists. */
export interface CostLine extends UsageLine {
  /** `undefined` when it is known only after the update. */
  readonly quantity: number | undefined;
  /** In USD, for the whole quantity. `undefined` exactly when the status is `unknown`. */
  readonly usdPerHour: number | undefined;
}

/**
 * The line of a priced item, or an explicit unknown. No line for none of it: nothing costs nothing, whatever the price.
 */
export function priced(
  region: string,
  item: ServiceItem | (string & {}),
  label: string,
  quantity: number | undefined,
  note?: string,
): CostLine[] {
  if (quantity === 0) return [];
  const known = price(region, item);
  if (!known) return [unknownCost(label, priceUnit(item), quantity, notes(note, noPrice(region)))];
  if (quantity === undefined) {
    const why = notes(note, "how much of it is known only after the update");
    return [{ ...factsOf(label, known, why), quantity, usdPerHour: undefined, status: "unknown" }];
  }
  const facts = factsOf(label, known, note);
  return [{ ...facts, quantity, usdPerHour: hourlyUsd(facts, quantity) }];
}

/** The line of something paid by use: a price without an amount, or an explicit unknown. */
export function usage(region: string, item: ServiceItem, label: string, note?: string): UsageLine {
  const known = price(region, item);
  return known ? factsOf(label, known, note) : unknownUsage(label, priceUnit(item), notes(note, noPrice(region)));
}

/** A line whose price nobody knows: it makes every total that holds it a lower bound. */
export function unknownCost(item: string, unit: string, quantity: number | undefined, note: string): CostLine {
  return { ...unknownUsage(item, unit, note), quantity, usdPerHour: undefined };
}

/** Something paid by use whose price nobody knows. */
export function unknownUsage(item: string, unit: string, note: string): UsageLine {
  return { item, unit, usdPerUnit: undefined, status: "unknown", note };
}

/** What a quantity costs by the hour; a price by the month is spread over 730 hours. */
export function hourlyUsd({ unit, usdPerUnit }: UsageLine, quantity: number): number | undefined {
  if (usdPerUnit === undefined) return undefined;
  return (quantity * usdPerUnit) / (unit.endsWith("-month") ? hoursPerMonth : 1);
}

/** Joins two remarks, of which the first may be missing. */
export function notes(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}; ${second}`;
}

/** Why a line is unknown when the table lacks its price. */
export function noPrice(region: string): string {
  return `no price known for it in ${region}`;
}

function factsOf(item: string, { unit, usd, status, date, source }: Price, note: string | undefined): UsageLine {
  return { item, unit, usdPerUnit: usd, status, priceDate: date, source, ...(note !== undefined && { note }) };
}
