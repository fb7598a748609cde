import { expect, test } from "vitest";
import { outdatedPrices } from "../../../components/cost/price-age";
import { priceTableDate } from "../../../components/cost/prices";

const lines = (...dates: string[]) => dates.map((priceDate) => ({ priceDate }));
const after = (date: string, days: number) => new Date(Date.parse(date) + days * 86_400_000);

test("prices are outdated 181 days after the day of the oldest one", () => {
  const some = lines("2026-03-02", "2026-03-01", "2026-09-01");
  expect(outdatedPrices(after("2026-03-01", 180), some)).toBeUndefined();
  expect(outdatedPrices(after("2026-03-01", 181), some)).toBe(
    `The price table of ${priceTableDate} has prices from 2026-03-01, more than 180 days ago; they may have changed. ` +
      "Use a newer version of eks-gpu-lab.",
  );
});

test("without prices there is no warning", () => {
  expect(outdatedPrices(after(priceTableDate, 2000), [{}, {}])).toBeUndefined();
});

test.for([
  ["a year", "2024", "2024-12-31"],
  ["a month", "2025-04", "2025-04-30"],
  ["the year of the table", priceTableDate.slice(0, 4), priceTableDate],
  ["the month of the table", priceTableDate.slice(0, 7), priceTableDate],
] as const)("a price of which only %s is known has its last possible day", ([, date, day]) => {
  expect(outdatedPrices(after(day, 180), lines(date))).toBeUndefined();
  expect(outdatedPrices(after(day, 181), lines(date))).toContain(`prices from ${date},`);
});
