import { costNotes } from "./cost-notes";
import { isOffered, price, priceUnit, type Price, type PriceStatus, type ServiceItem } from "./prices";

/** AWS counts 730 hours in a month. @see https://aws.amazon.com/ebs/pricing/ */
export const hoursPerMonth = 730;

/** A usage-based charge: a plan contains its price, not its amount. */
export interface UsageLine {
  readonly item: string;
  /** The unit of {@link usdPerUnit}: `GB`, `instance-hour`, `GB-month`, … */
  readonly unit: string;
  /** `undefined` when the price is not known; an unknown price does not mean free. */
  readonly usdPerUnit: number | undefined;
  /** How the price is known; `unknown` when it, or the quantity, is not. */
  readonly status: PriceStatus | "unknown";
  readonly note?: string;
  readonly priceDate?: string;
  readonly source?: string;
}

/** A charge for each hour that something exists. */
export interface CostLine extends UsageLine {
  /** `undefined` when the quantity is known only after the update. */
  readonly quantity: number | undefined;
  /** In USD, for the whole quantity. `undefined` exactly when the status is `unknown`. */
  readonly usdPerHour: number | undefined;
}

/** The line of a priced item, or an explicit unknown. A quantity of 0 has no line. */
export function priced(
  region: string,
  item: ServiceItem | (string & {}),
  label: string,
  quantity: number | undefined,
  note?: string,
): CostLine[] {
  if (quantity === 0) return [];
  const known = price(region, item);
  if (!known) return [unknownCost(label, priceUnit(item), quantity, notes(note, noPriceIn(region, item)))];
  if (quantity === undefined) {
    const why = notes(note, costNotes.unknownQuantity);
    return [{ ...factsOf(label, known, why), quantity, usdPerHour: undefined, status: "unknown" }];
  }
  const facts = factsOf(label, known, note);
  return [{ ...facts, quantity, usdPerHour: hourlyUsd(facts, quantity) }];
}

/** The line of a usage-based charge: a price without an amount, or an explicit unknown. */
export function usage(region: string, item: ServiceItem, label: string, note?: string): UsageLine {
  const known = price(region, item);
  return known
    ? factsOf(label, known, note)
    : unknownUsage(label, priceUnit(item), notes(note, noPriceIn(region, item)));
}

/** A line without a known price. It makes every total that contains it a lower bound. */
export function unknownCost(item: string, unit: string, quantity: number | undefined, note: string): CostLine {
  return { ...unknownUsage(item, unit, note), quantity, usdPerHour: undefined };
}

/** A usage-based charge without a known price. */
export function unknownUsage(item: string, unit: string, note: string): UsageLine {
  return { item, unit, usdPerUnit: undefined, status: "unknown", note };
}

/** The hourly cost of a quantity. A monthly price is spread over 730 hours. */
export function hourlyUsd({ unit, usdPerUnit }: UsageLine, quantity: number): number | undefined {
  if (usdPerUnit === undefined) return undefined;
  return (quantity * usdPerUnit) / (unit.endsWith("-month") ? hoursPerMonth : 1);
}

/** Joins two remarks; the first is optional. */
export function notes(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}; ${second}`;
}

function noPriceIn(region: string, item: string): string {
  return isOffered(region, item) === false ? costNotes.notOfferedIn(region) : costNotes.noPriceIn(region);
}

function factsOf(item: string, { unit, usd, status, date, source }: Price, note: string | undefined): UsageLine {
  return { item, unit, usdPerUnit: usd, status, priceDate: date, source, note };
}
