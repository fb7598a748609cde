import { join } from "../core/checks";
import type { Problem } from "../core/problems";
import { defaultZoneCount } from "../network/vpc/zones";
import { existingProblems } from "./preflight-existing";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";

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
