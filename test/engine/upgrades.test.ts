import { expect, test } from "vitest";
import { cloudChanges, describeEngine, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { expectOrder, stepsOf } from "./support/order";
import { expectNoOrphan } from "./support/cloud-and-state";

const installed = [ownAddress, "gpuOperator.enabled=true"];
const newerAmi = ["systemNodes.releaseVersion=1.35.9-20261101", "gpuNodes.releaseVersion=1.35.9-20261101"];
const newerChart = ["gpuOperator.chartVersion=v26.3.3"];
const newerKubernetes = [
  "kubernetesVersion=1.36",
  "systemNodes.releaseVersion=1.36.2-20261101",
  "gpuNodes.releaseVersion=1.36.2-20261101",
  "addons.kube-proxy=v1.36.1-eksbuild.2",
];

const latest = [...newerChart, ...newerKubernetes, "gpuNodes.instanceType=g6.xlarge"];

// One story on one stack: each test goes on where the one before it ended.
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

  test("a newer chart of the GPU Operator is an upgrade of the release, not another release", async () => {
    await succeeding(shared.current.up());
    const up = await upgrade(...newerChart);
    expect(cloudChanges(up)).toEqual(["update Release gpu-lab-gpu-operator: version"]);
  });

  test("a newer AMI release updates both node groups in place", async () => {
    const up = await upgrade(...newerChart, ...newerAmi);
    expect(cloudChanges(up)).toEqual([
      "update NodeGroup gpu-lab-gpu: releaseVersion",
      "update NodeGroup gpu-lab-system: releaseVersion",
    ]);
  });

  test("the next Kubernetes minor: control plane, then kube-proxy, then nodes, and no group is replaced", async () => {
    const up = await previewedUpgrade(...newerChart, ...newerKubernetes);
    expect(cloudChanges(up)).toEqual([
      "update Addon gpu-lab-base-addons-kube-proxy: addonVersion",
      "update Cluster gpu-lab-cluster-eksCluster: version",
      "update NodeGroup gpu-lab-gpu: releaseVersion, version",
      "update NodeGroup gpu-lab-system: releaseVersion, version",
    ]);
    expectOrder(stepsOf(up, "Cluster", "eksCluster"), stepsOf(up, "Addon", "kube-proxy"));
    expectOrder(stepsOf(up, "Addon", "kube-proxy"), stepsOf(up, "NodeGroup", "system", "gpu"));
  });

  test("another GPU instance type replaces the group, beside the old one and under another name", async () => {
    const up = await previewedUpgrade(...latest);
    const groups = up.steps.filter(({ type }) => type === "aws:eks/nodeGroup:NodeGroup");
    expect(groups.filter(({ op }) => op !== "same").map(({ name, op }) => `${op} ${name}`)).toEqual([
      "create-replacement gpu-lab-gpu",
      "replace gpu-lab-gpu",
      "delete-replaced gpu-lab-gpu",
    ]);
    await expectNoOrphan(shared.current);
  });

  test("the GPU Operator moves to another namespace: the old release goes before the new one comes", async () => {
    const up = await upgrade(...latest, "gpuOperator.namespace=nvidia");
    const releases = up.steps.filter(({ type, op }) => type === "kubernetes:helm.sh/v3:Release" && op !== "same");
    expect(releases.map(({ op }) => op)).toEqual(["delete-replaced", "replace", "create-replacement"]);
    await expectNoOrphan(shared.current);
  });

  test("and then nothing is left to change", async () => {
    await succeeding(shared.current.preview({ expectNoChanges: true, refresh: true }));
  });
});
