import { expect, test } from "vitest";
import { GpuEnvironment } from "../../../components/gpu-environment";
import { controllerProblems } from "../../../components/environment/gpu-environment-controllers";
import { gpuEnvironmentProblems } from "../../../components/environment/gpu-environment-rules";
import { only, plan } from "../../support/plan";

const of = (controllers: object, kubernetesVersion: string | undefined = "1.35") =>
  controllerProblems(controllers, kubernetesVersion);

test.for([
  ["nothing", {}, "1.35"],
  ["identities, on a minor without a pinned image", { clusterAutoscaler: {} }, "1.36"],
  ["both installed", { loadBalancerController: { install: true }, clusterAutoscaler: { install: true } }, "1.35"],
  ["an image of the minor", { clusterAutoscaler: { install: true, imageTag: "v1.34.3" } }, "1.34"],
  ["all zones", { externalDns: { hostedZoneIds: "all" } }, "1.35"],
  ["a section left empty", { externalDns: undefined }, "1.35"],
] as const)("fine: %s", ([, controllers, version]) => expect(of(controllers, version)).toEqual([]));

test.for([
  ["no image for the minor", { clusterAutoscaler: { install: true } }, "missing", "clusterAutoscaler.imageTag"],
  ["an image of another", { clusterAutoscaler: { imageTag: "v1.35.2" } }, "version", "clusterAutoscaler.imageTag"],
  ["latest", { clusterAutoscaler: { imageTag: "latest" } }, "version", "clusterAutoscaler.imageTag"],
  ["a number", { clusterAutoscaler: { imageTag: 1.36 } }, "wrong-type", "clusterAutoscaler.imageTag"],
  ["install says nothing", { clusterAutoscaler: { install: null } }, "wrong-type", "clusterAutoscaler.install"],
  ["a text", { loadBalancerController: { install: "yes" } }, "wrong-type", "loadBalancerController.install"],
  ["no object", { loadBalancerController: true }, "wrong-type", "loadBalancerController"],
  [
    "a key of the other",
    { loadBalancerController: { imageTag: "v3" } },
    "unknown-key",
    "loadBalancerController.imageTag",
  ],
  ["a chart", { clusterAutoscaler: { chartVersion: "latest" } }, "unknown-key", "clusterAutoscaler.chartVersion"],
  ["zones that are none", { externalDns: { hostedZoneIds: ["x"] } }, "not-allowed", "externalDns.hostedZoneIds[0]"],
  ["no controller", { metricsServer: {} }, "unknown-key", "metricsServer"],
] as const)("refused on 1.36: %s", ([, controllers, code, path]) => {
  expect(of(controllers, "1.36").map((problem) => [problem.code, problem.path])).toEqual([
    [code, `controllers.${path}`],
  ]);
});

test("a misspelt key is told the one that was meant", () => {
  expect(of({ clusterAutoscaler: { imagetag: "v1.35.2" } })).toMatchObject([
    { fix: "did you mean controllers.clusterAutoscaler.imageTag?" },
  ]);
});

test("what must fit a Kubernetes version that is wrong itself is not told", () => {
  const clusterAutoscaler = { install: true, imageTag: "v1.34.3" };
  const wrong = gpuEnvironmentProblems({
    publicAccessCidrs: ["198.51.100.7/32"],
    kubernetesVersion: "1.2",
    controllers: { clusterAutoscaler },
  });
  expect(wrong.map(({ path }) => path)).toEqual(["kubernetesVersion"]);
});

test("the image's tag reaches the release, in an environment without further admins", async () => {
  const recording = await plan(
    () =>
      new GpuEnvironment("lab", {
        publicAccessCidrs: ["198.51.100.7/32"],
        controllers: { clusterAutoscaler: { install: true, imageTag: "v1.35.0" } },
      }),
  );
  const release = only(recording, "kubernetes:helm.sh/v3:Release");
  expect(release.inputs["values"]).toMatchObject({ image: { tag: "v1.35.0" } });
});
