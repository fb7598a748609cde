import { price } from "../../components/cost/prices";
import type { Rate } from "./found";

const hoursPerDay = 24;
/** The hours of the month that AWS bills. */
const hoursPerMonth = 730;

/** What an item of the price table costs that is billed by the hour. */
export function hourly(region: string, item: string, count = 1, note?: string): Rate {
  const usd = price(region, item)?.usd;
  return { perDay: usd === undefined ? undefined : usd * (count * hoursPerDay), ...(note !== undefined && { note }) };
}

/** What an item of the price table costs that is billed by the month. */
export function monthly(region: string, item: string, count = 1): Rate {
  return hourly(region, item, count / hoursPerMonth);
}

/** An object that costs money, but has no price in the price table. */
export function unpriced(note: string): Rate {
  return { perDay: undefined, note };
}
