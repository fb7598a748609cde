import { hourlyUsd, hoursPerMonth, type CostLine, type UsageLine } from "./cost-line";
import { citation, priceTableDate } from "./prices";

/** Lines and what they add up to. */
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

/** Adds lines up. Lines that differ in nothing but their quantity become one. */
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

/** What is paid by use, each thing once, by name. */
export function summarizeUsage(lines: readonly UsageLine[]): UsageLine[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()].sort(byItem);
}

/**
 * Puts a total into words; one that misses a price says so: `at least 0.2769 USD per hour, …`, and one that misses all
 * of them is `unknown`.
 */
export function describeTotal({ usdPerHour, usdPerMonth, complete }: Omit<CostSummary, "lines">): string {
  if (!complete && usdPerHour === 0) return "unknown";
  const atLeast = complete ? "" : "at least ";
  return `${atLeast}${usdPerHour.toFixed(4)} USD per hour, ${atLeast}${usdPerMonth.toFixed(2)} USD per month`;
}

/** The sources behind some lines, each with its date. */
export function citedSources(lines: readonly { source?: string; priceDate?: string }[]): string[] {
  const cited = lines.flatMap(({ source, priceDate }) => (source && priceDate ? [{ source, date: priceDate }] : []));
  return [...new Set(cited.map(citation))].sort();
}

/** Day, month or year of the oldest price behind some lines; the day the table was made where none has a price. */
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

/** The amount is computed anew, so that the order of the lines leaves no trace in its last digits. */
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
