import { join } from "../core/checks";
import type { Problem } from "../core/problems";
import { scaleCommand } from "../nodes/scaling";
import type { CapacityRequest, PreflightFacts, RunningGroup, ScaledGroup } from "./preflight-facts";

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
