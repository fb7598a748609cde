import { instances as instanceLines, volumes as volumeLines } from "../../components/cost/cost-lines";
import { unknownCost, type CostLine } from "../../components/cost/cost-line";
import { costNotes } from "../../components/cost/cost-notes";
import { summarize, type CostSummary } from "../../components/cost/cost-summary";
import { price } from "../../components/cost/prices";
import { nodesOf, type Activity, type Group, type Instance } from "./group";

/** What the instances cost per hour, with their disks if these are known, without traffic. */
export function costNow(group: Group, instances: readonly Instance[]): CostSummary {
  return summarize(instances.flatMap((instance) => linesOf(group, instance)));
}

/** What nodes of the group will cost per hour at this size, e.g. `1.2370 USD per hour without disks`. */
export function costText(group: Group, count: number): string {
  const cost = summarize(choiceLines(group, count));
  return `${hourly(cost)}${group.volumes ? "" : " without disks"}`;
}

/** What the instances that exist now have cost since they started. Instances of earlier sessions are not included. */
interface CostSoFar {
  /** A lower bound unless {@link complete}. */
  readonly usd: number;
  /** Whether the start and the price of every instance are known. */
  readonly complete: boolean;
  /** The start of the first instance, in ISO 8601; undefined if no start is known. */
  readonly since: string | undefined;
}

/** Undefined without instances. Activities contain the starts, the latest first. */
export function costSoFar(
  group: Group,
  instances: readonly Instance[],
  activities: readonly Activity[],
  now: Date,
): CostSoFar | undefined {
  if (instances.length === 0) return undefined;
  const parts = instances.map((instance) => {
    const isStart = ({ description }: Activity) =>
      description.startsWith("Launching") && description.includes(instance.id);
    const start = instance.since ?? activities.find(isStart)?.at;
    const { usdPerHour, complete } = summarize(linesOf(group, instance));
    const hours = start === undefined || !complete ? undefined : (now.getTime() - Date.parse(start)) / 3_600_000;
    return { start, usd: hours === undefined ? undefined : Math.max(0, hours) * usdPerHour };
  });
  return {
    usd: parts.reduce((sum, { usd = 0 }) => sum + usd, 0),
    complete: parts.every(({ usd }) => usd !== undefined),
    since: parts.flatMap(({ start }) => start ?? []).sort()[0],
  };
}

function linesOf(group: Group, { type }: Instance): CostLine[] {
  return [...instanceLines(group.region, type, 1, group.capacityType), ...diskLines(group, 1)];
}

function diskLines({ region, volumes = [] }: Group, count: number | undefined): CostLine[] {
  return volumes.flatMap((volume) => volumeLines(region, volume, count));
}

/** The instances and disks of the most expensive choice. */
function choiceLines(group: Group, size: number): CostLine[] {
  const { region, instanceTypes, capacityType } = group;
  const perNode = (type: string) => price(region, type)?.usd ?? Infinity;
  const usdOf = (type: string) => perNode(type) * nodesOf(group, type, group.isPool ? size : 1);
  const [type] = [...instanceTypes].sort((one, other) => usdOf(other) - usdOf(one));
  if (type === undefined || size === Infinity) {
    const any = size === Infinity ? undefined : size;
    const unknown = unknownCost("instances", "instance-hour", any, costNotes.unknownInstanceType);
    return [unknown, ...diskLines(group, any)];
  }
  const note = instanceTypes.length > 1 ? costNotes.instanceChoice(instanceTypes) : undefined;
  const count = nodesOf(group, type, size);
  return [...instanceLines(region, type, count, capacityType, note), ...diskLines(group, count)];
}

/** `1.2370 USD per hour`; `at least` where a price is missing, and `unknown` without any. */
export function hourly({ usdPerHour, complete }: Pick<CostSummary, "usdPerHour" | "complete">): string {
  if (!complete && usdPerHour === 0) return "unknown (no price in the price table)";
  return `${complete ? "" : "at least "}${usdPerHour.toFixed(4)} USD per hour`;
}
