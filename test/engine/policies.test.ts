import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Outcome } from "../../simulation/pulumi/outcome";
import type { Workspace } from "../../simulation/pulumi/workspace";
import { kubeconfigOf } from "../../simulation/provider/eks/kubeconfig";
import type { World } from "../../simulation/world/world";
import { propertyOf } from "../../simulation/world/world";
import { describeEngine, failing, openWorkspace, ownAddress, sharedWorkspace, succeeding } from "./support/engine";

/** Every pack there is. */
const packs = readdirSync("policies/packs").map((pack) => join(process.cwd(), "policies/packs", pack));
const judged = { policyPacks: packs };

const verdicts = ({ violations }: Outcome) => violations.map(({ level, policy }) => `${level} ${policy}`).sort();

const messages = ({ violations }: Outcome) => violations.map(({ message }) => message).join("\n");

/** What `pulumi policy analyze` says of the state: its exit status, and its verdicts. */
async function analyzed(workspace: Workspace): Promise<[number | undefined, string[]][]> {
  const found: [number | undefined, string[]][] = [];
  for (const pack of packs) {
    const outcome = await workspace.analyze(pack);
    found.push([outcome.status, verdicts(outcome)]);
  }
  return found;
}

/** The configuration of a program that adds nodes and a GPU Operator to the cluster of the lab. */
function inCluster(world: World, wanted: readonly string[]): string[] {
  const cluster = world.get("aws:eks/cluster:Cluster", "myeks");
  const group = world.find("aws:eks/nodeGroup:NodeGroup")[0];
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

const wrongSizes = "mandatory nodegroup-scaling-order";
const floating = "mandatory gpu-operator-chart-pinned";
/** Without the component nobody sees what the program asked for: a warning, whatever it was. */
const unseen = "advisory gpu-operator-chart-pinned";

describeEngine("the policy packs", () => {
  const lab = sharedWorkspace({ config: [ownAddress, "gpuOperator.enabled=true"] });
  const other = (...wanted: string[]) =>
    openWorkspace({
      project: "test/engine/programs/other",
      stack: "dev",
      config: inCluster(lab.current.world, wanted),
      world: () => lab.current.world,
    });

  test("find nothing in gpu-lab: in its first preview, its update, a later preview and its state", async () => {
    const workspace = lab.current;
    expect(verdicts(await succeeding(workspace.preview(judged)))).toEqual([]);
    expect(verdicts(await succeeding(workspace.up(judged)))).toEqual([]);
    expect(verdicts(await succeeding(workspace.preview({ ...judged, expectNoChanges: true })))).toEqual([]);
    expect(await analyzed(workspace)).toEqual([[0, []]]);
  });

  test("stop a first preview and an update before anything is made", async () => {
    const workspace = await other(badSizes);
    const before = workspace.world.objects;
    const first = await failing(workspace.preview(judged));
    expect(verdicts(first)).toEqual([floating, wrongSizes]);
    expect(messages(first)).toContain("scalingConfig.maxSize: got 2, below scalingConfig.desiredSize 3.");
    expect(verdicts(await failing(workspace.up(judged)))).toContain(wrongSizes);
    expect(workspace.world.objects).toEqual(before);
  });

  test("judge a later preview and the state by what Helm resolved", async () => {
    const workspace = await other(goodSizes, pinned);
    expect(verdicts(await succeeding(workspace.preview(judged)))).toEqual([unseen]);
    expect(verdicts(await succeeding(workspace.up(judged)))).toEqual([unseen]);
    expect(verdicts(await succeeding(workspace.preview(judged)))).toEqual([unseen]);
    expect(await analyzed(workspace)).toEqual([[0, [unseen]]]);

    workspace.configure(inCluster(workspace.world, [badSizes]));
    const later = await failing(workspace.preview(judged));
    expect(verdicts(later)).toEqual([floating, wrongSizes]);
    expect(messages(later)).toContain('version: got "v26.7.0".');

    workspace.configure(inCluster(workspace.world, [goodSizes]));
    await succeeding(workspace.up());
    expect(await analyzed(workspace)).toEqual([[1, [floating]]]);
  });
});
