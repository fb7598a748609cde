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

/** Item, amount, per hour and per month of each line at rest, then the total. */
export function costRows({ atRest }: CostReport): string[][] {
  const total = atRest.complete ? "together" : "together, at least";
  return [
    ...atRest.lines.map((line) => [
      line.item,
      amount(line),
      money(line, 1, perHour),
      money(line, hoursPerMonth, perMonth),
    ]),
    [total, "", perHour(atRest.usdPerHour), perMonth(atRest.usdPerMonth)],
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
