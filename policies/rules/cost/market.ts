import type { Reading } from "../../../components/core/reader/reading";
import type { Resource, Stack } from "../../engine/resource";
import { all, any, type Truth } from "../../../components/core/reader/truth";
import { templatesOf } from "../machines/launch-template";
import { gpuNodeGroup, managedNodeGroup, nodeGroup } from "../nodes/gpu-group";

export type Market = "on-demand" | "spot";

const ofEks = [nodeGroup, managedNodeGroup, gpuNodeGroup];

/** How many instances of a group are in one market at its largest. */
export interface Share {
  /** As far as it is known: never more. */
  readonly nodes: number;
  readonly isSome: Truth;
  /** Whether the other market has its share too. */
  readonly isMixed: boolean;
}

export function shareOf(group: Resource, most: Reading<number>, stack: Stack, market: Market): Share {
  const isIn = isMarket(group, stack, market);
  const size = Math.max(0, most.value ?? 0);
  if (isIn === "mixed") return ofMix(group, most, market);
  const isSome = all(
    most.is((number) => number > 0),
    isIn,
  );
  return { nodes: isSome === true ? size : 0, isSome, isMixed: false };
}

/** What a group states of its market: EKS by a word, others in the launch template, or by the shares of a mix. */
function isMarket(group: Resource, stack: Stack, market: Market): Truth | "mixed" {
  if (ofEks.includes(group.type)) {
    const word = market === "spot" ? "SPOT" : "ON_DEMAND";
    const capacity = group.text("capacityType").or("ON_DEMAND");
    return capacity.is((type) => type === word);
  }
  const stated = [group, ...templatesOf(stack, group)]
    .map((holder) => holder.text("instanceMarketOptions.marketType"))
    .find(({ isAbsent }) => isAbsent !== true);
  return stated ? stated.is((type) => type === market) : "mixed";
}

/**
 * An Auto Scaling group starts its base on demand, and of what is above it a share, rounded up; the rest is spot. One
 * that states no shares has nothing but instances on demand.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstancesDistribution.html
 */
function ofMix(group: Resource, most: Reading<number>, market: Market): Share {
  const distribution = group.at("mixedInstancesPolicy.instancesDistribution");
  const percent = distribution.integer("onDemandPercentageAboveBaseCapacity").or(100);
  const base = distribution.integer("onDemandBaseCapacity").or(0);
  const size = Math.max(0, most.value ?? 0);
  const first = Math.min(size, Math.max(0, base.value ?? 0));
  const share = Math.min(100, Math.max(0, percent.value ?? 100));
  const onDemand = first + Math.ceil(((size - first) * share) / 100);
  const nodes = market === "spot" ? size - onDemand : onDemand;
  const waits = any(
    ...[percent, base].map((reading) => reading.is(() => false)),
    most.is(() => false),
  );
  if (waits === false) return { nodes, isSome: nodes > 0, isMixed: onDemand > 0 && onDemand < size };
  return { nodes: 0, isSome: isEmpty(most) ? false : waits, isMixed: true };
}

function isEmpty(most: Reading<number>): boolean {
  return most.is((size) => size > 0) === false;
}
