import { CORE_SCHEMA, loadAll } from "js-yaml";
import * as semver from "semver";
import { isRecord, optionalProperty } from "../../components/core/reader/records";
import type { Aws } from "../clients";
import { isMissing } from "../aws-error";

/** The value of a public SSM parameter; undefined if there is none of that name. */
export async function readParameter(clients: Aws, name: string): Promise<string | undefined> {
  try {
    const { Parameter: parameter } = await clients.ask("ssm:GetParameter", { Name: name });
    return parameter?.Value;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * What EKS offers of an add-on for a Kubernetes version: the versions, the newest first, or none; and `standard`, which EKS
 * installs unless another is stated.
 */
export async function readAddon(clients: Aws, addonName: string, kubernetesVersion: string) {
  const addons = await clients.list("eks:DescribeAddonVersions", "addons", { addonName, kubernetesVersion });
  const offered = addons.flatMap(({ addonVersions = [] }) => addonVersions);
  const fitting = offered.flatMap(({ addonVersion: version, compatibilities = [] }) => {
    const fit = compatibilities.find(({ clusterVersion }) => clusterVersion === kubernetesVersion);
    return version === undefined || !fit ? [] : [{ version, isDefault: fit.defaultVersion === true }];
  });
  const standard = fitting.findLast(({ isDefault }) => isDefault)?.version;
  return { versions: newestFirst(fitting.map(({ version }) => version)), ...optionalProperty("standard", standard) };
}

/** Sorts versions such as `v1.20.4-eksbuild.3`. */
function newestFirst(versions: readonly string[]): string[] {
  const build = (version: string) => semver.parse(version) ?? new semver.SemVer("0.0.0");
  return [...versions].sort((a, b) => semver.rcompare(build(a), build(b)));
}

/** The index of the community's charts has several megabytes. */
const timeoutMs = 30_000;

/** The released versions of a chart, the newest first; or why they are not known. */
type ChartReading = { readonly versions: readonly string[] } | { readonly why: string };

/** Reads the versions of a chart from the index of its repository. Releases only, no candidates. */
export async function readChart(repository: string, name: string): Promise<ChartReading> {
  if (!/^https?:/.test(repository)) return { why: `${repository} is not an HTTPS repository with an index.` };
  const url = `${repository.replace(/\/$/, "")}/index.yaml`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) return { why: `${url} answers with ${response.status}.` };
    const versions = versionsIn(loadAll(await response.text(), { schema: CORE_SCHEMA })[0], name);
    return versions.length > 0 ? { versions: newestFirst(versions) } : { why: `${url} has no chart ${name}.` };
  } catch (error) {
    const reason = (error as Error).name === "YAMLException" ? "is not an index of a chart repository" : unreachable;
    return { why: `${url} ${reason}.${reason === unreachable ? proxyHint() : ""}` };
  }
}

const unreachable = "cannot be reached";

/** Node.js has no proxy by default, and `fetch` of Node.js 20 has none at all. */
function proxyHint(): string {
  const { HTTPS_PROXY: proxy, https_proxy: other = proxy, NODE_USE_ENV_PROXY: isUsed } = process.env;
  if (other === undefined || isUsed === "1") return "";
  return " Node.js ignores HTTPS_PROXY: set NODE_USE_ENV_PROXY=1, with Node.js 24, or 22.21 or newer.";
}

function versionsIn(index: unknown, name: string): string[] {
  const entries = isRecord(index) && isRecord(index["entries"]) ? index["entries"][name] : undefined;
  const found = (Array.isArray(entries) ? (entries as unknown[]) : []).map((entry) =>
    isRecord(entry) ? entry["version"] : undefined,
  );
  const texts = found.filter((version) => typeof version === "string");
  return texts.filter((version) => semver.valid(version) !== null && semver.prerelease(version) === null);
}
