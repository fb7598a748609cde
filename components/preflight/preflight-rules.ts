import type { Problem } from "../core/problems";
import { defaultZoneCount } from "../network/vpc/zones";
import { scaleCommand } from "../nodes/scaling";
import type { CapacityRequest, NodeRequest, PreflightFacts, RunningGroup, ScaledGroup } from "./preflight-facts";

/** The zones of an environment; undefined when it does not name them and those of the region are not known. */
export function zonesFor(
  request: Pick<CapacityRequest, "zones">,
  facts: PreflightFacts,
): readonly string[] | undefined {
  return request.zones ?? facts.zones?.slice(0, defaultZoneCount);
}

/** New limits of an existing group that allow its nodes: the update has a side effect. */
export function sizeWarnings(request: CapacityRequest, facts: PreflightFacts): string[] {
  return scaledGroupsOf(request, facts).flatMap(([{ section, minSize, maxSize }, { name, ...now }]) => {
    const isEqual = now.minSize === minSize && now.maxSize === maxSize;
    if (isEqual || now.desiredSize < minSize || now.desiredSize > maxSize) return [];
    return [
      `${section}: the minimum and maximum size of ${name} change from ${now.minSize} and ${now.maxSize} to ${minSize} ` +
        `and ${maxSize}. The update also sets the desired size to the value in the Pulumi state, which can be outdated; ` +
        `it is ${now.desiredSize} now. Run pulumi up --refresh to read it first.`,
    ];
  });
}

export function zoneProblems(request: CapacityRequest, { zones }: PreflightFacts): Problem[] {
  if (!zones || !request.zones) return [];
  return request.zones.flatMap((zone, index): Problem[] => {
    if (zones.includes(zone)) return [];
    const path = `network.zones[${index}]`;
    const why = "The zone is not available to this account.";
    return [{ code: "not-offered", path, got: zone, why, fix: `use one of ${zones.join(", ")}` }];
  });
}

export function gpuOfferingProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const zones = zonesFor(request, facts);
  const zone = zones?.[request.azIndex];
  const offered = facts.offerings?.[request.instanceType];
  if (!zones || !zone || !offered || offered.includes(zone)) return [];
  return [
    {
      code: "not-offered",
      path: request.command === undefined ? "gpuNodes.instanceType" : "instance type",
      got: request.instanceType,
      why: `${offered.length === 0 ? "The region" : zone} does not offer this instance type.`,
      fix: request.command === undefined ? offeringFix(zones, offered) : groupFix(offered),
    },
  ];
}

/** The fix for a node group that exists. */
function groupFix(offered: readonly string[]): string {
  const subnet = offered.length > 0 ? ` or a subnet in ${offered.join(" or ")}` : "";
  return `give the node group another instance type${subnet}`;
}

function offeringFix(zones: readonly string[], offered: readonly string[]): string {
  if (offered.length === 0) return "use another GPU instance type or region";
  const indexes = zones.flatMap((name, index) => (offered.includes(name) ? [`${index} (${name})`] : []));
  const change =
    indexes.length > 0
      ? `set gpuNodes.azIndex to ${indexes.join(" or ")}`
      : `add ${offered.join(" or ")} to network.zones`;
  return `${change}, or use another GPU instance type`;
}

export function systemOfferingProblems(request: CapacityRequest, facts: PreflightFacts): Problem[] {
  const offered = facts.offerings?.[request.systemInstanceType];
  const without = offered && zonesFor(request, facts)?.filter((name) => !offered.includes(name));
  if (!without || without.length === 0) return [];
  const offer = without.length === 1 ? "does not offer" : "do not offer";
  return [
    {
      code: "not-offered",
      path: "systemNodes.instanceType",
      got: request.systemInstanceType,
      why: `${without.join(", ")} ${offer} this instance type. System nodes run in every zone.`,
      fix: "use another instance type, or other zones in network.zones",
    },
  ];
}

/** EKS makes the creator of a cluster its admin, and rejects a second access entry for the same principal. */
export function creatorProblems(request: CapacityRequest, { callerArn, clusterNames }: PreflightFacts): Problem[] {
  const index = callerArn === undefined ? -1 : request.admins.indexOf(callerArn);
  if (index < 0 || !clusterNames || clusterNames.includes(request.clusterName)) return [];
  const why = "This identity creates the cluster and is therefore an admin. EKS rejects a second access entry.";
  return [{ code: "conflict", path: `admins[${index}]`, got: callerArn, why, fix: "remove it" }];
}

export function keyRegionProblems({ secretsKeyArn }: CapacityRequest, { region }: PreflightFacts): Problem[] {
  const keyRegion = secretsKeyArn?.split(":")[3];
  if (keyRegion === undefined || region === undefined || keyRegion === region) return [];
  const why = `The key is in ${keyRegion}. EKS requires a key in the cluster's region, ${region}.`;
  const fix = `use the ARN of a key in ${region}, or "own"`;
  return [{ code: "conflict", path: "secretsKey", got: secretsKeyArn, why, fix }];
}

function scaledGroupsOf({ scaledGroups = [] }: CapacityRequest, { runningGroups }: PreflightFacts) {
  return scaledGroups.flatMap((wanted): [ScaledGroup, RunningGroup][] => {
    const running = runningGroups?.[wanted.section];
    return running ? [[wanted, running]] : [];
  });
}

/** New limits must allow the running nodes. Otherwise the update ends a session, or EKS rejects it. */
export function sizeProblems(request: CapacityRequest, facts: PreflightFacts): Problem[] {
  return scaledGroupsOf(request, facts).flatMap(([wanted, running]) => groupProblems(request, facts, wanted, running));
}

function groupProblems(
  { clusterName }: CapacityRequest,
  { region }: PreflightFacts,
  wanted: ScaledGroup,
  running: RunningGroup,
): Problem[] {
  const { desiredSize } = running;
  const key = desiredSize > wanted.maxSize ? "maxSize" : desiredSize < wanted.minSize ? "minSize" : undefined;
  if (key === undefined || region === undefined) return [];
  const path = `${wanted.section}.${key}`;
  const command = scaleCommand({
    cluster: clusterName,
    group: running.name,
    region,
    min: Math.min(running.minSize, wanted[key]),
    max: Math.max(running.maxSize, wanted[key]),
    desired: wanted[key],
  });
  const effect =
    key === "maxSize"
      ? "The update would terminate running nodes."
      : "EKS rejects a minimum above the desired size, and the update does not change the desired size.";
  return [
    {
      code: "conflict",
      path,
      got: wanted[key],
      why: `The desired size of ${running.name} is ${desiredSize}. ${effect}`,
      fix: `set ${path} to ${desiredSize}${key === "maxSize" ? " or more" : orLess(desiredSize)}, or run ${command} and then pulumi up --refresh`,
    },
  ];
}

/** No size is below 0. */
function orLess(size: number): string {
  return size === 0 ? "" : " or less";
}
