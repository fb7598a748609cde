import fc from "fast-check";
import * as semver from "semver";
import { describe, expect, test } from "vitest";
import { show } from "../../../../components/core/problems";
import { problemsIn } from "../../../../components/core/schema";
import { gpuOperatorChart, kubernetesVersion } from "../../../../components/core/versions";
import {
  chartRanges,
  chartTag,
  exactVersion,
  isOlder,
  kubernetesFit,
  recommendedCharts,
  seriesNotice,
} from "../../../../components/gpu/operator/compatibility";
import { wording } from "../../../support/wording";

const exactChartVersion = (got: unknown, path = "chartVersion") => problemsIn(exactVersion(), got, path);

describe("exactVersion", () => {
  test.each(["v26.3.1", "26.3.1", "v26.3.0-rc.1", "v25.10.0", "v26.7.0"])("takes %s", (text) => {
    expect(exactChartVersion(text)).toEqual([]);
  });

  const wrong = [
    ...["", "  ", "latest", "Latest", "stable", "v26", "26.3", "v26.x", "26.3.x", "v26.3.*", "*", "x"],
    ...[">=26", "~26.3.1", "^v26.3.1", "=26.3.1", "26.3.0 - 26.3.9", "26.3.1 || 26.3.3"],
    ...["v26.3.1 ", "v26.3.1+build", "V26.3.1", "v026.3.1", "v26.3.1.2", "newer"],
  ];
  test.each(wrong)("rejects %j", (got) => {
    expect(exactChartVersion(got)).toMatchObject([{ code: "version", path: "chartVersion", got }]);
  });

  test("each kind of wrong version has a text of its own", () => {
    const texts = [...wrong, undefined, 26.3].map((got) => `${show(got)} ${wording(exactChartVersion(got))}`);
    expect(texts.join("\n")).toMatchInlineSnapshot(`
      "an empty string ("") chartVersion: Must be an exact version: without one, Helm installs the newest chart. | set chartVersion to one exact version, such as "VERSION"
      "  " chartVersion: Must be an exact version: without one, Helm installs the newest chart. | set chartVersion to one exact version, such as "VERSION"
      "latest" chartVersion: Must be an exact version: this name selects a different chart after each release. | set chartVersion to one exact version, such as "VERSION"
      "Latest" chartVersion: Must be an exact version: this name selects a different chart after each release. | set chartVersion to one exact version, such as "VERSION"
      "stable" chartVersion: Must be an exact version: this name selects a different chart after each release. | set chartVersion to one exact version, such as "VERSION"
      "v26" chartVersion: Must be an exact version: Helm completes a partial version with the newest matching chart. | set chartVersion to one exact version, such as "VERSION"
      "26.3" chartVersion: Must be an exact version: Helm completes a partial version with the newest matching chart. | set chartVersion to one exact version, such as "VERSION"
      "v26.x" chartVersion: Must be an exact version: Helm installs the newest chart that matches a wildcard. | set chartVersion to one exact version, such as "VERSION"
      "26.3.x" chartVersion: Must be an exact version: Helm installs the newest chart that matches a wildcard. | set chartVersion to one exact version, such as "VERSION"
      "v26.3.*" chartVersion: Must be an exact version: Helm installs the newest chart that matches a wildcard. | set chartVersion to one exact version, such as "VERSION"
      "*" chartVersion: Must be an exact version: Helm installs the newest chart that matches a wildcard. | set chartVersion to one exact version, such as "VERSION"
      "x" chartVersion: Must be an exact version: Helm installs the newest chart that matches a wildcard. | set chartVersion to one exact version, such as "VERSION"
      ">=26" chartVersion: Must be an exact version: Helm installs the newest chart in a range. | set chartVersion to one exact version, such as "VERSION"
      "~26.3.1" chartVersion: Must be an exact version: Helm installs the newest chart in a range. | set chartVersion to one exact version, such as "VERSION"
      "^v26.3.1" chartVersion: Must be an exact version: Helm installs the newest chart in a range. | set chartVersion to one exact version, such as "VERSION"
      "=26.3.1" chartVersion: Must be an exact version: Helm installs the newest chart in a range. | set chartVersion to one exact version, such as "VERSION"
      "26.3.0 - 26.3.9" chartVersion: Must be an exact version: Helm installs the newest chart in a range. | set chartVersion to one exact version, such as "VERSION"
      "26.3.1 || 26.3.3" chartVersion: Must be an exact version: Helm installs the newest chart in a range. | set chartVersion to one exact version, such as "VERSION"
      "v26.3.1 " chartVersion: Must be a version such as VERSION. | set chartVersion to one exact version, such as "VERSION"
      "v26.3.1+build" chartVersion: Must be a version such as VERSION. | set chartVersion to one exact version, such as "VERSION"
      "V26.3.1" chartVersion: Must be a version such as VERSION. | set chartVersion to one exact version, such as "VERSION"
      "v026.3.1" chartVersion: Must be a version such as VERSION. | set chartVersion to one exact version, such as "VERSION"
      "v26.3.1.2" chartVersion: Must be a version such as VERSION. | set chartVersion to one exact version, such as "VERSION"
      "newer" chartVersion: Must be a version such as VERSION. | set chartVersion to one exact version, such as "VERSION"
      nothing chartVersion: Must be set. | set chartVersion to one exact version, such as "VERSION", in quotes
      26.3 chartVersion: Must be a string. | set chartVersion to one exact version, such as "VERSION", in quotes"
    `);
  });

  test("a missing version and a number have codes of their own", () => {
    const path = "gpuOperator.chartVersion";
    expect(exactChartVersion(undefined, path)).toMatchObject([{ code: "missing", path, got: undefined }]);
    expect(exactChartVersion(26.3)).toMatchObject([{ code: "wrong-type", path: "chartVersion", got: 26.3 }]);
  });

  test("whatever it takes names one version and no range", () => {
    const parts = fc.constantFrom("v", "26", "3", "1", ".", "-", "x", "*", ">=", "~", " ", "rc", "");
    const text = fc.array(parts, { maxLength: 9 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (given) => {
        if (exactChartVersion(given).length > 0) return;
        expect(semver.valid(chartTag(given))).not.toBeNull();
        expect(chartTag(given)).toMatch(/^v\d/);
      }),
    );
  });
});

test("the repository's spelling has a leading v", () => {
  expect([chartTag("26.3.1"), chartTag("v26.3.1")]).toEqual(["v26.3.1", "v26.3.1"]);
});

test.each([
  ["v25.10.1", "v26.3.0", true],
  ["26.3.0-rc.1", "v26.3.0", false],
  ["v26.3.0", "v26.3.0", false],
  ["v26.7.0", "v26.3.0", false],
])("%s is older than %s: %s", (version, than, older) => expect(isOlder(version, than)).toBe(older));

describe("kubernetesFit", () => {
  test("the pinned chart fits the pinned Kubernetes version", () => {
    expect(kubernetesFit(gpuOperatorChart.version, kubernetesVersion)).toEqual([]);
  });

  test.each([
    ["v25.10.0", "1.30"],
    ["v25.10.1", "1.34"],
    ["v26.3.0", "1.32"],
    ["26.3.1", "1.35"],
    ["v26.3.2", "1.36"],
    ["v26.3.3", "1.32"],
    ["v26.3.2-rc.1", "1.36"],
    ["v26.7.2", "1.37"],
  ])("chart %s goes with Kubernetes %s", (chart, kubernetes) => {
    expect(kubernetesFit(chart, kubernetes)).toEqual([]);
  });

  /** The chart that a fix proposes: the pinned one where it fits. */
  const proposed = (kubernetes: string, other: string) =>
    kubernetesFit(gpuOperatorChart.version, kubernetes).length === 0 ? gpuOperatorChart.version : other;

  const unfit: [chart: string, kubernetes: string, fix: string][] = [
    ["v25.10.1", "1.35", gpuOperatorChart.version],
    ["v26.3.1", "1.36", proposed("1.36", "v26.3.3")],
    ["v26.3.1", "1.31", proposed("1.31", "v25.10.1")],
    ["v26.7.0", "1.32", gpuOperatorChart.version],
    ["v26.3.3", "1.37", proposed("1.37", "v26.7.0")],
    ["v26.7.0", "1.38", "from 1.30 to 1.37"],
    ["v26.11.0", "1.35", gpuOperatorChart.version],
    ["v24.9.2", "1.35", gpuOperatorChart.version],
  ];
  test.each(unfit)("chart %s does not go with Kubernetes %s", (chart, kubernetes, fix) => {
    const [problem, ...others] = kubernetesFit(chart, kubernetes);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: "version", path: "chartVersion", got: chart });
    expect(problem?.fix).toContain(fix);
  });

  test("wording", () => {
    const problems = unfit.flatMap(([chart, kubernetes]) => kubernetesFit(chart, kubernetes));
    expect(wording(problems)).toMatchInlineSnapshot(`
      "chartVersion: Chart VERSION supports Kubernetes MINOR to MINOR, and the cluster runs MINOR. | set chartVersion to "VERSION"
      chartVersion: Chart VERSION supports Kubernetes MINOR to MINOR, and the cluster runs MINOR. | set chartVersion to "VERSION"
      chartVersion: Chart VERSION supports Kubernetes MINOR to MINOR, and the cluster runs MINOR. | set chartVersion to "VERSION"
      chartVersion: Chart VERSION supports Kubernetes MINOR to MINOR, and the cluster runs MINOR. | set chartVersion to "VERSION"
      chartVersion: Chart VERSION supports Kubernetes MINOR to MINOR, and the cluster runs MINOR. | set chartVersion to "VERSION"
      chartVersion: Chart VERSION supports Kubernetes MINOR to MINOR, and the cluster runs MINOR. | use a Kubernetes version from MINOR to MINOR, or install the chart yourself
      chartVersion: This library has not been checked with the 26.11 series, neither its Kubernetes versions nor its values. | set chartVersion to "VERSION"
      chartVersion: NVIDIA no longer supports the 24.9 series, which is older than VERSION. | set chartVersion to "VERSION""
    `);
  });

  test("a misfit names the Kubernetes versions of the chart", () => {
    expect(kubernetesFit("v26.3.1", "1.36")[0]?.why).toBe(
      "Chart v26.3.1 supports Kubernetes 1.32 to 1.35, and the cluster runs 1.36.",
    );
  });

  test("the table contains the charts that a fix proposes", () => {
    for (const { newest, minors } of chartRanges) {
      for (const minor of minors) expect(kubernetesFit(newest, `1.${minor}`)).toEqual([]);
    }
  });

  test("the table ascends, so that the last row that begins below a version is its row", () => {
    const starts = chartRanges.map(({ from }) => from);
    expect(starts).toEqual([...starts].sort((a, b) => semver.compare(a, b)));
  });
});

test.for([
  ["v26.7.0", undefined],
  ["26.7.9", undefined],
  ["v26.3.1", "deprecated"],
  ["26.3.3", "deprecated"],
  ["v25.10.1", "no longer supported"],
  ["v99.1.0", undefined],
] as const)("what NVIDIA says about the series of %s", ([version, status]) => {
  const notice = seriesNotice(version);
  if (status === undefined) expect(notice).toBeUndefined();
  else expect(notice).toContain(status);
});

test("charts are recommended of the two newest series, the pinned one first", () => {
  expect(recommendedCharts).toEqual(["v26.3.1", "v26.3.3", "v26.7.0"]);
});
