import { instances as instanceLines } from "../components/cost/cost-lines";
import { unknownCost, type CostLine } from "../components/cost/cost-line";
import { costNotes } from "../components/cost/cost-notes";
import { summarize, type CostSummary } from "../components/cost/cost-summary";
import { price } from "../components/cost/prices";
import type { Group, Instance } from "./group";

/** What the instances cost per hour, without disks and traffic. */
export function costNow(group: Group, instances: readonly Instance[]): CostSummary {
  return summarize(instances.flatMap(({ type }) => instanceLines(group.region, type, 1, group.capacityType)));
}

/** What `count` nodes of the group will cost per hour, without disks and traffic. */
export function costOf(group: Group, count: number): CostSummary {
  return summarize(lineOf(group, count));
}

function lineOf({ region, instanceTypes, capacityType }: Group, count: number): CostLine[] {
  const usdOf = (type: string) => price(region, type)?.usd ?? Infinity;
  const [type] = [...instanceTypes].sort((one, other) => usdOf(other) - usdOf(one));
  if (type === undefined) return [unknownCost("instances", "instance-hour", count, costNotes.unknownInstanceType)];
  const note = instanceTypes.length > 1 ? costNotes.instanceChoice(instanceTypes) : undefined;
  return instanceLines(region, type, count, capacityType, note);
}

/** `1.2370 USD per hour`; `at least` where a price is missing, and `unknown` without any. */
export function hourly({ usdPerHour, complete }: Pick<CostSummary, "usdPerHour" | "complete">): string {
  if (!complete && usdPerHour === 0) return "unknown (no price in the price table)";
  return `${complete ? "" : "at least "}${usdPerHour.toFixed(4)} USD per hour`;
}
