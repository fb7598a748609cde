import { expect, test } from "vitest";
import { openPaths } from "../../../components/core/reader/truth";
import { Resource, Stack } from "../../../policies/engine/resource";
import { hasOtherAdvertiser } from "../../../policies/facts/device-plugins";
import { resource, unknown } from "../support/verdicts";

const release = (chart: unknown, gpus?: unknown) =>
  resource("kubernetes:helm.sh/v3:Release", { chart, values: { resources: { gpus: { enabled: gpus } } } });
const off = { devicePlugin: { enabled: false } };
const switchedOff = resource("kubernetes:helm.sh/v3:Release", { chart: "hami", values: off });
const ofOther = resource("kubernetes:helm.sh/v3:Release", { chart: "nvidia-device-plugin", values: off });
const set = (image: unknown) =>
  resource("kubernetes:apps/v1:DaemonSet", { spec: { template: { spec: { containers: [{ image }] } } } });

test.for([
  ["nothing", [], false],
  ["a device plugin", [release("nvidia-device-plugin")], true],
  ["the driver for claims", [release("nvidia/nvidia-dra-driver-gpu")], true],
  ["the driver under its new name", [release("dra-driver-nvidia-gpu")], true],
  ["the driver, that leaves GPUs alone", [release("nvidia-dra-driver-gpu", false)], false],
  ["the driver, set to offer them", [release("nvidia-dra-driver-gpu", true)], true],
  ["the driver's image", [set("nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.0")], true],
  ["the driver's image without a tag or registry", [set("dra-driver-nvidia-gpu")], true],
  ["the driver from its registry", [release("oci://ghcr.io/nvidia/k8s-dra-driver-gpu")], true],
  ["the driver from its registry, that leaves GPUs alone", [release("k8s-dra-driver-gpu", false)], false],
  ["HAMi", [release("hami")], true],
  ["HAMi without its device plugin", [switchedOff], false],
  ["a device plugin with a value of HAMi", [ofOther], true],
  ["HAMi's image", [set("docker.io/projecthami/hami:v2.7.0")], true],
  ["another image", [set("registry.example/dra-driver-nvidia-gpus:1")], false],
  ["another chart", [release("web")], false],
] as const)("offers GPUs with the operator: %s", ([, resources, expected]) => {
  expect(hasOtherAdvertiser(new Stack(resources.map((one) => new Resource(one))))).toBe(expected);
});

test("an image that is unknown is not reported", () => {
  const answer = hasOtherAdvertiser(new Stack([new Resource(set(unknown))]));
  expect(openPaths(answer)).toEqual(["spec.template.spec.containers[0].image"]);
});

test("a device plugin's image needs no tag", () => {
  const isOther = (image: string) => hasOtherAdvertiser(new Stack([new Resource(set(image))]));
  expect(isOther("k8s-device-plugin")).toBe(true);
  expect(isOther("k8s-device-plugins")).toBe(false);
});
