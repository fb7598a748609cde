import { expect, test } from "vitest";
import { Reader } from "../../../components/core/reader/reader";
import { gpuEntries, quantity } from "../../../policies/facts/pods";

test.for([
  [2, 2],
  ["2", 2],
  ["2000m", 2],
  ["1k", 1000],
  ["1Ki", 1024],
  ["1M", 1e6],
  ["1Mi", 1024 ** 2],
  ["1Gi", undefined],
  ["1 m", undefined],
  ["1mx9", undefined],
  ["one", undefined],
  ["1toString", undefined],
] as const)("%j is %j", ([amount, expected]) => {
  expect(quantity(new Reader(amount)).value).toBe(expected);
});

test("only what NVIDIA's device plugin offers counts, and null is none", () => {
  const limits = {
    "nvidia.com/gpu": 1,
    "nvidia.com/gpu.shared": 1,
    "nvidia.com/mig-1g.5gb": 1,
    "nvidia.com/gpus": 1,
    "nvidia.com/gpu-memory": 1,
    "mynvidia.com/gpu": 1,
    "example.nvidia.com/gpu": 1,
  };
  const names = (given: object) =>
    gpuEntries(new Reader({ resources: { limits: given } }), "limits").value?.map(([name]) => name);
  expect(names(limits)).toEqual(["nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb"]);
  expect(names({ "nvidia.com/gpu": null })).toEqual([]);
});
