import { expect, test } from "vitest";
import { cpuMsOf } from "../../support/cpu-time";
import { chartReference } from "../../../policies/facts/installed-chart";

test.for([
  ["gpu-operator", { name: "gpu-operator", fixed: false }],
  ["nvidia/gpu-operator", { name: "gpu-operator", fixed: false }],
  ["nvidia/gpu-operator//", { name: "gpu-operator", fixed: false }],
  ["gpu-operator-1.0.0.tgz.prov", { name: "gpu-operator-1.0.0.tgz.prov", fixed: false }],
  ["@gpu-operator", { name: "@gpu-operator", fixed: false }],
  ["gpu-operator:", { name: "gpu-operator:", fixed: false }],
  ["nvidia/gpu-operator/", { name: "gpu-operator", fixed: false }],
  ["oci://registry.example/charts/gpu-operator", { name: "gpu-operator", fixed: false }],
  ["oci://registry.example:5000/gpu-operator:v26.3.1", { name: "gpu-operator", version: "v26.3.1", fixed: false }],
  ["oci://registry.example/GPU-Operator@sha256:0a1b", { name: "gpu-operator", fixed: true }],
  [
    "oci://registry.example/gpu-operator:v26.3.1@sha256:0a1b",
    { name: "gpu-operator", version: "v26.3.1", fixed: true },
  ],
  ["https://charts.example/gpu-operator-v26.3.1.tgz", { name: "gpu-operator", version: "v26.3.1", fixed: false }],
  ["https://charts.example/gpu-operator-26.3.1.tgz?x=1#y", { name: "gpu-operator", version: "26.3.1", fixed: false }],
  ["https://charts.example/gpu-operator.tgz", { name: "gpu-operator", fixed: false }],
  ["./gpu-operator-v26.3.1-rc.1.tar.gz", { name: "gpu-operator", version: "v26.3.1-rc.1", fixed: true }],
  ["./charts/gpu-operator.tgz", { name: "gpu-operator", fixed: true }],
  ["gpu-operator.tgz", { name: "gpu-operator", fixed: true }],
  ["file:///charts/gpu-operator.tgz", { name: "gpu-operator", fixed: true }],
  ["C:\\charts\\gpu-operator.tgz", { name: "gpu-operator", fixed: true }],
  ["oci://registry.example/gpu-operator.tgz", { name: "gpu-operator", fixed: false }],
  ["./charts/gpu-operator", { name: "gpu-operator", fixed: true }],
  ["/charts/gpu-operator", { name: "gpu-operator", fixed: true }],
  ["C:\\charts\\gpu-operator\\", { name: "gpu-operator", fixed: true }],
  ["gpu-operator-extras", { name: "gpu-operator-extras", fixed: false }],
  ["gpu-operator-crds-1.0.0.tgz", { name: "gpu-operator-crds", version: "1.0.0", fixed: true }],
  ["", { name: "", fixed: false }],
  ["///", { name: "", fixed: true }],
  [":::", { name: ":::", fixed: false }],
] as const)("%s", ([reference, expected]) => {
  expect(chartReference(reference)).toStrictEqual(expected);
});

test("a reference of any length is taken apart in no time", () => {
  const long = ["a-1".repeat(100_000), `${"a-1/".repeat(100_000)}.tgz`];
  expect(cpuMsOf(() => long.forEach(chartReference))).toBeLessThan(500);
});
