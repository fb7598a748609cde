import type { Truth } from "../../components/core/reader/truth";
import type { Resource } from "../engine/resource";

export const release = "kubernetes:helm.sh/v3:Release";
export const chartV3 = "kubernetes:helm.sh/v3:Chart";
export const chartV4 = "kubernetes:helm.sh/v4:Chart";

/** The types that install a Helm chart. */
export const installers: readonly string[] = [release, chartV3, chartV4];

/** Whether an installer installs a chart. Not known for a v4 Chart, which the engine passes without inputs. */
export function installsChart(installer: Resource, name: string): Truth {
  return installer.text("chart").is((reference) => chartReference(reference).name === name);
}

/** The parts of a Helm chart reference. */
export interface ChartReference {
  /** Name of the chart. */
  readonly name: string;
  /** The version in the reference, if there is one. */
  readonly version?: string;
  /** A local file or folder, or a digest: its content is fixed, also if the reference does not contain the version. */
  readonly fixed: boolean;
}

/**
 * Parses a chart reference: `nvidia/gpu-operator`, `oci://registry.example/charts/gpu-operator:v26.3.1`,
 * `https://charts.example/gpu-operator-v26.3.1.tgz`, a file or a folder.
 * @see https://helm.sh/docs/helm/helm_install/ "six different ways you can express the chart"
 */
export function chartReference(reference: string): ChartReference {
  const [path = ""] = reference.split(/[?#]/);
  const last =
    path
      .replace(/[/\\]+$/, "")
      .slice(-200)
      .split(/[/\\]/)
      .at(-1)
      ?.toLowerCase() ?? "";
  const archive = /^(.+?)(?:-(v?\d.*))?\.(?:tgz|tar\.gz)$/.exec(last);
  const tagged = /^([^:@]+)(?::([^@]+))?(@.+)?$/.exec(last);
  const [, name = last, version] = archive ?? tagged ?? [];
  const isLocal = /^(?:[.~/\\]|[a-z]:|file:)/i.test(reference) || (archive !== null && !reference.includes("://"));
  const fixed = isLocal || (!archive && tagged?.[3] !== undefined);
  return { name, fixed, ...(version !== undefined && { version }) };
}
