import { describe, expect, test } from "vitest";
import { gpuOperatorChart } from "../../../components/core/versions";
import { type Properties, unknownSentinel } from "../../../components/core/wire";
import { scaleNodeGroup } from "../../../simulation/aws/eks/nodes/instances";
import { types } from "../../../simulation/aws/types";
import { changesOf } from "../../../simulation/cloud/changes";
import { IncompleteError } from "../../../simulation/cloud/errors";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { kubernetesTypes } from "../../../simulation/kubernetes/cluster-objects";
import { clusterForNodes, foundation, gpuInputs, makeGroup, messageOf, providerFor } from "../aws/eks/foundation";

const { release, namespace } = kubernetesTypes;

const inputs: Properties = {
  name: "gpu-operator",
  namespace: "gpu-operator",
  chart: gpuOperatorChart.name,
  version: gpuOperatorChart.version,
  timeout: 900,
  skipAwait: false,
  atomic: false,
  values: { operator: { nodeSelector: { tier: "primary" } } },
};

/** A cluster with two system nodes and the namespace of the operator. */
async function withNodes(): Promise<SimulatedCloud> {
  const cloud = await clusterForNodes();
  await makeGroup(cloud, { labels: { tier: "primary" } });
  await cloud.create(namespace, { metadata: { name: "gpu-operator" } }, providerFor(cloud));
  return cloud;
}

const install = (cloud: SimulatedCloud, over: Properties = {}) =>
  cloud.create(release, { ...inputs, ...over }, providerFor(cloud));

const deadlineExceeded =
  'Helm release "gpu-operator/gpu-operator" was created, but failed to initialize completely. Use Helm CLI to ' +
  "investigate: failed to become available within allocated timeout. Error: Helm Release gpu-operator/gpu-operator: " +
  "context deadline exceeded";

describe("an install", () => {
  test("returns its status", async () => {
    const { id, computed } = await install(await withNodes());
    expect(id).toBe("gpu-operator/gpu-operator");
    expect(computed).toMatchObject({
      version: gpuOperatorChart.version,
      status: {
        status: "deployed",
        revision: 1,
        version: gpuOperatorChart.version,
        name: "gpu-operator",
        namespace: "gpu-operator",
        chart: "gpu-operator",
        appVersion: gpuOperatorChart.version,
      },
    });
  });

  test.for<[string, Properties]>([
    ["the selector of the operator", { values: { operator: { nodeSelector: { tier: "none" } } } }],
    ["the selector of one part", { values: { "node-feature-discovery": { gc: { nodeSelector: { tier: "none" } } } } }],
  ])("fails without a node for %s", async ([, over]) => {
    const cloud = await withNodes();
    await expect(install(cloud, over)).rejects.toBeInstanceOf(IncompleteError);
    expect(cloud.get(release, "gpu-operator/gpu-operator")?.computed["status"]).toMatchObject({ status: "failed" });
  });

  test("fails in a cluster without nodes", async () => {
    const cloud = await withNodes();
    await cloud.delete(types.nodeGroup, "lab:system");
    expect(await messageOf(install(cloud, { values: {} }))).toBe(deadlineExceeded);
  });

  test("fails if all nodes are tainted", async () => {
    const cloud = await withNodes();
    await cloud.delete(types.nodeGroup, "lab:system");
    await makeGroup(cloud, { ...gpuInputs, scalingConfig: { desiredSize: 1, minSize: 0, maxSize: 1 } });
    expect(await messageOf(install(cloud, { values: {} }))).toBe(deadlineExceeded);
  });

  test("with skipAwait requires no node", async () => {
    const cloud = await withNodes();
    await cloud.delete(types.nodeGroup, "lab:system");
    expect(await messageOf(install(cloud, { skipAwait: true }))).toBe("no error");
  });

  test("that is atomic is uninstalled when it fails", async () => {
    const cloud = await withNodes();
    await cloud.delete(types.nodeGroup, "lab:system");
    expect(await messageOf(install(cloud, { atomic: true, skipAwait: true }))).toBe(
      "Helm: release gpu-operator failed, and has been uninstalled due to atomic being set: context deadline exceeded",
    );
    expect(cloud.find(release)).toEqual([]);
  });

  test("of DaemonSets requires no node", async () => {
    const cloud = await withNodes();
    await cloud.delete(types.nodeGroup, "lab:system");
    expect(await messageOf(install(cloud, { chart: "eks/aws-efa-k8s-device-plugin" }))).toBe("no error");
  });

  test("requires a unique name", async () => {
    const cloud = await withNodes();
    await install(cloud);
    expect(await messageOf(install(cloud))).toBe("AlreadyExists: cannot re-use a name that is still in use");
    expect(await messageOf(install(cloud, { namespace: "default", chart: "other" }))).toBe("no error");
  });

  test("is rejected next to another release of its chart, whose cluster roles have the same names", async () => {
    const cloud = await withNodes();
    await install(cloud);
    expect(await messageOf(install(cloud, { namespace: "default", chart: "nvidia/gpu-operator" }))).toBe(
      'Helm: Unable to continue with install: ClusterRole "gpu-operator" in namespace "" exists and cannot be imported ' +
        "into the current release: invalid ownership metadata; annotation validation error: key " +
        '"meta.helm.sh/release-namespace" must equal "default": current value is "gpu-operator"',
    );
  });

  test("requires its namespace, or creates it", async () => {
    const cloud = await withNodes();
    expect(await messageOf(install(cloud, { namespace: "x" }))).toBe(
      'NotFound: create: failed to create: namespaces "x" not found',
    );
    expect(await messageOf(install(cloud, { namespace: "x", createNamespace: true }))).toBe("no error");
    expect(await messageOf(install(cloud, { namespace: "x", name: "other", chart: "other" }))).toBe("no error");
  });
});

describe("an upgrade", () => {
  test("increments the revision", async () => {
    const cloud = await withNodes();
    await install(cloud);
    const { computed } = await cloud.update(
      release,
      "gpu-operator/gpu-operator",
      { ...inputs, version: "v26.3.3" },
      providerFor(cloud),
    );
    expect(computed["status"]).toMatchObject({ revision: 2, version: "v26.3.3", status: "deployed" });
  });

  test("repairs a failed release", async () => {
    const cloud = await withNodes();
    scaleNodeGroup(cloud, "system", 1);
    cloud.drift(types.nodeGroup, "lab:system", { labels: {} });
    await expect(install(cloud)).rejects.toBeInstanceOf(IncompleteError);
    const retry = () => cloud.update(release, "gpu-operator/gpu-operator", inputs, providerFor(cloud));
    expect(await messageOf(retry())).toBe(deadlineExceeded.replace("was created, but failed", "failed"));
    cloud.drift(types.nodeGroup, "lab:system", { labels: { tier: "primary" } });
    const { computed } = await retry();
    expect(computed["status"]).toMatchObject({ revision: 3, status: "deployed" });
  });

  test("that is atomic changes nothing when it fails", async () => {
    const cloud = await withNodes();
    await install(cloud);
    const wanted = { ...inputs, atomic: true, version: "v26.7.0", values: { operator: { nodeSelector: { a: "b" } } } };
    expect(await messageOf(cloud.update(release, "gpu-operator/gpu-operator", wanted, providerFor(cloud)))).toBe(
      "Helm: release gpu-operator failed, and has been rolled back due to atomic being set: context deadline exceeded",
    );
    expect(cloud.find(release)[0]?.inputs).toEqual(inputs);
  });

  test("replaces the release for another name or namespace, not for another version", () => {
    const news = { ...inputs, name: "b", namespace: "b", version: "v26.7.0", values: {} };
    const changes = changesOf(foundation().modelOf(release), inputs, news);
    expect(changes.filter(({ replaces }) => replaces).map(({ path }) => path)).toEqual(["name", "namespace"]);
  });
});

test("in a preview of an upgrade, the status is unknown", () => {
  const { recomputes } = foundation().modelOf(release);
  expect(recomputes?.(["values"])).toEqual(["resourceNames", "status"]);
  expect(recomputes?.([])).toEqual([]);
});

describe("an uninstall", () => {
  test("runs a Job that requires a node", async () => {
    const cloud = await withNodes();
    await install(cloud);
    await cloud.delete(types.nodeGroup, "lab:system");
    const uninstall = () => cloud.delete(release, "gpu-operator/gpu-operator", providerFor(cloud));
    expect(await messageOf(uninstall())).toBe(
      "Helm: uninstallation completed with 1 error(s): timed out waiting for the condition",
    );
    await makeGroup(cloud);
    expect(await messageOf(uninstall())).toBe("no error");
    expect(cloud.find(release)).toEqual([]);
  });

  test.for<[string, Properties]>([
    ["without Node Feature Discovery", { nfd: { enabled: false } }],
    ["that leaves the labels of nodes", { "node-feature-discovery": { postDeleteCleanup: false } }],
  ])("runs no Job %s", async ([, values]) => {
    const cloud = await withNodes();
    await install(cloud, { values });
    await cloud.delete(types.nodeGroup, "lab:system");
    expect(await messageOf(cloud.delete(release, "gpu-operator/gpu-operator", providerFor(cloud)))).toBe("no error");
  });

  test("runs a Job for the custom resources with cleanupCRD", async () => {
    const cloud = await withNodes();
    await install(cloud, { values: { operator: { cleanupCRD: true }, nfd: { enabled: false } } });
    await cloud.delete(types.nodeGroup, "lab:system");
    const uninstall = cloud.delete(release, "gpu-operator/gpu-operator", providerFor(cloud));
    expect(await messageOf(uninstall)).toContain("timed out waiting for the condition");
  });
});

describe("the provider's check", () => {
  const model = foundation().modelOf(release);
  const refined = (over: Properties) => model.normalize?.({ ...inputs, ...over })["version"];

  test.for([
    ["an exact version", { version: "v26.3.1" }, "v26.3.1"],
    ["an exact version without its v", { version: "26.3.1" }, "v26.3.1"],
    ["an exact version newer than all known ones", { version: "v26.7.2" }, "v26.7.2"],
    ["an exact version older than all known ones", { version: "v23.9.2" }, "v23.9.2"],
    ["any exact version of an incomplete list", { chart: "cluster-autoscaler", version: "9.58.1" }, "9.58.1"],
    ["a range", { version: ">=26.3.0 <26.3.4" }, "v26.3.3"],
    ["no version", { version: undefined }, "v26.7.0"],
    ["an empty version", { version: "" }, "v26.7.0"],
    ["a range while an input is unknown", { version: ">=26.3.0", values: { a: unknownSentinel } }, ">=26.3.0"],
    ["an unknown chart", { chart: "other", version: "^1.2.0" }, "1.0.0"],
    ["a chart with the name of an inherited property", { chart: "constructor", version: "^1.2.0" }, "1.0.0"],
    ["the name of a chart in a registry", { chart: "oci://registry/gpu-operator", version: "26.3.1" }, "v26.3.1"],
  ] as const)("resolves %s", ([, over, version]) => {
    expect(refined(over)).toBe(version);
  });

  test.for(["v26.7.2", "26.3.1", ">=26.3.0", "", undefined])("accepts %j", (version) => {
    expect(model.check?.({ ...inputs, version })).toEqual([]);
  });

  test("rejects a word as the version of an unknown chart", () => {
    expect(model.check?.({ ...inputs, chart: "other", version: "latest" })).toHaveLength(1);
  });

  test.for([
    ["a word", "latest"],
    ["a range that no version matches", ">=99.0.0"],
    ["an exact version that was never released", "v26.3.9"],
    ["a release candidate", "v26.7.0-rc.1"],
  ] as const)("rejects %s", ([, version]) => {
    const checked = { ...inputs, version, repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" } };
    expect(model.check?.(checked)).toEqual([
      {
        property: "chart",
        reason:
          `chart "gpu-operator" version "${version}" not found in https://helm.ngc.nvidia.com/nvidia repository; ` +
          "check the chart name and repository configuration.",
      },
    ]);
    expect(model.check?.({ ...checked, values: unknownSentinel })).toEqual([]);
  });

  test("fills in namespace and timeout", () => {
    const defaults = model.defaults as (inputs: Properties) => Properties;
    expect(defaults({ chart: "x" })).toEqual({ namespace: "default", timeout: 300 });
    expect(defaults({ chart: "x", skipAwait: true })).toEqual({ namespace: "default" });
  });
});
