import { NodeGroup } from "@pulumi/aws/eks/nodeGroup";
import { Cluster } from "@pulumi/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { judge } from "../../policies/engine/judge";
import { lab } from "../../policies/packs/lab/rules";
import { plan } from "../support/plan";
import { short } from "./support/verdicts";
import { asAnalyzed } from "../../planner/record/recorded-resource";

/** A component that hands its arguments to the engine, as those of the library do. */
class Nodes extends pulumi.ComponentResource {
  constructor(name: string, sizes: { minSize: number; desiredSize: number; maxSize: number }) {
    super("eks-gpu-lab:index:GpuNodeGroup", name, sizes);
    new NodeGroup(
      name,
      { ...group, scalingConfig: sizes },
      { parent: this, ignoreChanges: ["scalingConfig.desiredSize"] },
    );
  }
}

const group = { clusterName: "myeks", nodeRoleArn: "arn:aws:iam::123456789012:role/node", subnetIds: ["subnet-0"] };

test("what a program registers is judged as it was recorded", async () => {
  const { resources } = await plan(() => {
    const other = new NodeGroup("other", { ...group, scalingConfig: { minSize: 0, desiredSize: 2, maxSize: 1 } });
    const minSize = other.id.apply(() => 0);
    new NodeGroup("later", { ...group, scalingConfig: { minSize, desiredSize: 1, maxSize: 2 } });
    new NodeGroup(
      "ignored",
      { ...group, scalingConfig: { minSize: 0, desiredSize: 2, maxSize: 1 } },
      {
        ignoreChanges: ["scalingConfig.desiredSize"],
      },
    );
    new Nodes("component", { minSize: 0, desiredSize: 2, maxSize: 1 });
  });
  const analyzed = resources.map(asAnalyzed);
  const said = judge(lab, analyzed).map(
    (finding) => `${finding.name} ${finding.urn.split("::")[2]}: ${short(finding)}`,
  );
  expect(said.sort()).toEqual([
    "component eks-gpu-lab:index:GpuNodeGroup: fail desiredSize",
    "component eks-gpu-lab:index:GpuNodeGroup: fail maxSize",
    "ignored aws:eks/nodeGroup:NodeGroup: fail scalingConfig.maxSize",
    "later aws:eks/nodeGroup:NodeGroup: unknown scalingConfig.minSize",
    "other aws:eks/nodeGroup:NodeGroup: fail scalingConfig.maxSize",
  ]);
});

test("a cluster of @pulumi/eks without arguments is judged by its defaults", async () => {
  const { resources } = await plan(() => void new Cluster("defaults"));
  const said = judge(lab, resources.map(asAnalyzed)).filter(({ rule }) => rule.startsWith("cluster-endpoint"));
  expect(said.map(short)).toEqual(["fail publicAccessCidrs"]);
});

test("the values of a string asset are judged as the program sends them", async () => {
  const { resources } = await plan(() => {
    const values = "driver: {enabled: false}\ntoolkit: {enabled: true}\n";
    new Release("operator", {
      chart: "./gpu-operator-v26.3.1.tgz",
      timeout: 900,
      valueYamlFiles: [new pulumi.asset.StringAsset(values)],
    });
    new NodeGroup("gpu", {
      ...group,
      amiType: "AL2023_x86_64_NVIDIA",
      scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 1 },
    });
  });
  const said = judge(lab, resources.map(asAnalyzed)).filter(({ rule }) => rule === "nvidia-ami-driver-toolkit-off");
  expect(said.map(short)).toEqual(["fail values.toolkit.enabled"]);
});
