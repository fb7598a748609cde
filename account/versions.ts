import * as semver from "semver";
import { allPages } from "../sessions/clients";
import { isMissing, type Clients } from "./clients";

/** The value of a public SSM parameter; undefined if there is none of that name. */
export async function readParameter(clients: Clients, name: string): Promise<string | undefined> {
  try {
    const { Parameter: parameter } = await clients.ask("ssm", "ssm:GetParameter", (ssm) =>
      ssm.getParameter({ Name: name }),
    );
    return parameter?.Value;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The versions of an add-on that support a Kubernetes version. */
export interface AddonOffer {
  /** The newest first; empty if EKS has no such add-on for it. */
  readonly versions: readonly string[];
  /** The version that EKS installs unless another is stated. */
  readonly standard?: string;
}

/** What EKS offers of an add-on. */
export async function readAddon(clients: Clients, addonName: string, kubernetesVersion: string): Promise<AddonOffer> {
  const offered = await allPages(async (nextToken) => {
    const page = await clients.ask("eks", "eks:DescribeAddonVersions", (eks) =>
      eks.describeAddonVersions({ addonName, kubernetesVersion, ...(nextToken !== undefined && { nextToken }) }),
    );
    return { items: page.addons?.flatMap(({ addonVersions = [] }) => addonVersions), next: page.nextToken };
  });
  const versions: string[] = [];
  let standard: string | undefined;
  for (const { addonVersion, compatibilities = [] } of offered) {
    const fit = compatibilities.find(({ clusterVersion }) => clusterVersion === kubernetesVersion);
    if (addonVersion === undefined || !fit) continue;
    versions.push(addonVersion);
    if (fit.defaultVersion === true) standard = addonVersion;
  }
  return { versions: newestFirst(versions), ...(standard !== undefined && { standard }) };
}

/** Sorts versions such as `v1.20.4-eksbuild.3`. */
export function newestFirst(versions: readonly string[]): string[] {
  const build = (version: string) => semver.parse(version) ?? new semver.SemVer("0.0.0");
  return [...versions].sort((a, b) => semver.rcompare(build(a), build(b)));
}
