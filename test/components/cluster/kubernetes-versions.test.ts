import { output } from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import {
  minorOf,
  supportedKubernetesVersion,
  supportedKubernetesVersions,
} from "../../../components/cluster/kubernetes-versions";
import { eksCalendar } from "../../../components/core/eks-calendar";
import { problemsIn } from "../../../components/core/schema";
import { kubernetesVersion } from "../../../components/core/versions";
import { wording } from "../../support/problems";

const problems = (got: unknown) => problemsIn(supportedKubernetesVersion(), got, "kubernetesVersion");

const minors = supportedKubernetesVersions.map(minorOf);
const [oldest = NaN, newest = NaN] = [minors[0], minors.at(-1)];

test("the supported minors follow each other, and the pinned one is among them and in EKS's calendar", () => {
  expect(minors).toEqual(minors.map((_, index) => oldest + index));
  expect(supportedKubernetesVersions).toContain(kubernetesVersion);
  expect(Object.keys(eksCalendar)).toEqual(expect.arrayContaining([...supportedKubernetesVersions]));
});

test("extended support is a year more than standard support", () => {
  for (const { standardSupportEnds, extendedSupportEnds } of Object.values(eksCalendar)) {
    const [year, ...rest] = standardSupportEnds.split("-");
    expect(extendedSupportEnds).toBe([Number(year) + 1, ...rest].join("-"));
  }
});

test.for(supportedKubernetesVersions)("%s is accepted", (got) => expect(problems(got)).toEqual([]));

const wrong = [
  ["1.31", "version"],
  [`1.${oldest - 1}`, "version"],
  ["1.3", "version"],
  [`1.${newest + 1}`, "version"],
  ["2.0", "version"],
  ["1.35.8", "version"],
  ["v1.35", "version"],
  ["latest", "version"],
  ["", "version"],
  [1.35, "wrong-type"],
  [1.36, "wrong-type"],
  [1.3, "wrong-type"],
  [NaN, "wrong-type"],
  [undefined, "missing"],
  [null, "wrong-type"],
  [["1.35"], "wrong-type"],
  [output("1.35"), "wrong-type"],
  ["constructor", "version"],
] as const;

test.for(wrong)("%j is rejected", ([got, code]) => {
  expect(problems(got).map((problem) => [problem.code, problem.path])).toEqual([[code, "kubernetesVersion"]]);
});

test("the messages", () => {
  const found = wrong.flatMap(([got]) => problems(got));
  expect(wording(found)).toMatchSnapshot();
});

describe("the minor of a version", () => {
  test.for([
    ["1.35", 35],
    ["v1.35.3-eksbuild.29", 35],
    ["1.3", 3],
    ["1", NaN],
    ["2.35", NaN],
    ["11.35", NaN],
    ["x1.35", NaN],
    ["1.35-eks", NaN],
    ["latest", NaN],
    [undefined, NaN],
  ] as const)("%s", ([version, minor]) => expect(minorOf(version)).toBe(minor));
});
