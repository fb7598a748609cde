import fc from "fast-check";
import * as semver from "semver";
import { describe, expect, test } from "vitest";
import { gpuOperatorChart, kubernetesVersion } from "../../../../components/core/versions";
import {
  chartRanges,
  chartTag,
  exactChartVersion,
  isOlder,
  kubernetesFit,
} from "../../../../components/gpu/operator/compatibility";

const pin = 'set chartVersion to one exact version, e.g. "v26.3.1"';
const newestOfTheDay = "An empty version makes Helm install the newest chart of the day.";
const partial = "A part of a version is a range: Helm installs the newest chart that begins with it.";
const wildcard = "A wildcard is a range: Helm installs the newest chart that matches it.";
const range = "It is a range: Helm installs the newest chart inside it.";
const noName = "It names no version: what it stands for changes with every release.";
const noForm = "It is not a version of the form v26.3.1.";

describe("exactChartVersion", () => {
  test.each(["v26.3.1", "26.3.1", "v26.3.0-rc.1", "v25.10.0", "v26.7.0"])("takes %s", (text) => {
    expect(exactChartVersion(text)).toEqual([]);
  });

  test.each([
    ["", newestOfTheDay],
    ["  ", newestOfTheDay],
    ["latest", noName],
    ["Latest", noName],
    ["stable", noName],
    ["v26", partial],
    ["26.3", partial],
    ["v26.x", wildcard],
    ["26.3.x", wildcard],
    ["v26.3.*", wildcard],
    ["*", wildcard],
    ["x", wildcard],
    [">=26", range],
    ["~26.3.1", range],
    ["^v26.3.1", range],
    ["=26.3.1", range],
    ["26.3.0 - 26.3.9", range],
    ["26.3.1 || 26.3.3", range],
    ["v26.3.1 ", noForm],
    ["v26.3.1+build", noForm],
    ["V26.3.1", noForm],
    ["v026.3.1", noForm],
    ["v26.3.1.2", noForm],
    ["newer", noForm],
  ])("refuses %j", (text, why) => {
    expect(exactChartVersion(text)).toEqual([{ code: "version", path: "chartVersion", got: text, why, fix: pin }]);
  });

  test("a missing version and a number have texts of their own", () => {
    expect(exactChartVersion(undefined, "gpuOperator.chartVersion")).toEqual([
      {
        code: "missing",
        path: "gpuOperator.chartVersion",
        got: undefined,
        why: "Without a version Helm installs the newest chart of the day.",
        fix: 'set gpuOperator.chartVersion to one exact version, e.g. "v26.3.1"',
      },
    ]);
    expect(exactChartVersion(26.3)).toEqual([
      { code: "wrong-type", path: "chartVersion", got: 26.3, why: "It must be a text.", fix: `${pin}, in quotes` },
    ]);
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

  const accepted = (chart: string, from: string, to: string, kubernetes: string) =>
    `Chart ${chart} is accepted for Kubernetes ${from} to ${to}, and the cluster runs ${kubernetes}.`;
  test.each([
    ["v25.10.1", "1.35", accepted("v25.10.1", "1.30", "1.34", "1.35"), 'set chartVersion to "v26.3.1"'],
    ["v26.3.1", "1.36", accepted("v26.3.1", "1.32", "1.35", "1.36"), 'set chartVersion to "v26.3.3"'],
    ["v26.3.1", "1.31", accepted("v26.3.1", "1.32", "1.35", "1.31"), 'set chartVersion to "v25.10.1"'],
    ["v26.7.0", "1.32", accepted("v26.7.0", "1.33", "1.37", "1.32"), 'set chartVersion to "v26.3.1"'],
    ["v26.3.3", "1.37", accepted("v26.3.3", "1.32", "1.36", "1.37"), 'set chartVersion to "v26.7.0"'],
    [
      "v26.7.0",
      "1.38",
      accepted("v26.7.0", "1.33", "1.37", "1.38"),
      "use a Kubernetes version from 1.30 to 1.37, or install the chart yourself",
    ],
    [
      "v26.11.0",
      "1.35",
      "The 26.11 series is not known to fit: neither its Kubernetes versions nor its values have been read.",
      'set chartVersion to "v26.3.1"',
    ],
    [
      "v24.9.2",
      "1.35",
      "NVIDIA has ended support of the 24.9 series, which came before v25.10.0.",
      'set chartVersion to "v26.3.1"',
    ],
  ])("chart %s does not go with Kubernetes %s", (chart, kubernetes, why, fix) => {
    expect(kubernetesFit(chart, kubernetes)).toEqual([{ code: "version", path: "chartVersion", got: chart, why, fix }]);
  });

  test("the charts that a fix proposes stand in the table themselves", () => {
    for (const { newest, minors } of chartRanges) {
      for (const minor of minors) expect(kubernetesFit(newest, `1.${minor}`)).toEqual([]);
    }
  });

  test("the table ascends, so that the last row that begins below a version is its row", () => {
    const starts = chartRanges.map(({ from }) => from);
    expect(starts).toEqual([...starts].sort((a, b) => semver.compare(a, b)));
  });
});
