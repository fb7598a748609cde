import { join } from "../core/checks";
import type { Problem } from "../core/problems";
import { defaultZoneCount } from "../network/vpc/zones";
import { scaleCommand } from "../nodes/scaling";
import type { CapacityRequest, PreflightFacts, RunningGroup, ScaledGroup } from "./preflight-facts";

/** The zones an environment will use; undefined when it neither names them nor the region's are known. */
export function zonesFor(request: CapacityRequest, facts: PreflightFacts): readonly string[] | undefined {
  return request.zones ?? facts.zones?.slice(0, defaultZoneCount);
}

/** What region and account cannot give, though the input is sound in itself. Pure; `at` prefixes the keys. */
export function preflightProblems(request: CapacityRequest, facts: PreflightFacts, at = ""): Problem[] {
  return [
    ...zoneProblems(request, facts, at),
    ...offeringProblems(request, facts, at),
    ...quotaProblems(request, facts, at),
    ...creatorProblems(request, facts, at),
    ...existingProblems(request, facts, at),
  ];
}

function zoneProblems(request: CapacityRequest, { zones }: PreflightFacts, at: string): Problem[] {
  if (!zones || !request.zones) return [];
  return request.zones.flatMap((zone, index): Problem[] =>
    zones.includes(zone)
      ? []
      : [
          {
            code: "not-offered",
            path: join(at, `network.zones[${index}]`),
            got: zone,
            why: "The region has no such zone for this account.",
            fix: `choose among ${zones.join(", ")}`,
          },
        ],
  );
}

function offeringProblems(request: CapacityRequest, facts: PreflightFacts, at: string): Problem[] {
  const zones = zonesFor(request, facts);
  const zone = zones?.[request.azIndex];
  const offered = facts.offerings?.[request.instanceType];
  const problems: Problem[] = [];
  if (zones && zone && offered && !offered.includes(zone)) {
    const elsewhere = zones.flatMap((name, index) => (offered.includes(name) ? [`${index} (${name})`] : []));
    problems.push({
      code: "not-offered",
      path: join(at, "gpuNodes.instanceType"),
      got: request.instanceType,
      why: offered.length === 0 ? "The region does not offer it." : `${zone} does not offer it.`,
      fix:
        elsewhere.length > 0
          ? `set gpuNodes.azIndex to ${elsewhere.join(" or ")}, or choose another GPU type`
          : offered.length > 0
            ? `put ${offered.join(" or ")} into network.zones, or choose another GPU type`
            : "choose another GPU type or region",
    });
  }
  const systemOffered = facts.offerings?.[request.systemInstanceType];
  const without = systemOffered && zones?.filter((name) => !systemOffered.includes(name));
  if (without && without.length > 0) {
    problems.push({
      code: "not-offered",
      path: join(at, "systemNodes.instanceType"),
      got: request.systemInstanceType,
      why: `${without.join(", ")} does not offer it, and the system nodes spread over every zone.`,
      fix: "choose another type, or other zones in network.zones",
    });
  }
  return problems;
}

function quotaProblems(request: CapacityRequest, { quotaVcpus }: PreflightFacts, at: string): Problem[] {
  const needed = request.maxSize * request.vcpusPerNode;
  if (request.quotaCode === undefined || quotaVcpus === undefined || needed <= quotaVcpus) return [];
  const affordable = Math.floor(quotaVcpus / request.vcpusPerNode);
  const increase = `ask for ${needed} vCPU: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code ${request.quotaCode} --desired-value ${needed}`;
  return [
    {
      code: "not-offered",
      path: join(at, "gpuNodes.maxSize"),
      got: request.maxSize,
      why: `${request.maxSize} x ${request.instanceType} take ${needed} vCPU, and the account's quota ${request.quotaCode} is ${quotaVcpus}.`,
      fix: affordable >= 1 ? `set gpuNodes.maxSize to ${affordable}, or ${increase}` : increase,
    },
  ];
}

/** EKS makes whoever creates a cluster its admin, and refuses a second access entry for the same principal. */
function creatorProblems(request: CapacityRequest, { callerArn, clusterNames }: PreflightFacts, at: string): Problem[] {
  const index = callerArn === undefined ? -1 : request.admins.indexOf(callerArn);
  if (index < 0 || !clusterNames || clusterNames.includes(request.clusterName)) return [];
  return [
    {
      code: "conflict",
      path: join(at, `admins[${index}]`),
      got: callerArn,
      why: "This identity creates the cluster, which makes it an admin already; EKS refuses a second entry.",
      fix: "leave it out",
    },
  ];
}

/** What is there already and stands in the way. Pure; `at` prefixes the keys. */
export function existingProblems(request: CapacityRequest, facts: PreflightFacts, at: string): Problem[] {
  return [
    ...logGroupProblems(request, facts, at),
    ...keyRegionProblems(request, facts, at),
    ...scaled(request, facts).flatMap(([wanted, running]) => sizeProblems(request, facts, wanted, running, at)),
  ];
}

/** Changes that are sound, and of which whoever runs the update should know. */
export function preflightWarnings(request: CapacityRequest, facts: PreflightFacts): string[] {
  return scaled(request, facts).flatMap(([{ section, minSize, maxSize }, { name, ...now }]) =>
    (now.minSize === minSize && now.maxSize === maxSize) || now.desiredSize < minSize || now.desiredSize > maxSize
      ? []
      : [
          `${section}: ${name} has minSize ${now.minSize} and maxSize ${now.maxSize}, the configuration ${minSize} and ${maxSize}. ` +
            `An update of them sends the desired size too, as Pulumi last saw it, and ${now.desiredSize} is the present one: ` +
            "run pulumi up --refresh, which reads it first.",
        ],
  );
}

/** EKS writes the last logs of a cluster after `pulumi destroy` deleted their group, and so brings it back. */
function logGroupProblems({ logGroupName }: CapacityRequest, facts: PreflightFacts, at: string): Problem[] {
  if (logGroupName === undefined || facts.strayLogGroup !== true) return [];
  const region = facts.region === undefined ? "" : ` --region ${facts.region}`;
  return [
    {
      code: "conflict",
      path: join(at, "controlPlaneLogs"),
      got: logGroupName,
      why: "This log group is there without a cluster: EKS wrote late logs of an earlier one. It cannot be made a second time.",
      fix: `delete it with its logs: aws logs delete-log-group${region} --log-group-name ${logGroupName}`,
    },
  ];
}

function keyRegionProblems({ secretsKeyArn }: CapacityRequest, { region }: PreflightFacts, at: string): Problem[] {
  const keyRegion = secretsKeyArn?.split(":")[3];
  if (keyRegion === undefined || region === undefined || keyRegion === region) return [];
  return [
    {
      code: "conflict",
      path: join(at, "secretsKey"),
      got: secretsKeyArn,
      why: `The key is in ${keyRegion}, and EKS takes none but of the cluster's region, ${region}.`,
      fix: `give the ARN of a key in ${region}, or "own"`,
    },
  ];
}

function scaled({ scaledGroups = [] }: CapacityRequest, { runningGroups }: PreflightFacts) {
  return scaledGroups.flatMap((wanted): [ScaledGroup, RunningGroup][] => {
    const running = runningGroups?.[wanted.section];
    return running ? [[wanted, running]] : [];
  });
}

/** New limits must hold the nodes that run: Pulumi would end a session to keep them, or EKS refuse. */
function sizeProblems(
  { clusterName }: CapacityRequest,
  { region }: PreflightFacts,
  wanted: ScaledGroup,
  running: RunningGroup,
  at: string,
): Problem[] {
  const { desiredSize } = running;
  const key = desiredSize > wanted.maxSize ? "maxSize" : desiredSize < wanted.minSize ? "minSize" : undefined;
  if (key === undefined || region === undefined) return [];
  const path = join(at, `${wanted.section}.${key}`);
  const command = scaleCommand({
    cluster: clusterName,
    group: running.name,
    region,
    min: Math.min(running.minSize, wanted[key]),
    max: Math.max(running.maxSize, wanted[key]),
    desired: wanted[key],
  });
  const why =
    key === "maxSize"
      ? "To hold this maximum the update would end nodes that somebody started."
      : "EKS refuses a minimum above the desired size, which Pulumi leaves as it is.";
  return [
    {
      code: "conflict",
      path,
      got: wanted[key],
      why: `The desired size of ${running.name} is ${desiredSize}. ${why}`,
      fix: `set ${path} to ${desiredSize} or ${key === "maxSize" ? "more" : "less"}, or first run ${command} and then pulumi up --refresh`,
    },
  ];
}
