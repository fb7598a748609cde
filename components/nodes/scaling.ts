import { join, oneOf, wholeNumber } from "../core/checks";
import type { Problem } from "../core/problems";

/**
 * Who sets the number of nodes after the group was made. `pulumi`: every update puts it back to `desiredSize`.
 * `session`: people, by command or by the lab's lease. `autoscaler`: the Cluster Autoscaler. For the last two
 * `desiredSize` is where the group starts, and later changes of it have no effect.
 */
export type ScalingOwner = "session" | "pulumi" | "autoscaler";

export interface Sizes {
  readonly desiredSize: number;
  readonly minSize: number;
  readonly maxSize: number;
}

/** Properties of a node group that Pulumi leaves alone after creation. */
export function ignoredChanges(owner: ScalingOwner): string[] {
  return owner === "pulumi" ? [] : ["scalingConfig.desiredSize"];
}

/** The command that scales a group by hand. */
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

/** Problems of `owner`, where it is stated. */
export function ownerProblems(got: unknown, at: string): Problem[] {
  return got === undefined ? [] : oneOf(join(at, "owner"), got, ["session", "pulumi", "autoscaler"]);
}

type SizeKey = keyof Sizes;

/**
 * EKS's default quota of nodes in a managed node group. AWS raises it on request; the library goes no further.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html
 */
const mostNodes = 450;

/** Problems of the three sizes of a group, of each and between them. `least` is the smallest sound desired size. */
export function sizeProblems(
  given: Readonly<Record<string, unknown>>,
  defaults: Sizes,
  at: string,
  least: { readonly desired: number; readonly why: string } = { desired: 0, why: "" },
): Problem[] {
  const single = [
    ...sizeProblem(given["desiredSize"], join(at, "desiredSize"), least.desired, least.why),
    ...sizeProblem(given["minSize"], join(at, "minSize"), 0, ""),
    ...sizeProblem(
      given["maxSize"],
      join(at, "maxSize"),
      1,
      "EKS takes no maximum below 1; a group without nodes has desiredSize 0 and minSize 0.",
    ),
  ];
  return single.length > 0 ? single : orderProblems(given, defaults, at);
}

function sizeProblem(got: unknown, path: string, min: number, whyBelow: string): Problem[] {
  if (got === undefined) return [];
  const whyAbove = `EKS's default quota is ${mostNodes} nodes a node group. AWS raises it on request, but this library stops there.`;
  const problems = wholeNumber(path, got, { min });
  if (problems.length === 0 && Number(got) > mostNodes) {
    return [{ code: "out-of-range", path, got, why: whyAbove, fix: `set ${path} to ${mostNodes} or less` }];
  }
  return whyBelow === "" ? problems : problems.map((p) => (p.code === "out-of-range" ? { ...p, why: whyBelow } : p));
}

function orderProblems(given: Partial<Record<SizeKey, number>>, defaults: Sizes, at: string): Problem[] {
  const size = (key: SizeKey): number => given[key] ?? defaults[key];
  /** `low` must not be above `high`. The problem is told of the one the user stated, of both of the limit. */
  const order = (low: SizeKey, high: SizeKey, limit: SizeKey): Problem[] => {
    if (size(low) <= size(high)) return [];
    const told = given[limit] !== undefined ? limit : low === limit ? high : low;
    const other = told === low ? high : low;
    const byDefault = given[other] === undefined ? " (the default)" : "";
    const fix = `set ${join(at, high)} to ${size(low)} or more, or ${join(at, low)} to ${orLess(size(high))}`;
    const why = `${other} is ${size(other)}${byDefault}, and EKS wants minSize <= desiredSize <= maxSize.`;
    return [{ code: "conflict", path: join(at, told), got: size(told), why, fix }];
  };
  const limits = order("minSize", "maxSize", "minSize");
  return [
    ...limits,
    ...order("desiredSize", "maxSize", "maxSize"),
    ...(limits.length > 0 ? [] : order("minSize", "desiredSize", "minSize")),
  ];
}

function orLess(size: number): string {
  return size === 0 ? "0" : `${size} or less`;
}
