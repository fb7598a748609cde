import { expect, test } from "vitest";
import { cloudChanges, describeEngine, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { expectOrder, stepsOf } from "./support/order";
import { expectNoOrphan } from "./support/cloud-and-state";
import { newerChart, newerImages, nextKubernetes } from "./support/versions";

const installed = [ownAddress, "gpuOperator.enabled=true"];

const latest = [...newerChart, ...nextKubernetes, "gpuNodes.instanceType=g6.xlarge"];

// All tests use one stack. Each test continues where the previous one ended.
describeEngine("upgrades of a running environment", () => {
  const shared = sharedWorkspace({ config: installed });
  const upgrade = async (...config: string[]) => {
    shared.current.configure([...installed, ...config]);
    return succeeding(shared.current.up());
  };
  /** Previews it first, and does what the preview says. */
  const previewedUpgrade = async (...config: string[]) => {
    shared.current.configure([...installed, ...config]);
    const preview = await succeeding(shared.current.preview());
    const up = await succeeding(shared.current.up());
    expect(cloudChanges(preview)).toEqual(cloudChanges(up));
    return up;
  };

  test("a newer chart of the GPU Operator upgrades the release", async () => {
    await succeeding(shared.current.up());
    const up = await upgrade(...newerChart);
    expect(cloudChanges(up)).toEqual(["update Release gpu-lab-gpu-operator: version"]);
  });

  test("a newer AMI release updates both node groups in place", async () => {
    const up = await upgrade(...newerChart, ...newerImages);
    expect(cloudChanges(up)).toEqual([
      "update NodeGroup gpu-lab-gpu: releaseVersion",
      "update NodeGroup gpu-lab-system: releaseVersion",
    ]);
  });

  test("the next Kubernetes version updates the control plane, kube-proxy and the nodes in this order, and replaces no group", async () => {
    const up = await previewedUpgrade(...newerChart, ...nextKubernetes);
    expect(cloudChanges(up)).toEqual([
      "update Addon gpu-lab-base-addons-kube-proxy: addonVersion",
      "update Cluster gpu-lab-cluster-eksCluster: version",
      "update NodeGroup gpu-lab-gpu: releaseVersion, version",
      "update NodeGroup gpu-lab-system: releaseVersion, version",
    ]);
    expectOrder(stepsOf(up, "Cluster", "eksCluster"), stepsOf(up, "Addon", "kube-proxy"));
    expectOrder(stepsOf(up, "Addon", "kube-proxy"), stepsOf(up, "NodeGroup", "system", "gpu"));
  });

  test("another GPU instance type creates a new group with another name before it deletes the old one", async () => {
    const up = await previewedUpgrade(...latest);
    const groups = up.steps.filter(({ type }) => type === "aws:eks/nodeGroup:NodeGroup");
    expect(groups.filter(({ op }) => op !== "same").map(({ name, op }) => `${op} ${name}`)).toEqual([
      "create-replacement gpu-lab-gpu",
      "replace gpu-lab-gpu",
      "delete-replaced gpu-lab-gpu",
    ]);
    await expectNoOrphan(shared.current);
  });

  test("another namespace deletes the old release of the GPU Operator before it creates the new one", async () => {
    const up = await upgrade(...latest, "gpuOperator.namespace=nvidia");
    const releases = up.steps.filter(({ type, op }) => type === "kubernetes:helm.sh/v3:Release" && op !== "same");
    expect(releases.map(({ op }) => op)).toEqual(["delete-replaced", "replace", "create-replacement"]);
    await expectNoOrphan(shared.current);
  });

  test("a preview after the upgrades has no changes", async () => {
    await succeeding(shared.current.preview({ expectNoChanges: true, refresh: true }));
  });
});
