import type { Problem } from "../core/problems";
import { gpuNodeChanges } from "./node-changes";
import type { CapacityRequest, PreflightFacts, WantedImage } from "./preflight-facts";

/** AMI releases that AWS does not publish: EKS rejects a new node group with one. A group that has it keeps it. */
export function imageProblems(request: CapacityRequest, facts: PreflightFacts): Problem[] {
  return missingImages(request, facts, false);
}

/** A group that keeps such a release cannot be created again. */
export function imageWarnings(request: CapacityRequest, facts: PreflightFacts): string[] {
  return missingImages(request, facts, true).map(
    ({ path, got, why, fix }) =>
      `${path}: the running node group keeps ${String(got)}, but a new node group could not start with it. ${why} To change it, ${fix}`,
  );
}

/** Whether a running node group has this release, and the update does not create another group. */
function isKept(
  { path, release }: WantedImage,
  { change, systemInstanceType }: CapacityRequest,
  facts: PreflightFacts,
) {
  const { running, zones } = facts;
  const { gpuNodes, systemNodes } = running ?? {};
  if (!change || !running || running.clusterName !== change.settings.clusterName) return false;
  if (path.startsWith("systemNodes")) {
    return systemNodes?.releaseVersion === release && systemNodes.instanceType === systemInstanceType;
  }
  const isReplaced = gpuNodeChanges(change, running, zones).some(({ effect }) => effect === "replaces");
  return gpuNodes?.releaseVersion === release && !isReplaced;
}

/** The releases that are not published, of the groups that keep theirs, or of the others. */
function missingImages(request: CapacityRequest, facts: PreflightFacts, kept: boolean): Problem[] {
  const meant = (request.images ?? []).filter((image) => isKept(image, request, facts) === kept);
  return meant.flatMap(({ path, release, name, newest }): Problem[] => {
    const published = facts.images?.[name];
    const actual = published?.release;
    if (!published || (published.exists && (actual ?? release) === release)) return [];
    const problem = { code: "version", path, got: release } as const;
    if (actual !== undefined) {
      const why = "AWS publishes no such release; the release of that date has another Kubernetes patch version.";
      return [{ ...problem, why, fix: `set ${path} to "${actual}"` }];
    }
    const why = "AWS publishes no such release of the EKS optimized AMI in this region.";
    const fix = `set ${path} to the output of aws ssm get-parameter --name ${newest} --query Parameter.Value --output text`;
    return [{ ...problem, why, fix: facts.region === undefined ? fix : `${fix} --region ${facts.region}` }];
  });
}

/** Most versions that a message names. */
const mostVersions = 3;

/** Add-ons, or versions of them, that EKS does not offer for the Kubernetes version. */
export function addonProblems({ addons = [], kubernetesVersion }: CapacityRequest, facts: PreflightFacts): Problem[] {
  return addons.flatMap(({ name, version }): Problem[] => {
    const offered = facts.addonVersions?.[name];
    if (!offered || (version === undefined ? offered.length > 0 : offered.includes(version))) return [];
    const path = `addons.${name}`;
    if (offered.length === 0) {
      const why = `EKS offers no version of this add-on for Kubernetes ${kubernetesVersion} in this region.`;
      return [{ code: "version", path, got: version, why, fix: "use another Kubernetes version or region" }];
    }
    const newest = offered.slice(0, mostVersions).join(" or ");
    const why = `EKS offers no such version for Kubernetes ${kubernetesVersion}.`;
    return [{ code: "version", path, got: version, why, fix: `set ${path} to ${newest}` }];
  });
}
