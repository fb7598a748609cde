import { describe, expect, test } from "vitest";
import {
  kubernetesVersionProblems,
  minorOf,
  supportedKubernetesVersions,
} from "../../../components/cluster/kubernetes-versions";
import { eksCalendar } from "../../../components/core/eks-calendar";
import { kubernetesVersion } from "../../../components/core/versions";

const problems = (got: unknown) => kubernetesVersionProblems("kubernetesVersion", got);

test("the supported minors, and how long EKS supports the pinned one", () => {
  expect(supportedKubernetesVersions).toEqual(["1.34", "1.35", "1.36"]);
  expect(eksCalendar[kubernetesVersion]).toEqual({
    standardSupportEnds: "2027-03-27",
    extendedSupportEnds: "2028-03-27",
  });
});

test("extended support is a year more than standard support", () => {
  for (const { standardSupportEnds, extendedSupportEnds } of Object.values(eksCalendar)) {
    const [year, ...rest] = standardSupportEnds.split("-");
    expect(extendedSupportEnds).toBe([Number(year) + 1, ...rest].join("-"));
  }
});

test.for(supportedKubernetesVersions)("%s is fine", (got) => expect(problems(got)).toEqual([]));

const choices = 'set kubernetesVersion to one of "1.34", "1.35", "1.36"';
const ended =
  "Its standard support at EKS has ended: extended support costs 0.50 USD an hour more, and this library does not use it.";
const notYet = "This library has no AMI, add-on or chart that was seen to work with it.";
const form = "It must be a Kubernetes minor such as 1.35: EKS chooses the patch.";
const unquoted = "Without quotes YAML reads it as a number: 1.30 would become 1.3.";

test.for([
  ["1.31", "version", ended, choices],
  ["1.33", "version", ended, choices],
  ["1.3", "version", ended, choices],
  ["1.37", "version", notYet, choices],
  ["2.0", "version", form, choices],
  ["1.35.8", "version", form, choices],
  ["v1.35", "version", form, choices],
  ["latest", "version", form, choices],
  ["", "version", form, choices],
  [1.35, "wrong-type", unquoted, 'put it in quotes, as in kubernetesVersion: "1.35"'],
  [1.36, "wrong-type", unquoted, 'put it in quotes, as in kubernetesVersion: "1.36"'],
  [1.3, "wrong-type", unquoted, 'put it in quotes, as in kubernetesVersion: "1.35"'],
  [NaN, "wrong-type", unquoted, 'put it in quotes, as in kubernetesVersion: "1.35"'],
  [undefined, "wrong-type", "It must be a text.", choices],
  [null, "wrong-type", "It must be a text.", choices],
  [["1.35"], "wrong-type", "It must be a text.", choices],
  ["constructor", "version", form, choices],
] as const)("%j is refused", ([got, code, why, fix]) => {
  expect(problems(got)).toEqual([{ code, path: "kubernetesVersion", got, why, fix }]);
});

describe("the minor of a version", () => {
  test.for([
    ["1.35", 35],
    ["v1.35.3-eksbuild.29", 35],
    ["1.3", 3],
    ["2.35", NaN],
    ["latest", NaN],
    [undefined, NaN],
  ] as const)("%s", ([version, minor]) => expect(minorOf(version)).toBe(minor));
});
