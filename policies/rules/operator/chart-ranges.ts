/** Year, month and patch of a chart's version. */
type Chart = readonly [year: number, month: number, patch: number];

/** Charts from one version on, within its series, and the Kubernetes minors they are accepted for. */
export interface ChartRow {
  readonly from: Chart;
  /** First and last minor of Kubernetes 1. */
  readonly first: number;
  readonly last: number;
}

/** The row that a text such as `26.3.0: 1.32 - 1.35` describes, if it does. */
export function chartRow(text: string): ChartRow | undefined {
  const [, from = "", first, last] = /^\s*(\S{1,60})\s*:\s*1\.(\d{1,3})\s*-\s*1\.(\d{1,3})\s*$/.exec(text) ?? [];
  const chart = chartOf(from);
  return chart && { from: chart, first: Number(first), last: Number(last) };
}

/** The row of a chart's version: `none` if no row names its series, undefined for what is no exact version. */
export function rowFor(version: string, rows: readonly ChartRow[]): ChartRow | "none" | undefined {
  const chart = chartOf(version);
  if (!chart) return undefined;
  const [year, month, patch] = chart;
  const series = rows.filter(({ from }) => from[0] === year && from[1] === month && from[2] <= patch);
  return series.sort((a, b) => a.from[2] - b.from[2]).at(-1) ?? "none";
}

/** The numbers of an exact version; a release candidate counts as its release. */
function chartOf(version: string): Chart | undefined {
  const [, year, month, patch] = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+].*)?$/.exec(version) ?? [];
  return patch === undefined ? undefined : [Number(year), Number(month), Number(patch)];
}

/** `1.35` and `v1.35.2` are 35. */
export function minorOf(version: string): number | undefined {
  const minor = /^v?1\.(\d{1,3})(?:\.|$)/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}
