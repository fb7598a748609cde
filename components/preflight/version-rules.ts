import type { Problem } from "../core/problems";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";

/** AMI releases that AWS does not publish: EKS rejects a node group with one. */
export function imageProblems({ images = [] }: CapacityRequest, facts: PreflightFacts): Problem[] {
  return images.flatMap(({ path, release, name, newest }): Problem[] => {
    const published = facts.images?.[name];
    const actual = published?.release;
    if (!published || (published.exists && (actual ?? release) === release)) return [];
    const problem = { code: "version", path, got: release } as const;
    if (actual !== undefined) {
      const why = "AWS publishes no such release; the one of that date has another Kubernetes patch version.";
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
