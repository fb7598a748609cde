import type { CostLine, UsageLine } from "../../components/cost/cost-line";
import {
  citedSources,
  oldestPrice,
  summarize,
  summarizeUsage,
  type CostSummary,
} from "../../components/cost/cost-summary";
import { poolLines, type NodePool } from "./node-pool";
import { nodePools } from "./pool-readers";
import { readingOf, type ReadingOptions } from "./reading";
import { resourceLines, usageLines } from "./resource-lines";
import type { Recording } from "../record/record";

/** What GPU nodes of one group cost. */
export interface GpuGroupCost {
  /** Logical name of the resource that makes the nodes. */
  readonly name: string;
  /** The types EC2 may choose among, separated by commas; mostly one. */
  readonly instanceType: string;
  /** `undefined` when it is known only after the update. */
  readonly maxSize: number | undefined;
  /** One node with its disk, in USD; `undefined` when a price is not known. */
  readonly usdPerNodeHour: number | undefined;
  /** All nodes at the maximum, in USD; `undefined` when a price or the maximum is not known. */
  readonly usdPerHourAtMax: number | undefined;
  /** What one node consists of; a spot price is stated as its upper bound in a note. */
  readonly lines: readonly CostLine[];
}

/** What a program's AWS resources cost, by the price table. Plain JSON. */
export interface CostReport {
  readonly region: string;
  /** What runs with the desired sizes. A lower bound unless complete. */
  readonly atRest: CostSummary;
  readonly gpuGroups: readonly GpuGroupCost[];
  /** An hour with every GPU node group at its maximum, everything at rest included. A lower bound unless complete. */
  readonly sessionHour: { readonly usd: number; readonly complete: boolean };
  /** What comes on top by use, each with its price and without an amount. */
  readonly usageBased: readonly UsageLine[];
  /** Day, month or year of the oldest price in the report. */
  readonly pricesAsOf: string;
  /** Each with its date. */
  readonly sources: readonly string[];
}

/**
 * Prices what a program registered, whichever components it was written with.
 *
 * @param region Region of the stack's default provider; a resource's own or its provider's goes before it.
 */
export function planCost(recording: Recording, region: string, options: ReadingOptions = {}): CostReport {
  const reading = readingOf(recording, region, options);
  const pools = recording.resources.flatMap((resource) => nodePools(resource, reading));
  const gpuPools = pools.filter(({ instanceTypes }) => instanceTypes.some(reading.isGpu));
  const lines = [
    ...recording.resources.flatMap((resource) => resourceLines(resource, reading)),
    ...pools.flatMap((pool) => poolLines(pool, pool.desiredSize)),
  ];
  const atRest = summarize(lines);
  const gpuGroups = gpuPools.map(gpuGroupCost).sort((a, b) => (a.name < b.name ? -1 : 1));
  const usageBased = summarizeUsage(recording.resources.flatMap((resource) => usageLines(resource, reading)));
  const everyLine = [...atRest.lines, ...gpuGroups.flatMap((group) => group.lines), ...usageBased];
  return {
    region,
    atRest,
    gpuGroups,
    sessionHour: sessionHour(atRest, gpuPools),
    usageBased,
    pricesAsOf: oldestPrice(everyLine),
    sources: citedSources(everyLine),
  };
}

function gpuGroupCost(pool: NodePool): GpuGroupCost {
  const { name, instanceTypes, maxSize } = pool;
  const node = summarize(poolLines(pool, 1));
  const usdPerNodeHour = node.complete ? node.usdPerHour : undefined;
  const usdPerHourAtMax = usdPerNodeHour === undefined || maxSize === undefined ? undefined : usdPerNodeHour * maxSize;
  return { name, instanceType: instanceTypes.join(", "), maxSize, usdPerNodeHour, usdPerHourAtMax, lines: node.lines };
}

/** At rest, and beside it the nodes that each GPU group still lacks to its maximum. */
function sessionHour(atRest: CostSummary, gpuPools: readonly NodePool[]): CostReport["sessionHour"] {
  const more = gpuPools.map((pool) => {
    const { desiredSize, maxSize } = pool;
    const lacking = desiredSize === undefined || maxSize === undefined ? undefined : Math.max(maxSize - desiredSize, 0);
    return summarize(poolLines(pool, lacking));
  });
  return {
    usd: more.reduce((sum, { usdPerHour }) => sum + usdPerHour, atRest.usdPerHour),
    complete: atRest.complete && more.every(({ complete }) => complete),
  };
}
