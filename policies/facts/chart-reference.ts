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
  const hasDigest = !archive && tagged?.[3] !== undefined;
  const fixed = hasDigest || isLocalPath(reference, archive !== null);
  return { name, fixed, ...(version !== undefined && { version }) };
}

function isLocalPath(reference: string, isArchive: boolean): boolean {
  return /^(?:[.~/\\]|[a-z]:|file:)/i.test(reference) || (isArchive && !reference.includes("://"));
}
