import { hoursPerMonth, type CostLine, type UsageLine } from "../../components/cost/cost-line";
import { summarize } from "../../components/cost/cost-summary";
import { tellsOfSupport } from "../../components/cost/cost-notes";
import type { CostReport } from "../cost/cost";
import { groupedBy } from "../facts/resource-index";

/** An hourly amount has four decimals: an idle address costs 0.005 USD. */
export function perHour(value: number): string {
  return value.toFixed(4);
}

export function perMonth(value: number): string {
  return value.toFixed(2);
}

export function usd(value: number): string {
  return `USD ${perHour(value)}`;
}

/** A sum: a lower bound when some amounts are unknown, `unknown` when all of them are. */
export function sumText(value: number, complete: boolean, format: (value: number) => string): string {
  if (complete) return format(value);
  return value === 0 ? "unknown" : `at least ${format(value)}`;
}

/** The dates and the sources of the prices; empty without prices. */
export function sourcesText(cost: CostReport): string[] {
  return cost.sources.length === 0 ? [] : [`${priceDatesText(cost)}. Sources: ${cost.sources.join("; ")}`];
}

export function priceDatesText({ pricesAsOf, priceTable }: CostReport): string {
  return `Price table of ${priceTable.date}; oldest price used from ${pricesAsOf}; before taxes`;
}

/** Item, quantity, cost per hour and cost per month of each line at rest with a known cost, then the total. */
export function costRows({ atRest }: CostReport): string[][] {
  const { usdPerHour, usdPerMonth, complete } = atRest;
  const unknown = !complete && usdPerHour === 0;
  const total = complete || unknown ? "total" : "total, at least";
  const known = atRest.lines.filter((line) => line.usdPerHour !== undefined);
  return [
    ...withoutNotes(known).map((line) => [
      line.item,
      amountText(line),
      moneyText(line, 1, perHour),
      moneyText(line, hoursPerMonth, perMonth),
    ]),
    [total, "", ...(unknown ? ["unknown", "unknown"] : [perHour(usdPerHour), perMonth(usdPerMonth)])],
  ];
}

/** Lines that differ only in their notes, which stand elsewhere, as one. */
function withoutNotes(lines: readonly CostLine[]): readonly CostLine[] {
  return summarize(lines.map(({ note: _, ...line }) => line)).lines;
}

/** Such as `2 instances` for 2 instance-hours in each hour. */
export function amountText({ quantity, unit }: CostLine): string {
  const thing = unit.replace(/-(hour|month)$/, "");
  const many = /^[A-Z]+$/.test(thing) ? thing : `${thing}${thing.endsWith("s") ? "es" : "s"}`;
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

/** Below the table: a session with all GPU nodes, usage-based charges, items of unknown cost, and old prices. */
export function costNotesOf(cost: CostReport): string[] {
  const { gpuGroups, usageBased, priceTable } = cost;
  return [
    ...(gpuGroups.length === 0 ? [] : [`One hour with all GPU nodes running: ${sessionText(cost)}`]),
    ...(usageBased.length === 0 ? [] : [`Usage-based charges, in USD: ${usageBased.map(usageText).join("; ")}`]),
    ...unknownItems(cost).map((item) => `Unknown cost: ${item}`),
    ...cost.atRest.lines.flatMap(({ note }) => (note && tellsOfSupport(note) ? warningLines(`${note}.`) : [])),
    ...warningLines(priceTable.warning),
  ];
}

/** A warning of old prices as a line; none without one. */
export function warningLines(warning: string | undefined): string[] {
  return warning === undefined ? [] : [`Warning: ${warning}`];
}

/** The items without a known cost, at rest or in a session, each with the reason. */
export function unknownItems({ atRest, sessionHour }: CostReport): string[] {
  return unknownTexts([...atRest.lines, ...sessionHour.lines]);
}

/** The lines without a known cost as text: each reason, after the items that have it. */
export function unknownTexts(lines: readonly CostLine[]): string[] {
  const unknown = lines.filter(({ usdPerHour }) => usdPerHour === undefined);
  return [...groupedBy(unknown, ({ note = "" }) => note)].map(([note, own]) => {
    const items = [...new Set(own.map(({ item }) => item))].join(", ");
    return note === "" ? items : `${items} (${note})`;
  });
}

/** The cost of an hour of a session, and which GPU nodes it does not contain. */
function sessionText({ sessionHour, gpuGroups }: CostReport): string {
  const sum = sumText(sessionHour.usd, sessionHour.complete, usd);
  const nodes = gpuGroups.flatMap(({ lines }) => lines.filter(({ unit }) => unit === "instance-hour"));
  const missing = new Set(nodes.filter(({ usdPerHour }) => usdPerHour === undefined).map(({ item }) => item));
  return missing.size === 0 || sum === "unknown" ? sum : `${sum}, without ${[...missing].join(" and ")}`;
}
