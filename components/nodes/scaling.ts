import { s } from "../core/schema";
import { join } from "../core/reader/paths";
import type { Problem } from "../core/problems";

const owners = ["session", "pulumi", "autoscaler"] as const;

/**
 * Who sets the number of nodes after the group was created. `pulumi`: every update sets it back to `desiredSize`.
 * `session`: you, with a command. `autoscaler`: the Cluster Autoscaler. For the last two, `desiredSize` is the initial
 * size of the group, and later changes have no effect.
 */
export type ScalingOwner = (typeof owners)[number];

export const scalingOwner = () => s.oneOf(owners);

export interface Sizes {
  readonly desiredSize: number;
  readonly minSize: number;
  readonly maxSize: number;
}

/**
 * EKS's default quota of nodes in a managed node group. AWS can raise the quota; this library does not support more.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html
 */
const mostNodes = 450;

/** A number of nodes. `below` states why a smaller number does not work. */
export function nodeCount({ min, below }: { min: number; below?: string }) {
  const above = `EKS's default quota is ${mostNodes} nodes per node group. AWS can raise the quota, but this library does not support more nodes.`;
  return s.wholeNumber({ min, max: mostNodes, above, below });
}

/** `maxSize` of any group. */
export function maxNodeCount() {
  return nodeCount({
    min: 1,
    below: "EKS requires a maximum of at least 1; for a group without nodes set desiredSize and minSize to 0.",
  });
}

/**
 * Sizes that contradict each other. The problem names the limit (minSize or maxSize), or the other size if the limit
 * has its default.
 */
export function sizeConflicts(sizes: Sizes, defaults: Sizes, at: string): Problem[] {
  const isDefault = (key: keyof Sizes) => sizes[key] === defaults[key];
  const order = (low: keyof Sizes, high: keyof Sizes, limit: keyof Sizes): Problem[] => {
    if (sizes[low] <= sizes[high]) return [];
    const blamed = !isDefault(limit) ? limit : low === limit ? high : low;
    const other = blamed === low ? high : low;
    const why = `${other} is ${sizes[other]}${isDefault(other) ? " (the default)" : ""}, and EKS requires minSize <= desiredSize <= maxSize.`;
    const most = sizes[high] === 0 ? "0" : `${sizes[high]} or less`;
    const fix = `set ${join(at, high)} to ${sizes[low]} or more, or ${join(at, low)} to ${most}`;
    return [{ code: "conflict", path: join(at, blamed), got: sizes[blamed], why, fix }];
  };
  const limits = order("minSize", "maxSize", "minSize");
  return [
    ...limits,
    ...order("desiredSize", "maxSize", "maxSize"),
    ...(limits.length > 0 ? [] : order("minSize", "desiredSize", "minSize")),
  ];
}

/** Properties of a node group that Pulumi ignores after creation. */
export function ignoredChanges(owner: ScalingOwner): string[] {
  return owner === "pulumi" ? [] : ["scalingConfig.desiredSize"];
}

/** The command that scales a group. */
export function scaleCommand(group: {
  readonly cluster: string;
  readonly group: string;
  readonly region: string;
  readonly min: number;
  readonly max: number;
  readonly desired: number;
}): string {
  return [
    "aws eks update-nodegroup-config",
    `--region ${group.region}`,
    `--cluster-name ${group.cluster}`,
    `--nodegroup-name ${group.group}`,
    `--scaling-config minSize=${group.min},maxSize=${group.max},desiredSize=${group.desired}`,
  ].join(" ");
}
