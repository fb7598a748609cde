import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { gpuNodeGroupProblems } from "../../../../components/nodes/gpu-node-group-schema";
import { systemNodeGroupProblems } from "../../../../components/nodes/system-node-group-schema";
import {
  amiRelease,
  amiReleaseConflicts,
  amiReleaseFor,
  parseAmiRelease,
} from "../../../../components/nodes/machine/ami-releases";
import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { check, problemsIn } from "../../../../components/core/schema";
import { amiReleases } from "../../../../components/core/versions";
import { testProblems } from "../../../support/problems";

test.for([
  ["1.35.8-20260930", { kubernetesVersion: "1.35", date: "20260930" }],
  ["1.36.0-20270101", { kubernetesVersion: "1.36", date: "20270101" }],
  ["latest", undefined],
  ["v20260930", undefined],
  ["1.35-20260930", undefined],
  ["1.35.8-2026093", undefined],
  ["1.35.8-20261301", undefined],
  ["1.35.8-20260931", undefined],
  [" 1.35.8-20260930", undefined],
  ["1.35.8-20260930 ", undefined],
] as const)("%s", ([text, release]) => expect(parseAmiRelease(text)).toEqual(release));

test("a stated release wins over the pinned one", () => {
  expect(amiReleaseFor("1.35.7-20260911", "1.35")).toBe("1.35.7-20260911");
  expect(amiReleaseFor(undefined, "1.35")).toBe(amiReleases["1.35"]);
  expect(amiReleaseFor(undefined, "1.99")).toBeUndefined();
});

const amiType = "AL2023_x86_64_NVIDIA";
const judge = ([got, kubernetesVersion, typeName]: [got: unknown, kubernetes?: string, type?: string]) => {
  const use = { kubernetesVersion: kubernetesVersion ?? "1.35", amiType, type: instanceType(typeName ?? "") } as const;
  const release = v.pipe(
    v.optional(amiRelease()),
    check((given: string | undefined, at) => amiReleaseConflicts(given, at, use)),
  );
  return problemsIn(release, got, "gpuNodes.releaseVersion");
};

test("every pinned release is valid", () => {
  for (const [kubernetesVersion, release] of Object.entries(amiReleases)) {
    expect(judge([release, kubernetesVersion, "g7.2xlarge"])).toEqual([]);
  }
});

describe("problems", () => {
  test.for([
    ["a good release", ["1.35.8-20260930"]],
    ["the pinned one", [undefined]],
    ["the first release with g7's driver", ["1.35.8-20260917", "1.35", "g7.2xlarge"]],
    ["an older one for another type", ["1.35.7-20260911", "1.35", "g5.xlarge"]],
  ] as const)("none: %s", ([, given]) => expect(judge([...given])).toEqual([]));

  const path = "gpuNodes.releaseVersion";
  testProblems(judge, [
    [["latest"], `version ${path}`],
    [["recommended"], `version ${path}`],
    [["v20260930"], `version ${path}`],
    [["1.35"], `version ${path}`],
    [[20260930], `wrong-type ${path}`],
    [[null], `wrong-type ${path}`],
    [["1.34.2-20260930"], `version ${path}`],
    [["1.35.0-20260128"], `version ${path}`],
    [["1.35.2-20260311"], `version ${path}`],
    [["1.35.7-20260911", "1.35", "g7.2xlarge"], `version ${path}`],
    [
      ["1.34.0-20260128", "1.35", "g7.2xlarge"],
      [`version ${path}`, `version ${path}`, `version ${path}`],
    ],
    [[undefined, "1.99"], `missing ${path}`],
  ]);

  test.for([
    ["gpuNodes", { instanceType: "g5.xlarge" }, "x86_64/nvidia"],
    ["gpuNodes", { instanceType: "g5g.xlarge" }, "arm64/nvidia"],
    ["gpuNodes", {}, "x86_64/nvidia"],
    ["systemNodes", {}, "x86_64/standard"],
    ["systemNodes", { instanceType: "t4g.medium" }, "arm64/standard"],
  ] as const)("without a pin, %s of %j look for the release of %s", ([group, given, build]) => {
    const problemsOf = group === "gpuNodes" ? gpuNodeGroupProblems : systemNodeGroupProblems;
    const settings = { ...given, kubernetesVersion: "1.99" } as Parameters<typeof problemsOf>[0];
    const found = problemsOf(settings, group).find(({ path }) => path === `${group}.releaseVersion`);
    expect(found?.fix).toContain(`/1.99/amazon-linux-2023/${build}/recommended/release_version `);
  });
});
