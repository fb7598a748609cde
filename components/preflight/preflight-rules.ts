import { Netmask } from "netmask";
import { isDocumentationCidr } from "../cluster/access/public-access";
import { parseCidr } from "../core/cidr-form";
import type { Problem } from "../core/problems";
import { price } from "../cost/prices";
import { scaleCommand } from "../nodes/scaling";
import { zonesFor } from "./node-rules";
import type { CapacityRequest, PreflightFacts, SecondObjects } from "./preflight-facts";
import type { RunningGroup, ScaledGroup } from "./running-group";

/** The machine that runs `pulumi up` must reach the Kubernetes API: the update creates objects in the cluster. */
export function callerAddressProblems(
  { publicAccessCidrs = [] }: CapacityRequest,
  { callerAddress }: PreflightFacts,
): Problem[] {
  const isInside = (cidr: string) => parseCidr(cidr) !== undefined && new Netmask(cidr).contains(callerAddress ?? "");
  if (callerAddress === undefined || publicAccessCidrs.some(isInside)) return [];
  const placeholder = publicAccessCidrs.findIndex(isDocumentationCidr);
  const index = placeholder >= 0 ? placeholder : publicAccessCidrs.length;
  const why = `Your address ${callerAddress} is in none of these blocks, so you could not reach the cluster's API.`;
  const fix = `pulumi config set --path 'publicAccessCidrs[${index}]' ${callerAddress}/32`;
  return [{ code: "not-allowed", path: "publicAccessCidrs", got: publicAccessCidrs, why, fix }];
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

export function systemOfferingProblems(request: CapacityRequest, facts: PreflightFacts): Problem[] {
  const offered = facts.offerings?.[request.systemInstanceType];
  const without = offered && zonesFor(request, facts)?.filter((name) => !offered.includes(name));
  if (!without || without.length === 0) return [];
  const offer = without.length === 1 ? "does not offer" : "do not offer";
  const why = `${without.join(", ")} ${offer} this instance type. System nodes run in every zone.`;
  const fix = "use another instance type, or other zones in network.zones";
  return [{ code: "not-offered", path: "systemNodes.instanceType", got: request.systemInstanceType, why, fix }];
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

export function topicRegionProblems({ alarmTopicArns = [] }: CapacityRequest, { region }: PreflightFacts): Problem[] {
  return alarmTopicArns.flatMap((got, index): Problem[] => {
    const topicRegion = String(got).split(":")[3] ?? "";
    if (typeof got !== "string" || region === undefined || topicRegion === region) return [];
    const why = `The topic is in ${topicRegion}. CloudWatch requires a topic in the region of its alarm, ${region}.`;
    const fix = `use the ARN of a topic in ${region}: aws sns create-topic --name gpu-labs --region ${region}`;
    return [{ code: "conflict", path: `lease.alarmTopicArns[${index}]`, got, why, fix }];
  });
}

function scaledGroupsOf({ scaledGroups = [] }: CapacityRequest, { runningGroups }: PreflightFacts) {
  return scaledGroups.flatMap((wanted): [ScaledGroup, RunningGroup][] => {
    const running = runningGroups?.[wanted.section];
    return running ? [[wanted, running]] : [];
  });
}

/** New limits must allow the running nodes. Otherwise the update ends a session, or EKS rejects it. */
export function sizeProblems(request: CapacityRequest, facts: PreflightFacts): Problem[] {
  const { region } = facts;
  return scaledGroupsOf(request, facts).flatMap(([wanted, { name: group, desiredSize, minSize, maxSize }]) => {
    const key = desiredSize > wanted.maxSize ? "maxSize" : desiredSize < wanted.minSize ? "minSize" : undefined;
    if (key === undefined || region === undefined) return [];
    const path = `${wanted.section}.${key}`;
    const got = wanted[key];
    const sizes = { min: Math.min(minSize, got), max: Math.max(maxSize, got), desired: got };
    const command = scaleCommand({ cluster: request.clusterName, group, region, ...sizes });
    const { effect, others } = limits[key];
    const why = `The desired size of ${group} is ${desiredSize}. ${effect}`;
    // No size is below 0.
    const range = key === "minSize" && desiredSize === 0 ? "" : others;
    const fix = `set ${path} to ${desiredSize}${range}, or run ${command} and then pulumi up --refresh`;
    return [{ code: "conflict", path, got, why, fix } as const];
  });
}

/** What a limit does that excludes the desired size, and which other values allow it. */
const limits = {
  maxSize: { effect: "The update would terminate running nodes.", others: " or more" },
  minSize: {
    effect: "EKS rejects a minimum above the desired size, and the update does not change the desired size.",
    others: " or less",
  },
} as const;

/** Actions that an explicit denial, a boundary or the organization takes away. */
export function permissionProblems(_: unknown, facts: PreflightFacts): Problem[] {
  return Object.entries(whys).flatMap(([decision, why]): Problem[] => {
    const got = actionsWith(facts, decision);
    const fix = "ask your administrator for them, or use another identity";
    return got === "" ? [] : [{ code: "not-allowed", path: "the caller's permissions", got, why, fix }];
  });
}

const whys = {
  denied: "A policy of this identity denies these actions.",
  boundary: "A permissions boundary or a policy of the organization does not allow these actions.",
};

/** Actions that no policy grants on every resource: one may grant them on some resources, which cannot be seen here. */
export function permissionWarnings(_: unknown, facts: PreflightFacts): string[] {
  const actions = actionsWith(facts, "not-granted");
  if (actions === "") return [];
  return [
    `No policy grants these actions on every resource: ${actions}. Policies that name resources were not ` +
      "examined; ask your administrator whether they cover this environment.",
  ];
}

/** As {@link permissionWarnings}, where IAM was asked about the resource itself. */
export function resourcePermissionWarnings(_: unknown, facts: PreflightFacts): string[] {
  const actions = actionsWith(facts, "not-granted");
  if (actions === "") return [];
  return [`IAM finds no policy that allows this on the node group: ${actions}. A condition may allow it.`];
}

/** Most actions that a message names. */
const mostActions = 8;

/** The actions of a decision, in a message. */
function actionsWith({ permissions = [] }: PreflightFacts, decision: string): string {
  const actions = permissions.filter((one) => one.decision === decision).map(({ action }) => action);
  const more = actions.length - mostActions;
  return actions.slice(0, mostActions).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A warning for each section with several node groups. */
export function secondGroupWarnings(_: unknown, { secondGroups = [] }: PreflightFacts): string[] {
  return secondGroups.map(({ section, names }) => {
    const text = `the cluster has ${names.length} node groups of this kind: ${names.join(", ")}`;
    return secondText(section, text, "it, and its nodes cost money.");
  });
}

/** One of several is left over, and only the state says which. */
function secondText(name: string, several: string, cost: string): string {
  return (
    `${name}: ${several}. Unless this update deletes one, an interrupted update has left ${cost} Run npx eks-gpu-lab ` +
    "leftovers: it names the one that is not in the state, and the commands that adopt or remove it."
  );
}

/** A warning for each object that the state does not know, or may not know. */
export function leftoverWarnings(
  _: unknown,
  { leftovers = [], secondObjects = [], region = "" }: PreflightFacts,
): string[] {
  return [
    ...secondObjects.map((one) => secondObjectsWarning(one, region)),
    ...leftovers.map(({ kind, id, logicalName, usdPerDay, command }) => {
      const of = logicalName === undefined ? "" : ` of ${logicalName}`;
      return `${kind} ${id}${of}: it is not in the state of the stack. ${costText(usdPerDay)} If no update runs:\n${command}`;
    }),
  ];
}

const hoursPerDay = 24;

function secondObjectsWarning({ kind, name, ids }: SecondObjects, region: string): string {
  const hourly = kind === "launch template" ? 0 : price(region, "public-ipv4")?.usd;
  const usd = hourly === undefined ? undefined : hourly * hoursPerDay;
  return secondText(name, `the stack has ${ids.length} of this ${kind}: ${ids.join(", ")}`, `it. ${costText(usd)}`);
}

function costText(usdPerDay: number | undefined): string {
  if (usdPerDay === undefined) return "Its cost is not known.";
  return usdPerDay === 0 ? "It costs nothing." : `It costs ${usdPerDay.toFixed(2)} USD per day.`;
}
