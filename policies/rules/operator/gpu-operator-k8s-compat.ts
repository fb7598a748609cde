import { minorOf } from "../../../components/cluster/kubernetes-versions";
import { all, compare, type Reading } from "../../engine/values";
import { gpuOperatorChart } from "../../../components/core/versions";
import { chartRanges, chartTag } from "../../../components/gpu/operator/compatibility";
import { failAt, on, texts, type Check, type Stack } from "../../engine/rule";
import { clusterTypes, ownCluster } from "../../facts/clusters";
import { clusterRule } from "../../facts/each-cluster";
import { operatorTypes, OperatorValues } from "../../facts/gpu-operator";
import { managedNodeGroup, nodeGroup } from "../../facts/node-sources";

const groupTypes = [nodeGroup, managedNodeGroup];

/**
 * A chart series that the library does not know also fails. Without a cluster in the stack, the rule uses the version
 * of the node groups.
 * @see https://github.com/NVIDIA/cloud-native-docs/blob/main/gpu-operator/platform-support.rst
 */
export const gpuOperatorK8sCompat = clusterRule({
  id: "gpu-operator-k8s-compat",
  title: "NVIDIA supports the GPU Operator chart on the Kubernetes version of the cluster.",
  severity: "high",
  incident:
    "a cluster was upgraded to a Kubernetes minor version that NVIDIA did not support for the installed operator",
  types: [...operatorTypes, ...clusterTypes, ...groupTypes],
  parameters: {
    ranges: texts(
      chartRanges.map(({ from, minors: [first, last] }) => `${from}: 1.${first} - 1.${last}`),
      "The first chart version of a row, and the Kubernetes minor versions that NVIDIA supports for it and for later versions of its series.",
      {
        pattern: "^\\s*v?\\d+\\.\\d+\\.\\d+\\s*:\\s*1\\.\\d+\\s*-\\s*1\\.\\d+\\s*$",
        of: "rows such as 26.3.0: 1.32 - 1.35",
      },
    ),
  },
  *judge(stack, { ranges }) {
    const rows = ranges.flatMap((text) => chartRow(text) ?? []);
    const versions = kubernetesVersions(stack);
    const operators = OperatorValues.in(stack);
    for (const operator of operators) {
      if (operator.isOperator === false || isInParent(operator, operators)) continue;
      const checks = versions.map((kubernetes) => fit(operator, kubernetes, rows));
      yield* on(operator.resource, checks);
    }
  },
});

/** The distinct versions of the clusters, or else of the node groups. */
function kubernetesVersions(stack: Stack): Reading<string>[] {
  const stated = [clusterTypes, groupTypes].map((types) =>
    stack
      .ofType(...types)
      .map((one) => one.version(one.type === ownCluster ? "kubernetesVersion" : "version"))
      .filter(({ isAbsent }) => isAbsent !== true),
  );
  const versions = stated.find(({ length }) => length > 0) ?? [];
  return [...new Map(versions.map((version) => [version.value ?? version.shown, version])).values()];
}

/** Whether a parent component or chart has the same version, so that it is reported there. */
function isInParent({ resource, version }: OperatorValues, operators: readonly OperatorValues[]): boolean {
  const makers = operatorTypes.filter((type) => resource.isInside(type));
  const around = operators.filter((one) => makers.includes(one.resource.type));
  const isSame = (one: string, other: string) => chartTag(one) === chartTag(other);
  return around.some((one) => compare(one.version, version, isSame) === true);
}

function fit({ isOperator, version }: OperatorValues, kubernetes: Reading<string>, rows: readonly ChartRow[]): Check {
  const ofVersion = (text: string) => rowFor(text, rows);
  const row = version.map(ofVersion, () => "");
  const minor = kubernetes.map((text) => minorOf(text) || undefined, String);
  const isMisfit = compare(row, minor, (found, value) => found === "none" || !accepts(found, value));
  return failAt(version, all(isOperator, isMisfit), {
    why: whyMisfit(row.value, minor.value),
    fix: fixFor(rows, minor.value),
  });
}

function accepts({ first, last }: ChartRow, minor: number | undefined): boolean {
  return minor !== undefined && first <= minor && minor <= last;
}

function whyMisfit(row: ChartRow | "none" | undefined, minor: number | undefined): string {
  if (row === undefined || row === "none") {
    return `The Kubernetes versions that this chart series supports are not known. The cluster runs 1.${minor}.`;
  }
  const { from, first, last } = row;
  return `NVIDIA supports charts from v${from.join(".")} on Kubernetes 1.${first} to 1.${last}. The cluster runs 1.${minor}.`;
}

function fixFor(rows: readonly ChartRow[], minor: number | undefined): string {
  const pinned = rowFor(gpuOperatorChart.version, rows);
  const isPinnedFit = pinned !== undefined && pinned !== "none" && accepts(pinned, minor);
  const chart = isPinnedFit ? gpuOperatorChart.version : rows.filter((row) => accepts(row, minor)).map(newestOf)[0];
  const other = chart === undefined ? "change the Kubernetes version" : `install ${chart}`;
  return `${other}, or check NVIDIA's support matrix and add a row to "ranges" in the policy configuration`;
}

/** The newest chart of a row if the library knows it, because later versions of a series fix bugs. */
function newestOf({ from }: ChartRow): string {
  const first = from.join(".");
  const known = chartRanges.find((range) => range.from === first);
  return known ? known.newest : `v${first} or a later chart of its series`;
}

/** Year, month and patch of a chart's version. */
type Chart = readonly [year: number, month: number, patch: number];

/** The charts of a series from one version on, and the Kubernetes minor versions that they support. */
export interface ChartRow {
  readonly from: Chart;
  /** First and last minor version of Kubernetes 1. */
  readonly first: number;
  readonly last: number;
}

/** Parses a row such as `26.3.0: 1.32 - 1.35`. */
export function chartRow(text: string): ChartRow | undefined {
  const [, from = "", first, last] = /^\s*(\S{1,60})\s*:\s*1\.(\d{1,3})\s*-\s*1\.(\d{1,3})\s*$/.exec(text) ?? [];
  const chart = chartOf(from);
  return chart && { from: chart, first: Number(first), last: Number(last) };
}

/** The row of a chart version: `none` if its series has no row, undefined if the version is not exact. */
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
