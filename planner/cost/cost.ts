import type { CostLine, UsageLine } from "../../components/cost/cost-line";
import {
  citedSources,
  oldestPrice,
  summarize,
  summarizeUsage,
  type CostSummary,
} from "../../components/cost/cost-summary";
import { outdatedPrices } from "../../components/cost/price-age";
import { priceTableDate } from "../../components/cost/prices";
import { linesAt, nodePools, poolLines, type NodePool } from "./node-pools";
import { pricingContext, type PricingOptions } from "./pricing-context";
import { resourceLines, usageLines } from "./resource-lines";
import type { Recording } from "../record/record";

/** The cost of the GPU nodes of one group. */
export interface GpuGroupCost {
  /** Logical name of the resource that creates the nodes. */
  readonly name: string;
  /** The types that EC2 may choose from, separated by commas; usually one. */
  readonly instanceType: string;
  /** `undefined` when it is known only after the update. */
  readonly maxSize: number | undefined;
  /** One node with its disk, in USD; `undefined` when a price is not known. */
  readonly usdPerNodeHour: number | undefined;
  /** All nodes at the maximum, in USD; `undefined` when a price or the maximum is not known. */
  readonly usdPerHourAtMax: number | undefined;
  /** The parts of one node. A note marks a spot price as its upper bound. */
  readonly lines: readonly CostLine[];
}

/** The cost of a program's AWS resources, by the price table. Plain JSON. */
export interface CostReport {
  readonly region: string;
  /** The cost at the desired sizes. A lower bound unless complete. */
  readonly atRest: CostSummary;
  readonly gpuGroups: readonly GpuGroupCost[];
  /** One hour with every GPU node group at its maximum, in USD, with its lines. A lower bound unless complete. */
  readonly sessionHour: { readonly usd: number; readonly complete: boolean; readonly lines: readonly CostLine[] };
  /** Usage-based charges, each with its price and without an amount. */
  readonly usageBased: readonly UsageLine[];
  /** Day, month or year of the oldest price in the report. */
  readonly pricesAsOf: string;
  readonly priceTable: {
    /** Day on which the prices were collected. */
    readonly date: string;
    /** Present when a price in the report is more than 180 days old. */
    readonly warning?: string;
  };
  /** Each with its date. */
  readonly sources: readonly string[];
}

/**
 * Prices the resources that a program registered, whatever components it uses.
 *
 * @param region The region of the stack's default provider. The region of a resource or of its provider takes
 * precedence.
 */
export function planCost(recording: Recording, region: string, options: PricingOptions = {}): CostReport {
  const context = pricingContext(recording, region, options);
  const pools = recording.resources.flatMap((resource) => nodePools(resource, context));
  const gpuPools = pools.filter(({ isGpu }) => isGpu);
  const others = recording.resources.flatMap((resource) => resourceLines(resource, context));
  const atRest = summarize([...others, ...pools.flatMap((pool) => linesAt(pool, pool.desiredSize))]);
  const session = summarize([...others, ...pools.flatMap((pool) => linesAt(pool, sessionSize(pool)))]);
  const gpuGroups = gpuPools.map(gpuGroupCost).sort((a, b) => (a.name < b.name ? -1 : 1));
  const usageBased = summarizeUsage(recording.resources.flatMap((resource) => usageLines(resource, context)));
  const everyLine = [...atRest.lines, ...gpuGroups.flatMap((group) => group.lines), ...usageBased];
  const warning = outdatedPrices(context.now, everyLine);
  return {
    region,
    atRest,
    gpuGroups,
    sessionHour: { usd: session.usdPerHour, complete: session.complete, lines: session.lines },
    usageBased,
    pricesAsOf: oldestPrice(everyLine),
    priceTable: { date: priceTableDate, ...(warning !== undefined && { warning }) },
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

/** In a session, each GPU group is at its maximum. */
function sessionSize({ isGpu, desiredSize, maxSize }: NodePool): number | undefined {
  if (!isGpu) return desiredSize;
  return maxSize === undefined ? undefined : Math.max(maxSize, desiredSize ?? 0);
}
