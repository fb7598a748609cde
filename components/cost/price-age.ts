import { priceTableDate } from "./prices";

/** AWS changes list prices a few times a year. */
const outdatedAfterDays = 180;

/**
 * A warning that prices of lines are more than 180 days old, and what to do.
 *
 * @returns `undefined` while all are younger
 */
export function outdatedPrices(now: Date, lines: readonly { readonly priceDate?: string }[]): string | undefined {
  const dates = lines.flatMap(({ priceDate }) => priceDate ?? []);
  const [oldest] = dates.filter((date) => daysBetween(latestDay(date), now) > outdatedAfterDays).sort();
  if (oldest === undefined) return undefined;
  return (
    `The price table of ${priceTableDate} has prices from ${oldest}, more than ${outdatedAfterDays} days ago; they may ` +
    "have changed. Use a newer version of eks-gpu-lab."
  );
}

function daysBetween(day: string, now: Date): number {
  return Math.floor((now.getTime() - Date.parse(day)) / 86_400_000);
}

/** Of some prices only the month or the year is known. They were collected with the table at the latest. */
function latestDay(date: string): string {
  const [year = 0, month = 12, day] = date.split("-").map(Number);
  if (day !== undefined) return date;
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return last < priceTableDate ? last : priceTableDate;
}
