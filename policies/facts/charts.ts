import type { Truth } from "../../components/core/reader/truth";
import type { Resource } from "../engine/resource";

export const release = "kubernetes:helm.sh/v3:Release";
export const chartV3 = "kubernetes:helm.sh/v3:Chart";
export const chartV4 = "kubernetes:helm.sh/v4:Chart";

/** Whatever installs a Helm chart. */
export const installers: readonly string[] = [release, chartV3, chartV4];

/** Whether one of them installs the chart of a name. A v4 Chart, which the engine shows without inputs, is not seen. */
export function installsChart(installer: Resource, name: string): Truth {
  return installer.text("chart").is((reference) => chartReference(reference).name === name);
}

/** What a Helm chart reference says by itself. */
export interface ChartReference {
  /** Name of the chart. */
  readonly name: string;
  /** The version in the reference, if there is one. */
  readonly version?: string;
  /** A folder or a digest: what it holds cannot move by itself, but the reference does not tell its version. */
  readonly fixed: boolean;
}

/**
 * Takes a chart reference apart: `nvidia/gpu-operator`, `oci://registry.example/charts/gpu-operator:v26.3.1`,
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
  const fixed = !archive && (/^(?:[.~/\\]|[a-z]:|file:)/i.test(reference) || tagged?.[3] !== undefined);
  return { name, fixed, ...(version !== undefined && { version }) };
}
