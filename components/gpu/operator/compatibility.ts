import * as semver from "semver";
import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";
import { gpuOperatorChart } from "../../core/versions";

/** Charts of the GPU Operator from one version up to the next row, and the Kubernetes versions that accept them. */
interface ChartRange {
  /** First version of the row; its year and month name the series. */
  readonly from: string;
  /** Newest version of the row that this library was checked with. */
  readonly newest: string;
  /** First and last minor of Kubernetes 1. */
  readonly minors: readonly [number, number];
}

/**
 * NVIDIA's support matrix, column Amazon EKS, by release. NVIDIA lists Ubuntu nodes only; on AL2023 the operator runs
 * with driver and toolkit off, as AWS documents.
 *
 * - 25.10.0, 2025-10-27. NVIDIA's page names 1.35 for v25.10.1 since 2026-01-21. The row leaves it out: NVIDIA has not
 *   supported the series since 26.7.0, and its chart cannot share the node monitor's DCGM engine.
 * - 26.3.0, 2026-03-19, and 26.3.1, 2026-04-17. 26.3.0 to 26.3.2 mount every ibverbs device of a node into GPU pods. On
 *   nodes with EFA or InfiniBand devices pin v26.3.3; a g5.xlarge has neither.
 * - 26.3.2, 2026-05-28, adds 1.36.
 * - 26.7.0, 2026-08-20; 1.37 added on 2026-09-04.
 *
 * @see https://github.com/NVIDIA/cloud-native-docs/blob/release-25.10/gpu-operator/platform-support.rst
 * @see https://github.com/NVIDIA/cloud-native-docs/blob/adfe9224/gpu-operator/platform-support.rst
 * @see https://github.com/NVIDIA/cloud-native-docs/blob/main/gpu-operator/release-notes.rst
 * @see https://github.com/NVIDIA/cloud-native-docs/pull/488
 */
export const chartRanges: readonly ChartRange[] = [
  { from: "25.10.0", newest: "v25.10.1", minors: [30, 34] },
  { from: "26.3.0", newest: "v26.3.1", minors: [32, 35] },
  { from: "26.3.2", newest: "v26.3.3", minors: [32, 36] },
  { from: "26.7.0", newest: "v26.7.0", minors: [33, 37] },
];

/** The series, the newest first. NVIDIA supports the first, maintains the second, and has ended the support of others. */
const series = [...new Set(chartRanges.map(({ from }) => seriesOf(from)))].reverse();

/** The pinned chart, and the newest charts of each row that NVIDIA still supports. */
export const recommendedCharts: readonly string[] = [
  ...new Set([
    gpuOperatorChart.version,
    ...chartRanges.filter(({ from }) => series.indexOf(seriesOf(from)) < 2).map(({ newest }) => newest),
  ]),
];

/**
 * What NVIDIA says about an old series.
 * @see https://github.com/NVIDIA/cloud-native-docs/blob/main/gpu-operator/life-cycle-policy.rst
 */
export function seriesNotice(chartVersion: string): string | undefined {
  const age = series.indexOf(seriesOf(chartVersion));
  if (age < 1) return undefined;
  const status = age === 1 ? "deprecated: it gets fixes only until the next series" : "no longer supported";
  return `NVIDIA calls the ${seriesOf(chartVersion)} series ${status}. ${chartRanges.at(-1)?.newest} is newer.`;
}

/**
 * The spelling of NVIDIA's repository, where every version has a leading v: `26.3.1` and `v26.3.1` install the same.
 */
export function chartTag(exact: string): string {
  return exact.startsWith("v") ? exact : `v${exact}`;
}

/** Whether one exact chart version came before another. A release candidate counts as its release. */
export function isOlder(version: string, than: string): boolean {
  return semver.lt(release(version), release(than));
}

/** One exact version of the chart. */
export function exactVersion() {
  const fix = `set {path} to one exact version, such as "${gpuOperatorChart.version}"`;
  return v.pipe(
    s.text(`${fix}, in quotes`),
    s.check((got: string, path) => {
      const why = whyNotExact(got);
      return why === undefined ? [] : [{ code: "version", path, got, why, fix: fix.replace("{path}", path) }];
    }),
  );
}

const exactForm = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

function whyNotExact(text: string): string | undefined {
  if (exactForm.test(text) && semver.valid(text) !== null) return undefined;
  if (text.trim() === "") return "Must be an exact version: without one, Helm installs the newest chart.";
  if (/^(latest|newest|stable|main|master|devel)$/i.test(text)) {
    return "Must be an exact version: this name selects a different chart after each release.";
  }
  if (/^v?\d+(\.\d+)?$/.test(text)) {
    return "Must be an exact version: Helm completes a partial version with the newest matching chart.";
  }
  if (/^v?(\d+\.){0,2}[xX*](\.[xX*])*$/.test(text)) {
    return "Must be an exact version: Helm installs the newest chart that matches a wildcard.";
  }
  if (/[<>=^~|,]|\s-\s/.test(text)) return "Must be an exact version: Helm installs the newest chart in a range.";
  return `Must be a version such as ${gpuOperatorChart.version}.`;
}

/**
 * Problems of a chart on a version of Kubernetes such as `1.35`. A series that is not in the table is rejected too: its
 * requirements and its values were not checked. Both versions must be well-formed.
 */
export function kubernetesFit(chartVersion: string, kubernetesVersion: string, path = "chartVersion"): Problem[] {
  const minor = Number(kubernetesVersion.split(".")[1]);
  const range = rangeOf(chartVersion);
  if (range && includes(range, minor)) return [];
  const why = range ? misfit(chartVersion, range, kubernetesVersion) : unknownSeries(chartVersion);
  return [{ code: "version", path, got: chartVersion, why, fix: chartFor(minor, path) }];
}

function rangeOf(chartVersion: string): ChartRange | undefined {
  const wanted = release(chartVersion);
  return chartRanges.findLast(({ from }) => seriesOf(from) === seriesOf(wanted) && semver.lte(from, wanted));
}

/** Without leading v and pre-release: a release candidate fits what its release fits. */
function release(version: string): string {
  return version.replace(/^v/, "").replace(/-.*$/, "");
}

/** `26.3` for `v26.3.1`. */
export function seriesOf(version: string): string {
  return release(version).split(".").slice(0, 2).join(".");
}

function includes({ minors: [first, last] }: ChartRange, minor: number): boolean {
  return first <= minor && minor <= last;
}

function misfit(chartVersion: string, { minors: [first, last] }: ChartRange, kubernetesVersion: string): string {
  return `Chart ${chartVersion} supports Kubernetes 1.${first} to 1.${last}, and the cluster runs ${kubernetesVersion}.`;
}

function unknownSeries(chartVersion: string): string {
  const series = seriesOf(chartVersion);
  const oldest = chartRanges[0]?.from ?? "";
  return isOlder(chartVersion, oldest)
    ? `NVIDIA no longer supports the ${series} series, which is older than v${oldest}.`
    : `This library has not been checked with the ${series} series, neither its Kubernetes versions nor its values.`;
}

function chartFor(minor: number, path: string): string {
  const pinned = rangeOf(gpuOperatorChart.version);
  const isPinnedFit = pinned !== undefined && includes(pinned, minor);
  const best = isPinnedFit ? gpuOperatorChart.version : chartRanges.find((range) => includes(range, minor))?.newest;
  if (best !== undefined) return `set ${path} to "${best}"`;
  const all = chartRanges.flatMap(({ minors }) => [...minors]);
  return `use a Kubernetes version from 1.${Math.min(...all)} to 1.${Math.max(...all)}, or install the chart yourself`;
}
