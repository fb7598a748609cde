import { hourlyUsd, hoursPerMonth, type CostLine, type UsageLine } from "./cost-line";
import { citation, priceTableDate } from "./prices";

/** Cost lines and their total. */
export interface CostSummary {
  /** The most expensive first, unknown ones last. */
  readonly lines: readonly CostLine[];
  /** In USD; a lower bound unless {@link complete}. */
  readonly usdPerHour: number;
  /** In USD, for 730 hours; a lower bound unless {@link complete}. */
  readonly usdPerMonth: number;
  /** Whether every line has a known amount. */
  readonly complete: boolean;
}

/** Adds up lines. Lines that differ only in their quantity become one. */
export function summarize(lines: readonly CostLine[]): CostSummary {
  const merged = mergeLines(lines).sort(byAmount);
  const usdPerHour = merged.reduce((sum, line) => sum + (line.usdPerHour ?? 0), 0);
  return {
    lines: merged,
    usdPerHour,
    usdPerMonth: usdPerHour * hoursPerMonth,
    complete: merged.every((line) => line.usdPerHour !== undefined),
  };
}

/** Usage-based charges without duplicates, by name. */
export function summarizeUsage(lines: readonly UsageLine[]): UsageLine[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()].sort(byItem);
}

/**
 * A total as text. A total without some of its prices starts with `at least`, and one without any price is `unknown`.
 */
export function describeTotal({ usdPerHour, usdPerMonth, complete }: Omit<CostSummary, "lines">): string {
  if (!complete && usdPerHour === 0) return "unknown";
  const atLeast = complete ? "" : "at least ";
  return `${atLeast}${usdPerHour.toFixed(4)} USD per hour, ${atLeast}${usdPerMonth.toFixed(2)} USD per month`;
}

/** The sources of the prices of lines, each with its date. */
export function citedSources(lines: readonly { source?: string; priceDate?: string }[]): string[] {
  const cited = lines.flatMap(({ source, priceDate }) => (source && priceDate ? [{ source, date: priceDate }] : []));
  return [...new Set(cited.map(citation))].sort();
}

/** The date of the oldest price of lines; without any price, the date of the price table. */
export function oldestPrice(lines: readonly { priceDate?: string }[]): string {
  const dates = lines.flatMap(({ priceDate }) => priceDate ?? []);
  return dates.reduce((oldest, date) => (date < oldest ? date : oldest), priceTableDate);
}

function mergeLines(lines: readonly CostLine[]): CostLine[] {
  const merged = new Map<string, CostLine>();
  for (const line of lines) {
    const key = JSON.stringify({ ...line, quantity: line.quantity === undefined, usdPerHour: undefined });
    const same = merged.get(key);
    merged.set(key, same ? added(same, line) : line);
  }
  return [...merged.values()];
}

/** Computes the amount from the quantity, so that its last digits do not depend on the order of the lines. */
function added(a: CostLine, b: CostLine): CostLine {
  if (a.quantity === undefined || b.quantity === undefined) return a;
  const quantity = a.quantity + b.quantity;
  return { ...a, quantity, usdPerHour: hourlyUsd(a, quantity) };
}

function byAmount(a: CostLine, b: CostLine): number {
  return (b.usdPerHour ?? -1) - (a.usdPerHour ?? -1) || byItem(a, b);
}

function byItem(a: UsageLine, b: UsageLine): number {
  return a.item < b.item ? -1 : Number(a.item > b.item);
}
