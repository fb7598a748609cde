import { describe, expect, test } from "vitest";
import {
  hasNvidiaGpu,
  instanceType,
  instanceTypeNames,
  instanceTypeName,
} from "../../../../components/nodes/machine/instance-types";
import { problemsIn } from "../../../../components/core/schema";
import { testProblems } from "../../../support/problems";
import data from "../../../../components/nodes/machine/instance-type-table.json";

const all = instanceTypeNames.flatMap((name) => instanceType(name) ?? []);

test("g5.xlarge, in full", () => {
  expect(instanceType("g5.xlarge")).toEqual({
    name: "g5.xlarge",
    family: "g5",
    architecture: "amd64",
    vcpus: 4,
    memoryGiB: 16,
    gpus: 1,
    gpuModel: "A10G",
    gpuMemoryGiB: 22.4,
    localNvmeGB: 250,
    efaInterfaces: 0,
    networkCards: 1,
    networkInterfaces: 4,
    ipv4PerInterface: 15,
    maxPods: 58,
    amiType: "AL2023_x86_64_NVIDIA",
    quotaCodes: { onDemand: "L-DB2E81BA", spot: "L-3819A6DF" },
    acceleratorLabel: "nvidia-a10g",
    supportsMig: false,
  });
});

test("t3.medium, in full", () => {
  expect(instanceType("t3.medium")).toEqual({
    name: "t3.medium",
    family: "t3",
    architecture: "amd64",
    vcpus: 2,
    memoryGiB: 4,
    gpus: 0,
    localNvmeGB: 0,
    efaInterfaces: 0,
    networkCards: 1,
    networkInterfaces: 3,
    ipv4PerInterface: 6,
    maxPods: 17,
    amiType: "AL2023_x86_64_STANDARD",
    quotaCodes: { onDemand: "L-1216C47A", spot: "L-34B43A08" },
    supportsMig: false,
  });
});

test.for([
  ["g4dn.xlarge", { acceleratorLabel: "nvidia-tesla-t4", maxPods: 29 }],
  ["g5g.xlarge", { architecture: "arm64", amiType: "AL2023_ARM_64_NVIDIA", acceleratorLabel: "nvidia-t4g" }],
  ["g6.xlarge", { acceleratorLabel: "nvidia-l4" }],
  ["g6e.xlarge", { acceleratorLabel: "nvidia-l40s" }],
  ["p4d.24xlarge", { acceleratorLabel: "nvidia-tesla-a100", supportsMig: true, gpus: 8, efaInterfaces: 4 }],
  ["p5.48xlarge", { acceleratorLabel: "nvidia-h100", quotaCodes: { onDemand: "L-417A185B", spot: "L-7212CCBC" } }],
  ["p6-b200.48xlarge", { family: "p6-b200", quotaCodes: { onDemand: "L-417A185B", spot: "L-7212CCBC" } }],
  ["g7.2xlarge", { minimumAmiDate: "20260917", acceleratorLabel: "nvidia-rtx-pro-4500", supportsMig: false }],
  ["g7e.2xlarge", { supportsMig: true }],
  ["t4g.medium", { amiType: "AL2023_ARM_64_STANDARD" }],
] as const)("%s", ([name, facts]) => expect(instanceType(name)).toMatchObject(facts));

test("g7e runs on every release, unlike g7", () => {
  expect(instanceType("g7e.2xlarge")).not.toHaveProperty("minimumAmiDate");
});

test.for([
  ["g6f.large", 0.125, 2.8],
  ["g6f.2xlarge", 0.25, 5.6],
  ["gr6f.4xlarge", 0.5, 11.2],
] as const)("a node of %s offers one GPU, a part of a whole one", ([name, gpuFraction, gpuMemoryGiB]) => {
  expect(instanceType(name)).toMatchObject({ gpus: 1, gpuFraction, gpuMemoryGiB, amiType: "AL2023_x86_64_NVIDIA" });
});

describe("the catalogue", () => {
  test("holds what its columns say, each type once", () => {
    expect(data.rows.filter((row) => row.length !== data.columns.length)).toEqual([]);
    expect(new Set(instanceTypeNames).size).toBe(data.rows.length);
  });

  test("knows the label of every GPU, and gives none to a type without", () => {
    expect(all.filter((type) => type.gpus > 0 !== (type.acceleratorLabel !== undefined))).toEqual([]);
    expect(all.filter((type) => !/^([a-z0-9-]+)?$/.test(type.acceleratorLabel ?? ""))).toEqual([]);
  });

  test("has no more adapters than cards", () => {
    expect(all.filter((type) => type.efaInterfaces > type.networkCards)).toEqual([]);
  });

  test("says where its facts are from", () => {
    expect(data.sources.map((source) => source.date)).toEqual(["2026-07-11", "2026-08-11"]);
  });
});

test("an unknown name has no facts, whatever it is", () => {
  for (const name of ["", "g5", "g5.xlrage", "constructor", "__proto__"]) expect(instanceType(name)).toBeUndefined();
});

describe("names", () => {
  test.for([
    ["g5.xlarge", "gpu"],
    ["g6f.large", "gpu"],
    ["t3.medium", "system"],
  ] as const)("valid: %s for %s nodes", ([name, use]) => expect(problemsIn(instanceTypeName(use), name)).toEqual([]));

  testProblems(
    ([name, use]: [unknown, "gpu" | "system"]) => problemsIn(instanceTypeName(use), name, "gpuNodes.instanceType"),
    [
      [["g5.xlrage", "gpu"], "not-allowed gpuNodes.instanceType"],
      [["t3.medium", "gpu"], "not-allowed gpuNodes.instanceType"],
      [["g5.xlarge", "system"], "not-allowed gpuNodes.instanceType"],
      [["something-else", "system"], "not-allowed gpuNodes.instanceType"],
      [[5, "gpu"], "wrong-type gpuNodes.instanceType"],
    ],
  );
});

describe("types with NVIDIA GPUs", () => {
  test.for([
    ["g5.xlarge", true],
    ["g5g.xlarge", true],
    ["gr6f.4xlarge", true],
    ["gr9.4xlarge", true],
    ["xg9.large", false],
    ["ag4ad.large", false],
    ["p5en.48xlarge", true],
    ["p3.2xlarge", true],
    ["g9.xlarge", true],
    ["g4ad.xlarge", false],
    ["m6g.large", false],
    ["t3.medium", false],
    ["", false],
    ["constructor", false],
  ] as const)("%s: %s", ([name, expected]) => expect(hasNvidiaGpu(name)).toBe(expected));
});
