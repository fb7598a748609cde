import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";

/** EKS needs subnets in two Availability Zones; no region has more than six. */
export const zoneCount = { min: 2, max: 6 } as const;

/** How many zones a Vpc spans by default. */
export const defaultZoneCount = 3;

/**
 * Zones, by their id, in which EKS rejects the subnets of a cluster.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
 */
export const zoneIdsWithoutEks = ["use1-az3", "usw1-az2", "cac1-az3"];

const example = '["ap-northeast-2a", "ap-northeast-2b"]';
const form = /^([a-z]{2}(-[a-z]+)+-\d)[a-z]$/;

/** The name of one Availability Zone. Local Zones and Wavelength Zones cannot hold an EKS control plane. */
export function zoneName() {
  return s.matching(form, "the name of an Availability Zone", "set {path} to a name such as ap-northeast-2a");
}

/** The zones of a new VPC: two to six of one region. */
export function zoneList() {
  return v.pipe(s.list(zoneName(), example, { distinct: true }), s.check(zoneProblems));
}

function zoneProblems(zones: readonly string[], path: string): Problem[] {
  const regions = new Set(zones.map((zone) => form.exec(zone)?.[1]));
  const problems: Problem[] = [];
  if (regions.size > 1) {
    const why = `All zones must be in one region; got ${[...regions].join(", ")}.`;
    problems.push({ code: "conflict", path, got: zones, why, fix: "list zones of the region in aws:region" });
  }
  if (zones.length < zoneCount.min || zones.length > zoneCount.max) {
    const why = `EKS needs subnets in at least ${zoneCount.min} zones, and no region has more than ${zoneCount.max}.`;
    const fix = `list ${zoneCount.min} to ${zoneCount.max} zones, e.g. ${example}`;
    problems.push({ code: "out-of-range", path, got: zones, why, fix });
  }
  return problems;
}
