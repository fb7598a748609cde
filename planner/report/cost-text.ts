import { hoursPerMonth, type CostLine, type UsageLine } from "../../components/cost/cost-line";
import type { CostReport } from "../cost/cost";

/** Four decimals for hours: an idle address costs 0.005 USD. */
export function perHour(value: number): string {
  return value.toFixed(4);
}

function perMonth(value: number): string {
  return value.toFixed(2);
}

export function usd(value: number): string {
  return `USD ${value.toFixed(value < 1 ? 4 : 3)}`;
}

/** A sum that may lack amounts; one that lacks all of them says nothing. */
export function sumText(value: number, complete: boolean, format: (value: number) => string): string {
  if (complete) return format(value);
  return value === 0 ? "unknown" : `at least ${format(value)}`;
}

/** Where the prices are from; nothing where there are none. */
export function sourcesText({ sources, pricesAsOf }: CostReport): string[] {
  return sources.length === 0 ? [] : [`Prices of ${pricesAsOf} or later, without taxes: ${sources.join("; ")}`];
}

/** Item, amount, per hour and per month of each line at rest, then the total. */
export function costRows({ atRest }: CostReport): string[][] {
  const { usdPerHour, usdPerMonth, complete } = atRest;
  const unknown = !complete && usdPerHour === 0;
  const total = complete || unknown ? "together" : "together, at least";
  return [
    ...atRest.lines.map((line) => [
      line.item,
      amount(line),
      money(line, 1, perHour),
      money(line, hoursPerMonth, perMonth),
    ]),
    [total, "", ...(unknown ? ["unknown", "unknown"] : [perHour(usdPerHour), perMonth(usdPerMonth)])],
  ];
}

/** Such as `2 instances` for 2 instance-hours in each hour. */
function amount({ quantity, unit }: CostLine): string {
  const thing = unit.replace(/-(hour|month)$/, "");
  const many = thing === "GB" ? thing : `${thing}${thing.endsWith("s") ? "es" : "s"}`;
  return `${quantity === undefined ? "?" : Number(quantity.toFixed(2))} ${quantity === 1 ? thing : many}`;
}

function money(line: CostLine, hours: number, format: (value: number) => string): string {
  return line.usdPerHour === undefined ? "unknown" : format(line.usdPerHour * hours);
}

/** Such as `data through NAT gateways 0.059 per GB`. */
export function usageText(line: UsageLine): string {
  const price = line.usdPerUnit === undefined ? "price not known" : Number(line.usdPerUnit.toFixed(6));
  return `${line.item} ${price} per ${line.unit}`;
}
