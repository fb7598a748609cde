import { describe, expect, test } from "vitest";
import { gpuNodeGroupProblems } from "../../../../components/nodes/gpu-node-group-rules";
import { systemNodeGroupProblems } from "../../../../components/nodes/system-node-group";
import { amiReleaseFor, amiReleaseProblems, parseAmiRelease } from "../../../../components/nodes/machine/ami-releases";
import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { amiReleases } from "../../../../components/core/versions";

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

test("every pinned release is itself sound", () => {
  for (const [kubernetesVersion, release] of Object.entries(amiReleases)) {
    const type = instanceType("g7.2xlarge");
    expect(amiReleaseProblems(release, "", { kubernetesVersion, amiType: "AL2023_x86_64_NVIDIA", type })).toEqual([]);
  }
});

describe("problems", () => {
  const amiType = "AL2023_x86_64_NVIDIA";
  const problems = (got: unknown, kubernetesVersion: unknown = "1.35", type?: string) =>
    amiReleaseProblems(got, "gpuNodes", { kubernetesVersion, amiType, type: type ? instanceType(type) : undefined });

  test.for([
    ["a good release", "1.35.8-20260930", "1.35"],
    ["the pinned one", undefined, "1.35"],
    ["a Kubernetes version that is wrong itself", "1.35.8-20260930", 1.35],
    ["the same without a release", undefined, undefined],
  ] as const)("none: %s", ([, got, kubernetes]) => {
    expect(amiReleaseProblems(got, "gpuNodes", { kubernetesVersion: kubernetes, amiType })).toEqual([]);
  });

  const fix = 'set gpuNodes.releaseVersion to a release such as "1.35.8-20260930"';
  const form = "It must be a release of the EKS optimised AMIs: Kubernetes version with its patch, a dash and a date.";

  test.for([
    ["latest", "version", "It floats: with each release of AWS, the next update would replace every node."],
    ["recommended", "version", "It floats: with each release of AWS, the next update would replace every node."],
    ["v20260930", "version", form],
    ["1.35", "version", form],
    [20260930, "wrong-type", form],
    [null, "wrong-type", form],
    ["1.34.2-20260930", "version", "It is a release for Kubernetes 1.34, and the nodes run 1.35."],
    ["1.35.0-20260128", "version", "AWS abandoned this release: its changelog marks it so, and EKS may not offer it."],
    ["1.35.2-20260311", "version", "AWS abandoned this release: its changelog marks it so, and EKS may not offer it."],
  ] as const)("%s", ([got, code, why]) => {
    expect(problems(got)).toEqual([{ code, path: "gpuNodes.releaseVersion", got, why, fix }]);
  });

  test("g7 needs the release that brought its driver", () => {
    expect(problems("1.35.7-20260911", "1.35", "g7.2xlarge").map((p) => p.why)).toEqual([
      "The GPU of g7.2xlarge needs a driver that AMI releases carry from 20260917 on.",
    ]);
    expect(problems("1.35.8-20260917", "1.35", "g7.2xlarge")).toEqual([]);
    expect(problems("1.35.7-20260911", "1.35", "g5.xlarge")).toEqual([]);
  });

  test("several at once", () => {
    expect(problems("1.34.0-20260128", "1.35", "g7.2xlarge")).toHaveLength(3);
  });

  test("a Kubernetes version without a pin", () => {
    expect(problems(undefined, "1.99")).toEqual([
      {
        code: "missing",
        path: "gpuNodes.releaseVersion",
        got: undefined,
        why: "No AMI release is pinned for Kubernetes 1.99.",
        fix: "set it to what `aws ssm get-parameter --name /aws/service/eks/optimized-ami/1.99/amazon-linux-2023/x86_64/nvidia/recommended/release_version --query Parameter.Value` prints",
      },
    ]);
  });

  test.for([
    ["gpuNodes", { instanceType: "g5.xlarge" }, "x86_64/nvidia"],
    ["gpuNodes", { instanceType: "g5g.xlarge" }, "arm64/nvidia"],
    ["gpuNodes", { instanceType: "g5.xlarg" }, "x86_64/nvidia"],
    ["gpuNodes", {}, "x86_64/nvidia"],
    ["systemNodes", {}, "x86_64/standard"],
    ["systemNodes", { instanceType: "t4g.medium" }, "arm64/standard"],
    ["systemNodes", { instanceType: 3 }, "x86_64/standard"],
  ] as const)("without a pin, %s of %j look for the release of %s", ([group, given, build]) => {
    const problemsOf = group === "gpuNodes" ? gpuNodeGroupProblems : systemNodeGroupProblems;
    const settings = { ...given, kubernetesVersion: "1.99" } as Parameters<typeof problemsOf>[0];
    const found = problemsOf(settings, group).find(({ path }) => path === `${group}.releaseVersion`);
    expect(found?.fix).toContain(`/1.99/amazon-linux-2023/${build}/recommended/release_version `);
  });
});
