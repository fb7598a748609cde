import { hoursPerMonth, type CostLine, type UsageLine } from "../../components/cost/cost-line";
import type { CostReport } from "../cost/cost";

/** An hourly amount has four decimals: an idle address costs 0.005 USD. */
export function perHour(value: number): string {
  return value.toFixed(4);
}

export function perMonth(value: number): string {
  return value.toFixed(2);
}

export function usd(value: number): string {
  return `USD ${value.toFixed(value < 1 ? 4 : 3)}`;
}

/** A sum: a lower bound when some amounts are unknown, `unknown` when all of them are. */
export function sumText(value: number, complete: boolean, format: (value: number) => string): string {
  if (complete) return format(value);
  return value === 0 ? "unknown" : `at least ${format(value)}`;
}

/** The date of the price table, and the sources of the prices; empty without prices. */
export function sourcesText({ sources, pricesAsOf, priceTable }: CostReport): string[] {
  return sources.length === 0
    ? []
    : [
        `Price table of ${priceTable.date}, with prices from ${pricesAsOf} or later, before taxes. ` +
          `Sources: ${sources.join("; ")}`,
      ];
}

/** Item, quantity, cost per hour and cost per month of each line at rest, then the total. */
export function costRows({ atRest }: CostReport): string[][] {
  const { usdPerHour, usdPerMonth, complete } = atRest;
  const unknown = !complete && usdPerHour === 0;
  const total = complete || unknown ? "total" : "total, at least";
  return [
    ...atRest.lines.map((line) => [
      line.item,
      amountText(line),
      moneyText(line, 1, perHour),
      moneyText(line, hoursPerMonth, perMonth),
    ]),
    [total, "", ...(unknown ? ["unknown", "unknown"] : [perHour(usdPerHour), perMonth(usdPerMonth)])],
  ];
}

/** Such as `2 instances` for 2 instance-hours in each hour. */
export function amountText({ quantity, unit }: CostLine): string {
  const thing = unit.replace(/-(hour|month)$/, "");
  const many = thing === "GB" ? thing : `${thing}${thing.endsWith("s") ? "es" : "s"}`;
  return `${quantity === undefined ? "?" : Number(quantity.toFixed(2))} ${quantity === 1 ? thing : many}`;
}

export function moneyText(line: CostLine, hours: number, format: (value: number) => string): string {
  return line.usdPerHour === undefined ? "unknown" : format(line.usdPerHour * hours);
}

/** Such as `NAT gateway data 0.059 per GB`, or `SQS free up to 1 million requests a month`. */
export function usageText({ item, unit, usdPerUnit, note }: UsageLine): string {
  if (note?.startsWith("free ")) return `${item} ${note}`;
  return usdPerUnit === undefined
    ? `${item} at an unknown price`
    : `${item} ${Number(usdPerUnit.toFixed(6))} per ${unit}`;
}

/** What has no known cost, at rest or in use, such as `g6.xlarge (no price available in eu-west-1)`. */
export function unknownCosts({ atRest, sessionHour }: CostReport): string[] {
  const lines = [...atRest.lines, ...sessionHour.lines].filter(({ usdPerHour }) => usdPerHour === undefined);
  return [...new Set(lines.map(({ item, note }) => (note === undefined ? item : `${item} (${note})`)))];
}

/** Below the table: a session with all GPU nodes, usage-based charges, items of unknown cost, and an old price table. */
export function costNotesOf({ sessionHour, gpuGroups, usageBased, atRest, priceTable }: CostReport): string[] {
  const unknown = atRest.lines.filter((line) => line.usdPerHour === undefined);
  return [
    ...(gpuGroups.length === 0
      ? []
      : [`One hour with all GPU nodes running: ${sumText(sessionHour.usd, sessionHour.complete, usd)}`]),
    ...(usageBased.length === 0 ? [] : [`Usage-based charges, in USD: ${usageBased.map(usageText).join("; ")}`]),
    ...unknown.map(({ item, note }) => `Unknown cost: ${item}${note === undefined ? "" : ` (${note})`}`),
    ...(priceTable.warning === undefined ? [] : [`Warning: ${priceTable.warning}`]),
  ];
}
