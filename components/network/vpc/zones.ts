import { isOutput } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { distinct, each, list } from "../checks";

/** EKS wants subnets in two Availability Zones; no region has more than six. */
export const zoneCount = { min: 2, max: 6 } as const;

/** How many zones a Vpc spans unless told otherwise. */
export const defaultZoneCount = 3;

/**
 * Zones, by their id, that EKS does not take: a cluster with a subnet there is refused.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
 */
export const zoneIdsWithoutEks = ["use1-az3", "usw1-az2", "cac1-az3"];

const example = '["ap-northeast-2a", "ap-northeast-2b"]';
const form = /^([a-z]{2}(-[a-z]+)+-\d)[a-z]$/;

/** The name of one Availability Zone. Local Zones and Wavelength Zones hold no EKS control plane and are refused. */
export function zoneNameProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got) || (typeof got === "string" && form.test(got))) return [];
  const code = typeof got === "string" ? "not-allowed" : "wrong-type";
  const why = "It must be the name of an Availability Zone.";
  return [{ code, path, got, why, fix: `set ${path} to a name such as ap-northeast-2a` }];
}

/** The zones of a VPC that is to be made: two to six of one region, each once. */
export function zonesProblems(path: string, got: unknown): Problem[] {
  if (!Array.isArray(got)) return list(path, got, example);
  const problems = [
    ...each(path, got, zoneNameProblems),
    ...distinct(path, got, "A Vpc has one public and one private subnet in a zone."),
    ...oneRegion(path, got),
  ];
  if (got.length >= zoneCount.min && got.length <= zoneCount.max) return problems;
  const why = `EKS needs subnets in at least ${zoneCount.min} zones, and no region has more than ${zoneCount.max}.`;
  const fix = `list ${zoneCount.min} to ${zoneCount.max} zones, e.g. ${example}`;
  return [...problems, { code: "out-of-range", path, got, why, fix }];
}

function oneRegion(path: string, zones: readonly unknown[]): Problem[] {
  const named = zones.filter((zone) => typeof zone === "string");
  const regions = new Set(named.map((zone) => form.exec(zone)?.[1]).filter((region) => region !== undefined));
  if (regions.size < 2) return [];
  const why = `They are of ${regions.size} regions (${[...regions].join(", ")}), and a VPC is of one.`;
  return [{ code: "conflict", path, got: zones, why, fix: "list zones of the region in aws:region" }];
}
