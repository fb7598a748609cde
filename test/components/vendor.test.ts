import { readFileSync } from "node:fs";
import * as semver from "semver";
import { describe, expect, test } from "vitest";
import {
  gpuOperatorChart,
  kubePrometheusStackChart,
  loadBalancerControllerChart,
} from "../../components/core/versions";
import gpuOperator from "../../components/vendor/gpu-operator-values.json";
import monitoring from "../../components/vendor/kube-prometheus-stack-values.json";
import loadBalancerController from "../../components/vendor/load-balancer-controller-actions.json";
import { chartKeys } from "../../tools/chart-keys";

/** `26.3` for `v26.3.1`. */
const minor = (version: string) => `${semver.major(version)}.${semver.minor(version)}`;

describe("a vendor's file was read from the pinned minor version", () => {
  test.for([
    ["gpu-operator-values.json", gpuOperator.versions, gpuOperatorChart.version],
    ["kube-prometheus-stack-values.json", monitoring.versions, kubePrometheusStackChart.version],
    [
      "load-balancer-controller-actions.json",
      loadBalancerController.versions,
      `v${loadBalancerControllerChart.version}`,
    ],
  ] as const)("%s", ([file, versions, pinned]) => {
    const why = `components/vendor/${file} states the versions that were read: read ${pinned}, as CONTRIBUTING.md says`;
    expect(versions.map(minor), why).toContain(minor(pinned));
    const { source, date, license } = JSON.parse(readFileSync(`components/vendor/${file}`, "utf8")) as Record<
      string,
      string
    >;
    expect(source).toContain(versions.at(-1));
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(license).toBe("Apache-2.0");
  });
});

test("the keys of a values.yaml are those of its two upper levels, with keys in comments and without prose", () => {
  const yaml = [
    "driver:",
    "  enabled: true",
    "  # NOTE: not for AL2023",
    "  # version: 1",
    "  #useOpenKernelModules: true",
    "  env: []",
    "list: []",
    "text: a",
    "empty: {}",
  ].join("\n");
  expect(chartKeys(yaml)).toEqual({
    driver: ["enabled", "env", "useOpenKernelModules", "version"],
    list: "any",
    text: "any",
    empty: [],
  });
});
