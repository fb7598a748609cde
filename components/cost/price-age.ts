import { priceTableDate } from "./prices";

/** AWS changes list prices a few times a year. */
const outdatedAfterDays = 180;

/**
 * A warning that the price table is more than 180 days old, and what to do.
 *
 * @param tableDate Day on which the prices were collected. @default the date of the price table
 * @returns `undefined` while the table is younger
 */
export function outdatedPrices(now: Date, tableDate = priceTableDate): string | undefined {
  const days = Math.floor((now.getTime() - Date.parse(tableDate)) / 86_400_000);
  if (days <= outdatedAfterDays) return undefined;
  return (
    `The price table is ${days} days old; prices may have changed. ` +
    "Run npm update eks-gpu-lab, or in a clone of the repository npm run prices."
  );
}
