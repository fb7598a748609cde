import { join } from "node:path";
import { expect, test } from "vitest";
import { packs } from "../../policies/packs";
import { propertyOf } from "../../simulation/cloud/model";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { kubeconfigOf } from "../../simulation/provider/eks/cluster-outputs";
import type { Outcome } from "../../simulation/pulumi/outcome";
import type { TestWorkspace } from "../support/test-workspace";
import { describeEngine, failing, openWorkspace, ownAddress, sharedWorkspace, succeeding } from "./support/engine";

/** All packs by their name in the engine's events. */
const folders = new Map(
  Object.entries(packs).map(([folder, { name }]) => [name, join(process.cwd(), "policies/packs", folder)]),
);
const judged = { policyPacks: [...folders.values()] };

/** The combined violations of the packs: the audit pack is advisory, the others set the level of a rule. */
function said({
  mandatory = [],
  advisory = [],
}: {
  mandatory?: readonly string[];
  advisory?: readonly string[];
}): string[] {
  const binding = ["eks-gpu-lab", "eks-gpu-lab-shared"];
  return [
    ...binding.flatMap((pack) => mandatory.map((rule) => `${pack} mandatory ${rule}`)),
    ...binding.flatMap((pack) => advisory.map((rule) => `${pack} advisory ${rule}`)),
    ...[...mandatory, ...advisory].map((rule) => `eks-gpu-lab-audit advisory ${rule}`),
  ].sort();
}

const verdicts = ({ violations }: Outcome) =>
  violations.map(({ pack, level, policy }) => `${pack} ${level} ${policy}`).sort();

const messages = ({ violations }: Outcome) => violations.map(({ message }) => message).join("\n");

/** The exit status and violations of `pulumi policy analyze`, by pack. */
async function analyzed(workspace: TestWorkspace): Promise<Record<string, [number | undefined, string[]]>> {
  const found: Record<string, [number | undefined, string[]]> = {};
  for (const [pack, folder] of folders) {
    const outcome = await workspace.analyze(folder);
    found[pack] = [outcome.status, verdicts(outcome).map((verdict) => verdict.slice(pack.length + 1))];
  }
  return found;
}

/** The configuration of a program that adds nodes and a GPU Operator to the cluster of the lab. */
function inCluster(cloud: SimulatedCloud, wanted: readonly string[]): string[] {
  const cluster = cloud.get("aws:eks/cluster:Cluster", "myeks");
  const group = cloud.find("aws:eks/nodeGroup:NodeGroup")[0];
  if (!cluster || !group) throw new Error("the lab is not there");
  const kubeconfig = kubeconfigOf(
    {
      clusterName: "myeks",
      endpoint: String(propertyOf(cluster, "endpoint")),
      arn: String(propertyOf(cluster, "arn")),
      certificate: "",
      credentials: undefined,
    },
    false,
  );
  return [
    "clusterName=myeks",
    `nodeRoleArn=${String(group.inputs["nodeRoleArn"])}`,
    `subnetId=${String((group.inputs["subnetIds"] as string[])[0])}`,
    `kubeconfig=${JSON.stringify(kubeconfig)}`,
    ...wanted,
  ];
}

const goodSizes = 'scaling={"minSize":0,"desiredSize":0,"maxSize":2}';
const badSizes = 'scaling={"minSize":0,"desiredSize":3,"maxSize":2}';
const pinned = "chartVersion=v26.3.1";

const wrongSizes = "nodegroup-scaling-order";
/** A policy does not see the arguments of the component, so it always warns. */
const pinnedChart = "gpu-operator-chart-pinned";

describeEngine("the policy packs", () => {
  const lab = sharedWorkspace({ config: [ownAddress, "gpuOperator.enabled=true"] });
  const other = (...wanted: string[]) =>
    openWorkspace({
      project: "test/engine/programs/other",
      stack: "dev",
      config: inCluster(lab.current.cloud, wanted),
      cloud: () => lab.current.cloud,
    });

  test("find no violations in gpu-lab: in its first preview, its update, a later preview and its state", async () => {
    const workspace = lab.current;
    const preview = await succeeding(workspace.preview(judged));
    expect(verdicts(preview)).toEqual([]);
    expect(preview.diagnostics.filter(({ message }) => message.includes("can't run policy"))).toEqual([]);
    expect(verdicts(await succeeding(workspace.up(judged)))).toEqual([]);
    expect(verdicts(await succeeding(workspace.preview({ ...judged, expectNoChanges: true })))).toEqual([]);
    const content = Object.fromEntries([...folders.keys()].map((pack) => [pack, [0, []]]));
    expect(await analyzed(workspace)).toEqual(content);
    // A cluster can have one GPU Operator, and the other program installs its own.
    workspace.configure([ownAddress]);
    expect(verdicts(await succeeding(workspace.up(judged)))).toEqual([]);
  });

  test("accept an experiment in a lab, and reject it in a shared cluster", async () => {
    const workspace = lab.current;
    workspace.configure([ownAddress, "nccl=blocked"]);
    const blocked = await failing(workspace.preview(judged));
    const experiment = "experiment-toggle-left-on";
    expect(verdicts(blocked)).toEqual([
      `eks-gpu-lab-audit advisory ${experiment}`,
      `eks-gpu-lab-shared mandatory ${experiment}`,
    ]);
    workspace.configure([ownAddress]);
  });

  test("stop a first preview and an update before anything is created", async () => {
    const workspace = await other(badSizes);
    const before = workspace.cloud.objects;
    const first = await failing(workspace.preview(judged));
    expect(verdicts(first)).toEqual(said({ mandatory: [pinnedChart, wrongSizes] }));
    expect(messages(first)).toContain("scalingConfig.maxSize: got 2");
    expect(verdicts(await failing(workspace.up(judged)))).toContain(`eks-gpu-lab mandatory ${wrongSizes}`);
    expect(workspace.cloud.objects).toEqual(before);
  });

  test("check a later preview and the state with the version that Helm resolved", async () => {
    const workspace = await other(goodSizes, pinned);
    const advised = said({ advisory: [pinnedChart] });
    expect(verdicts(await succeeding(workspace.preview(judged)))).toEqual(advised);
    expect(verdicts(await succeeding(workspace.up(judged)))).toEqual(advised);
    expect(verdicts(await succeeding(workspace.preview(judged)))).toEqual(advised);
    const advice = [`advisory ${pinnedChart}`];
    expect(await analyzed(workspace)).toEqual({
      "eks-gpu-lab": [0, advice],
      "eks-gpu-lab-shared": [0, advice],
      "eks-gpu-lab-audit": [0, advice],
    });

    workspace.configure(inCluster(workspace.cloud, [badSizes]));
    const later = await failing(workspace.preview(judged));
    expect(verdicts(later)).toEqual(said({ mandatory: [wrongSizes], advisory: [pinnedChart] }));
    expect(messages(later)).toContain('version: got "v26.7.0"');

    workspace.configure(inCluster(workspace.cloud, [goodSizes]));
    await succeeding(workspace.up());
    // The newest chart of the simulated repository is one that this library knows, so it may be pinned.
    expect(await analyzed(workspace)).toEqual({
      "eks-gpu-lab": [0, advice],
      "eks-gpu-lab-shared": [0, advice],
      "eks-gpu-lab-audit": [0, advice],
    });
  });
});
